# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: algorithms of MSCCL from files."""

import collections
import csv
import importlib.util
import json
import os
import unittest

from program.bench import case

UTILS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../utils")

LAYER = (
    "HYBRID_TRANSFORMER model_parallel_NPU_group: {0} ep: 1 pp: 1 ga: 1 all_gpus: {0}\n"
    "1\nlayer -1 0 ALLREDUCE 8192 0 NONE 0 0 NONE 0 0\n"
)

ENTRY = {"depid": -1, "deps": -1, "hasdep": 0}


def make_plan(coll, chunks, gpus, in_place, scratch=0, head=""):
    """XML of a plan: gpus are lists of blocks (send, recv, steps), steps of the attributes."""
    text = f'<algo name="test" proto="Simple" nchannels="1" nchunksperloop="{chunks}" '
    text += f'ngpus="{len(gpus)}" coll="{coll}" inplace="{int(in_place)}" {head}>\n'
    for gpu, blocks in enumerate(gpus):
        text += f'<gpu id="{gpu}" i_chunks="{chunks}" o_chunks="{chunks}" s_chunks="{scratch}">\n'
        for number, (send, recv, steps) in enumerate(blocks):
            text += f'<tb id="{number}" send="{send}" recv="{recv}" chan="0">\n'
            for place, (kind, source, destination, count, more) in enumerate(steps):
                entries = {"s": place, "type": kind, "cnt": count, **ENTRY, **more}
                entries.update(srcbuf=source[0], srcoff=source[1])
                entries.update(dstbuf=destination[0], dstoff=destination[1])
                text += "<step " + " ".join(f'{k}="{v}"' for k, v in entries.items()) + "/>\n"
            text += "</tb>\n"
        text += "</gpu>\n"
    return text + "</algo>\n"


def ring_all_reduce(gpus, head=""):
    """A ring in place: chunk i begins with GPU i, and ends added up with the one before it."""
    blocks = []
    for gpu in range(gpus):
        kinds = ["s"] + ["rrs"] * (gpus - 2) + ["rrcs"] + ["rcs"] * (gpus - 2) + ["r"]
        places = [("i", (gpu - step) % gpus) for step in range(2 * gpus - 1)]
        steps = [(kind, place, place, 1, {}) for kind, place in zip(kinds, places)]
        blocks.append([((gpu + 1) % gpus, (gpu - 1) % gpus, steps)])
    return make_plan("allreduce", gpus, blocks, True, head=head)


def all_pairs_gather(gpus):
    """Each GPU sends its chunk to all others, and copies it to its own output."""
    blocks = []
    for gpu in range(gpus):
        own = [(-1, -1, [("cpy", ("i", 0), ("o", gpu), 1, {})])]
        for distance in range(1, gpus):
            to, source = (gpu + distance) % gpus, (gpu - distance) % gpus
            steps = [("s", ("i", 0), ("o", gpu), 1, {}), ("r", ("i", 0), ("o", source), 1, {})]
            own.append((to, source, steps))
        blocks.append(own)
    return make_plan("allgather", gpus, blocks, False)


def all_pairs_reduce(gpus):
    """All-reduce in two steps: chunk i of all is added at GPU i, which sends the sum to all."""
    blocks = []
    for gpu in range(gpus):
        own = []
        for number in range(1, gpus):
            to, source = (gpu + number) % gpus, (gpu - number) % gpus
            # Sums are made by the first block, of what all blocks have put into scratch memory.
            steps = [
                ("s", ("i", to), ("s", number - 1), 1, {}),
                ("r", ("i", gpu), ("s", number - 1), 1, {"hasdep": 1}),
                ("s", ("i", gpu), ("i", gpu), 1, {"depid": gpus - 1, "deps": gpus - 2}),
                ("r", ("i", source), ("i", source), 1, {}),
            ]
            own.append((to, source, steps))
        sums = [
            ("re", ("s", i), ("i", gpu), 1, {"depid": i, "deps": 1, "hasdep": int(i == gpus - 2)})
            for i in range(gpus - 1)
        ]
        blocks.append(own + [(-1, -1, sums)])
    return make_plan("allreduce", gpus, blocks, True, scratch=gpus - 1)


def load_counter():
    """The script that counts on its own."""
    path = os.path.join(UTILS, "count-msccl-messages.py")
    spec = importlib.util.spec_from_file_location("count_msccl_messages", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.count_messages


KINDS = {
    "allreduce": ("ALLREDUCE", "all-reduce"),
    "allgather": ("ALLGATHER", "all-gather"),
    "alltoall": ("ALLTOALL", "all-to-all"),
}


def check_flows(bench, plan, coll, gpus, size, *arguments):
    """The flows of a job of one call are those that the script counts in the plan."""
    word, kind = KINDS[coll]
    text = f"HYBRID_TRANSFORMER model_parallel_NPU_group: {gpus} ep: 1 pp: 1 ga: 1 "
    text += f"all_gpus: {gpus}\n1\nlayer -1 0 {word} {size} 0 NONE 0 0 NONE 0 0\n"
    folder = bench.path("flows")
    code, out, err = bench.run(
        "--workload=" + bench.write("one.txt", text),
        f"--collective={kind}={plan}",
        "--transport=ideal",
        "--outputDir=" + folder,
        *arguments,
    )
    assert (code, err) == (0, ""), (code, err)
    found = collections.defaultdict(lambda: [0, 0])
    with open(os.path.join(folder, "flows.csv")) as file:
        for row in csv.DictReader(file):
            pair = found[int(row["src_rank"]), int(row["dst_rank"])]
            pair[0] += 1
            pair[1] += int(row["bytes"])
    expected, _ = load_counter()(plan, size)
    assert {pair: tuple(count) for pair, count in found.items()} == expected, (found, expected)
    return expected


@case
def plans_flows(bench):
    """wl-replay sends what a plan of MSCCL says, pair by pair, as a script counts it"""
    size = 8 << 17
    ring = check_flows(bench, bench.write("r.xml", ring_all_reduce(8)), "allreduce", 8, size)
    assert ring == {(i, (i + 1) % 8): (14, 14 * size // 8) for i in range(8)}, ring
    pairs = check_flows(bench, bench.write("p.xml", all_pairs_reduce(8)), "allreduce", 8, size)
    every = [(i, j) for i in range(8) for j in range(8) if i != j]
    assert pairs == {pair: (2, 2 * size // 8) for pair in every}, pairs
    gather = check_flows(bench, bench.write("g.xml", all_pairs_gather(8)), "allgather", 8, size)
    assert gather == {pair: (1, size // 8) for pair in every}, gather


@case
def plans_of_others(bench):
    """wl-replay sends what plans of msccl-tools say, pair by pair"""
    folder = os.environ.get("WORKLOAD_REPLAY_SHARED", "")
    if not os.path.isdir(os.path.join(folder, "files/msccl")):
        raise unittest.SkipTest("no $WORKLOAD_REPLAY_SHARED/files/msccl")
    for name, coll, gpus, messages, pairs in (
        ("allgather-ring-8n", "allgather", 4, 12, 4),
        ("allreduce-ring-8n", "allreduce", 8, 112, 8),
        ("allreduce-allpairs-8n", "allreduce", 8, 112, 56),
        ("alltoall-twostep-2x4", "alltoall", 8, 56, 32),
    ):
        plan = os.path.join(folder, "files/msccl", name + ".xml")
        sent = check_flows(bench, plan, coll, gpus, 1 << 20)
        assert len(sent) == pairs, (name, sent)
        assert sum(count for count, _ in sent.values()) == messages, (name, sent)


def time_plan(bench, collective, *arguments):
    """Times of the sizes, us, and the algorithm that ran."""
    arguments += ("--collective=" + collective, "--csv", "--ranks=8")
    code, out, err = bench.run(*arguments, program=bench.collective)
    assert (code, err) == (0, ""), (code, err)
    rows = list(csv.DictReader(out.splitlines()))
    return [float(row["time_us"]) for row in rows], [row["algorithm"] for row in rows]


@case
def plans_times(bench):
    """wl-collective: rings and all pairs of MSCCL take the times of ring and direct"""
    ring = bench.write("ring.xml", ring_all_reduce(8))
    # The plan has one channel and no piece under way besides; a loop takes 2 MiB of a chunk.
    alike = ("--channels=1", "--chunkBytes=2MiB", "--ns3::RingCollective::PipelineDepth=1")
    gather = bench.write("gather.xml", all_pairs_gather(8))
    # direct sends a block in one message.
    whole = ("--ns3::MscclCollective::ChunkBytes=67108864",)
    # Of shorter calls NCCL's own algorithms have fewer channels, and less of NVLink.
    sizes = ("--minBytes=2MiB", "--maxBytes=64MiB", "--factor=32", "--transport=ideal")
    for kind, plan, name, options in (
        ("all-reduce", ring, "ring", alike),
        ("all-gather", gather, "direct", whole),
    ):
        # NCCL's ring passes from rail to rail within servers, the plan over the network.
        alone = ("--gpusPerServer=1", "--topology=single-switch")
        for place in (("--servers=1",), alone, ("--servers=1", "--fabric=h100")):
            some = (*sizes, *place, "--kind=" + kind, *options)
            own, who = time_plan(bench, plan, *some)
            assert all(plan in one for one in who), who
            # A protocol that the plan does not name is not taken.
            isolated = "/simple" if "--fabric=h100" in place else ""
            theirs, _ = time_plan(bench, name + isolated, *some)
            for one, other in zip(own, theirs):
                assert abs(one / other - 1) < 0.01, (kind, place, own, theirs)


@case
def plans_left(bench):
    """Calls that a plan is not for go as without it, and the run says so"""
    plan = bench.write("plan.xml", ring_all_reduce(8, 'minBytes="4096" maxBytes="65536"'))
    _, who = time_plan(bench, plan, "--minBytes=2KiB", "--maxBytes=128KiB")
    assert who == ["ring"] + [plan] * 5 + ["ring"], who
    arguments = ("--ranks=8", "--minBytes=2KiB", "--maxBytes=2KiB", "--collective=" + plan)
    code, out, err = bench.run(*arguments, program=bench.collective)
    assert (code, err) == (0, ""), (code, err)
    said = "plan.xml leaves calls of all-reduce to the automatic choice: it is for 4096 to 65536"
    assert said in " ".join(out.replace("#", " ").split()), out
    job = f"--workload={bench.write('four.txt', LAYER.format(4))}"
    code, out, err = bench.run(job, f"--collective=all-reduce={plan}")
    assert (code, err) == (0, ""), (code, err)
    said = "plan.xml leaves calls of all-reduce to the automatic choice: it is for 8 members"
    assert said in " ".join(out.split()), out


@case
def plans_roots(bench):
    """wl-collective: gathers and scatters of MSCCL take the times of direct, and custom none"""
    others = range(1, 4)
    to_root = [("r", ("i", 0), ("o", gpu), 1, {}) for gpu in others]
    from_root = [("s", ("i", gpu), ("o", 0), 1, {}) for gpu in others]
    keep = (-1, -1, [("cpy", ("i", 0), ("o", 0), 1, {})])
    plans = {
        "gather": [[keep] + [(-1, gpu, [step]) for gpu, step in zip(others, to_root)]]
        + [[(0, -1, [("s", ("i", 0), ("o", gpu), 1, {})])] for gpu in others],
        "scatter": [[keep] + [(gpu, -1, [step]) for gpu, step in zip(others, from_root)]]
        + [[(-1, 0, [("r", ("i", gpu), ("o", 0), 1, {})])] for gpu in others],
    }
    size = 4 << 20
    place = ("--servers=4", "--gpusPerServer=1", "--topology=single-switch", "--transport=ideal")
    place += ("--ranks=4", "--nicRate=400Gbps", "--linkDelay=500ns", "--csv")
    place += (f"--minBytes={size}", f"--maxBytes={size}")
    place += ("--ns3::MscclCollective::ChunkBytes=67108864",)
    for kind, gpus in plans.items():
        plan = bench.write(kind + ".xml", make_plan(kind, 4, gpus, False))
        arguments = (*place, "--kind=" + kind, "--collective=" + plan)
        code, out, err = bench.run(*arguments, program=bench.collective)
        assert (code, err) == (0, ""), (code, err)
        row = next(csv.DictReader(out.splitlines()))
        # Three quarters cross the root's port, and two links their delay.
        expected = 1e6 * (3 / 4 * size / 50e9 + 2 * 500e-9)
        assert row["algorithm"] == plan, row
        assert abs(float(row["time_us"]) / expected - 1) < 1e-4, (kind, row, expected)
    plan = bench.write("custom.xml", make_plan("custom", 4, plans["gather"], False))
    arguments = (*place, "--kind=gather", "--collective=" + plan)
    code, out, err = bench.run(*arguments, program=bench.collective)
    assert code == 1 and "'custom', whose result the file does not say" in err, (code, err)
