# SPDX-License-Identifier: GPL-2.0-only
"""Random valid workloads on all named fabrics and on servers of other kinds.

Chakra traces, because these have what no other format has at once: groups of any ranks, all kinds of
collectives, all-to-alls of uneven parts, and messages. What the members of a group plan apart, such as
channels and what goes over the wire with a message, depends on the fabric and on its servers: where
they do not agree, the replay ends with exit code 2.
"""

import json
import random
from collections import Counter

from program.bench import case, check_seeds
from program.chakra import COLL, COMP, RECV, SEND, node, trace
from program.random_fluids import check_fluid, draw_fluid
from program.random_jobs import select_ways

#: Those of 72 GPUs in a server are not for smaller ones.
FABRICS = ["a100", "h100", "b200", "h800", "gb200", "gb200-nvl72"]

#: Servers in place of a fabric's own: without and with NICs beside GPUs, with several NVSwitches, and
#: GPUs in a server.
SERVERS = [
    (["--nicsPerServer=2"], 8),
    (["--server=gpu0 gpu1+nic0 / gpu2+nic1 gpu3"], 4),
    (["--server=gpu0+gpu1+nic0 gpu2+gpu3 / gpu4+gpu5"], 6),
    (["--server=gpu0+nic0+nic1 / gpu1+nic2+nic3"], 2),
    (["--server=gpu0+nic0"], 1),
    (["--nicsPerServer=3", "--nvSwitches=4"], 3),
]

#: Networks without a fabric, whose collectives cost nothing beside their bytes.
PCIE = ["--server=gpu0+gpu1+nic0 / gpu2+gpu3+nic1", "--intraServer=pcie"]
PLAIN = [([], 4), (["--server=gpu0 gpu1+nic0 / gpu2+nic1 gpu3"], 4), (PCIE, 4)]

#: Bytes of a call or of a part, and those that only the ideal network can carry in a test.
SIZES = [0, 1, 63, 4096, 16385, 100001, 345088, 524289, 1000000]
HUGE_SIZES = [16 << 20, (33 << 20) + 1, 600000007]

#: Kinds of collectives by their number in Chakra, whether what a rank brings is given, and
#: algorithms that can do them wherever ranks stand.
KINDS = {
    "all-reduce": (0, False, ["ring", "tree", "halving-doubling"]),
    "reduce": (1, False, ["tree", "chain"]),
    "all-gather": (2, True, ["ring", "direct", "pat", "hierarchical"]),
    "gather": (3, True, ["direct"]),
    "scatter": (4, False, ["direct"]),
    "broadcast": (5, False, ["tree", "chain"]),
    "all-to-all": (6, False, ["direct", "hierarchical", "pxn"]),
    "reduce-scatter": (7, False, ["ring", "direct", "pat", "hierarchical"]),
    "barrier": (9, False, ["halving-doubling"]),
}


class FabricJob:
    """Chakra traces and how they are replayed."""

    def __init__(self, seed):
        self.seed = seed
        self.source = random.Random(seed)
        self.isHuge = seed % 4 == 3
        self.options = []
        self.exchanged = 0  # payload of all-to-alls and messages
        self.collectives = Counter()  # calls by kind
        perServer = self.draw_network()
        servers = self.source.randint(1, 3)
        self.world = max(2, min(servers * perServer, 20))
        self.nodes = [[] for _ in range(self.world)]
        self.groups = [self.draw_group() for _ in range(self.source.randint(1, 4))]
        for number in range(self.source.randint(1, 12)):
            draw = [self.add_collective, self.add_exchange, self.add_exchange, self.add_message]
            self.source.choice(draw)(number)
        # One job's files are not to be taken for those of another one that has fewer ranks.
        self.name = f"job{seed}"
        self.files = {f"{self.name}.{i}.et": trace(*nodes) for i, nodes in enumerate(self.nodes)}
        groups = {f"group{i}": group for i, group in enumerate(self.groups)}
        self.files[self.name + ".json"] = json.dumps(groups).encode()

    def draw_network(self):
        """Options of the network; returns the ranks of a server."""
        source = self.source
        if source.random() < 0.15:
            more, perServer = source.choice(PLAIN)
        else:
            fabric = source.choice(FABRICS)
            self.options += ["--fabric=" + fabric]
            more, perServer = [], 8
            if source.random() < 0.4 and not fabric.startswith("gb200"):
                more, perServer = source.choice(SERVERS)
            self.draw_algorithms()
        self.options += [*more, f"--gpusPerServer={perServer}"]
        return perServer

    def draw_algorithms(self):
        """Mostly those that the program chooses, else some of its own with some protocol."""
        source = self.source
        if source.random() < 0.5:
            return
        choices = []
        for kind, (_, _, names) in KINDS.items():
            protocol = source.choice(["", "", "/simple", "/ll", "/ll128"])
            choices.append(f"{kind}={source.choice(names)}{protocol}")
        chosen = source.sample(choices, source.randint(1, 4))
        self.options += ["--collective=" + ",".join(chosen)]

    def draw_group(self):
        """Some ranks; mostly in their order."""
        source = self.source
        ranks = source.sample(range(self.world), source.randint(2, min(16, self.world)))
        return ranks if source.random() < 0.2 else sorted(ranks)

    def size(self):
        return self.source.choice(SIZES + HUGE_SIZES if self.isHuge else SIZES)

    def add(self, rank, kind, name, **attributes):
        """Add a node behind all others of its rank."""
        nodes = self.nodes[rank]
        if self.source.random() < 0.3:
            micros = self.source.choice([1, 20, 500])
            nodes.append(node(len(nodes), COMP, b"work", range(len(nodes))[-1:], micros))
        nodes.append(node(len(nodes), kind, name, range(len(nodes))[-1:], **attributes))

    def add_collective(self, number):
        """A call of any kind, of equal parts."""
        source = self.source
        kind = source.choice(list(KINDS))
        i = source.randrange(len(self.groups))
        group = self.groups[i]
        attributes = {"comm_type": KINDS[kind][0], "pg_name": f"group{i}".encode()}
        size = 0 if kind == "barrier" else max(1, self.size())
        if kind in ("reduce", "gather", "scatter", "broadcast"):
            attributes["wl_root"] = source.choice(group)
        if kind == "all-to-all":
            size *= len(group)
            self.exchanged += size * (len(group) - 1)
        for rank in group:
            self.add(rank, COLL, b"call%d" % number, comm_size=size, **attributes)
        self.collectives[kind] += 1

    def add_exchange(self, number):
        """An all-to-all of uneven parts, of which any may be empty."""
        i = self.source.randrange(len(self.groups))
        group = self.groups[i]
        parts = [[self.size() for _ in group] for _ in group]
        for rank, sent, received in zip(group, parts, zip(*parts)):
            self.add(
                rank,
                COLL,
                b"exchange%d" % number,
                comm_type=KINDS["all-to-all"][0],
                comm_size=sum(sent),
                pg_name=f"group{i}".encode(),
                wl_send_bytes=sent,
                wl_receive_bytes=list(received),
            )
        self.exchanged += sum(map(sum, parts)) - sum(parts[k][k] for k in range(len(group)))
        self.collectives["all-to-all"] += 1

    def add_message(self, number):
        """A message between two ranks."""
        sender, receiver = self.source.sample(range(self.world), 2)
        size = max(1, self.size())
        ends = {"comm_src": sender, "comm_dst": receiver, "comm_tag": number, "comm_size": size}
        self.add(sender, SEND, b"send%d" % number, **ends)
        self.add(receiver, RECV, b"recv%d" % number, **ends)
        self.exchanged += size

    def transports(self):
        """What each replay of it adds to the options; the ideal network comes first."""
        if self.isHuge:
            return [["--transport=ideal"]]
        more = [["--transport=rdma", "--maxTrain=1", "--reuse=off"], ["--transport=uec"]]
        ways = [["--transport=ideal"], ["--transport=rdma"], self.source.choice(more)]
        return [*ways, draw_fluid(self.source)]


def check_fabric_job(bench, seed, transport=""):
    """Replay a random workload in all ways, or in those of a transport; returns how many."""
    job = FabricJob(seed)
    for name, content in job.files.items():
        bench.write(name, content)
    ways = select_ways(job, transport)
    for way in ways:
        summary = bench.check_whole("--workload=" + bench.path(job.name), *job.options, *way)
        sent, received = Counter(), Counter()
        for row in bench.rows("whole", "flows.csv"):
            sent[int(row["src_rank"])] += int(row["bytes"])
            received[int(row["dst_rank"])] += int(row["bytes"])
        delivered = summary["network"]["bytes_delivered"]
        assert sum(sent.values()) == sum(received.values()) == delivered, (sent, delivered)
        assert delivered >= job.exchanged, (delivered, job.exchanged)
        called = Counter()
        for entry in summary["collectives"]:
            called[entry["kind"]] += entry["count"]
        assert called == job.collectives, (called, job.collectives)
        if summary["fabric"]["transport"] == "fluid":
            check_fluid(bench, "--workload=" + bench.path(job.name), *job.options, *way)
    return len(ways)


@case
def random_fabrics(bench):
    """random workloads on named fabrics and other servers: all kinds of calls, uneven all-to-alls"""
    check_seeds(lambda seed: check_fabric_job(bench, seed), 10)
