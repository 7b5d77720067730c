"""pytest_lanewise: runs a project's tests under lanewise, without a GPU.

    pytest --lanewise                                fails also if lanewise finds errors or warnings
    pytest --lanewise --lanewise-budgets lanewise.toml     and if a count exceeds its budget
    pytest --lanewise --lanewise-args='--check --html report.html'

pytest starts itself again below `lanewise run`, so that every library that the tests load attaches. The tests' own result comes first:
if one of them fails, that is pytest's exit status; else findings and exceeded budgets make it 1.
"""
import os
import shlex
import shutil
import subprocess
import sys

import pytest

INSIDE = "PYTEST_LANEWISE_INSIDE"  # set below lanewise: this pytest runs the tests
FOUND = 9  # what lanewise exits with for findings; 3 for budgets


def pytest_addoption(parser):
    group = parser.getgroup("lanewise", "CUDA without a GPU")
    group.addoption("--lanewise", action="store_true", help="run the tests under lanewise; errors and warnings fail")
    group.addoption("--lanewise-budgets", metavar="FILE", help="also fail if a count exceeds its budget in FILE")
    group.addoption("--lanewise-args", metavar="ARGS", default="", help="more options of lanewise run, as one text")
    group.addoption("--lanewise-command", metavar="PATH", default="lanewise", help="the lanewise to use")


def command_of(option, arguments):
    """The command that runs this pytest again below lanewise."""
    command = [option("--lanewise-command"), "run", "--error-exitcode", str(FOUND)]
    if option("--lanewise-budgets"):
        command += ["--budgets", option("--lanewise-budgets")]
    return command + shlex.split(option("--lanewise-args")) + ["--", sys.executable, "-m", "pytest"] + list(arguments)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    if not config.getoption("--lanewise") or os.environ.get(INSIDE):
        return None
    if not shutil.which(config.getoption("--lanewise-command")):
        raise pytest.UsageError("--lanewise: there is no lanewise; put it on PATH, or name it with --lanewise-command")
    command = command_of(config.getoption, config.invocation_params.args)
    status = subprocess.run(command, env={**os.environ, INSIDE: "1"}, check=False).returncode
    if status == FOUND:
        print("pytest-lanewise: the tests passed, but lanewise has findings (above)", file=sys.stderr)
    elif status == 3 and config.getoption("--lanewise-budgets"):
        print("pytest-lanewise: the tests passed, but a budget is exceeded (above)", file=sys.stderr)
    else:
        return status
    return pytest.ExitCode.TESTS_FAILED
