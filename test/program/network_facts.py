# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: what a run tells of its network besides times: losses, and what it had
and did not use."""

import json
import os
import re

from program.bench import WORKLOADS, case

# Two ranks send each other a packet.
SCHEDULE = "num_ranks 2\n" + "".join(
    f"rank {rank} {{\na: send 4096b to {1 - rank}\nb: recv 4096b from {1 - rank}\n}}\n"
    for rank in (0, 1)
)


def write_graph(bench, name, hosts, links):
    """Write a topology of hosts and switches; links are pairs of names."""
    names = sorted({end for link in links for end in link} - set(hosts))
    nodes = [{"name": host, "kind": "host"} for host in hosts]
    nodes += [{"name": switch, "kind": "switch"} for switch in names]
    edges = [{"a": a, "b": b, "rate": "100Gbps", "delay": "500ns"} for a, b in links]
    return bench.write(name, json.dumps({"nodes": nodes, "links": edges}))


def replay(bench, topology, *arguments):
    """Replay the schedule; returns the report, its lines joined, and summary.json."""
    code, out, err = bench.run(
        "--workload=" + bench.write("swap.goal", SCHEDULE),
        "--topology=" + topology,
        "--outputDir=" + bench.path("facts"),
        *arguments,
    )
    assert (code, err) == (0, ""), (code, err)
    return " ".join(out.split()), bench.summary("facts")


def list_idle(summary):
    """What a run says it has left idle."""
    words = ("sent no messages", "carried nothing", "left unused", "% of the time at most")
    return [text for text in summary["assumptions"] if any(word in text for word in words)]


TWO_PORTS = [("h0", "s0"), ("h0", "s1"), ("h1", "s0"), ("h1", "s1")]


@case
def idle_ports_told(bench):
    """idle: ports of NICs that their messages do not take, and nothing where they take all"""
    graph = write_graph(bench, "planes.json", ["h0", "h1"], TWO_PORTS)
    # Each host sends one message: split over both of its ports, or by one of them.
    assert not list_idle(replay(bench, graph, "--transport=ideal")[1])
    assert not list_idle(replay(bench, graph)[1])
    says = "2 of 4 NIC ports have sent no messages: a message uses one port of its NIC; "
    spraying = "--ns3::RdmaRcProtocol::PortSpraying="
    told = list_idle(replay(bench, graph, spraying + "queue-pair")[1])
    assert told == [says + spraying + "split uses all"], told
    assert not list_idle(replay(bench, graph, spraying + "packet")[1])
    assert not list_idle(replay(bench, graph, "--transport=uec")[1])


@case
def idle_links_told(bench):
    """idle: links between switches, unless the job is smaller than the fabric"""
    links = [("h0", "s0"), ("h1", "s1"), ("s0", "s1"), ("s0", "s2"), ("s2", "s1")]
    graph = write_graph(bench, "detour.json", ["h0", "h1"], links)
    says = "2 of 3 links between switches have carried nothing, such as s0 - s2, s2 - s1"
    # The idle links are on a longer path, which no routing by shortest paths takes.
    for transport in ("rdma", "uec"):
        told = list_idle(replay(bench, graph, "--transport=" + transport)[1])
        assert told == [says], (transport, told)
    # Without packets nobody knows which links they would have taken.
    assert not list_idle(replay(bench, graph, "--transport=ideal")[1])
    graph = write_graph(bench, "larger.json", ["h0", "h1", "h2"], [*links, ("h2", "s2")])
    assert not list_idle(replay(bench, graph)[1])


@case
def idle_equal_paths_told(bench):
    """idle: links of paths that are as short as those taken, with what uses them all"""
    links = [("h0", "s0"), ("h1", "s1")]
    links += [(leaf, spine) for spine in ("t0", "t1", "t2", "t3") for leaf in ("s0", "s1")]
    graph = write_graph(bench, "equal.json", ["h0", "h1"], links)
    # A packet takes one spine, sprayed or not; 64 of them take all.
    traffic = "--workload=" + bench.write("long.goal", SCHEDULE.replace("4096b", "262144b"))
    # Two flows take two of the four spines at most.
    remedy = ": a flow keeps to one of the shortest paths; --routing=spray uses all"
    told = list_idle(replay(bench, graph, traffic)[1])
    assert len(told) == 1 and told[0].endswith(remedy), told
    assert int(told[0].split(" of 8 links between switches have carried nothing")[0]) in (4, 6), told
    assert not list_idle(replay(bench, graph, traffic, "--routing=spray")[1])


@case
def idle_planes_told(bench):
    """idle: planes that no message goes to, as the other one is nearer, at all levels"""
    links = [("h0", "s0"), ("h1", "s0"), ("h0", "t0"), ("t0", "t1"), ("t1", "h1")]
    graph = write_graph(bench, "far-plane.json", ["h0", "h1"], links)
    says = "1 of 2 planes of the network were left unused, such as that of t0"
    for transport in ("rdma", "uec", "fluid", "ideal"):
        told = list_idle(replay(bench, graph, "--transport=" + transport)[1])
        assert [text for text in told if text.startswith(says)], (transport, told)


def write_traffic(bench, name, ranks, messages):
    """Write a schedule of messages: source, destination, bytes."""
    ops = [[] for _ in range(ranks)]
    for tag, (source, destination, size) in enumerate(messages):
        ops[source].append(f"s{tag}: send {size}b to {destination} tag {tag}")
        ops[destination].append(f"r{tag}: recv {size}b from {source} tag {tag}")
    return "--workload=" + bench.write(name, f"num_ranks {ranks}\n" + "".join(
        f"rank {rank} {{\n" + "\n".join(own) + "\n}\n" for rank, own in enumerate(ops)))


@case
def detours_told(bench):
    """idle: links beside shortest paths, as of a dragonfly, with the routing that takes them"""
    links = [(f"h{i}", f"s{i}") for i in range(4)]
    links += [(f"s{i}", f"s{j}") for i in range(4) for j in range(i)]
    graph = write_graph(bench, "mesh.json", ["h0", "h1", "h2", "h3"], links)
    traffic = write_traffic(bench, "circle.goal", 4,
                            [(source, (source + 1) % 4, 1000000) for source in range(4)])
    says = "2 of 6 links between switches have carried nothing, such as s2 - s0, s3 - s1: " \
           "messages take shortest paths; "
    for option, remedy in (("--routing=ecmp", "--routing=ugal"),
                           ("--routing=spray", "--routing=ugal"),
                           ("--transport=fluid", "--transport=rdma --routing=ugal")):
        told = list_idle(replay(bench, graph, traffic, option)[1])
        assert told == [says + remedy + " takes others, too"], (option, told)
    told = list_idle(replay(bench, graph, traffic, "--routing=valiant")[1])
    assert not [text for text in told if "shortest" in text], told


@case
def hardly_used_links_told(bench):
    """idle: links that are used 1 % of the time where others are busy, and only there"""
    links = [("h0", "s0"), ("h1", "s1"), ("h2", "s2"), ("h3", "s3")]
    links += [("s0", "s1"), ("s1", "s2"), ("s2", "s3")]
    graph = write_graph(bench, "chain.json", ["h0", "h1", "h2", "h3"], links)
    # 10 MB take 0.8 ms at 100 Gb/s, a packet 0.3 us: a twentieth of a percent.
    for small, told in ((4096, True), (1000000, False)):
        traffic = write_traffic(bench, "few.goal", 4, [
            (source, source ^ 1, 10000000 if source < 2 else small) for source in range(4)
        ])
        for transport in ("rdma", "fluid"):
            _, summary = replay(bench, graph, "--transport=" + transport, traffic)
            says = list_idle(summary)
            assert says[0].startswith("1 of 3 links between switches have carried nothing, such "
                                      "as s1 - s2"), says
            found = [text for text in says if text.startswith(
                "1 of 3 links between switches were used 1 % of the time at most")]
            assert bool(found) == told and len(says) == 1 + told, (transport, says)
            assert not told or "such as s2 - s3" in found[0], found


def write_exchange(bench, size, compute="0"):
    """Write an op table of one all-to-all: bytes of a rank's buffer, ms of computing before."""
    header = ["name"] + [
        f"{phase}_{column}" for phase in ("forward", "backward", "weight_grad")
        for column in ("compute_time", "comm_type", "comm_size")
    ] + ["process_time"]
    row = ["tokens", compute, "None", "0", "0", "None", "0", "0", "ALLTOALL", str(size // 4), "0"]
    table = "\t".join(header) + "\n" + "\t".join(row) + "\n"
    return "--workload=" + bench.write("exchange.tsv", table)


def write_hyperx(bench):
    """Write a HyperX of 4 x 4 switches of 4 hosts each, links of 400 Gb/s."""
    switches = [(x, y) for x in range(4) for y in range(4)]
    name = lambda place: "s{}{}".format(*place)
    links = [(f"h{host}", name(switches[host // 4])) for host in range(64)]
    links += [(name(a), name(b)) for a in switches for b in switches
              if a < b and (a[0] == b[0] or a[1] == b[1])]
    graph = write_graph(bench, "hyperx.json", [f"h{host}" for host in range(64)], links)
    return bench.write("hyperx.json", open(graph).read().replace("100Gbps", "400Gbps"))


@case
def exchange_told(bench):
    """all-to-alls: links that few messages at once leave unused, where more or other paths help"""
    size = 1 << 26
    # Half of the hosts have 32 x 32 blocks for the other half, over 4 x 2 x 2 links of 50 GB/s.
    least = 32 * 32 * size / 64 / (16 * 50e9)
    concurrency = "--ns3::DirectCollective::Concurrency=63"
    plain = ["--gpusPerServer=1", "--nicRate=400Gbps"]
    hyperx = ["--topology=" + write_hyperx(bench)]
    for arguments, remedies in (
        (hyperx, [concurrency, "--routing=spray"]),
        ([*hyperx, "--routing=spray"], [concurrency]),
        ([*hyperx, concurrency], ["--routing=spray"]),
        ([*hyperx, "--routing=spray", concurrency], []),
        # Whichever hosts a leaf's send to, its uplinks carry it all.
        ([*plain, "--topology=clos:hostsPerLeaf=8"], ["--routing=spray"]),
        ([*plain, "--topology=clos:hostsPerLeaf=8", "--routing=spray"], []),
        ([*plain, "--topology=rail"], []),
        ([*plain, "--topology=torus:dims=4x4x4"], []),
    ):
        code, _, err = bench.run(write_exchange(bench, size), "--world=64", "--transport=fluid",
                                 "--outputDir=" + bench.path("exchange"), *arguments)
        assert (code, err) == (0, ""), err
        summary = bench.summary("exchange")
        told = [text for text in summary["assumptions"] if text.startswith("all-to-alls took")]
        found = [word.rstrip(";,") for word in " ".join(told).split() if word.startswith("--")]
        assert found == remedies, (arguments, told)
        if arguments[0] in hyperx:
            slower = summary["iterations"][0]["time_ns"] * 1e-9 / least
            assert 1 < slower < 1.1 if not remedies else slower > 1.3, (arguments, slower)
    # Nor where it is no tenth of the time, 3 ms of 53, or so short that nothing waits.
    for job in ((size, "50"), (1 << 16, "0")):
        code, out, err = bench.run(write_exchange(bench, *job), "--world=64", *hyperx,
                                   "--transport=fluid")
        assert (code, err) == (0, "") and "all-to-alls took" not in out, (job, out, err)


@case
def uneven_links_told(bench):
    """idle: the uplink that ECMP uses more than the others of its leaf, unless packets are sprayed"""
    arguments = ["--workload=" + os.path.join(WORKLOADS, "all-reduce.tsv"), "--world=32",
                 "--gpusPerServer=1", "--nicRate=400Gbps", "--transport=fluid",
                 "--topology=clos:hostsPerLeaf=4", "--collective=all-reduce=halving-doubling",
                 "--outputDir=" + bench.path("uneven")]
    for routing, isTold in (("ecmp", True), ("spray", False)):
        code, _, err = bench.run(*arguments, "--routing=" + routing)
        assert (code, err) == (0, ""), err
        told = [text for text in bench.summary("uneven")["assumptions"] if "lead to the same" in text]
        assert bool(told) == isTold, (routing, told)
        if isTold:
            uplinks = {}
            for row in bench.rows("uneven", "links.csv"):
                if row["from"].startswith("leaf") and row["to"].startswith("spine"):
                    uplinks.setdefault(row["from"], []).append(
                        (float(row["utilisation"]), row["from"] + " -> " + row["to"]))
            most, name = max(max(own) for own in uplinks.values())
            mean = sum(share for share, _ in uplinks[name.split()[0]]) / 4
            says = f"{name} was used {100 * most:.0f} % of the time, links that lead to the same " \
                   f"hosts {100 * mean:.0f} % in the mean: a flow keeps to one of the shortest " \
                   "paths; --routing=spray uses all"
            assert told == [says], (told, says)


@case
def pauses_told(bench):
    """pauses: for how long senders that share a link are kept back, and nothing without pauses"""
    hosts = ["h0", "h1", "h2"]
    graph = write_graph(bench, "incast.json", hosts, [(host, "s0") for host in hosts])
    traffic = write_traffic(bench, "incast.goal", 3, [(1, 0, 8000000), (2, 0, 8000000)])
    arguments = [graph, traffic, "--cc=none", "--exact=on"]
    _, summary = replay(bench, *arguments, "--ns3::RdmaSwitch::BufferSize=400000")
    told = [text for text in summary["assumptions"] if "flow control paused" in text]
    assert len(told) == 1 and told[0].startswith("2 ports of 6 could not send"), told
    # Two senders of a link's rate share one: each is kept back half of the time.
    share = int(told[0].split("ms (")[1].split(" %")[0])
    assert 40 <= share <= 55 and summary["network"]["pfc_pauses"] > 0, told
    _, summary = replay(bench, *arguments, "--ns3::RdmaSwitch::BufferSize=64000000")
    assert summary["network"]["pfc_pauses"] == 0, summary["network"]
    assert "flow control paused" not in str(summary["assumptions"]), summary["assumptions"]


@case
def unequal_rates_told(bench):
    """rates: ports of a NIC and NICs of ranks that differ are named with the slowest, others not"""
    fast = json.loads(open(write_graph(bench, "alike.json", ["h0", "h1"], TWO_PORTS)).read())
    ports = "have NIC ports of unequal rates"
    nics = "the pace of the slowest, such as that of "
    for slow, arguments, found in (
        ([], [], []),
        ([1, 3], [], ["2 hosts, such as h0 with 25.0 and 100.0 Gb/s, " + ports]),
        ([1], [], ["1 host, such as h0 with 25.0 and 100.0 Gb/s, " + ports, nics + "h0"]),
        ([2, 3], [], [nics + "h1"]),
        # Ports of the ideal network and of uec carry what they can.
        ([1, 3], ["--transport=ideal"], []),
        ([1, 3], ["--transport=uec"], []),
    ):
        graph = json.loads(json.dumps(fast))
        for link in slow:
            graph["links"][link]["rate"] = "25Gbps"
        path = bench.write("rates.json", json.dumps(graph))
        assumptions = replay(bench, path, *arguments)[1]["assumptions"]
        told = [text for text in assumptions if "slowest" in text]
        assert len(told) == len(found), (slow, arguments, told)
        assert all(words in text for words, text in zip(sorted(found), sorted(told))), (slow, told)


@case
def dimensions_said(bench):
    """dimensions: those that a file says, which it keeps; those that links make; rings of links"""
    job = "--workload=" + os.path.join(WORKLOADS, "all-reduce.tsv")

    def run(links, *arguments, dims=None):
        graph = json.loads(open(write_graph(bench, "dims.json", [f"h{i}" for i in range(4)],
                                            links)).read())
        if dims:
            graph["dims"] = dims
        path = bench.write("dims.json", json.dumps(graph))
        report, summary = replay(bench, path, job, "--world=4", "--transport=ideal", *arguments)
        with open(bench.path("facts/fabric.json"), encoding="utf-8") as file:
            assert json.load(file).get("dims") == dims, dims
        return report, {entry["algorithm"] for entry in summary["collectives"]}

    switched = [(f"h{i}", "s0") for i in range(4)]
    assert run(switched)[1] == {"ring"}
    assert run(switched, dims=[2, 2])[1] == {"bucket"}
    square = [("h0", "h1"), ("h2", "h3"), ("h0", "h2"), ("h1", "h3")]
    assert run(square)[1] == {"bucket"}
    # The same square, but its ranks are numbered otherwise than by rows or round about.
    crossed = [("h0", "h1"), ("h0", "h3"), ("h2", "h1"), ("h2", "h3"), ("h0", "h2")]
    report, algorithms = run(crossed)
    assert algorithms == {"ring"}, algorithms
    says = "rings of 4 ranks follow links in an order that was searched for, one, each in both"
    assert says in report, report
    report, algorithms = run([("h0", "h1"), ("h0", "h2"), ("h0", "h3")])
    assert algorithms == {"ring"} and "no ring of 4 ranks that follows links" in report, report


@case
def timeouts_told(bench):
    """losses: how often senders have waited in vain, for how long, and what they have sent again"""
    graph = write_graph(bench, "one.json", ["h0", "h1"], [("h0", "s0"), ("h1", "s0")])
    # Both packets are lost. Timeouts double: after 1 ms the cable is still down, after 2 ms more it
    # is not. So each rank waits in vain twice, and sends its packet again twice.
    cut = ["--linkDown=h1-s0@1ns:2.5ms"]
    for arguments, timeout in (
        (["--ns3::RdmaNic::RetransmissionTimeout=1ms"], "ns3::RdmaNic::RetransmissionTimeout"),
        (
            ["--transport=uec", "--ns3::UecProtocol::RetransmissionTimeout=1ms"],
            "ns3::UecProtocol::RetransmissionTimeout",
        ),
    ):
        out, summary = replay(bench, graph, *cut, *arguments)
        network = summary["network"]
        assert network["retransmission_timeouts"] == 4, (arguments, network)
        assert network["retransmitted_packets"] == 4, (arguments, network)
        expected = f"4 retransmission timeouts of 1.000 ms to 2.000 ms ({timeout}), 4 packets"
        assert expected in out, (expected, out)
        # By no other cause.
        assert re.search("lost were 4 packets at links that were down(?!,| and)", out), out
        assert ("selective-repeat only these" in out) == ("RdmaNic" in timeout), out
    out, summary = replay(bench, graph)
    assert summary["network"]["retransmission_timeouts"] == 0 and "losses" not in out, out
    assert "lost were" not in out, out
    # Packets of 1000 bytes, each lost at one link or the other with a chance of 0.19.
    bench.write("lossy.txt", "3 1 2\n2\n0 2 100Gbps 500ns 0.1\n1 2 100Gbps 500ns 0.1\n")
    out, summary = replay(bench, bench.path("lossy.txt"), "--mtu=1000",
                          "--ns3::RdmaNic::RetransmissionTimeout=1ms", "--run=3")
    drops = summary["network"]["dropped_packets"]
    lost = f"lost were {drops} packets? at links that lose some at random(?!,| and)"
    assert drops > 0 and re.search(lost, out), (drops, out)


@case
def fluid_facts(bench):
    """fluid: what it spreads is told and counted, and lossy links are refused"""
    graph = write_graph(bench, "planes.json", ["h0", "h1"], [("h0", "s0"), ("h1", "s1")] + [
        (leaf, spine) for leaf in ("s0", "s1") for spine in ("t0", "t1")
    ])
    says = "messages are spread evenly over all shortest paths"
    two_packets = "--workload=" + bench.write("two.goal", SCHEDULE.replace("4096b", "8192b"))
    # Frames of 4096 bytes and headers, from a leaf to its host and to the two spines.
    for routing, bytes_sent in (
        ("ecmp", [0, 8316, 8316]),
        ("spray", [4158, 4158, 8316]),
        ("adaptive", [4158, 4158, 8316]),
    ):
        report, summary = replay(
            bench, graph, "--transport=fluid", "--routing=" + routing, two_packets
        )
        is_told = [says in report, any(says in text for text in summary["assumptions"])]
        assert is_told == [routing != "ecmp"] * 2, routing
        sent = [int(row["bytes"]) for row in bench.rows("facts", "links.csv") if row["from"] == "s0"]
        assert sorted(sent) == bytes_sent, (routing, sent)
    for routing in ("flowlet", "conga"):
        report, _ = replay(bench, graph, "--transport=fluid", "--routing=" + routing, two_packets)
        assert f"in which the routing {routing} could move them" in " ".join(report.split()), report
    lossy = json.loads(open(graph).read())
    lossy["links"][0]["lossRate"] = 0.01
    bench.expect_error(
        "--topology: error: expected no links that lose packets with the transport fluid, which loses "
        "nothing, found h0-s0",
        "--workload=" + bench.write("swap.goal", SCHEDULE),
        "--topology=" + bench.write("lossy.json", json.dumps(lossy)),
        "--transport=fluid",
    )


@case
def fluid_jobs(bench):
    """fluid: jobs that meet where links are held back all end, with all of their bytes"""
    job = os.path.join(WORKLOADS, "all-to-all.tsv")
    hosts = [range(first, 64, 2) for first in (0, 1)]
    jobs = [
        f"--job={job}:name={name},world=32,placement=" + "+".join(str(host) for host in range_of)
        for name, range_of in zip("ab", hosts)
    ]
    code, _, err = bench.run(
        *jobs,
        "--alone=off",
        "--gpusPerServer=1",
        "--topology=clos:oversubscription=2",
        "--transport=fluid",
        "--run=2",
        "--outputDir=" + bench.path("fluid-jobs"),
    )
    assert (code, err) == (0, ""), (code, err)
    # 2^25 elements of 4 bytes of each of two times 32 ranks, of which a rank keeps its own part.
    sent = sum(int(row["bytes"]) for row in bench.rows("fluid-jobs", "flows.csv"))
    assert sent == 2 * 32 * (2**27 * 31 // 32), sent
