#!/usr/bin/env python3
"""Fills the figures of examples/README.md from the reports of the examples: python3 tools/figures.py BUILD_DIR [--update]

Between `### `NAME.cu`` / `<!-- figures:X -->` and `<!-- end -->` stands one table row per kernel, configuration and
source line that moves anything: what was counted and the ideal. Without --update it changes nothing and fails if the
text differs."""
import json, os, re, subprocess, sys, tempfile

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
readme = os.path.join(root, "examples", "README.md")


def report(build, program):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        built = os.path.join(build, "examples", program.removesuffix(".cu"))  # by the test `examples`
        source = os.path.join(root, "examples", program)
        fresh = os.path.exists(built) and os.path.getmtime(built) > os.path.getmtime(source)
        subprocess.run([os.path.join(build, "lanewise"), "run", "--json", out.name, "-o", "/dev/null", built if fresh else program],
                       cwd=os.path.join(root, "examples"), stdout=subprocess.DEVNULL, check=True)
        return json.load(open(out.name))


def amount(c):
    """The row's measure and its ideal, in words."""
    for name in ("wavefronts", "sectors", "requests"):
        if name in c:
            return f"{c[name]:,} {name}", f"{c[name + '_ideal']:,}" if name + "_ideal" in c else ""
    return "", ""


def table(data):
    rows = ["| kernel | line | access | counted | ideal |", "|---|---|---|---|---|"]
    for launch in data["launches"]:
        grid = " x ".join(str(x) for x in launch["grid"] if x > 1) or "1"
        block = " x ".join(str(x) for x in launch["block"] if x > 1) or "1"
        name = f"`{launch['kernel'].split('(')[0].removeprefix('void ')}` <<<{grid}, {block}>>>" + (
            f", {launch['count']} times" if launch["count"] > 1 else "")
        for line in sorted(launch["lines"], key=lambda r: (r["line"], r["space"], r["op"])):
            counted, ideal = amount(line["counters"])
            mark = "" if line["exact"] else " ~"
            access = f"{line['space']} {line['op']} {line['bytes_per_lane']} B"
            rows.append(f"| {name} | {line['line']} | {access} | {counted}{mark} | {ideal} |")
            name = ""
    return "\n".join(rows)


def main():
    build, check = os.path.abspath(sys.argv[1]), "--update" not in sys.argv
    text = open(readme).read()
    pattern = re.compile(r"(### `(\S+\.cu)`\n<!-- figures:\S+ -->\n)(.*?)(<!-- end -->)", re.S)
    fresh = pattern.sub(lambda m: m[1] + table(report(build, m[2])) + "\n" + m[4], text)
    if check:
        if fresh != text:
            sys.exit(f"examples/README.md is not what the examples report: run `make update`")
        return
    open(readme, "w").write(fresh)


main()
