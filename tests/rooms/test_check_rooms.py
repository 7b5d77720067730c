#!/usr/bin/env python3
"""test_check_rooms.py: tools/check_rooms.py reports each kind of violation in a small tree, and nothing in a clean one."""
import pathlib
import subprocess
import sys
import tempfile

CHECKER = pathlib.Path(__file__).resolve().parents[2] / "tools/check_rooms.py"

TABLE = """
| room | task | its header | may include | names |
|---|---|---|---|---|
| `low/` | the base | `low.h` | | `low_` |
| `high/` | over it | | low | `high_`, `high2_` |

| folder | what | may include |
|---|---|---|
| `include/` | public | |
| `cli/` | the command | include |
"""
CLEAN = {
    "docs/ARCHITECTURE.md": TABLE,
    "include/lanewise/api.h": "int lw_open(void);\n",
    "cli/main.c": '#include "lanewise/api.h"\n',
    "src/low/low.h": "int low_a(void);\nint low_b(void);\n",
    "src/low/a.c": '#include "low/low.h"\nint low_a(void) { return low_b(); }\n',
    "src/low/b.c": '#include "low/low.h"\nint low_b(void) { return 1; }\n',
    # a table of pointers to functions is no call: d.c, which the table names, may call c.c, which reads it
    "src/high/c.c": '#include "low/low.h"\nextern int (*const high_table[])(void);\nint high_c(void) { return low_a() + high_table[0](); }\n',
    "src/high/d.c": "int high_c(void);\nint high_d(void) { return high_c(); }\n",
    "src/high/table.c": "int high_d(void);\nint (*const high_table[])(void) = {high_d};\n",
}
# what a change to the clean tree must be reported as
CASES = [
    ({}, []),
    ({"src/low/b.c": '#include "high/x.h"\nint low_b(void) { return 1; }\n', "src/high/x.h": "\n"},
     ["include src/low/b.c: high/x.h is not allowed for low"]),
    ({"src/low/rows.inl": '# include "../high/x.h"\n', "src/high/x.h": "\n"},
     ["include src/low/rows.inl: ../high/x.h is not allowed for low"]),
    ({"src/low/b.c": '#include "low/nowhere.h"\nint low_b(void);\n'}, ["include src/low/b.c: low/nowhere.h is not found"]),
    ({"cli/main.c": '#include "low/low.h"\n'}, ["include cli/main.c: low/low.h is not allowed for cli"]),
    ({"include/lanewise/api.h": '#include "low/low.h"\n'}, ["include include/lanewise/api.h: low/low.h is not allowed for include"]),
    ({"src/high/c.c": "#include <cuda_runtime.h>\n"}, ["include src/high/c.c: cuda_runtime.h is CUDA's, which high may not include"]),
    ({"src/third/e.c": "\n"}, ["room third: no row in docs/ARCHITECTURE.md"]),
    ({"src/low/low.h": None, "src/low/a.c": "int low_a(void) { return 1; }\n", "src/low/b.c": "int low_b(void) { return 1; }\n",
      "src/high/c.c": "int high_c(void) { return 1; }\n"}, ["room low: its header low.h is not there"]),
    ({"src/loose.c": "\n"}, ["room src: loose.c lies in no room"]),
    ({"docs/ARCHITECTURE.md": TABLE.replace("`high2_`", "`low_`")}, 
     ["prefix low_: in the rows of low and high", "name low: low_a", "name low: low_b"]),
    ({"src/low/b.c": "int low_b(void) { return 1; }\nint helper;\n"}, ["name low: helper"]),
    ({"src/low/b.c": "int low_b(void) { return 1; }\nint high_own(void) { return 1; }\n"}, ["name low: high_own"]),
    ({"src/low/b.c": "int low_a(void);\nint low_b(void) { return low_a(); }\n"},
     ["circle low: a.c -> b.c (low_b)", "circle low: b.c -> a.c (low_a)"]),
]


def build_tree(root, change):
    for name, text in {**CLEAN, **change}.items():
        if text is not None:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)


def compile_rooms(root):
    """Object files where CMake puts them. What the preprocessor cannot find is taken out: only the code matters here."""
    for source in sorted((root / "src").glob("*/*.c")):
        obj = root / "build/CMakeFiles/rooms.dir" / source.relative_to(root).with_suffix(".c.o")
        obj.parent.mkdir(parents=True, exist_ok=True)
        code = "\n".join(line for line in source.read_text().splitlines() if not line.startswith("#include"))
        code = "int low_a(void); int low_b(void);\n" + code
        subprocess.run(["cc", "-O1", "-fPIC", "-x", "c", "-c", "-o", str(obj), "-"], input=code, text=True, check=True)


def check_case(change, expected):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        build_tree(root, change)
        compile_rooms(root)
        done = subprocess.run([sys.executable, str(CHECKER), "--root", str(root), "--build", str(root / "build")],
                              capture_output=True, text=True)
    lines = done.stdout.splitlines()
    if not expected:
        return done.returncode == 0 and len(lines) == 1, done
    return done.returncode == 1 and lines == expected, done


def main():
    failed = 0
    for change, expected in CASES:
        passed, done = check_case(change, expected)
        if not passed:
            failed += 1
            print(f"changed {list(change)}\n  expected {expected}\n  got {done.returncode}: {done.stdout}{done.stderr}")
    print(f"{len(CASES) - failed} of {len(CASES)} cases as expected")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
