# SPDX-License-Identifier: GPL-2.0-only
"""Cases of report-test.py: the directory of a sweep."""

import os

from program.bench import case

SUMMARY = """\
a,b <c>,runs,incomplete,iteration_ns,iteration_ns ci95,packets,packets ci95
x,u,2,0,1000000,50000,1,0
x,v,1,1,2000000,,1,
y,u,0,2,,,,
"""

EFFECTS = """\
result,dimension,share_of_variance,value,mean_ns,mean_ns ci95,difference_ns,difference_ns ci95
iteration_ns,a,0.250000,x,1500000,50000,,
iteration_ns,b <c>,0.500000,u,1000000,50000,,
iteration_ns,b <c>,0.500000,v,2000000,,1000000,40000
iteration_ns,(seeds),0.125000,,,,,
"""


def make_sweep(bench, name, summary=SUMMARY, effects=EFFECTS):
    bench.write(name + "/sweep.csv", "")
    bench.write(name + "/summary.csv", summary)
    bench.write(name + "/effects.csv", effects)
    return bench.path(name)


@case
def sweep_page(bench):
    """sweep: shares, differences with intervals, and a row for each combination"""
    page = bench.page(make_sweep(bench, "my-sweep"))
    assert "<title>Sweep my-sweep</title>" in page and page.count("<svg") == 2
    row = '<tr><td>b &lt;c&gt;</td><td>u</td><td class="n">50.0 %</td><td class="n">1.000 ms</td>'
    assert row in page
    assert '<td class="n">+1.000 ms ± 40.00 µs</td>' in page
    assert '<td>seeds</td><td></td><td class="n">12.5 %</td>' in page
    assert '<td class="n">2</td><td class="n">1.000 ms ± 50.00 µs</td>' in page
    assert '<td class="n">1 of 2</td><td class="n">2.000 ms</td>' in page
    assert '<td class="n">0 of 2</td><td class="n">—</td>' in page


@case
def sweep_figures(bench):
    """figures of two sweeps and a run have names of their own"""
    folders = [make_sweep(bench, "one"), make_sweep(bench, "two"), bench.make_run("run")]
    page = bench.page(*folders, "--figures=" + bench.path("figures"))
    assert "<h2>Sweep one</h2>" in page and "<h2>Sweep two</h2>" in page
    assert page.count("<svg") > 4
    names = os.listdir(bench.path("figures"))
    for name in ("one-sweep-shares.svg", "two-sweep-shares.svg", "two-sweep-iteration.svg"):
        assert name in names, names


@case
def damaged_sweep(bench):
    """sweep without a finished run, and with other or missing tables"""
    header = EFFECTS.splitlines()[0] + "\n"
    assert "No run of this sweep was finished" in bench.page(
        make_sweep(bench, "empty", SUMMARY.splitlines()[0] + "\n", header)
    )
    folder = make_sweep(bench, "other", effects="result,value\n")
    bench.expect_error(
        f"{folder}/effects.csv:1: error: expected a column dimension, found result, value "
        "(another version?)",
        folder,
    )
    folder = make_sweep(bench, "more", summary="a,b\n")
    code, _, err = bench.report(folder)
    assert code == 1 and f"{folder}/summary.csv:1: error: expected a column runs" in err, err
    os.remove(folder + "/effects.csv")
    code, _, err = bench.report(folder)
    assert code == 1 and err.startswith(f"wl-report: {folder}/effects.csv:1: error: "), err
