# SPDX-License-Identifier: GPL-2.0-only
"""Cases of report-test.py: links and queues over time, against rows by hand."""

import gzip
from pathlib import Path

import numpy

from program.bench import case
from program.report_bench import FABRIC

from workload_replay.report.input.timeseries import read_timeseries
from workload_replay.report.input.graph import read_graph
from workload_replay.report.sections.timeseries import MOST, capacities, capacity_of, tier_of

HEADER = (
    "end_ns,kind,number,from,to,ports,rate_bps,queue_bytes,max_queue_bytes,pause_share,"
    "ecn_marked,dropped,limit_bps,window_bytes\n"
)

# Three intervals of 100 ns: a tier of two ports, one of its links, and a queue pair that is made in
# the second interval and whose congestion control has no window.
ROWS = """\
100,links,,host,switch,2,200000000000,30,20,0.25,3,0,,
100,link,1,host1,switch0,1,100000000000,10,10,0.5,3,0,,
200,links,,host,switch,2,400000000000,50,40,0,1,0,,
200,link,1,host1,switch0,1,300000000000,20,20,0,1,0,,
200,queue-pair,7,host1,host0,1,80000000000,,,,,,400000000000,
300,links,,host,switch,2,0,0,0,0,0,1,,
300,link,1,host1,switch0,1,0,0,0,0,0,1,,
300,queue-pair,7,host1,host0,1,240000000000,,,,,,100000000000,
"""


def read(bench, rows, most=None):
    path = bench.write("run/timeseries.csv", HEADER + rows)
    return read_timeseries(Path(path), most or MOST)


def by_bin(series, column):
    return [None if numpy.isnan(value) else value for value in series.bins[column].tolist()]


@case
def values(bench):
    """time series: values at their times, sums, and nothing where there is no row"""
    found = read(bench, ROWS)
    assert (found.interval, found.end, found.each) == (100, 300, 1)
    assert found.edges.tolist() == [0, 100, 200, 300]
    tier, link, pair = found.series
    assert [one.kind for one in found.series] == ["links", "link", "queue-pair"]
    assert (tier.source, tier.target, tier.ports, pair.number) == ("host", "switch", 2, "7")
    assert by_bin(tier, "rate_bps") == [2e11, 4e11, 0]
    assert by_bin(tier, "max_queue_bytes") == [20, 40, 0]
    assert by_bin(tier, "pause_share") == [0.25, 0, 0] and by_bin(link, "ecn_marked") == [3, 1, 0]
    assert by_bin(pair, "rate_bps") == [None, 8e10, 2.4e11]
    assert by_bin(pair, "limit_bps") == [None, 4e11, 1e11]
    assert by_bin(pair, "window_bytes") == [None, None, None]
    assert (link.totals["queue_max"], link.totals["marked"], link.totals["dropped"]) == (20, 4, 1)
    assert (pair.totals["rows"], pair.totals["rate_sum"], pair.totals["limit_min"]) == (
        2, 3.2e11, 1e11,
    )  # fmt: skip


@case
def bins(bench):
    """time series: of more intervals than steps, means, the largest queue and sums"""
    # 1000 intervals of 10 ns, the last one cut; rates 1, 2, 3, 1, 2, 3, ...; a mark in each.
    rows = [
        f"{min(10 * i + 10, 9995)},link,0,a,b,1,{1 + i % 3},{i},{i},0.5,1,0,,\n"
        for i in range(1000)
    ]
    found = read(bench, "".join(rows))
    assert (found.interval, found.each, found.end) == (10, 3, 9995)
    (link,) = found.series
    assert len(link.bins["rate_bps"]) == 334 == len(found.edges) - 1
    assert by_bin(link, "rate_bps") == [2] * 333 + [1]
    assert by_bin(link, "max_queue_bytes") == [3 * i + 2 for i in range(333)] + [999]
    assert by_bin(link, "ecn_marked") == [3] * 333 + [1]
    assert set(by_bin(link, "pause_share")) == {0.5}


@case
def most_bytes(bench):
    """time series: of many queue pairs the eight that sent most, and how many are left out"""
    bench.make_run("run")
    rows = [f"100,queue-pair,{i},host0,host{i},1,{1000 * (i % 7)},,,,,,5,{i}\n" for i in range(20)]
    found = read(bench, "".join(rows))
    # 6 thousand: 6 and 13; 5: 5, 12 and 19; 4: 4, 11 and 18.
    assert [one.number for one in found.series] == ["6", "13", "5", "12", "19", "4", "11", "18"]
    page = bench.page(bench.path("run"))
    assert "Shown are the 8 of 20 queue pairs that sent most." in page


@case
def order_of_links(bench):
    """time series: of many links those that sent most, in the order of the file"""
    rows = [f"100,link,{i},a,b{i},1,{1000 * (i % 10)},0,0,0,0,0,,\n" for i in range(12)]
    found = read(bench, "".join(rows), {**MOST, "link": 3})
    assert [one.number for one in found.series] == ["7", "8", "9"], found.series
    assert found.counts["link"] == 12


@case
def shares_of_capacity(bench):
    """time series: capacities of tiers and links by the network, and none where ports differ"""
    bench.write("run/fabric.json", FABRIC)
    known = capacities(read_graph(Path(bench.path("run"))))
    tier, link, pair = read(bench, ROWS).series
    assert (capacity_of(tier, known), capacity_of(link, known)) == (8e11, 4e11)
    assert capacity_of(pair, known) is None and capacity_of(tier, {}) is None
    tier.ports = 3
    assert capacity_of(tier, known) is None
    assert [tier_of(name) for name in ("pod10-edge3", "host7")] == ["pod-edge", "host"]


@case
def pages_over_time(bench):
    """page with time series: figures and tables, compressed or not; without, the option's name"""
    folder = bench.make_run("run")
    option = '<span class="option">--timeSeries=100us</span>'
    missing = f"there is no timeseries.csv (wl-replay {option} writes it)"
    assert missing in bench.page(folder)
    bench.write("run/timeseries.csv", HEADER)
    assert "timeseries.csv has no rows" in bench.page(folder)
    bench.write("run/timeseries.csv", HEADER + ROWS)
    page = bench.page(folder)
    for name in ("tiers", "links", "queue-pairs"):
        assert f'id="timeseries-{name}-' in page, name
    assert 'class="missing">How links were used over time' not in page
    # The tier: 800 Gb/s, a mean of 200 and at most 400; the pair: 4 kB in 200 ns.
    row = '<td>host → switch</td><td class="n">2</td><td class="n">800 Gb/s</td>'
    row += '<td class="n">25.0 %</td><td class="n">50.0 %</td><td class="n">40 B</td>'
    assert row + '<td class="n">4</td><td class="n">8.33 %</td><td class="n">1</td>' in page
    row = '<td>host1 → host0, queue pair 7</td><td class="n">3.906 KiB</td>'
    row += '<td class="n">160 Gb/s</td><td class="n">240 Gb/s</td><td class="n">100 Gb/s</td>'
    assert row + '<td class="n">—</td>' in page, page[page.index("queue pair 7") - 99 :][:600]
    with gzip.open(folder + "/timeseries.csv.gz", "wt") as file:
        file.write(HEADER + ROWS)
    Path(folder + "/timeseries.csv").unlink()
    assert bench.page(folder) == page


@case
def damaged_time_series(bench):
    """time series with a damaged row, or without a column: one line that says so"""
    folder = bench.make_run("run")
    path = bench.write("run/timeseries.csv", HEADER + ROWS + "400,link,1,a,b,1,x,,,,,,,\n")
    code, _, err = bench.report(folder)
    assert code == 1 and err.startswith(f"wl-report: {path}: error: expected rows"), err
    bench.write("run/timeseries.csv", HEADER.replace(",pause_share", ""))
    code, _, err = bench.report(folder)
    assert code == 1 and "expected a column pause_share" in err, err
