# SPDX-License-Identifier: GPL-2.0-only
"""What must hold of every replay as a fluid, whatever it replays.

The bound of a message is not the fluid's own: its bytes at the rate of the slowest link of its path and
the delays of all, by flows.csv and fabric.json; where it is spread over paths or ports, ideal_ns.
"""

import csv
import json
from collections import Counter

from program.determinism import expect_equal

#: Nanoseconds that the ends of a message may be rounded by.
ROUNDING = 1

CONTROLS = ["dcqcn", "dcqcn", "hpcc", "swift", "none"]
ROUTINGS = ["ecmp", "ecmp", "ecmp", "e-ecmp", "spray"]


def draw_fluid(source):
    """Options of a fluid: any congestion control, and routings that keep to a path or spread."""
    control, routing = source.choice(CONTROLS), source.choice(ROUTINGS)
    # HPCC goes by the telemetry of one path.
    control = "swift" if control == "hpcc" and routing == "spray" else control
    more = ["--flowPaths=on"] if routing == "ecmp" else []
    return ["--transport=fluid", "--cc=" + control, "--routing=" + routing, *more]


def check_fluid(bench, *arguments):
    """Equal runs give equal files, switches pass on what comes, no message is faster than its links."""
    files = expect_equal(bench, *arguments)
    links = rows_of(files, "links.csv")
    try:
        assert json.loads(files["summary.json"])["network"]["dropped_packets"] == 0, "drops"
        check_conservation(links)
        check_messages(links, rows_of(files, "flows.csv"), json.loads(files["fabric.json"]))
    except AssertionError as error:
        raise AssertionError(f"{arguments}: {error}") from error


def rows_of(files, name):
    return list(csv.DictReader(files[name].splitlines(), strict=True))


def check_conservation(links):
    """What comes to a switch leaves it. NVSwitches may reduce, and hosts are the ends of messages."""
    come, left, ports = Counter(), Counter(), Counter()
    for row in links:
        come[row["to"]] += int(row["bytes"])
        left[row["from"]] += int(row["bytes"])
        ports[row["from"]] += 1
    for node, count in ports.items():
        if not node.startswith(("host", "nvswitch")):
            # Each counter is rounded down.
            assert abs(come[node] - left[node]) <= count, (node, come[node], left[node])


def check_messages(links, flows, fabric):
    """No message takes less than its bytes at the slowest link and the delays of all."""
    between = {frozenset((link["a"], link["b"])): link for link in fabric["links"]}
    delays, rates = {}, {}
    for row in links:
        link = between[frozenset((row["from"], row["to"]))]
        delays[row["link"]] = float(link["delay"].removesuffix("ns"))
        rates[row["link"]] = int(row["rate_bps"])
    ports = Counter((row["from"], link_kind(row)) for row in links)
    isSplit = any(node.startswith("host") and ports[node, kind] > 1 for node, kind in ports)
    # Where hosts relay, shortest paths may begin at several ports, NVLink's too; the ideal network knows one.
    relays = any(row["from"].startswith("host") and row["to"].startswith("host") for row in links)
    most = max(Counter(row["from"] for row in links if row["from"].startswith("host")).values()) if relays else 1
    for row in flows:
        took = int(row["end_ns"]) - int(row["start_ns"])
        least = int(row["ideal_ns"]) / most
        path = row["path"].split()
        if path and not isSplit:
            bits = 8 * int(row["bytes"])
            least = 1e9 * bits / min(rates[link] for link in path) + sum(delays[link] for link in path)
        assert took >= least - ROUNDING, (least, row)


def link_kind(row):
    """What distinguishes ports of a host that serve one message: NVSwitches, or switches of the network."""
    return row["to"].startswith("nvswitch")
