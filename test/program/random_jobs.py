# SPDX-License-Identifier: GPL-2.0-only
"""Random valid workloads on plain networks, how many bytes they move, and what must hold of every
replay of them. Those on named fabrics are in random_fabrics.py.

The bytes are counted from what was drawn, not read from the program: a ring all-reduce of N members
moves each of its B bytes 2 (N - 1) times, the other collectives N - 1 times (nccl-tests,
doc/PERFORMANCE.md).
"""

import random
from collections import Counter

from program.bench import HEADER, case, check_seeds
from program.random_fluids import check_fluid, draw_fluid

#: Sizes of communication, bytes. What is larger than a network of packets can carry in a test is
#: for the ideal one.
SIZES = [0, 1, 3, 63, 64, 4095, 4096, 4097, 65536, 100001, 300000]
HUGE_SIZES = [2**31 - 1, 2**32, 2**32 + 1, 2**33 + 7, 2**40 - 1, 2**40]

#: Words of layer files, the collectives that they stand for, and how often these move a byte.
KINDS = {
    "ALLREDUCE": ("all-reduce", lambda n: 2 * (n - 1)),
    "ALLGATHER": ("all-gather", lambda n: n - 1),
    "REDUCESCATTER": ("reduce-scatter", lambda n: n - 1),
    "ALLTOALL": ("all-to-all", lambda n: n - 1),
}

#: Algorithms that move bytes so.
ALGORITHMS = "all-reduce=ring,all-gather=ring,reduce-scatter=ring,all-to-all=direct"

TOPOLOGIES = ["single-switch", "clos:hostsPerLeaf=2,spines=2", "rail", "fat-tree", "torus", "ring"]

#: Least time as a share of that on the ideal network, which bounds networks where senders and
#: receivers are busy alike. In an all-to-all over servers they are not (see Scope and Limitations).
ALIKE, NOT_ALIKE, ANY = 1, 0.9, 0

#: Hosts of these relay, so that a message has one port on the ideal network; Ultra Ethernet sprays it over all
#: ports that lead to the receiver by a shortest path, at most one in either direction of each dimension.
RELAYING_PORTS = {"torus": 4, "ring": 2}


class Job:
    """A workload and how it is replayed."""

    def __init__(self, seed):
        self.seed = seed
        self.source = random.Random(seed)
        self.isHuge = seed % 5 == 4
        self.least = ALIKE
        self.text = ""
        self.options = []
        self.asked = 0  # bytes that all messages have
        self.collectives = Counter()  # calls by dimension and kind
        draw = [self.draw_layers, self.draw_layers, self.draw_table, self.draw_schedule]
        draw[seed % len(draw)]()
        self.draw_network()

    def size(self):
        sizes = SIZES + HUGE_SIZES if self.isHuge else SIZES
        return self.source.choice(sizes)

    def draw_network(self):
        self.topology = self.source.choice(TOPOLOGIES)
        self.options += ["--topology=" + self.topology]
        self.options += [f"--gpusPerServer={self.source.choice([1, 2, 4])}"]
        self.options += [f"--nicRate={self.source.choice([100, 400])}Gbps"]

    def add_collectives(self, dimension, word, members, groups, size, calls):
        """Count what all groups of a dimension do; that of one member is called, too."""
        kind, times = KINDS[word]
        if size == 0:
            return
        self.asked += groups * calls * times(members) * size
        self.collectives[dimension, kind] += groups * calls
        if kind == "all-to-all" and members > 1:
            self.least = NOT_ALIKE

    def draw_layers(self):
        """A layer file: tensor, expert, data and pipeline parallel, with any schedule."""
        source = self.source
        tp, pp, dp = source.choice([1, 2, 4]), source.choice([1, 2, 4]), source.choice([1, 2, 4])
        while tp * pp * dp > 16 or tp * pp * dp == 1:
            tp, pp, dp = (source.choice([1, 2, 4]) for _ in range(3))
        ep = source.choice([n for n in (1, 2, 4) if dp % n == 0])
        world = tp * pp * dp
        schedule, microbatches, chunks, hops = self.draw_pipeline(pp)
        layers = chunks * source.randint(1, 3)
        message = max(1, self.size())
        groups = {"tp": (tp, world // tp), "ep": (ep, world // ep)}
        groups.update(dp=(dp, world // dp), edp=(dp // ep, world * ep // dp))
        rows = []
        for _ in range(layers):
            words = ["layer", "-1"]
            for column in range(3):
                suffixes = ["", "_EP"] if column < 2 else ["", "_DP_EP"]
                word, suffix = source.choice(list(KINDS)), source.choice(suffixes)
                dimension = {"": "tp" if column < 2 else "dp", "_EP": "ep", "_DP_EP": "edp"}[suffix]
                size = 0 if schedule == "dualpipe" and column == 2 else self.size()
                words += [str(source.choice([0, 1000, 20000])), word + suffix, str(size)]
                self.add_collectives(dimension, word, *groups[dimension], size, microbatches)
            # The first layer has something to do, so that an iteration takes time.
            update = source.choice([0, 5]) if rows else source.choice([5, 5])
            rows.append(" ".join([*words, str(update)]))
        self.asked += 2 * hops * microbatches * (world // pp) * message
        header = f"HYBRID_TRANSFORMER model_parallel_NPU_group: {tp} ep: {ep} pp: {pp}"
        header += f" ga: {microbatches} all_gpus: {world}"
        if pp > 1:
            header += f" pp_comm: {message}"
            self.options += ["--schedule=" + schedule]
        if schedule == "interleaved":
            self.options += [f"--vpp={chunks}"]
        self.text = "\n".join([header, str(layers), *rows]) + "\n"
        self.options += ["--collective=" + ALGORITHMS]

    def draw_pipeline(self, stages):
        """A schedule and microbatches that it can serve; chunks of a stage, and how often the
        activations of a microbatch go to another stage."""
        if stages == 1:
            return "1f1b", self.source.randint(1, 4), 1, 0
        schedule = self.source.choice(
            ["1f1b", "gpipe", "interleaved", "zb-h1", "zb-h2", "zb-v", "v-half", "v-min"]
            + ["dualpipe", "dualpipev"]
        )
        least = {"zb-h2": 2 * stages - 1, "zb-v": 2 * stages - 1, "dualpipev": 2 * stages}
        microbatches = self.source.randint(1, 4) + least.get(schedule, 0)
        if schedule == "interleaved":
            chunks = self.source.choice([2, 3])
            return schedule, stages * self.source.randint(1, 2), chunks, stages * chunks - 1
        if schedule in ("zb-v", "v-half", "v-min", "dualpipev"):
            # Up the stages and back down: at the last one the second chunk follows the first.
            return schedule, microbatches, 2, 2 * stages - 2
        if schedule == "dualpipe":
            return schedule, 2 * stages + 2 * self.source.randint(0, 2), 1, stages - 1
        return schedule, microbatches, 1, stages - 1

    def draw_table(self):
        """An op table: data parallel."""
        source = self.source
        workers = source.choice([2, 3, 4, 8])
        element = source.choice([1, 2, 4])
        lines = [HEADER]
        for row in range(source.randint(1, 6)):
            fields = [f"row{row}"]
            for _ in range(3):
                word = source.choice(list(KINDS))
                size = self.size()
                fields += [source.choice(["0", "0.01", "0.5"]), word, str(size)]
                self.add_collectives("dp", word, workers, 1, size * element, 1)
            lines.append("\t".join([*fields, source.choice(["0", "0.001"])]))
        self.text = "\n".join(lines) + "\n"
        self.options += [f"--dp={workers}", f"--elementBytes={element}"]
        self.options += ["--collective=" + ALGORITHMS]

    def draw_schedule(self):
        """A GOAL schedule: messages between any ranks, in an order that cannot get stuck."""
        source = self.source
        world = source.randint(2, 12)
        lines = [[] for _ in range(world)]
        last = [None] * world
        self.least = ANY
        for number in range(source.randint(1, 60)):
            sender, receiver = source.sample(range(world), 2)
            size = max(1, self.size())
            self.asked += size
            for rank, text in (
                (sender, f"send {size}b to {receiver} tag {number}"),
                (receiver, f"recv {size}b from {sender} tag {number}"),
                (sender, f"calc {source.choice([0, 10, 5000])}"),
            ):
                label = f"n{len(lines[rank])}"
                lines[rank].append(f"{label}: {text}")
                if last[rank] is not None and source.random() < 0.7:
                    lines[rank].append(f"{label} requires {last[rank]}")
                last[rank] = label
        blocks = [f"rank {rank} {{\n" + "\n".join(own) + "\n}\n" for rank, own in enumerate(lines)]
        self.text = f"num_ranks {world}\n" + "".join(blocks)

    @property
    def files(self):
        """What to write, by name."""
        return {"random": self.text}

    def transports(self):
        """What each replay of it adds to the options; the ideal network comes first."""
        ways = [["--transport=ideal"]]
        if not self.isHuge:
            ways += [["--transport=tcp"], ["--transport=uec"]]
            ways += [["--transport=rdma", "--maxTrain=1"], ["--transport=rdma"]]
            ways += [draw_fluid(self.source)]
        return ways


def check_counts(bench, job, summary, time):
    """Bytes sent, received and asked for are the same, all collectives were called, and no link has
    sent more than its rate lets it."""
    network = summary["network"]
    assert network["bytes_delivered"] == job.asked, (network, job.asked)
    sent, received = Counter(), Counter()
    for row in bench.rows("whole", "flows.csv"):
        assert int(row["start_ns"]) <= int(row["end_ns"]), row
        sent[int(row["src_rank"])] += int(row["bytes"])
        received[int(row["dst_rank"])] += int(row["bytes"])
    assert sum(sent.values()) == sum(received.values()) == job.asked, (sent, received, job.asked)
    called = Counter()
    for entry in summary["collectives"]:
        called[entry["dimension"], entry["kind"]] += entry["count"]
    assert called == job.collectives, (called, job.collectives)
    if summary["fabric"]["transport"] == "ideal":
        return
    # What leaves a host, and what comes to it, is at least the payload of its messages.
    left, come = Counter(), Counter()
    for row in bench.rows("whole", "links.csv"):
        for ends, bytes_of in ((row["from"], left), (row["to"], come)):
            if ends.startswith("host"):
                bytes_of[int(ends[4:])] += int(row["bytes"])
        assert int(row["bytes"]) * 8e9 <= int(row["rate_bps"]) * time, (time, row)
    for rank, size in sent.items():
        assert left[rank] >= size, (rank, left, sent)
    for rank, size in received.items():
        assert come[rank] >= size, (rank, come, received)


def select_ways(job, transport):
    """The ways of a job that use a transport, after the ideal network; all if it is empty."""
    first, *others = job.transports()
    return [first] + [way for way in others if way[0].endswith("=" + transport) or not transport]


def check_reuse(bench, time, *arguments):
    """The same job takes as long if no message is asked for, so that collectives may be reused."""
    others = [argument for argument in arguments if not argument.startswith("--flowPaths")]
    code, _, err = bench.run(*others, "--outputDir=" + bench.path("reused"), "--files=summary.json")
    assert (code, err) == (0, ""), (code, err)
    again = sum(iteration["time_ns"] for iteration in bench.summary("reused")["iterations"])
    assert again == time, f"{again} ns with collectives reused, {time} ns without"


def check_job(bench, seed, transport=""):
    """Replay a random workload in all ways, or in those of a transport; returns how many."""
    job = Job(seed)
    file = bench.write("random", job.text)
    ideal = None
    ways = select_ways(job, transport)
    for way in ways:
        summary = bench.check_whole("--workload=" + file, *job.options, *way)
        time = sum(iteration["time_ns"] for iteration in summary["iterations"])
        check_counts(bench, job, summary, time)
        check_reuse(bench, time, "--workload=" + file, *job.options, *way)
        if summary["fabric"]["transport"] == "fluid":
            check_fluid(bench, "--workload=" + file, *job.options, *way)
        ideal = ideal or time
        ports = RELAYING_PORTS.get(job.topology, 1) if summary["fabric"]["transport"] == "uec" else 1
        assert time >= job.least * ideal / ports, f"{way}: {time} ns, {ideal} ns on the ideal network"
    return len(ways)


@case
def random_jobs(bench):
    """random workloads: layouts, schedules, op mixes and sizes, on all transports"""
    check_seeds(lambda seed: check_job(bench, seed), 20)


@case
def random_ends(bench):
    """random workloads: calls whose members begin, or are over, among other events of that time"""
    for seed in (5289, 5548, 32012):
        check_job(bench, seed, "ideal")


@case
def random_queues(bench):
    """random workloads: a fluid whose queues overload further links as they are served"""
    check_job(bench, 130, "fluid")
