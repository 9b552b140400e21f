# SPDX-License-Identifier: GPL-2.0-only
"""Cases of report-test.py: the page and the figures."""

import html.parser
import os
import re
import xml.etree.ElementTree as ElementTree

from program.bench import case
from program.report_bench import FABRIC
from program.report_timeseries import HEADER, ROWS


class PageReader(html.parser.HTMLParser):
    """Checks that elements are closed in order, and collects what a page has."""

    VOID = {"meta", "br", "hr", "img", "link", "input"}

    def __init__(self, page):
        super().__init__()
        self.open = []
        self.ids = []
        self.links = []
        self.texts = []
        self.feed(page)
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        for name in ("href", "src", "xlink:href"):
            if name in attributes:
                self.links.append(attributes[name])
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        self.texts.append(data)


def svgs_of(page):
    return re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)


def count_marks(svg):
    """Count the shapes in a figure; the background of empty axes is two."""
    root = ElementTree.fromstring(svg)
    return sum(1 for element in root.iter() if element.tag.split("}")[-1] in ("path", "use"))


@case
def whole_page(bench):
    """page: well-formed, nothing from elsewhere, every name once, texts escaped"""
    bench.write("run/fabric.json", FABRIC)
    bench.write("run/timeseries.csv", HEADER + ROWS)
    page = bench.page(bench.make_run("run"))
    reader = PageReader(page)
    assert len(reader.ids) == len(set(reader.ids)), "an id occurs twice"
    links = [link for link in reader.links if not link.startswith("data:image/png;")]
    assert all(link.startswith("#") for link in links), links
    assert {link[1:] for link in links} <= set(reader.ids), "a link leads nowhere"
    rest = re.sub(r'"data:[^"]*"', "", page)
    assert not re.search(r"https?:|@import|url\((?!#)|src=", rest), "something from elsewhere"
    assert "&lt;b&gt;nothing&lt;/b&gt; &amp; more" in page
    text = " ".join(reader.texts)
    for word in ("rdma", "all-reduce", "work.txt:5", "1.000 µs", "40.0 %", "1 MiB", "12,345"):
        assert word in text, word
    assert "missing" not in re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)


@case
def figures_of_page(bench):
    """figures of the page: parse as XML, have marks, a label and a viewBox"""
    page = bench.page(bench.make_run("run"))
    svgs = svgs_of(page)
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", page, flags=re.DOTALL)
    assert len(svgs) == len(captions) == 9, (len(svgs), len(captions))
    for svg, caption in zip(svgs, captions):
        # HTML knows the name space of xlink without being told.
        svg = svg.replace("<svg", '<svg xmlns:xlink="x"', 1)
        root = ElementTree.fromstring(svg)
        assert "viewBox" in root.attrib and root.attrib["aria-label"], caption
        assert count_marks(svg) >= 7, (caption, count_marks(svg))


@case
def figure_files(bench):
    """figure files: one for each figure in each format, with the widths of a paper"""
    folder = bench.make_run("run")
    names = None
    for form, start in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")):
        bench.page(folder, "--figures=" + bench.path(form), "--format=" + form)
        files = sorted(os.listdir(bench.path(form)))
        found = sorted(file.removesuffix("." + form) for file in files)
        assert names in (None, found) and len(found) == 9, found
        names = found
        for file in files:
            with open(os.path.join(bench.path(form), file), "rb") as stream:
                content = stream.read()
            assert content.startswith(start) and len(content) > 2000, file
            if form == "svg":
                width = ElementTree.fromstring(content).attrib["width"]
                assert width in ("244.8pt", "511.2pt"), width
            if form == "pdf":
                # Embedded TrueType, not the Type 3 fonts that publishers refuse
                assert b"/Type3" not in content and b"/FontFile2" in content, file
    expected = ["collectives", "communication", "fabric", "link-use", "pipeline", "slowdown"]
    assert names == expected + ["slowdown-by-size", "time-by-rank", "time-by-stage"], names


@case
def equal_pages(bench):
    """page: equal runs give equal pages"""
    folder = bench.make_run("run")
    assert bench.page(folder) == bench.page(folder)


@case
def comparison_page(bench):
    """several runs: means, intervals and differences; each group's first run is folded in"""

    def change(number, time, routing):
        def apply(summary):
            summary["run"]["rng_run"] = number
            summary["fabric"]["routing"] = routing
            summary["iterations"] = [{"time_ns": time}]

        return apply

    folders = [
        bench.make_run("a-1", change(1, 100000, "ecmp")),
        bench.make_run("a-2", change(2, 102000, "ecmp")),
        bench.make_run("b-1", change(1, 50500, "spray")),
    ]
    page = bench.page(*folders)
    text = " ".join(PageReader(page).texts)
    # 12.706 times the standard error of 1000 ns; half as long
    assert "101.0 µs ± 12.71 µs" in text and "-50.0 %" in text, text[:1500]
    assert page.count("<details") == 2 and "Comparison of 3 runs" in text
    assert len(svgs_of(page)) == 3 + 2 * 9
    ids = PageReader(page).ids
    assert len(ids) == len(set(ids)), "an id occurs twice"
    bench.page(*folders, "--figures=" + bench.path("figures"))
    files = os.listdir(bench.path("figures"))
    assert len(files) == 3 + 2 * 9, files
    assert {"comparison-time.svg", "a-1-fabric.svg"} <= set(files), files


@case
def network_pages(bench):
    """directories of dry runs: the picture of each network, no run needed"""
    folders = []
    for name in ("one", "two"):
        bench.write(name + "/fabric.json", FABRIC)
        folders.append(bench.path(name))
    page = bench.page(*folders, "--figures=" + bench.path("figures"))
    assert sorted(os.listdir(bench.path("figures"))) == ["one-fabric.svg", "two-fabric.svg"]
    ids = PageReader(page).ids
    assert len(svgs_of(page)) == 2 and len(ids) == len(set(ids)), ids
    bench.page(folders[0], "--figures=" + bench.path("alone"), "--format=pdf")
    assert os.listdir(bench.path("alone")) == ["fabric.pdf"]


@case
def several_jobs(bench):
    """several jobs: a section for each, from their own rows"""
    import copy

    from program.report_bench import COLLECTIVES, FLOWS, OPS, SUMMARY

    summary = copy.deepcopy(SUMMARY)
    parts = {key: summary.pop(key) for key in ("workload", "iterations", "ranks", "collectives")}
    summary["jobs"] = [{"name": name, **parts, "hosts": [0, 1]} for name in ("red", "blue")]
    bench.write("run/summary.json", summary)
    for name, content in (("ops", OPS), ("collectives", COLLECTIVES), ("flows", FLOWS)):
        head, *rows = content.splitlines()
        rows = [f"{row},{job}" for job in ("red", "blue") for row in rows]
        bench.write(f"run/{name}.csv", "\n".join([head + ",job", *rows]) + "\n")
    page = bench.page(bench.path("run"))
    text = " ".join(PageReader(page).texts)
    for title in ("Where the time goes: red", "Where the time goes: blue", "Longest waits: blue"):
        assert title in text, title
    # Had the waits of both jobs been added up, they would be 1000 and 2200.
    assert "500 ns" in text and "2,200" not in text


@case
def benchmark_page(bench):
    """CSV files of wl-collective: both in one table and figure"""
    head = "size_bytes,count,time_us,algbw_gbs,busbw_gbs,algorithm\n"
    one = bench.write("one.csv", head + "1024,256,10.5,0.1,0.17,ring\n2048,512,11,0.2,0.33,tree\n")
    two = bench.write("two.csv", head + "1024,256,21,0.05,0.085,ring\n")
    page = bench.page(one, two)
    text = " ".join(PageReader(page).texts)
    assert "10.50 µs" in text and "21.00 µs" in text and "2 KiB" in text, text
    assert len(svgs_of(page)) == 2
