# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: strategies that are no part of the module, of examples."""

import os
import re
import unittest

from .bench import WORKLOADS, case
from .processes import without_cost

#: The example's strategies: short names, and their TypeIds.
SHORT = ["--format=three-columns", "--topology=switch-ring", "--collective=all-reduce=star"]
SHORT += ["--cc=aimd", "--routing=turns"]
TYPES = ["--format=ns3::ThreeColumnFormat", "--topology=ns3::SwitchRingTopology"]
TYPES += ["--collective=all-reduce=ns3::StarCollective", "--cc=ns3::AimdControl"]
TYPES += ["--routing=ns3::TurnsRouting"]

TABLE = "--workload=" + os.path.join(WORKLOADS, "three-layers.tsv")


def own(bench):
    return bench.program.replace("wl-replay", "own-strategies")


@case
def own_algorithm(bench):
    """strategies: an all-reduce of a script's own, in a format of its own: the closed form"""
    table = bench.write("one-layer.tsv", "layer\t100\t3000000\n")
    more = ["--format=three-columns", "--collective=all-reduce=star", "--transport=ideal"]
    more += ["--world=4", "--gpusPerServer=1", "--topology=single-switch", "--linkDelay=1us"]
    more += ["--nicRate=80Gbps", "--outputDir=" + bench.path("out")]
    code, _, err = bench.run("--workload=" + table, *more, program=own(bench))
    assert (code, err) == (0, ""), (code, err)
    # 100 us of computing; then three times 3 MB at 10 GB/s into the first member, and out of it, each
    # with two links of 1 us.
    (iteration,) = bench.summary("out")["iterations"]
    assert iteration["time_ns"] == 100000 + 2 * (3 * 300000 + 2000), iteration
    (row,) = bench.rows("out", "collectives.csv")
    assert (row["algorithm"], row["bytes"]) == ("star", "3000000"), row


@case
def own_wrong_algorithm(bench):
    """strategies: an algorithm of a script's own that moves the wrong data is refused"""
    table = bench.write("one-layer.tsv", "layer\t100\t3000000\n")
    bench.expect_error(
        "--collective: error: expected algorithms that bring every rank its data (wl-collective "
        "--check checks more sizes), found star for all-reduce in dp0: rank 1, bytes 0 to 2999999: "
        "expected those from offset 0 of all ranks at the end, found those from offset 0 of rank 1; "
        "look at the steps of the rank: none writes there",
        "--workload=" + table,
        *SHORT[:1],
        "--collective=all-reduce=star",
        "--world=4",
        "--gpusPerServer=1",
        "--ns3::StarCollective::SendsSum=false",
        program=own(bench),
    )


@case
def own_topology(bench):
    """strategies: a topology of a script's own: its key, its name, its links"""
    more = ["--world=6", "--gpusPerServer=2", "--outputDir=" + bench.path("out")]
    code, out, err = bench.run(
        TABLE, SHORT[0], "--topology=switch-ring:trunks=3", *more, program=own(bench)
    )
    assert (code, err) == (0, ""), (code, err)
    assert "switch-ring:trunks=3" in out, out
    rows = bench.rows("out", "links.csv")
    ring = [row for row in rows if row["from"].startswith("ring") and row["to"].startswith("ring")]
    # Three switches, three links between neighbours, both directions.
    assert len(ring) == 3 * 3 * 2, len(ring)


@case
def names_and_types(bench):
    """strategies: short names and TypeIds are the same; the report and the help name what runs"""
    reports = []
    for names in (SHORT, TYPES):
        code, out, err = bench.run(TABLE, *names, program=own(bench))
        assert (code, err) == (0, ""), (code, err)
        report = out.split("\nrun cost")[0].replace("ns3::SwitchRingTopology", "switch-ring")
        reports.append(" ".join(report.split()))
    assert reports[0] == reports[1], reports
    assert "transport rdma (aimd), routing turns" in reports[0] and " star " in reports[0], reports[0]
    code, out, _ = bench.run("--help", program=own(bench))
    text = " ".join(out.split())
    assert code == 0
    # Either protocol can go by a control that asks for nothing.
    assert "rdma: dcqcn, hpcc, timely, swift, nscc, none, aimd; uec: dcqcn, timely, swift" in text
    for word in ("turns (flows take the ports in turn)", "switch-ring: servers in a ring"):
        assert word in text, word
    assert "collnet-direct, bucket, star" in text and "three-columns (name, microseconds, bytes)" in text


@case
def own_attributes(bench):
    """strategies: attributes of a script's own have an effect, or are refused"""
    table = bench.write("one-layer.tsv", "layer\t1\t90000000\n")
    arguments = ["--workload=" + table, SHORT[0], "--world=8", "--gpusPerServer=1", "--cc=aimd"]
    # All send to the first member at once, so that its port marks.
    arguments += ["--collective=all-reduce=star", "--outputDir=" + bench.path("out")]
    times = set()
    for step in ("100Mbps", "20Gbps"):
        attribute = "--ns3::AimdControl::Increase=" + step
        code, _, err = bench.run(*arguments, attribute, program=own(bench))
        assert (code, err) == (0, ""), (code, err)
        times.add(bench.summary("out")["iterations"][0]["time_ns"])
    assert len(times) == 2, times
    attribute = "--ns3::AimdControl::Increase"
    refused = f"{attribute}: error: expected no attribute of ns3::AimdControl"
    for more, reason in (
        ([], ", as --cc has chosen ns3::RdmaDcqcn"),
        (["--transport=ideal"], " with the transport ideal"),
        (["--transport=tcp"], " with the transport tcp"),
    ):
        bench.expect_error(
            f"{refused}{reason}, found {attribute}",
            TABLE,
            SHORT[0],
            attribute + "=1Gbps",
            *more,
            program=own(bench),
        )


@case
def own_wrong_inputs(bench):
    """strategies: wrong words, keys, options and tables are told as those of the module's own"""
    two = bench.write("two-columns.tsv", "layer\t100\n")
    for arguments, message in (
        (
            [TABLE, SHORT[0], "--cc=amid"],
            "--cc: error: expected dcqcn, hpcc, timely, swift, nscc, rccc, none, aimd, or another "
            "ns3::RdmaCongestionControl by its TypeId, found 'amid'; did you mean aimd?",
        ),
        (
            [TABLE, SHORT[0], "--topology=switch-ring:trunk=2"],
            "--topology: error: expected a key of switch-ring (trunks), found 'trunk'; did you mean "
            "trunks?",
        ),
        (
            [TABLE, SHORT[0], "--tp=2"],
            "--tp: error: expected no tp with a table of three columns (three-columns), which has no "
            "use for it, found one",
        ),
        (["--workload=" + two, SHORT[0]], f"{two}:1:1: error: expected three columns, found 'layer\\x09100'"),
    ):
        bench.expect_error(message, *arguments, program=own(bench))


#: A workload with a pipeline.
LAYERS = ["--workload=" + os.path.join(WORKLOADS, "layers-512gpu-tp8-pp4.simai.txt")]


def extended(bench):
    return bench.program.replace("wl-replay", "extended-replay")


@case
def tcp_beside_rdma(bench):
    """strategies: TCP beside a job: all of its bytes come, and the job takes longer than alone"""
    table = os.path.join(WORKLOADS, "gpt2-large-ops.tsv")
    program = bench.program.replace("wl-replay", "tcp-beside-rdma")
    if not os.path.exists(program):
        raise unittest.SkipTest("this ns-3 is without the modules applications and flow-monitor")
    code, out, err = bench.run("--workload=" + table, program=program)
    assert (code, err) == (0, ""), (code, err)
    received = [int(number) for number in re.findall(r"TCP flow \d+: (\d+) bytes", out)]
    # Both directions of two connections; FlowMonitor counts headers and acknowledgements, too.
    assert len(received) == 4, out
    assert sum(count >= 10000000 for count in received) == 1, received
    assert sum(1000000 <= count < 2000000 for count in received) == 1, received
    plain = ["--world=4", "--gpusPerServer=1", "--topology=single-switch", "--nicRate=100Gbps"]
    _, alone, _ = bench.run("--workload=" + table, *plain)
    beside, alone = (
        float(re.search(r"iteration time +([\d.]+) ms", text)[1]) for text in (out, alone)
    )
    assert beside > alone, (beside, alone)


@case
def extended_output(bench):
    """strategies: a schedule and an output of a script's own: their names, ops by name"""
    more = ["--schedule=first-back", "--files=op-times.csv,ops.csv", "--transport=ideal"]
    code, _, err = bench.run(
        *LAYERS, *more, "--outputDir=" + bench.path("out"), program=extended(bench)
    )
    assert (code, err) == (0, ""), (code, err)
    sums = {}
    backwards = []
    for row in bench.rows("out", "ops.csv"):
        count, total = sums.get(row["op"], (0, 0))
        time = int(row["end_ns"]) - int(row["start_ns"])
        sums[row["op"]] = (count + 1, total + time)
        if row["rank"] == "0" and row["phase"].startswith("backward") and row["microbatch"]:
            backwards.append(int(row["microbatch"]))
    # The first microbatch goes back first.
    assert backwards == sorted(backwards) and backwards[0] == 0, backwards[:20]
    rows = bench.rows("out", "op-times.csv")
    assert {row["op"] for row in rows} == set(sums)
    for row in rows:
        count, total = sums[row["op"]]
        # Times in ops.csv are rounded one by one.
        assert int(row["count"]) == count, row
        assert abs(int(row["total_ns"]) - total) <= count, (row, total)


@case
def extended_traffic(bench):
    """strategies: a routing and a kind of background traffic of a script's own"""
    arguments = ["--workload=" + os.path.join(WORKLOADS, "gpt2-large-ops.tsv"), "--world=4"]
    arguments += ["--gpusPerServer=1", "--topology=clos:leaves=2,spines=2", "--elementBytes=1"]
    arguments += ["--outputDir=" + bench.path("out"), "--routing=two-choices"]
    arguments += ["--background=bursts:bytes=64KiB,period=10ms,until=95ms"]
    code, _, err = bench.run(*arguments, program=extended(bench))
    assert (code, err) == (0, ""), (code, err)
    assert bench.summary("out")["fabric"]["routing"] == "two-choices"
    flows = [row for row in bench.rows("out", "flows.csv") if row["job"] == "background"]
    # At 0, 10, ... 90 ms a flow of each host to the next one.
    assert len(flows) == 10 * 4, len(flows)
    assert {row["bytes"] for row in flows} == {"65536"}
    assert all((int(row["src_rank"]) + 1) % 4 == int(row["dst_rank"]) for row in flows)


@case
def replays_of_one_script(bench):
    """strategies: two replays of one script give what each gives by itself, and its sinks count all"""
    arguments = ["--workload=" + os.path.join(WORKLOADS, "gpt2-large-ops.tsv"), "--world=4"]
    arguments += ["--gpusPerServer=1", "--topology=single-switch"]
    program = bench.program.replace("wl-replay", "trains-or-packets")
    code, out, err = bench.run(*arguments, program=program)
    assert (code, err) == (0, ""), (code, err)
    # After each report stands what its sinks have counted.
    both = re.split(r"\n--\w+=\w+: \d+ messages, (\d+) bytes\n", out)
    assert len(both) == 5 and both[4] == "", out
    for level, report in (("--exact=on", both[0]), ("--reuse=off", both[2])):
        code, alone, err = bench.run(*arguments, level, "--outputDir=" + bench.path("out"))
        assert (code, err) == (0, ""), (code, err)
        assert without_cost(report) == without_cost(alone), f"{report}\n\n{alone}"
    delivered = bench.summary("out")["network"]["bytes_delivered"]
    assert both[1] == both[3] == str(delivered), (both[1], both[3], delivered)


@case
def extended_wrong_inputs(bench):
    """strategies: wrong words and keys of kinds of background traffic, schedules and files"""
    for arguments, message in (
        (
            ["--background=burst:bytes=1KiB"],
            "--background: error: expected poisson, permutation, incast, file, bursts, or another "
            "ns3::BackgroundKind by its TypeId, found 'burst'; did you mean bursts?",
        ),
        (
            ["--background=bursts:byte=1KiB"],
            "--background: error: expected a key of bursts (bytes, hosts, period, start, transport, "
            "until), found 'byte'; did you mean bytes?",
        ),
        (
            ["--background=bursts:period=0ns"],
            "--background: error: expected a period above 0, found '0ns'",
        ),
    ):
        bench.expect_error(message, *LAYERS, *arguments, program=extended(bench))
