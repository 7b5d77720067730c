#!/usr/bin/env python3
"""Takes one barrier, fence or wait out of correct programs and looks whether the checks notice.

  mutants.py BUILD [--sample] [--seeds N] [--jobs N] [--out FILE] [PROGRAM...]    run mutants
  mutants.py --page [--write]                                                    the figures of docs/CHECKS.md

A mutant is one source line of examples/ or tests/programs*/ from which one kind of synchronisation is taken away, or
made weaker (RULES), in all that the compiler made of the line. That is done in the PTX inside the program, so that a
program is compiled once; calls of the host are skipped by a macro. Each mutant runs once with racecheck and synccheck.
Then it runs with --schedule=random:SEED, without checks, until its exit status or output is another than that of the
unchanged program, for up to N seeds. mutants.csv has what a full run found; of those that are neither found nor change
anything a fixed sample is judged by hand in judged.csv.

--sample runs the mutants of SAMPLE only and fails if their findings are not those of mutants.csv.
Exit status: 0, 1 if a sample differs, 77 no nvcc.
"""
import argparse
import collections
import concurrent.futures
import csv
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
RESULTS = os.path.join(HERE, "mutants.csv")
JUDGED = os.path.join(HERE, "judged.csv")
PAGE = os.path.join(ROOT, "docs", "CHECKS.md")
FOLDERS = ["examples", "tests/programs", "tests/programs2"]
SAMPLE = ["scan_blelloch", "spinlock", "async_pipeline", "cluster_reduce", "cg_grid_sync", "sample_groups_barriers"]
CHECKS = "racecheck,synccheck"
COLUMNS = ["program", "line", "inside", "mutation", "found", "at", "result", "seed"]
CLEAN_SEEDS = 10
KERNEL_SECONDS = 5
LIMIT_SECONDS = 60
JUDGED_COUNT = 100

# What is taken away: (mutation, pattern of one PTX statement, what takes its place). What is put there may not be longer.
RULES = [
    ("no barrier", r"(@!?%p\d+\s+)?(bar|barrier)(\.cta)?\.sync(\.aligned)?\s[^;]*;", ""),
    ("no cluster barrier", r"(@!?%p\d+\s+)?barrier\.cluster\.(arrive|wait)[^;]*;", ""),
    ("no __syncwarp", r"(@!?%p\d+\s+)?bar\.warp\.sync\s[^;]*;", ""),
    ("no fence", r"(membar|fence)\.(?!proxy|mbarrier)[^;]*;", ""),
    ("no proxy fence", r"fence\.proxy\.async[^;]*;", ""),
    ("fence of the block", r"\s(membar\.)(?:gl|sys);", r"\1cta;"),
    ("fence of the block", r"(fence\.(?:sc|acq_rel)\.)(?:gpu|sys|cluster);", r"\1cta;"),
    ("no release", r"((?:atom|red|st)\S*)\.release(\S*[^;]*;)", r"\1.relaxed\2"),
    ("no acquire", r"((?:atom|ld)\S*)\.acquire(\S*[^;]*;)", r"\1.relaxed\2"),
    ("no acquire and release", r"((?:atom|red)\S*)\.acq_rel(\S*[^;]*;)", r"\1.relaxed\2"),
    ("scope of the block", r"((?:atom|red|st|ld)\S*\.(?:release|acquire|acq_rel)\.)(?:gpu|sys)(\S*[^;]*;)", r"\1cta\2"),
    ("no wait for copies", r"cp\.async\.(bulk\.)?wait_(group|all)[^;]*;", ""),
    ("wait for one group fewer", r"(cp\.async\.(?:bulk\.)?wait_group(?:\.read)?\s+)(\d+);", lambda m: f"{m[1]}{int(m[2]) + 1};"),
    ("no wait for the mbarrier", r"mbarrier\.(?:try|test)_wait\S*\s+(%?\w+),[^;]*;", r"setp.eq.u32 \1, 0, 0;"),
    ("no wait for the kernel before", r"griddepcontrol\.wait;", ""),
]
HOST_CALLS = ["cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize", "cudaStreamWaitEvent"]
HOST_HEADER = """#include <cstdlib>
#include <cuda_runtime.h>
static inline bool lw_left_out(int line)
{
    const char *wanted = getenv("LW_LEFT_OUT");
    return wanted && atoi(wanted) == line;
}
""" + "".join(f"#define {c}(...) (lw_left_out(__LINE__) ? cudaSuccess : ({c})(__VA_ARGS__))\n" for c in HOST_CALLS)

Mutant = collections.namedtuple("Mutant", "program line inside mutation patches")
Program = collections.namedtuple("Program", "name source binary")


def sources():
    """name -> path of all programs of one file that can be compiled to PTX alone."""
    found = {}
    for folder in FOLDERS:
        for file in sorted(os.listdir(os.path.join(ROOT, folder))):
            path = os.path.join(ROOT, folder, file)
            if file.endswith(".cu") and "-rdc=true" not in first_line(path):
                found[file.removesuffix(".cu")] = path
    return found


def first_line(path):
    with open(path) as f:
        return f.readline()


def compile_one(name, source, nvcc, build, folder):
    """Compiles a program to PTX that can be changed in place. Returns the Program, or None if it cannot be compiled so."""
    binary = os.path.join(folder, name)
    header = os.path.join(folder, "left_out.h")
    inputs = [source, header]
    if not os.path.exists(binary) or any(os.path.getmtime(binary) < os.path.getmtime(i) for i in inputs):
        flags = " ".join(re.findall(r"^// nvcc: *(.*)", first_line(source))).split()
        target = [] if "-gencode" in flags else ["-gencode", "arch=compute_90,code=compute_90"]
        command = [nvcc, *target, "-std=c++17", "-lineinfo", "-cudart", "shared", "--compress-mode=none", "-include", header,
                   "-L" + os.path.join(build, "lib"), "-o", binary, source, *flags]
        if subprocess.run(command, capture_output=True).returncode:
            return None
    return Program(name, source, binary)


def ptx_texts(data):
    """(offset, text) of each PTX text in the bytes of a program."""
    for start in re.finditer(rb"\.version \d", data):
        end = data.index(b"\0", start.start())
        yield start.start(), data[start.start():end].decode("latin-1")


def places(text):
    """Of each line of a PTX text: (offset, text, (file, line) innermost, (file, line) of its callers, innermost first)."""
    files = {number: path for number, path in re.findall(r'\.file\s+(\d+)\s+"([^"]+)"', text)}
    callers = {}  # a place -> where it was inlined, as last said
    here, chain, offset = None, [], 0
    for line in text.splitlines(keepends=True):
        loc = re.match(r"\s*\.loc\s+(\d+) (\d+) (\d+)(?:, function_name [^,]+, inlined_at (\d+) (\d+) (\d+))?", line)
        if loc and loc[2] != "0":
            here = (loc[1], loc[2], loc[3])
            callers[here] = (loc[4], loc[5], loc[6]) if loc[4] else None
            chain, place = [], callers[here]
            while place and len(chain) < 30:
                chain.append((files.get(place[0], "?"), int(place[1])))
                place = callers.get(place)
        elif here:
            yield offset, line, (files.get(here[0], "?"), int(here[1])), chain
        offset += len(line)


def device_mutants(program, owned):
    """The mutants of a program's PTX. owned(path): is a file one of those whose lines are changed."""
    with open(program.binary, "rb") as f:
        data = f.read()
    grouped = collections.defaultdict(list)
    for start, text in ptx_texts(data):
        for offset, line, inner, chain in places(text):
            for mutation, pattern, replacement in RULES:
                for match in re.finditer(pattern, line):
                    new = match.expand(replacement) if isinstance(replacement, str) else replacement(match)
                    outer = next((p for p in [inner] + chain if owned(p[0])), None)
                    if outer and len(new) <= len(match[0]):
                        cluster = mutation == "no cluster barrier"  # arrival and wait are two lines of one function
                        inside = "" if outer == inner else "cluster.sync" if cluster else short(inner)
                        key = (outer[0], outer[1], inside, mutation)
                        grouped[key].append((start + offset + match.start(), new.ljust(len(match[0])).encode("latin-1")))
    several = len({key[0] for key in grouped}) > 1
    return [Mutant(program, f"{os.path.basename(file)}:{line}" if several else str(line), inside, mutation, tuple(patches))
            for (file, line, inside, mutation), patches in sorted(grouped.items())]


def short(place):
    path = place[0].split("/include/")[-1]
    return f"{'/'.join(path.split('/')[-2:])}:{place[1]}"


def host_mutants(program):
    with open(program.source) as f:
        for number, text in enumerate(f, 1):
            code = text.split("//")[0]
            for call in HOST_CALLS:
                if not code.lstrip().startswith("#") and re.search(r"\b" + call + r"\s*\(", code):
                    yield Mutant(program, str(number), "", "no " + call, ())


def run(command, environment):
    """(exit status or "hang", stdout) of a command."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=LIMIT_SECONDS, env={**os.environ, **environment})
    except subprocess.TimeoutExpired:
        return "hang", b""
    return "not ready" if b"device not ready" in done.stdout + done.stderr else done.returncode, done.stdout


class Runner:
    """Runs programs, changed and unchanged."""

    def __init__(self, build, folder, seeds):
        self.lanewise = os.path.join(build, "lanewise")
        self.folder, self.seeds = folder, seeds
        self.number = itertools.count()

    def checked(self, binary, environment):
        """(result, findings, failed calls) with the checks and the default schedule. A finding is (check, severity, lines)."""
        report = os.path.join(self.folder, f"report{next(self.number)}.json")
        result = self.run(binary, environment, "--check=" + CHECKS, "--json", report)
        try:
            with open(report) as f:
                found = json.load(f)["findings"]
            os.remove(report)
        except (OSError, ValueError):
            found = []
        told = {(f["check"], f["severity"], lines_of(f)) for f in found if f["severity"] != "note"}
        return result, told, {f["message"] for f in found if f["check"] == "api"}

    def run(self, binary, environment, *options):
        command = [self.lanewise, "run", "--no-report", "--threads", "1", "--timeout", str(KERNEL_SECONDS), *options, binary]
        return run(command, environment)

    def seeded(self, binary, environment, seed):
        return self.run(binary, environment, f"--schedule=random:{seed}")

    def clean(self, program):
        """What the unchanged program gives: (result, does its output vary, findings, failed calls)."""
        result, findings, failed = self.checked(program.binary, {})
        others = [self.seeded(program.binary, {}, seed) for seed in range(1, min(CLEAN_SEEDS, self.seeds) + 1)]
        return result, any(o != result for o in others), findings, failed

    def mutant(self, mutant, clean):
        """The row of mutants.csv for a mutant."""
        expected, varies, known, known_failed = clean
        binary, environment = self.changed(mutant)
        result, findings, failed = self.checked(binary, environment)
        new = sorted(findings - known, key=lambda f: (f[1] != "error", f))
        if failed - known_failed or result[0] == "not ready":
            outcome, seed = "refused", ""  # a call fails, which tells the program
        else:
            seed = "default" if differ(result, expected, varies) else self.first_seed(mutant, binary, environment, clean)
            outcome = "changed" if seed else "same"
        if mutant.patches:
            shutil.rmtree(os.path.dirname(binary))
        return {"program": mutant.program.name, "line": mutant.line, "inside": mutant.inside, "mutation": mutant.mutation,
                "found": f"{new[0][0]} {new[0][1]}" if new else "", "at": new[0][2] if new else "",
                "result": outcome, "seed": seed}

    def first_seed(self, mutant, binary, environment, clean):
        """The first seed that changes the result of a mutant, and not that of the program; "": none."""
        expected, varies = clean[:2]
        for seed in range(1, self.seeds + 1):
            if not differ(self.seeded(binary, environment, seed), expected, varies):
                continue
            if not differ(self.seeded(mutant.program.binary, {}, seed), expected, varies):
                return str(seed)
        return ""

    def changed(self, mutant):
        """(program, environment) of a mutant."""
        if not mutant.patches:
            return mutant.program.binary, {"LW_LEFT_OUT": mutant.line}
        folder = os.path.join(self.folder, f"mutant{next(self.number)}")
        os.makedirs(folder)
        with open(mutant.program.binary, "rb") as f:
            data = bytearray(f.read())
        for offset, new in mutant.patches:
            data[offset:offset + len(new)] = new
        path = os.path.join(folder, mutant.program.name)
        with open(path, "wb") as f:
            f.write(data)
        os.chmod(path, 0o755)
        return path, {}


def lines_of(finding):
    places = [finding] + finding.get("related", [])
    return " ".join(sorted({f"{os.path.basename(p['file'])}:{p['line']}" for p in places if p.get("file")}))


def differ(result, expected, varies):
    """Of a program whose output varies only the exit status and the last line count."""
    if not varies:
        return result != expected
    return result[0] != expected[0] or result[1].split(b"\n")[-2:] != expected[1].split(b"\n")[-2:]


def all_mutants(program):
    def owned(path):
        return os.path.basename(path) == os.path.basename(program.source)
    yield from device_mutants(program, owned)
    yield from host_mutants(program)


def prepare(build):
    """The folder of the compiled programs, with what they include."""
    folder = os.path.join(build, "mutants")
    os.makedirs(folder, exist_ok=True)
    header = os.path.join(folder, "left_out.h")
    if not os.path.exists(header) or open(header).read() != HOST_HEADER:
        with open(header, "w") as f:
            f.write(HOST_HEADER)
    return folder


def run_all(options, wanted, nvcc):
    """Compiles the wanted programs, runs their mutants. Yields the rows, in order."""
    build = os.path.abspath(options.build)
    folder = prepare(build)
    runner = Runner(build, folder, options.seeds)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        compiled = pool.map(lambda item: compile_one(item[0], item[1], nvcc, build, folder), wanted.items())
        cleans = {p: pool.submit(runner.clean, p) for p in compiled if p}
        runs = []
        for program, clean in cleans.items():
            if clean.result()[0][0] == 0:
                runs += [pool.submit(runner.mutant, m, clean.result()) for m in all_mutants(program)]
        for done in runs:
            yield done.result()


# ---------------------------------------------------------------- the sample
def read_rows(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


def key_of(row):
    return tuple(row[c] for c in COLUMNS[:4])


def compare_sample(rows):
    """What differs between the findings of this run and those of mutants.csv."""
    expected = {key_of(r): r["found"] for r in read_rows(RESULTS) if r["program"] in SAMPLE}
    got = {key_of(r): r["found"] for r in rows}
    for k in sorted(set(expected) | set(got)):
        if expected.get(k) != got.get(k):
            yield f"{' '.join(filter(None, k))}: {got.get(k, 'no such mutant')!r}, not {expected.get(k, 'no such mutant')!r}"


# ---------------------------------------------------------------- the page
GROUPS = [("barriers of blocks and clusters", ("no barrier", "no cluster barrier")),
          ("`__syncwarp`", ("no __syncwarp",)),
          ("fences, acquire, release, scopes", ("no fence", "no proxy fence", "fence of the block", "no release", "no acquire",
                                                "no acquire and release", "scope of the block")),
          ("waits for copies and mbarriers", ("no wait for copies", "wait for one group fewer", "no wait for the mbarrier",
                                              "no wait for the kernel before")),
          ("event edges between streams", ("no cudaStreamWaitEvent",)),
          ("waits of the host", ("no cudaDeviceSynchronize", "no cudaStreamSynchronize", "no cudaEventSynchronize"))]


def share(part, whole):
    return f"{part} of {whole}" + (f" ({100 * part / whole:.1f} %)" if whole else "")


def page_table():
    rows = [r for r in read_rows(RESULTS) if r["result"] != "refused"]
    lines = ["| taken away | mutants | result changes | found of these | result stays | found of these |", "|---|---|---|---|---|---|"]
    for name, mutations in GROUPS + [("all", sum((m for _, m in GROUPS), ()))]:
        group = [r for r in rows if r["mutation"] in mutations]
        changed = [r for r in group if r["result"] == "changed"]
        same = [r for r in group if r["result"] == "same"]
        lines.append(f"| {name} | {len(group)} | {len(changed)} | {share(sum(bool(r['found']) for r in changed), len(changed))} | "
                     f"{len(same)} | {sum(bool(r['found']) for r in same)} |")
    verdicts = collections.Counter(r["verdict"] for r in read_rows(JUDGED))
    lines += ["", f"Of the {sum(r['result'] == 'same' and not r['found'] for r in rows)} silent ones {sum(verdicts.values())} "
              "are judged by hand, with reasons (`tests/checks/judged.csv`): " +
              ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()) + "."]
    return "\n".join(lines) + "\n"


def page(write):
    """Brings the figures of docs/CHECKS.md up to date, or says whether they are."""
    with open(PAGE) as f:
        old = f.read()
    new = re.sub(r"(<!-- mutants -->\n).*?(<!-- end -->)", lambda m: m[1] + page_table() + m[2], old, flags=re.S)
    if write:
        with open(PAGE, "w") as f:
            f.write(new)
    elif new != old:
        print("docs/CHECKS.md is not what mutants.csv and judged.csv say: run tests/checks/mutants.py --page --write")
        return 1
    return 0


def draw(rows):
    """The mutants to judge by hand: of those that stay silent a fixed sample."""
    silent = sorted((r for r in rows if r["result"] == "same" and not r["found"]), key=key_of)
    chosen = random.Random(13).sample(silent, min(JUDGED_COUNT, len(silent)))
    return sorted(chosen, key=key_of)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?")
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--draw", action="store_true", help="list the mutants that are judged by hand")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", default="-")
    parser.add_argument("program", nargs="*")
    options = parser.parse_intermixed_args()
    if options.page:
        return page(options.write)
    if options.draw:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows(key_of(r) for r in draw(read_rows(RESULTS)))
        return 0
    nvcc = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.path.exists(nvcc) or subprocess.run([nvcc, "--version"], capture_output=True).returncode:
        print("mutants.py: skipped, no nvcc")
        return 77
    known = sources()
    names = SAMPLE if options.sample else options.program or list(known)
    if options.sample:
        options.seeds = 0
        wrong = list(compare_sample(run_all(options, {n: known[n] for n in names}, nvcc)))
        print("\n".join(wrong) or "the findings are those of mutants.csv")
        return 1 if wrong else page(False)
    with (sys.stdout if options.out == "-" else open(options.out, "w", newline="")) as out:
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in run_all(options, {n: known[n] for n in names}, nvcc):
            writer.writerow(row)
            out.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
