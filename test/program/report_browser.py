# SPDX-License-Identifier: GPL-2.0-only
"""Cases of report-test.py: pages as a browser shows them.

Chromium without a window loads the page with a script at its end, which measures what is there; it
writes what it finds into the page, which Chromium then prints.
"""

import html
import json
import re
import shutil
import subprocess
import unittest

from program.bench import case
from program.report_bench import FABRIC, OPS
from program.report_sweep import make_sweep
from program.report_timeseries import HEADER, ROWS

#: What a browser may be called.
BROWSERS = ["chromium", "chromium-browser", "google-chrome"]

#: Tells of each figure how many marks it has, and which texts stick out of it; and how much wider
#: than the window the page is.
PROBE = """
<script>
const mark = "path, use, rect, polygon, polyline, image";
const figures = Array.from(document.querySelectorAll("figure")).map((figure) => {
    const svg = figure.querySelector("svg");
    const frame = svg.getBoundingClientRect();
    const inside = (box) => box.left >= frame.left - 1 && box.right <= frame.right + 1
        && box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1;
    const drawn = Array.from(svg.querySelectorAll(mark)).filter((shape) => {
        const box = shape.getBoundingClientRect();
        return !shape.closest("defs, clipPath") && box.width + box.height > 0
            && box.width < 0.99 * frame.width;
    });
    const texts = Array.from(svg.querySelectorAll("text"));
    return {
        name: figure.querySelector("figcaption").textContent.slice(0, 40),
        width: frame.width, height: frame.height, marks: drawn.length,
        cut: texts.filter((text) => !inside(text.getBoundingClientRect()))
            .map((text) => text.textContent),
    };
});
const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
document.body.innerHTML = "<pre id='found'></pre>";
document.getElementById("found").textContent = JSON.stringify({ figures, wide });
</script>
"""


def find_browser():
    """Return the browser's program, or skip the case."""
    for name in BROWSERS:
        path = shutil.which(name)
        if path:
            return path
    raise unittest.SkipTest(f"there is no {' or '.join(BROWSERS)}")


def run_browser(command):
    """Run the browser, which rarely hangs when it starts: then once more."""
    for timeout in (30, 120):
        try:
            return subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=timeout, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            late = error
    raise late


def open_page(bench, page, width):
    """Open a page in a window of a width; return what the probe found and the console's lines."""
    browser = find_browser()
    opened = page.replace("<details", "<details open").replace("</body>", PROBE + "</body>")
    path = bench.write("probe.html", opened)
    command = [
        browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--enable-logging=stderr", f"--user-data-dir={bench.path('profile')}",
        f"--window-size={width},4000", "--dump-dom", f"file://{path}",
    ]  # fmt: skip
    done = run_browser(command)
    assert done.returncode == 0, done.stderr[-500:]
    found = re.search(r"<pre id=.found.>(.*?)</pre>", done.stdout, re.DOTALL)
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    return json.loads(html.unescape(found[1])) if found else None, console


def expect_sound(bench, page, figures, width=1280):
    """A page must have so many figures, each with marks and no cut text, and say no error."""
    found, console = open_page(bench, page, width)
    assert console == [], console
    assert found and len(found["figures"]) == figures, found
    for figure in found["figures"]:
        assert figure["marks"] > 2 and figure["height"] > 50, figure
        assert figure["cut"] == [], figure
    assert found["wide"] <= 0, found["wide"]


@case
def browser_notices(bench):
    """browser: an error of a script and an empty figure are noticed"""
    figure = "<figure><svg viewBox='0 0 9 9'>{}</svg><figcaption>x</figcaption></figure>"
    text = "<text x='99'>cut</text>"
    page = f"<body>{figure.format(text)}<script>nothing.at.all();</script></body>"
    found, console = open_page(bench, page, 1280)
    assert len(console) == 1 and "nothing is not defined" in console[0], console
    assert (found["figures"][0]["marks"], found["figures"][0]["cut"]) == (0, ["cut"]), found


@case
def run_in_browser(bench):
    """browser: page of a run on a wide and a narrow window: marks, no cut text, no error"""
    folder = bench.make_run("run")
    bench.write("run/timeseries.csv", HEADER + ROWS)
    bench.write("run/fabric.json", FABRIC)
    page = bench.page(folder)
    for width in (1280, 500):
        expect_sound(bench, page, 12, width)


@case
def comparison_in_browser(bench):
    """browser: pages of several runs and of a sweep"""

    def change(summary):
        summary["fabric"]["routing"] = "spray"

    folders = [bench.make_run("a"), bench.make_run("b", change)]
    bench.write("b/ops.csv", OPS.replace("800", "900"))
    expect_sound(bench, bench.page(*folders), 3 + 2 * 9)
    expect_sound(bench, bench.page(make_sweep(bench, "sweep")), 2)
