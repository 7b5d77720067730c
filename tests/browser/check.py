#!/usr/bin/env python3
"""check.py: pages of `lanewise run --html` in a real browser, those that test_html leaves in the build directory.

    tests/browser/check.py BUILD_DIRECTORY

Checks that hostile names stay text, that pictures and tables are there, that headers and landmarks are what screen readers need, that
words are explained, that nothing is wider than a telephone, and that a page of 1,000 kernels is drawn in less than a second. Exits with 77, loudly, where there is no Chromium.
"""
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
OPEN_MS = 1000
TELEPHONE = 390  # pixels


def dom(browser, page, fragment="", script=""):
    """What the page looks like, after a script of the test if there is one."""
    with tempfile.TemporaryDirectory() as profile:
        if script:
            changed = pathlib.Path(profile) / "page.html"
            changed.write_text(page.read_text().replace("</body>", f"<script>{script}</script></body>"))
            page = changed
        out = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                              "--no-first-run", "--dump-dom", page.as_uri() + fragment], capture_output=True, text=True, timeout=60)
    return out.stdout


def too_wide(browser, page):
    """Pixels by which the page is wider than a telephone. A window cannot be as narrow as that, a frame can."""
    with tempfile.TemporaryDirectory() as folder:
        outer = pathlib.Path(folder) / "frame.html"
        text = json.dumps(page.read_text()).replace("</", "<\\/").replace("<!--", "<\\!--")
        outer.write_text(f"""<!doctype html><meta charset="utf-8"><iframe id="f" width="{TELEPHONE}" height="900" style="border:0"></iframe><script>
            const f = document.getElementById("f");
            f.onload = () => {{ document.title = "wide " + (f.contentDocument.documentElement.scrollWidth - {TELEPHONE}); }};
            f.srcdoc = {text};</script>""")
        found = re.search(r"<title>wide (-?\d+)</title>", dom(browser, outer))
    return int(found.group(1)) if found else None


class Elements(html.parser.HTMLParser):
    """Counts elements outside scripts, and collects attributes and text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text, self.inside = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.append((tag, dict(attrs)))
        self.inside.append(tag)

    def handle_endtag(self, tag):
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data):
        if "script" not in self.inside and "style" not in self.inside:
            self.text.append(data)


def drawn_ms(text):
    found = re.search(r'data-drawn="(\d+)"', text)
    return int(found.group(1)) if found else None


def links(text):
    """The words that lead to their explanations."""
    return set(re.findall(r'<a class="word"[^>]*>([^<]*)</a>', text))


def heads(text):
    """The heads of columns that sort."""
    return {head for head in re.findall(r"<th[^>]*><button[^>]*>([^<]*)</button></th>", text) if head not in ("line", "source")}


def hostile(text):
    page = Elements(text)
    shown = " ".join(page.text)
    title = re.search(r"<title>(.*?)</title>", text).group(1)
    yield title == "lanewise report", f"the title is {title}: a name was executed"
    yield "img" not in page.tags, "a name became an element"
    yield all(not name.startswith("on") for _, attrs in page.attributes for name in attrs), "an element has a handler"
    yield "document.title='owned'" in shown, "the name of the kernel is not shown"
    yield "lost" in heads(text) and not heads(text) - links(text), f"heads of columns without a link: {sorted(heads(text) - links(text))}"
    yield 'class="missing"' in text and text.count('class="access"') == 2, "the race is not drawn"
    yield page.tags.count("svg") == 2, "not two pictures, of the worst and of a typical warp"
    labels = [attrs.get("aria-label", "") for tag, attrs in page.attributes if tag == "svg"]
    yield any("32 passes" in label for label in labels), f"the worst warp needs 32 passes: {labels}"
    yield any("1 pass." in label for label in labels), f"the typical warp needs 1 pass: {labels}"
    yield all(attrs.get("scope") for tag, attrs in page.attributes if tag == "th"), "a header cell without scope"
    yield {"main", "header", "h1", "h2", "h3", "caption"} <= set(page.tags), "headings or landmarks are missing"
    yield all(attrs.get("type") for tag, attrs in page.attributes if tag == "button"), "a button without type"
    ids = [attrs["id"] for _, attrs in page.attributes if "id" in attrs]
    yield len(ids) == len(set(ids)), "two elements have one id"
    targets = {attrs["href"][1:] for tag, attrs in page.attributes if tag == "a" and attrs["href"].startswith("#word-")}
    yield targets and targets <= set(ids), f"words without explanation: {sorted(targets - set(ids))}"


def timed(text):
    page = Elements(text)
    labels = [attrs.get("aria-label", "") for tag, attrs in page.attributes if tag == "svg"]
    yield any(label.startswith("Timeline of streams.") and "kernel 2.00 µs" in label for label in labels), f"no timeline: {labels}"
    yield any("Grid: blocks 2 to 3 cost most, 64 cycles of memory each: 3.2x the mean, 64.0x the least." in label for label in labels), f"no grid: {labels}"
    yield "1,056 places on 132 multiprocessors, 125 of which have nothing to do" in " ".join(page.text), "not said how the blocks fit"
    yield any("4 operations per byte of DRAM" in label and "50 % of the roof" in label for label in labels), f"no roofline: {labels}"
    yield page.tags.count("rect") >= 2 and "polyline" in page.tags, "the timeline has no bars, or the roof no line"
    shown = " ".join(page.text)
    yield "a block of 4096 bytes" in shown and "1,234" in shown and "617" in shown and "50 %" in shown, "the layouts of a global array are not shown"
    resources = set(re.findall(r'<th scope="row">([^<]+)</th>', text))
    yield not resources and {"dram", "limited by", "predicted", "recommended", "grid"} <= links(text), f"words without a link: {resources}, {sorted(links(text))}"
    yield "recommended" in shown and "no other layout is counted" in shown, "the table of layouts is not complete"
    yield "img" not in page.tags and "<title>lanewise report</title>" in text, "a name became an element"
    yield all(attrs.get("scope") for tag, attrs in page.attributes if tag == "th"), "a header cell without scope"


CLICK_PTX = "document.querySelector('button.ptx').click();"


def ptx(text):
    page = Elements(text)
    shown = " ".join(page.text)
    yield "ld.shared.f32 %f1, [%r1];" in shown, "the PTX of the line is not shown"
    yield "not.of.this.file" not in shown, "PTX of another file is shown"
    yield any(attrs.get("aria-expanded") == "true" for tag, attrs in page.attributes if tag == "button"), "the button does not say that it is open"
    yield "img" not in page.tags and "<title>lanewise report</title>" in text, "an instruction became an element"


def closed(text):
    yield Elements(text).text.count("st.global.u32 [%rd1], %r2;") == 2, "a line of PTX is not shown in its card and in the table"
    yield "ld.shared.f32 %f1, [%r1];" not in " ".join(Elements(text).text), "PTX is shown before anybody asks for it"


CLICK_SECTORS = "[...document.querySelectorAll('table.code th button')].find(b => b.textContent === 'sectors').click();"


def by_sectors(text):
    numbers = [int(n) for n in re.findall(r'<td class="no">(?:<button.*?</button>)?(\d+)</td>', text)]
    yield numbers[:1] == [9], f"lines are not in the order of their sectors: {numbers}"
    yield 'aria-sort="descending"><button type="button" title="' in text, "the column does not say that it sorts"


def diff(text):
    page = Elements(text)
    shown = " ".join(page.text)
    yield drawn_ms(text) is not None, "the page of two runs is not drawn"
    yield "1 worse" in shown and "1.06x" in shown and "f.cu:4 (was 3)" in shown, f"the difference is not shown: {shown}"
    yield "failed:" in shown and "img" not in page.tags, "the condition is not shown, or a name became an element"
    yield all(attrs.get("scope") for tag, attrs in page.attributes if tag == "th"), "a header cell without scope"


def thousand(text):
    page, ms = Elements(text), drawn_ms(text)
    rows = [attrs for tag, attrs in page.attributes if tag == "tr" and attrs.get("id", "").startswith("row-")]
    yield len(rows) == 1000, f"{len(rows)} kernels in the table, not 1000"
    yield ms is not None and ms < OPEN_MS, f"drawn after {ms} ms, limit {OPEN_MS}"
    print(f"1,000 kernels drawn after {ms} ms")


def opened(text):
    yield "void kernel_17" in text and 'id="kernel-500"' in text, "#kernel-500 does not open that kernel"


def main():
    pages = pathlib.Path(sys.argv[1]).resolve() / "pages"
    browser = next((path for path in map(shutil.which, BROWSERS) if path), None)
    if not browser:
        print("NO CHROMIUM: the pages of --html are NOT TESTED here")
        return 77
    failed = 0
    for name, fragment, check, *script in (("hostile", "", hostile), ("timed", "", timed), ("timed", "", closed), ("timed", "", ptx, CLICK_PTX),
                                           ("hostile", "", by_sectors, CLICK_SECTORS), ("diff", "", diff), ("thousand", "", thousand),
                                           ("thousand", "#kernel-500", opened)):
        page = pages / f"{name}.html"
        if not page.exists():
            print(f"{page} is missing: test_html writes it")
            return 1
        text = dom(browser, page, fragment, *script)
        for _ in range(2): # a busy machine is not a slow page
            if check is thousand and (drawn_ms(text) or OPEN_MS) >= OPEN_MS:
                text = dom(browser, page, fragment, *script)
        for fine, message in [("[object" not in re.sub(r"<script.*?</script>", "", text, flags=re.S), "an object where text should be"), *check(text)]:
            failed += not fine
            if not fine:
                print(f"{name}{fragment}: {message}")
    for name in ("hostile", "timed", "diff"):
        wide = too_wide(browser, pages / f"{name}.html")
        if wide is None or wide > 0:
            print(f"{name}: wider than {TELEPHONE} pixels by {wide}")
            failed += 1
    print("failed" if failed else "passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
