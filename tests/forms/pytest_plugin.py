#!/usr/bin/env python3
"""pytest_plugin.py: what python/pytest-lanewise starts, and what it makes of the exit status. Neither pytest nor lanewise is needed: the
one is a module of three names here, the other a script that records its arguments and ends as it is told."""
import contextlib
import enum
import importlib.util
import io
import os
import pathlib
import sys
import tempfile
import types

PLUGIN = pathlib.Path(__file__).resolve().parents[2] / "python/pytest-lanewise/pytest_lanewise.py"
RECORDER = """#!/bin/sh
printf '%s\\n' "$PYTEST_LANEWISE_INSIDE" "$@" >"$RECORD"
exit "$STATUS"
"""


class ExitCode(enum.IntEnum):
    OK = 0
    TESTS_FAILED = 1


class UsageError(Exception):
    pass


def load_plugin():
    stub = types.ModuleType("pytest")
    stub.hookimpl = lambda **_: lambda function: function
    stub.ExitCode, stub.UsageError = ExitCode, UsageError
    sys.modules["pytest"] = stub
    spec = importlib.util.spec_from_file_location("pytest_lanewise", PLUGIN)
    plugin = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plugin)
    return plugin


class Config:
    def __init__(self, arguments=(), **options):
        self.options = {"--lanewise": True, "--lanewise-budgets": None, "--lanewise-args": "", "--lanewise-command": "lanewise"}
        self.options.update({"--" + name.replace("_", "-"): value for name, value in options.items()})
        self.getoption = self.options.__getitem__
        self.invocation_params = types.SimpleNamespace(args=list(arguments))


def check(plugin, folder):
    record, command = folder / "record", folder / "recorder"
    command.write_text(RECORDER)
    command.chmod(0o755)

    def run(status, arguments=(), **options):
        os.environ.update(RECORD=str(record), STATUS=str(status))
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            result = plugin.pytest_cmdline_main(Config(arguments, lanewise_command=str(command), **options))
        return int(result), record.read_text().split("\n")[:-1], said.getvalue()

    again = ["--", sys.executable, "-m", "pytest", "-q", "tests"]
    result, words, _ = run(0, ["-q", "tests"])
    yield result == 0 and words == ["1", "run", "--error-exitcode", "9", *again], f"a run: {result} {words}"
    result, words, _ = run(0, ["-q", "tests"], lanewise_args="--check --html 'a b.html'", lanewise_budgets="b.toml")
    wanted = ["1", "run", "--error-exitcode", "9", "--budgets", "b.toml", "--check", "--html", "a b.html", *again]
    yield words == wanted, f"options: {words}"
    result, _, said = run(9)
    yield result == 1 and "findings" in said, f"findings: {result} {said}"
    result, _, said = run(3, lanewise_budgets="b.toml")
    yield result == 1 and "budget" in said, f"a budget: {result} {said}"
    result, _, said = run(3)
    yield result == 3 and not said, f"pytest's own 3 without budgets: {result} {said}"
    result, _, said = run(1)
    yield result == 1 and not said, f"a failed test: {result} {said}"
    yield plugin.pytest_cmdline_main(Config(lanewise=False)) is None, "without --lanewise it starts nothing"
    os.environ["PYTEST_LANEWISE_INSIDE"] = "1"
    yield plugin.pytest_cmdline_main(Config()) is None, "below lanewise it starts nothing again"
    del os.environ["PYTEST_LANEWISE_INSIDE"]
    try:
        plugin.pytest_cmdline_main(Config(lanewise_command=str(folder / "missing")))
        yield False, "a lanewise that is not there is no error"
    except UsageError as error:
        yield "there is no lanewise" in str(error), str(error)


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for fine, message in check(load_plugin(), pathlib.Path(folder)):
            failed += not fine
            if not fine:
                print(message)
    print("failed" if failed else "passed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
