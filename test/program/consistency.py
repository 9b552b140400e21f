# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: files of runs over rdma, packet by packet, agree with each other.

Bytes of links are counted here from messages. A data frame has 62 bytes beside its payload, which
is filled up to words of 4 bytes: 18 of Ethernet (IEEE 802.3) and 44 of IPv4, UDP, base transport
header and invariant checksum (InfiniBand specification, annex A17). An acknowledgement has 4 more,
a congestion notification 16 more, and no frame is shorter than 64 bytes.
"""

import json
import os

from program.bench import FILES, LAYERS, case

HEADERS = 18 + 20 + 8 + 12 + 4
ACK = HEADERS + 4
CNP = HEADERS + 16

#: A member of a ring tells the one before it once that it may send: a message without payload.
READY = 64


def packets_of(size, mtu=4096):
    return -(-size // mtu)


def data_bytes(size, mtu=4096):
    """Bytes of the frames of a message; all but the last one are full."""
    last = size - (packets_of(size, mtu) - 1) * mtu
    return size - last + -(-last // 4) * 4 + packets_of(size, mtu) * HEADERS


def ack_bytes(size, mtu=4096):
    """Bytes of the acknowledgements of a message: of every fourth packet and of the last one."""
    return -(-packets_of(size, mtu) // 4) * ACK


def flows_of(bench):
    rows = bench.rows("whole", "flows.csv")
    return [(int(row["src_rank"]), int(row["dst_rank"]), int(row["bytes"])) for row in rows]


@case
def bytes_of_links(bench):
    """rdma, fluid: bytes of each link are those of its messages, frame by frame"""
    options = ["--workload=" + bench.table, "--world=4", "--gpusPerServer=1"]
    options += ["--topology=single-switch", "--collective=all-reduce=ring"]
    for mtu in (4096, 1024):
        bench.check_whole(*options, f"--mtu={mtu}")
        flows = flows_of(bench)
        # 2 (N - 1) steps, each with an N-th of 1 MB
        assert sorted(flows) == sorted(6 * [(i, (i + 1) % 4, 250000) for i in range(4)]), flows
        expected = 6 * (data_bytes(250000, mtu) + ack_bytes(250000, mtu)) + READY + ACK
        if mtu == 4096:
            # 62 packets and 16 acknowledgements
            assert expected == 6 * (250000 + 62 * 62 + 16 * 66) + 64 + 66
        for row in bench.rows("whole", "links.csv"):
            assert int(row["bytes"]) == expected, (mtu, expected, row)
        # A fluid has the same frames, but no acknowledgements.
        bench.check_whole(*options, f"--mtu={mtu}", "--transport=fluid")
        expected = 6 * data_bytes(250000, mtu) + READY
        for row in bench.rows("whole", "links.csv"):
            assert int(row["bytes"]) == expected, (mtu, expected, row)


@case
def bytes_over_hops(bench):
    """rdma: bytes of all links are those of the messages times their hops"""
    summary = bench.check_whole(
        "--workload=" + bench.table, "--world=4", "--gpusPerServer=1",
        "--topology=clos:hostsPerLeaf=2,spines=2", "--collective=all-reduce=ring",
    )  # fmt: skip
    assert summary["network"]["ecn_marked_packets"] == 0, summary["network"]
    expected = 0
    packet_hops = 0
    for source, target, size in flows_of(bench):
        hops = 2 if source // 2 == target // 2 else 4
        expected += hops * (data_bytes(size) + ack_bytes(size))
        packet_hops += hops * (packets_of(size) + ack_bytes(size) // ACK)
    for hops in (2, 4, 2, 4):  # from each member to the one before
        expected += hops * (READY + ACK)
        packet_hops += 2 * hops
    assert sum(int(row["bytes"]) for row in bench.rows("whole", "links.csv")) == expected
    assert summary["network"]["packet_hops"] == packet_hops, (summary["network"], packet_hops)


@case
def bytes_of_nvswitch(bench):
    """rdma: bytes of NVLinks are those of the messages to and from an NVSwitch that adds"""
    bench.check_whole(
        "--workload=" + bench.table, "--world=8", "--gpusPerServer=8",
        "--collective=all-reduce=nvls",
    )  # fmt: skip
    flows = flows_of(bench)
    rows = [row for row in bench.rows("whole", "links.csv") if "nvswitch" in row["from"] + row["to"]]
    assert len(rows) == 16
    for row in rows:
        ends = [8 if "nvswitch" in row[end] else int(row[end][4:]) for end in ("from", "to")]
        sent = [size for source, target, size in flows if [source, target] == ends]
        received = [size for source, target, size in flows if [target, source] == ends]
        # All of the buffer goes to the NVSwitch, and once more the sum of the member's shard.
        assert sum(sent) == sum(received) == 1000000 * 9 // 8, (row, sum(sent), sum(received))
        expected = sum(map(data_bytes, sent)) + sum(map(ack_bytes, received))
        assert int(row["bytes"]) == expected, (row, expected)


@case
def bytes_under_congestion(bench):
    """rdma: with congestion, bytes of links lie between those of the messages and a bound"""
    file = bench.write("layers.txt", LAYERS)
    summary = bench.check_whole(
        "--workload=" + file, "--gpusPerServer=1", "--nicRate=40Gbps",
        "--topology=clos:hostsPerLeaf=2,oversubscription=2,placement=interleaved",
    )  # fmt: skip
    network = summary["network"]
    assert network["ecn_marked_packets"] > 0 == network["dropped_packets"], network
    flows = flows_of(bench)
    sent = {}
    for row in bench.rows("whole", "links.csv"):
        if row["from"].startswith("host"):
            sent[int(row["from"][4:])] = int(row["bytes"])
    for host, total in sent.items():
        out = [size for source, _, size in flows if source == host]
        back = [size for _, target, size in flows if target == host]
        least = sum(map(data_bytes, out)) + sum(map(ack_bytes, back))
        # At most a notification for each packet, and a ready message, which is acknowledged, for
        # each message
        most = least + CNP * sum(map(packets_of, back)) + (READY + ACK) * (len(out) + len(back))
        assert least <= total <= most, (host, least, total, most)


@case
def collectives_and_ops(bench):
    """rdma: collectives begin and end with the ops of their members, messages within them"""
    file = bench.write("layers.txt", LAYERS)
    summary = bench.check_whole("--workload=" + file, "--gpusPerServer=2", "--iterations=2")
    ops = {}
    for row in bench.rows("whole", "ops.csv"):
        span = int(row["start_ns"]), int(row["end_ns"])
        ops.setdefault((int(row["rank"]), row["stream"]), []).append(span)
    flows = {}
    for row in bench.rows("whole", "flows.csv"):
        flows.setdefault(row["communicator"], []).append(row)
    rows = bench.rows("whole", "collectives.csv")
    assert len(rows) == sum(entry["count"] for entry in summary["collectives"]) > 0
    for row in rows:
        first, last = int(row["first_arrival_ns"]), int(row["last_arrival_ns"])
        end = int(row["end_ns"])
        own = flows[row["communicator"]]
        members = {int(flow["src_rank"]) for flow in own}
        assert len(members) == int(row["ranks"]), row
        spans = [sorted(ops[rank, row["dimension"]])[int(row["sequence"])] for rank in members]
        assert min(start for start, _ in spans) == first, (row, spans)
        assert max(start for start, _ in spans) == last, (row, spans)
        assert max(stop for _, stop in spans) == end, (row, spans)
    for communicator, own in flows.items():
        times = [
            (int(row["first_arrival_ns"]), int(row["end_ns"]))
            for row in rows
            if row["communicator"] == communicator
        ]
        for flow in own if times else []:
            start, end = int(flow["start_ns"]), int(flow["end_ns"])
            assert any(first <= start < end <= stop for first, stop in times), flow
    network = summary["network"]
    assert sum(entry["count"] for entry in summary["messages"]) == network["messages"]
    assert sum(entry["bytes"] for entry in summary["messages"]) == network["bytes_delivered"]
    assert network["bytes_delivered"] == sum(size for _, _, size in flows_of(bench))


@case
def equal_runs(bench):
    """rdma: two equal runs give equal files, but for the object run"""
    file = bench.write("layers.txt", LAYERS)
    found = []
    for name in ("one", "two"):
        code, _, err = bench.run(
            "--workload=" + file, "--gpusPerServer=2", "--jitter=0.1", "--routing=spray",
            "--outputDir=" + bench.path(name),
        )  # fmt: skip
        assert (code, err) == (0, ""), err
        assert sorted(os.listdir(bench.path(name))) == FILES
        files = {}
        for output in FILES:
            with open(os.path.join(bench.path(name), output), encoding="utf-8") as text:
                files[output] = text.read()
        summary = json.loads(files.pop("summary.json"))
        del summary["run"]
        found.append((files, summary))
    assert found[0] == found[1], [name for name in FILES if found[0] != found[1]]
