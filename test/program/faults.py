# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: faults during a collective. Every byte arrives once, or the cause is named.

The collective is a ring of 8 ranks that adds up 1 MB: each of 14 steps sends an eighth of it from each
rank to the next. What arrives is counted from flows.csv, the messages themselves from the closed form.
"""

import json
import re

from program.bench import HEADER, case

RANKS = 8
BYTES = 1000000

#: Leaf-spine, four hosts on each of two leaves, two spines.
FABRIC = ["--topology=clos:leaves=2,hostsPerLeaf=4,spines=2,oversubscription=2", "--gpusPerServer=1"]
FABRIC += [f"--world={RANKS}", "--collective=all-reduce=ring"]

TIMEOUT = "--ns3::RdmaNic::RetransmissionTimeout=100us"
TRANSPORTS = {
    "go-back-N": [TIMEOUT],
    "selective repeat": [TIMEOUT, "--ns3::RdmaNic::LossRecovery=selective-repeat"],
    "single packets": [TIMEOUT, "--exact=on"],
    "uec": [TIMEOUT, "--transport=uec"],
    "tcp": ["--transport=tcp", "--mtu=4096", "--ns3::TcpMessageTransport::MinRto=100us"],
}


def replay(bench, *arguments, fabric=FABRIC):
    """Replay an all-reduce with nothing before it; returns exit code, report and messages."""
    table = HEADER + f"\nlayer\t0\tNone\t0\t0\tALLREDUCE_ASYNC\t{BYTES // 4}\t0\tNone\t0\t0\n"
    workload = "--workload=" + bench.write("all-reduce.tsv", table)
    return bench.run(workload, *fabric, *arguments, "--outputDir=" + bench.path("out"))


def expect_delivered(bench, *arguments, fabric=FABRIC):
    """The replay must finish, and each byte arrive once; returns the summary."""
    code, _, err = replay(bench, *arguments, fabric=fabric)
    assert (code, err) == (0, ""), (arguments, code, err)
    flows = [(int(r["src_rank"]), int(r["dst_rank"]), int(r["bytes"])) for r in bench.rows("out", "flows.csv")]
    steps = 2 * (RANKS - 1)
    expected = sorted(steps * [(r, (r + 1) % RANKS, BYTES // RANKS) for r in range(RANKS)])
    assert sorted(flows) == expected, (arguments, len(flows))
    summary = bench.summary("out")
    assert summary["complete"] is True
    assert summary["network"]["bytes_delivered"] == steps * BYTES, summary["network"]
    return summary


def time_of(summary):
    (iteration,) = summary["iterations"]
    return iteration["time_ns"]


def cut(links, begin, end):
    """Options that take links down at a time and up again at another, us."""
    return [f"--linkDown={link}@{begin}us:{end}us" for link in links]


@case
def links_fail(bench):
    """faults: links and switches down and up in mid-collective, on each transport: all bytes once"""
    runs = 0
    for name, transport in TRANSPORTS.items():
        whole = time_of(expect_delivered(bench, *transport))
        middle = whole // 2000
        spine = [f"leaf{leaf}-spine0" for leaf in range(2)]
        leaf = [f"host{host}-leaf0" for host in range(4)]
        for links in (["leaf0-spine1"], spine, ["host3-leaf0"], leaf):
            for begin, end in ((middle, middle + 5), (middle, middle + 500), (0, middle)):
                summary = expect_delivered(bench, *transport, *cut(links, begin, end))
                if links[0].startswith("host") and end > begin + 5:
                    # Those behind a cut link wait until it is mended; all wait for them.
                    assert time_of(summary) > whole + (end - begin) * 500, (name, links, begin, end)
                if links[0].startswith("host") and begin > 0:
                    # All ranks send in each step, so that something was on the cables.
                    assert summary["network"]["dropped_packets"] > 0, (name, links, begin, end)
                runs += 1
    print(f"faults, links and switches down and up: {runs} runs, 0 failures", flush=True)


@case
def packets_are_lost(bench):
    """faults: packets lost at random, from one in a million to one in a hundred: all bytes once"""
    runs = 0
    nodes = [{"name": f"host{i}", "kind": "host"} for i in range(RANKS)]
    nodes.append({"name": "switch0", "kind": "switch"})
    for loss in (1e-6, 1e-5, 1e-4, 1e-3, 1e-2):
        links = [
            {"a": f"host{i}", "b": "switch0", "rate": "100Gbps", "delay": "500ns", "lossRate": loss}
            for i in range(RANKS)
        ]
        topology = bench.write("loss.json", json.dumps({"nodes": nodes, "links": links}))
        fabric = [f"--world={RANKS}", *FABRIC[3:], "--topology=" + topology]
        for name, transport in TRANSPORTS.items():
            summary = expect_delivered(bench, *transport, fabric=fabric)
            network = summary["network"]
            # 14 steps of 8 messages of 31 packets and an acknowledgement at least, over two links.
            packets = 2 * 14 * RANKS * 31
            if loss >= 1e-3:
                assert network["dropped_packets"] > packets * loss / 4, (loss, name, network)
                assert network["retransmitted_packets"] > 0, (loss, name, network)
            runs += 1
    print(f"faults, packets lost: {runs} runs, 0 failures", flush=True)


@case
def link_down_before_tcp_connects(bench):
    """faults: a host cut off while TCP connects: tried again six times, the last after 6.3 s"""
    cut_off = "--linkDown=host3-leaf0@0us:"
    for up, found in (("1ms", 100), ("200ms", 300), ("6250ms", 6300)):
        summary = expect_delivered(bench, *TRANSPORTS["tcp"], cut_off + up)
        # Without the cut it takes less than 1 ms.
        assert found * 10**6 < time_of(summary) < (found + 1) * 10**6, (up, summary["iterations"])
    code, _, err = replay(bench, *TRANSPORTS["tcp"], cut_off + "6350ms")
    assert code == 2 and "from rank 2 to rank 3 has failed: no route to the peer" in err, (code, err)


@case
def port_lost(bench):
    """faults: a NIC that loses one of two ports sends by the other when routes have followed, without a timeout"""
    table = HEADER + "\nlayer\t0\tNone\t0\t0\tALLREDUCE_ASYNC\t64000000\t0\tNone\t0\t0\n"
    arguments = ["--workload=" + bench.write("ports.tsv", table), "--world=16", "--topology=dual-tor", "--cc=none"]
    for transport in ("rdma", "fluid"):
        times = []
        for cuts in ([], ["--linkDown=host0-leaf0-tor1@1ms"]):
            summary = bench.check_whole(*arguments, f"--transport={transport}", *cuts)
            times.append(time_of(summary))
        # The ring passes the NIC, which has half of its rate left; routes follow after 0.1 ms.
        cut, follow = 1000000, 100000
        expected = cut + 2 * (times[0] - cut)
        assert expected * 0.98 < times[1] < (expected + 2 * follow) * 1.02, (transport, times)


@case
def straggler(bench):
    """faults: a straggler delays all by what it computes longer, and no byte is lost"""
    table = HEADER + f"\nlayer\t1.0\tNone\t0\t0\tALLREDUCE_ASYNC\t{BYTES // 4}\t0\tNone\t0\t0\n"
    workload = "--workload=" + bench.write("straggler.tsv", table)
    times = []
    for factor in (1, 1.5, 4):
        summary = bench.check_whole(workload, *FABRIC, f"--straggler=5:{factor}")
        assert summary["network"]["bytes_delivered"] == 14 * BYTES, summary["network"]
        times.append(time_of(summary))
    assert abs(times[1] - times[0] - 500000) < 20000, times
    assert abs(times[2] - times[0] - 3000000) < 20000, times


@case
def rank_dies(bench):
    """faults: a rank that dies in mid-collective, whose link never comes back: exit code 2, its name"""
    for name, transport in TRANSPORTS.items():
        code, _, err = replay(bench, *transport, "--linkDown=host5-leaf1@20us")
        assert code == 2, (name, code, err)
        lines = err.splitlines()
        assert lines[0] == "wl-replay: error: the replay could not finish", err
        cause = "retransmissions used up" if name == "tcp" else "has given up"
        assert any("rank 5" in line and cause in line for line in lines[1:4]), err
        assert len(lines) <= 30, err
        waits = bench.rows("out", "waits.csv")
        assert {row["rank"] for row in waits} == {str(rank) for rank in range(RANKS)}, waits
        assert bench.summary("out")["complete"] is False


@case
def members_of_switches_die(bench):
    """faults: nvls on servers of which two have lost a GPU: who is there waits for that GPU alone"""
    servers = ["--world=12", "--gpusPerServer=4", "--topology=rail"]
    cuts = ["--linkDown=host2-nvswitch0@20us", "--linkDown=host7-nvswitch1@20us"]
    table = HEADER + f"\nlayer\t0\tNone\t0\t0\tALLREDUCE_ASYNC\t{4 * BYTES}\t0\tNone\t0\t0\n"
    arguments = ["--workload=" + bench.write("nvls.tsv", table), "--collective=all-reduce=nvls", TIMEOUT]
    code, _, err = bench.run(*arguments, *servers, *cuts, "--outputDir=" + bench.path("out"))
    assert code == 2 and "rank 2" in err and "rank 7" in err, (code, err)
    waits = {int(row["rank"]): row["waits_for"] for row in bench.rows("out", "waits.csv")}
    for lost, others in ((2, (0, 1, 3)), (7, (4, 5, 6))):
        assert [waits[rank] for rank in others] == 3 * [str(lost)], waits
    # The third server waits for its counterparts in the others.
    for rank in (8, 9, 10, 11):
        found = set(waits[rank].split())
        assert found and found <= {str(rank - 8), str(rank - 4)}, waits


@case
def pauses_and_storms(bench):
    """faults: small buffers, endless pauses and watchdogs that drop: all bytes once"""
    buffer = "--ns3::RdmaSwitch::BufferSize=400000"
    watchdog = ["--ns3::RdmaSwitch::Watchdog=drop"]
    watchdog += [f"--ns3::RdmaSwitch::Watchdog{word}Time=20us" for word in ("Detection", "Restoration")]
    for more in ([buffer], [buffer, "--cc=none"], [buffer, "--cc=none", *watchdog]):
        # All ranks to all ranks over one spine: an overload of four to one.
        table = HEADER + "\nlayer\t0\tALLTOALL\t1000000" + 2 * "\t0\tNONE\t0" + "\t0\n"
        workload = "--workload=" + bench.write("all-to-all.tsv", table)
        arguments = [argument for argument in FABRIC if "clos" not in argument]
        arguments += ["--topology=clos:leaves=2,hostsPerLeaf=4,oversubscription=4", workload]
        summary = bench.check_whole(*arguments, *more)
        # Each keeps the eighth that is its own.
        assert summary["network"]["bytes_delivered"] == 7 * 4000000, summary["network"]
        assert summary["network"]["pfc_pauses"] > 0, (more, summary["network"])


@case
def circles_of_pauses(bench):
    """faults: ports that wait for each other in a circle are named as a fluid, too, whatever the buffer"""
    table = HEADER + "\nlayer\t0\tALLTOALL\t16777216" + 2 * "\t0\tNONE\t0" + "\t0\n"
    workload = "--workload=" + bench.write("all-to-all.tsv", table)
    # Between groups each pair of them has one link: paths cross in circles, and buffers are small.
    arguments = [workload, "--world=64", "--gpusPerServer=1", "--topology=dragonfly", "--cc=none"]
    for size in (5, 6, 7, 8, 9):
        for transport in ("rdma", "fluid"):
            buffer = f"--ns3::RdmaSwitch::BufferSize={size}000000"
            code, _, err = bench.run(*arguments, buffer, "--transport=" + transport)
            assert code == 2, (size, transport, code, err)
            circles = re.findall(r"^deadlock of priority 3, .*: (group.*) \(links", err, re.M)
            assert circles, (size, transport, err)
            for circle in circles:
                ports = circle.split(" -> ")
                assert len(ports) > 3 and ports[0] == ports[-1], (size, transport, circle)
