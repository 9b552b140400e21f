# SPDX-License-Identifier: GPL-2.0-only
"""Cases of report-test.py: what it computes, against sums by hand."""

from pathlib import Path

import numpy

from program.bench import case
from program.report_bench import FLOWS, LINKS, OPS

from workload_replay.report.input.flows import SLOWDOWNS, dimension_of, quantile, read_flows
from workload_replay.report.input.graph import read_graph
from workload_replay.report.input.ops import read_ops
from workload_replay.report.input.run import Run
from workload_replay.report.sections.collectives import bound_of, read_collectives
from workload_replay.report.sections.comparison import group_runs
from workload_replay.report.sections.links import use_by_link
from workload_replay.report.sections.overlap import hidden_times
from workload_replay.report.sections.pipeline import Bar, absorb, bars_of, merge
from workload_replay.report.sections.waits import find_waits
from workload_replay.report.statistics import mean_of


def ops_of(bench):
    folder = Path(bench.make_run("run"))
    return read_ops(folder / "ops.csv", "", [0, 1])


@case
def parts_of_time(bench):
    """parts of the time: means of the ranks per iteration, which add up to the iteration"""
    run = Run(Path(bench.make_run("run")))
    (job,) = run.jobs
    means = job.mean_parts()
    expected = {"compute": 400, "exposed pp": 100, "exposed dp": 50, "bubble": 400, "idle": 50}
    assert {name: value for name, value in means.items() if value} == expected, means
    assert sum(means.values()) == 1000
    two = Run(Path(bench.make_run("two", lambda s: s.update(iterations=[{"time_ns": 500}] * 2))))
    assert two.jobs[0].mean_parts()["compute"] == 200
    assert [job.stage_of(rank) for rank in (0, 1)] == [0, 1]


@case
def slowdowns(bench):
    """slowdowns of messages: 90 % ideal, 9 % twice and 1 % eight times as long"""
    path = Path(bench.write("run/flows.csv", FLOWS))
    flows = read_flows(path, {})
    assert flows.messages() == 100 and flows.dimensions() == ["dp"], flows.dimensions()
    counts = flows.slowdowns("dp")
    found = {float(SLOWDOWNS[i]): int(counts[i]) for i in numpy.flatnonzero(counts)}
    assert found == {1.0: 90, 2.0: 9, 8.0: 1}, found
    values = [quantile(counts, share) for share in (0.5, 0.9, 0.91, 0.99, 1)]
    assert values == [1, 1, 2, 2, 8], values
    # 1024 bytes are in the tenth power of two
    assert numpy.flatnonzero(flows.all().sum(axis=1)).tolist() == [10]
    assert flows.bytes == {"dp": 102400} and flows.members == {"dp0": {0, 1}}
    names = ["dp0", "ep group of rank 3", "background", "edp1"]
    assert [dimension_of(name) for name in names] == ["dp", "ep", "other", "edp"]


@case
def waits(bench):
    """waits: time between two ops that compute goes to the communication that ended last in it"""
    ops = ops_of(bench)
    table = find_waits(ops)
    found = {(row.rank, ops.texts["op"][row.op]): row.wait_ns for row in table.itertuples()}
    # Rank 0 waits from 100 to 600 and rank 1 from 0 to 500 for a message, and from 700 to 800.
    assert found == {(0, "r0"): 500, (1, "r1"): 500, (1, "g1"): 100}, found


@case
def waits_for_several(bench):
    """waits at the end, and for several ops of a stream: each from the end of the one before"""
    rows = ["0,compute,f,forward,,0,w:1,0,100", "0,dp,a,grad-sync,,,w:2,100,150"]
    rows += ["0,ep,x,forward,,,w:3,90,170", "0,dp,b,grad-sync,,,w:4,150,400"]
    text = "\n".join([OPS.splitlines()[0], *rows]) + "\n"
    ops = read_ops(Path(bench.write("run/ops.csv", text)), "", [0])
    table = find_waits(ops)
    found = {ops.texts["op"][row.op]: row.wait_ns for row in table.itertuples()}
    assert found == {"a": 50, "b": 250}, found


@case
def hidden_communication(bench):
    """hidden communication: sends and collectives beside computing, receives left out"""
    totals, ranks = hidden_times(ops_of(bench))
    # The message of rank 0 goes from 50 to 150, of which it computes until 100; the collective of
    # rank 1 runs from 650 to 800, of which it computes until 700.
    found = {name: value for name, value in totals.items() if value}
    assert (found, ranks) == ({"pp": 50, "dp": 50}, 2), (found, ranks)


@case
def pipeline_bars(bench):
    """bars of the pipeline: ops of a phase and microbatch joined over short breaks only"""
    forward, backward = ("forward", 0), ("backward-input", 0)
    bars = merge([0, 12, 30, 40], [10, 20, 40, 50], [forward, forward, forward, backward], 2)
    expected = [Bar(0, 20, *forward), Bar(30, 40, *forward), Bar(40, 50, *backward)]
    assert bars == expected, bars
    weight = ("backward-weight", 0)
    layers = [Bar(0, 6, *backward), Bar(6, 10, *weight), Bar(10, 16, *backward)]
    assert absorb(layers, 2) == [Bar(0, 16, "backward", 0)]
    assert absorb(layers, 0.5) == layers
    apart = [Bar(0, 6, *forward), Bar(6, 10, *backward), Bar(10, 16, "backward-weight", 1)]
    assert absorb(apart, 2) == apart
    ops = ops_of(bench)
    assert bars_of(ops, 1, 0) == [Bar(500, 700, "forward", 0), Bar(800, 1000, "optimizer", -1)]


@case
def collective_bounds(bench):
    """bounds of collectives: NVLink in a server, network ports between servers"""
    bench.write("run/fabric.json", SERVERS)
    run = Run(Path(bench.make_run("run", without=("links.csv",))))
    (job,) = run.jobs
    # 3600 Gb/s are 450 GB/s, 400 Gb/s are 50 GB/s.
    for members, bound in (({0, 1}, 450e9), ({0, 2}, 50e9), ({0, 1, 2, 3}, 100e9), ({9}, None)):
        assert bound_of(members, run.graph, job) == bound, (members, bound)
    flows = read_flows(run.table("flows.csv"), {})
    (row,) = read_collectives(run.table("collectives.csv"), job, flows, run.graph).itertuples()
    # They took 50 and 60 ns, and the second member of the first one came 10 ns late.
    assert (row.count, row.time, row.late, row.busbw, row.bound) == (2, 55, 5, 40e9, 450e9), row


def _server(number):
    hosts = [f"host{2 * number}", f"host{2 * number + 1}"]
    nodes = [{"name": host, "kind": "host", "server": number} for host in hosts]
    nodes.append({"name": f"nvswitch{number}", "kind": "nvswitch", "server": number})
    links = []
    for host in hosts:
        links.append({"a": host, "b": f"nvswitch{number}", "rate": "3600Gbps", "nvlink": True})
        links.append({"a": host, "b": "switch0", "rate": "400Gbps"})
    return nodes, links


# Two servers of two hosts each at one switch.
SERVERS = {
    "name": "two servers",
    "nodes": _server(0)[0] + _server(1)[0] + [{"name": "switch0", "kind": "switch"}],
    "links": _server(0)[1] + _server(1)[1],
}


@case
def link_use(bench):
    """use of links: that of the busier direction, with fabric.json and without"""
    folder = Path(bench.make_run("run"))
    run = Run(folder)
    assert run.graph.guessed and len(run.graph.links) == 2, run.graph
    assert [node.kind for node in run.graph.nodes] == ["host", "host", "switch"], run.graph
    from workload_replay.report.input.graph import LINK_COLUMNS
    from workload_replay.report.input.tables import read_table

    links = read_table(folder / "links.csv", LINK_COLUMNS)
    assert use_by_link(links, run.graph) == [0.5, 0.75]


@case
def servers_of_links(bench):
    """without fabric.json, hosts at one NVSwitch are a server"""
    rows = LINKS.splitlines()[:1]
    for i in range(4):
        rows.append(f"{i},host{i},nvswitch{i // 2},3600000000000,0,0,0,0,0,0")
        rows.append(f"{i + 4},host{i},leaf0,400000000000,0,0,0,0,0,0")
    bench.write("run/links.csv", "\n".join(rows) + "\n")
    graph = read_graph(Path(bench.path("run")))
    assert [graph.nodes[host].server for host in graph.hosts] == [0, 0, 1, 1], graph.nodes
    assert graph.host_rates() == (3600000000000, 400000000000)


@case
def confidence(bench):
    """mean and confidence interval of 1, 2, 3: 2 +- 4.303 / sqrt(3); of one value, none"""
    mean = mean_of([1, 2, 3])
    assert mean.value == 2 and abs(mean.half - 4.303 / 3**0.5) < 1e-9, mean
    assert mean_of([7]).half == 0


@case
def groups_of_seeds(bench):
    """runs that differ only in seed or run are a group; same seed or other routing are not"""
    runs = []
    for i, (number, routing) in enumerate([(1, "ecmp"), (2, "ecmp"), (1, "spray"), (2, "ecmp")]):

        def change(summary, number=number, routing=routing, i=i):
            summary["run"].update(rng_run=number, wall_s=i)
            summary["fabric"]["routing"] = routing
            summary["iterations"] = [{"time_ns": 1000 + 10 * i}]

        runs.append(Run(Path(bench.make_run(f"run-{i}", change))))
    groups = group_runs(runs)
    labels = [[run.label for run in group.runs] for group in groups]
    assert labels == [["run-0", "run-1"], ["run-3"], ["run-2"]], labels
    mean = groups[0].mean(lambda run: run.mean_iteration)
    # The two differ by 10: the standard error is 5, and Student's factor 12.706.
    assert mean.value == 1005 and abs(mean.half - 5 * 12.706) < 1e-9, mean
