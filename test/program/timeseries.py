# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: timeseries.csv beside the files that tell the same of the whole run."""

import json
import os
import re

from program.bench import LAYERS, case

CONGESTED = ["--gpusPerServer=1", "--topology=fat-tree:oversubscription=4", "--nicRate=100Gbps"]
CONGESTED += ["--world=8", "--ns3::RdmaSwitch::BufferSize=500000"]


def run(bench, folder, *arguments):
    """Replay eight ranks that get in each other's way; returns the rows of timeseries.csv."""
    workload = "--workload=" + bench.write("layers.txt", LAYERS)
    code, _, err = bench.run(workload, *arguments, "--outputDir=" + bench.path(folder))
    assert (code, err) == (0, ""), (code, err)
    if not os.path.exists(bench.path(folder + "/timeseries.csv")):
        return []
    return bench.rows(folder, "timeseries.csv")


def tier_of(row):
    return tuple(re.sub(r"\d", "", row[end]) for end in ("from", "to"))


def direction_of(row):
    return row.get("link") or row["number"], row["from"], row["to"]


def check_sums(bench, folder, rows, key):
    """What ports have counted over time is what they have counted in all."""
    interval = int(rows[0]["end_ns"])
    expected, found = {}, {}
    for row in bench.rows(folder, "links.csv"):
        total = expected.setdefault(key(row), [0, 0, 0, 0])
        total[0] += int(row["bytes"])
        total[1] = max(total[1], int(row["max_queue_bytes"]))
        total[2] += int(row["ecn_marked"])
        total[3] += int(row["pfc_pause_ns"])
    for row in rows:
        total = found.setdefault(key(row) if row["number"] else tier_of(row), [0, 0, 0, 0])
        total[0] += int(row["rate_bps"]) * interval / 8e9
        total[1] = max(total[1], int(row["max_queue_bytes"]))
        total[2] += int(row["ecn_marked"])
        total[3] += float(row["pause_share"]) * int(row["ports"]) * interval
    assert sorted(found) == sorted(expected), sorted(found)
    for name, total in expected.items():
        sent, queue, marks, pause = found[name]
        # Rates are rounded to bit/s, and what is left of a train to a share of it.
        assert abs(sent - total[0]) < 1e-5 * total[0] + len(rows), (name, sent, total)
        assert [queue, marks] == total[1:3], (name, queue, marks, total)
        assert abs(pause - total[3]) <= 1e-6 * interval * len(rows), (name, pause, total)
    return expected


@case
def tiers_and_links(bench):
    """timeseries.csv: sums by tier and by link are those of links.csv, no rate above the line's"""
    for train in ("1", "64"):
        arguments = [*CONGESTED, "--maxTrain=" + train]
        rows = run(bench, "tiers", *arguments, "--timeSeries=5us")
        totals = check_sums(bench, "tiers", rows, tier_of)
        assert sum(total[3] for total in totals.values()) > 0, "nobody was paused"
        rows = run(bench, "links", *arguments, "--timeSeries=5us", "--timeSeriesLinks=all")
        check_sums(bench, "links", rows, direction_of)
        assert {row["kind"] for row in rows} == {"link"}
        # A frame has 20 bytes of preamble and gap, so that not all of the line's rate is seen.
        assert max(int(row["rate_bps"]) for row in rows) < 100e9
        busy = [row for row in rows if int(row["rate_bps"]) > 97e9]
        assert busy, "no link was busy for 5 us"
        before = {}
        for row in rows:
            # Acknowledgements may come and go; data takes half of an interval or more.
            if row["rate_bps"] == "0" and before.get(direction_of(row)) == "0":
                assert row["max_queue_bytes"] == row["queue_bytes"], row
            before[direction_of(row)] = row["queue_bytes"]


@case
def series_of_a_fluid(bench):
    """timeseries.csv: a fluid's bytes and queues are in the interval in which they are"""
    arguments = [*CONGESTED, "--transport=fluid", "--timeSeries=5us", "--timeSeriesLinks=all"]
    rows = run(bench, "fluid", *arguments)
    # The line's rate bounds each interval, though messages are counted when they have come whole.
    assert max(int(row["rate_bps"]) for row in rows) <= 100e9
    sent, queue, before = {}, {}, {}
    for row in rows:
        name = direction_of(row)
        sent[name] = sent.get(name, 0) + int(row["rate_bps"]) * 5e-6 / 8
        queue[name] = max(queue.get(name, 0), int(row["max_queue_bytes"]))
        # Where nothing waits and nothing comes, what once waited is not reported again.
        if row["rate_bps"] == "0" and before.get(name) == ("0", "0"):
            assert row["max_queue_bytes"] == "0", row
        before[name] = row["rate_bps"], row["queue_bytes"]
    assert max(queue.values()) > 0, "no queue"
    for row in bench.rows("fluid", "links.csv"):
        name = direction_of(row)
        # A queue that ends within a step leaves up to the end of it. What is left of the last packets
        # of flows that end goes where those go that end later: two packets of 2,000 here.
        assert 0.998 <= sent[name] / int(row["bytes"]) < 1.025, (row, sent[name])
        assert queue[name] == int(row["max_queue_bytes"]), (row, queue[name])


@case
def looking_changes_nothing(bench):
    """timeseries.csv: the other files are the same, and intervals double where there are many"""
    arguments = [*CONGESTED, "--traceRanks=all"]
    run(bench, "without", *arguments)
    rows = run(bench, "with", *arguments, "--timeSeries=10ns", "--timeSeriesLinks=host0-pod0-edge0")
    for name in ("ops.csv", "collectives.csv", "flows.csv", "links.csv"):
        with open(bench.path("without/" + name)) as first, open(bench.path("with/" + name)) as other:
            assert first.read() == other.read(), name
    interval = int(rows[0]["end_ns"])
    total = bench.summary("with")["iterations"][0]["time_ns"]
    ends = sorted({int(row["end_ns"]) for row in rows})
    assert ends == list(range(interval, ends[-1] + 1, interval)), ends[:5]
    assert total <= ends[-1] <= total + 3 * interval + 2000, (total, ends[-1])
    doublings = interval // 10
    assert doublings & (doublings - 1) == 0 and 2048 <= len(ends) <= 4097, (interval, len(ends))


@case
def queue_pairs(bench):
    """timeseries.csv: queue pairs have a rate, a window under hpcc, and deliver what messages are"""
    arguments = [*CONGESTED, "--cc=hpcc", "--timeSeries=5us", "--timeSeriesRanks=0,0"]
    rows = [row for row in run(bench, "pairs", *arguments) if row["kind"] == "queue-pair"]
    assert {row["from"] for row in rows} == {"host0"}
    assert all(0 < int(row["limit_bps"]) <= 100e9 and int(row["window_bytes"]) > 0 for row in rows)
    assert min(int(row["limit_bps"]) for row in rows) < 90e9, "nobody had to slow down"
    delivered = sum(int(row["rate_bps"]) for row in rows) * 5e-6 / 8
    flows = [row for row in bench.rows("pairs", "flows.csv") if row["src_rank"] == "0"]
    sent = sum(int(row["bytes"]) for row in flows)
    assert abs(delivered - sent) < len(rows), (delivered, sent)


@case
def counters(bench):
    """trace.json: rates and queues of ports, at the times and of the size of timeseries.csv"""
    rows = run(bench, "trace", *CONGESTED, "--timeSeries=20us", "--traceTime=20us:60us")
    with open(bench.path("trace/trace.json")) as file:
        events = json.load(file)["traceEvents"]
    found = {}
    for event in events:
        if event["ph"] == "C":
            (value,) = event["args"].values()
            found[event["name"], event["ts"]] = value
    for row in rows:
        start = int(row["end_ns"]) / 1000 - 20
        name = f"{row['from']} to {row['to']}"
        isShown = start <= 60
        assert ((name + ", rate", start) in found) == isShown, (name, start)
        if isShown:
            assert abs(found[name + ", rate", start] - int(row["rate_bps"]) / 1e6) <= 1, row
            assert found[name + ", queue", start] == int(row["max_queue_bytes"]), row


@case
def wrong_time_series(bench):
    """timeSeries: wrong values, and options that would do nothing"""
    table = ["--workload=" + bench.table, "--world=4", "--gpusPerServer=1"]
    table += ["--topology=single-switch", "--outputDir=" + bench.path("out")]
    link = "a link of the topology (fabric.json of --dryRun lists them), found "
    for arguments, message in (
        (["--timeSeries=0s"], "--timeSeries: error: expected an interval of 1ns or more"),
        (["--timeSeries=1ps"], "--timeSeries: error: expected an interval of 1ns or more"),
        (["--timeSeries=1"], "--timeSeries: error: expected a duration with its unit"),
        (["--timeSeriesLinks=all"], "--timeSeriesLinks: error: expected no timeSeriesLinks without"),
        (["--timeSeriesRanks=0"], "--timeSeriesRanks: error: expected no timeSeriesRanks without"),
        (["--files=timeseries.csv"], "--files: error: expected timeSeries, the interval of"),
        (["--timeSeries=1us", "--files=links"], "--timeSeries: error: expected no timeSeries without"),
        (["--timeSeries=1us", "--transport=ideal"], "with the transport ideal, which has no ports"),
        (["--timeSeries=1us", "--dryRun"], "with dryRun, which simulates nothing"),
        (
            ["--timeSeries=1us", "--transport=tcp", "--timeSeriesRanks=0"],
            "with the transport tcp, which has no queue pairs",
        ),
        (["--timeSeries=1us", "--timeSeriesRanks=4"], "expected a rank from 0 to 3, found 4"),
        (
            ["--timeSeries=1us", "--timeSeriesLinks=host0-swich0"],
            f"--timeSeriesLinks: error: expected {link}'host0-swich0'; did you mean host0-switch0?",
        ),
        (["--timeSeries=1us", "--timeSeriesLinks="], f"expected {link}''"),
    ):
        code, out, err = bench.run(*table, *arguments)
        assert (code, out) == (1, "") and message in err, (arguments, code, err)
        assert err.count("\n") == 1, err


@case
def paths_of_messages(bench):
    """flowPaths: from the sender to the receiver, and what takes a link was sent by it"""
    for pairs in ("1", "2"):
        attribute = "--ns3::RdmaMessageTransport::QpsPerConnection=" + pairs
        network = ["--gpusPerServer=1", "--topology=fat-tree", "--world=8", "--nicRate=100Gbps"]
        run(bench, "paths", *network, attribute, "--flowPaths=on")
        sent, ends = {}, {}
        for row in bench.rows("paths", "links.csv"):
            sent[row["link"], row["from"]] = int(row["bytes"])
            ends.setdefault(row["link"], {})[row["from"]] = row["to"]
        expected = dict.fromkeys(sent, 0)
        for row in bench.rows("paths", "flows.csv"):
            paths = [path.split(" ") for path in row["path"].split(" | ")]
            assert len(paths) == int(pairs) and len(set(map(len, paths))) == 1, row
            for path in paths:
                node = "host" + row["src_rank"]
                for link in path:
                    # Messages alternate on queue pairs.
                    expected[link, node] += int(row["bytes"]) / len(paths)
                    node = ends[link][node]
                assert node == "host" + row["dst_rank"], row
        # Headers add 66 to each 4096 bytes; acknowledgements and losses are a few percent more.
        wrong = {key: (expected[key], sent[key]) for key in sent if sent[key] < expected[key]}
        assert not (wrong and pairs == "1"), wrong
        total = sum(expected.values())
        assert 1.015 * total < sum(sent.values()) < 1.06 * total, (total, sum(sent.values()))
        if pairs == "1":
            busy = max(expected, key=expected.get)
            assert sent[busy] < 1.06 * expected[busy], (busy, sent[busy], expected[busy])


@case
def paths_refused(bench):
    """flowPaths: where messages have no path of their own"""
    table = ["--workload=" + bench.table, "--world=4", "--outputDir=" + bench.path("out")]
    for arguments, message in (
        (["--routing=spray"], "with the routing spray, where packets of a message may take several"),
        (["--routing=conweave"], "with the routing conweave, where packets of a message may take"),
        (["--routing=e-ecmp"], "with the routing e-ecmp, which has paths of its own; those of ecmp"),
        (["--transport=tcp"], "with the transport tcp, which does not report paths"),
        (["--files=-flows.csv"], "without flows.csv, which files leaves out"),
        (["--linkDown=host0-leaf0@1ms"], "with linkDown, after which messages take other paths"),
        (["--background=poisson:load=0.1,transport=tcp"], "with background traffic over TCP"),
    ):
        code, out, err = bench.run(*table, "--flowPaths=on", *arguments)
        expected = "--flowPaths: error: expected no flowPaths " + message
        assert (code, out) == (1, "") and err.startswith(expected), (arguments, code, err)
