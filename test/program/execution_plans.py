# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: execution plans of MSCCL++."""

import json
import os
import unittest

from program.bench import case
from program.plans import check_flows, load_counter, time_plan

# What the older plans call operations, and types of channels.
OLD_NAMES = {"rre": "rrc", "rres": "rrcs", "res": "rs", "respkt": "rspkt", "repkt": "rpkt"}
OLD_NAMES.update(upkt="cpkt", cpkt="tpkt")
OLD_TYPES = {"memory": "sm", "port": "proxy"}


class Plan:
    """A plan of either generation: peers are numbers of GPUs, buffers i, o, s."""

    def __init__(self, coll, chunks, gpus, in_place=False, scratch=0, old=False, protocol="Simple"):
        self.old, self.gpus, self.coll = old, gpus, coll
        inputs = chunks // gpus if coll == "allgather" else chunks
        outputs = chunks // gpus if coll == "reducescatter" else chunks
        self.blocks = [[] for _ in range(gpus)]
        self.counts = inputs, outputs, scratch
        self.head = {"name": "test", "collective": coll, "protocol": protocol, "inplace": in_place}

    def block(self, gpu, *ops):
        """Add a thread block: operations are (name, sources, destinations, channels, more).

        Chunks are (gpu, buffer, index[, size]), channels (peer, type).
        """
        self.blocks[gpu].append(ops)

    def make(self):
        """The plan as text."""
        make = self.make_old_block if self.old else self.make_block
        gpus = []
        for gpu, blocks in enumerate(self.blocks):
            names = ("input_chunks", "output_chunks", "scratch_chunks")
            if self.old:
                names = ("inputChunks", "outputChunks", "scratchChunks")
            entry = {"id": gpu, **dict(zip(names, self.counts)), "channels": []}
            entry.update({"chunkGroups": 1} if self.old else {"remote_buffers": []})
            entry["threadblocks"] = [
                {"id": number, **make(gpu, ops, entry)} for number, ops in enumerate(blocks)
            ]
            gpus.append(entry)
        return json.dumps({**self.head, "gpus": gpus})

    @staticmethod
    def make_block(gpu, ops, entry):
        """A thread block of the newer generation, with channels and buffers of its own."""
        block = {"ops": [], "channels": [], "remote_buffer_refs": []}
        own, buffers = {}, {}
        for name, sources, destinations, channels, more in ops:
            kind = channels[0][1] if channels else "memory"
            op = {"name": name, **more}
            for key, chunks in (("src_buff", sources), ("dst_buff", destinations)):
                for owner, buffer, index, *size in chunks:
                    place = {"type": buffer}
                    if owner != gpu:
                        entry["remote_buffers"].append(
                            {"rank": owner, "type": buffer, "access_channel_types": [kind]}
                        )
                        buffers.setdefault(kind, []).append(len(entry["remote_buffers"]) - 1)
                        place = {"buffer_id": len(buffers[kind]) - 1}
                        op["channel_type"] = kind
                    chunk = {**place, "index": index, "size": size[0] if size else 1}
                    op.setdefault(key, []).append(chunk)
            for peer, kind in channels:
                if (peer, kind) not in own:
                    some = [c for c in entry["channels"] if c["channel_type"] == kind]
                    if not some:
                        some = [{"channel_type": kind, "connected_to": []}]
                        entry["channels"] += some
                    some[0]["connected_to"].append(peer)
                    mine = [c for c in block["channels"] if c["channel_type"] == kind]
                    if not mine:
                        mine = [{"channel_type": kind, "channel_ids": []}]
                        block["channels"] += mine
                    mine[0]["channel_ids"].append(len(some[0]["connected_to"]) - 1)
                    own[peer, kind] = len(mine[0]["channel_ids"]) - 1
                op.setdefault("channel_ids", []).append(own[peer, kind])
                op["channel_type"] = kind
            block["ops"].append(op)
        for kind, numbers in buffers.items():
            block["remote_buffer_refs"].append(
                {"access_channel_type": kind, "remote_buffer_ids": numbers}
            )
        return block

    @staticmethod
    def make_old_block(gpu, ops, entry):
        """A thread block of the older generation: a channel for each peer and pair of buffers."""
        block = {"ops": [], "channels": []}

        def reach(peer, kind, source, destination):
            key = {"srcbuff": source, "dstbuff": destination, "type": OLD_TYPES[kind]}
            some = [c for c in entry["channels"] if all(c[k] == v for k, v in key.items())]
            if not some:
                some = [{**key, "connectedTo": []}]
                entry["channels"] += some
            mine = {"src": source, "dst": destination, "ctype": OLD_TYPES[kind]}
            held = [c for c in block["channels"] if all(c[k] == v for k, v in mine.items())]
            if not held:
                held = [{**mine, "cids": []}]
                block["channels"] += held
            peers = [some[0]["connectedTo"][number] for number in held[0]["cids"]]
            if peer not in peers:
                some[0]["connectedTo"].append(peer)
                held[0]["cids"].append(len(some[0]["connectedTo"]) - 1)
                peers.append(peer)
            return peers.index(peer)

        # Both ends of a pair have the same channels, in the same order.
        for _, sources, destinations, channels, _ in ops:
            kind = channels[0][1] if channels else "memory"
            for peer, *_ in (*sources, *destinations, *channels):
                for buffer in "ios" if peer != gpu else "":
                    reach(peer, kind, "i", buffer)
        for name, sources, destinations, channels, more in ops:
            kind = channels[0][1] if channels else "memory"
            op = {"name": OLD_NAMES.get(name, name), "cnt": 1, "ctype": OLD_TYPES[kind], **more}
            signals = [((peer, "i", 0), "i" if name == "wait" else "o") for peer, _ in channels]
            remote = [(chunk, "i") for chunk in sources if chunk[0] != gpu]
            remote += [(chunk, "o") for chunk in destinations if chunk[0] != gpu]
            for (peer, buffer, index, *_), end in remote or (() if sources else signals):
                op[end + "_buff"] = {"src": "i", "dst": buffer}
                number = reach(peer, kind, "i", buffer)
                op.setdefault(end + "_cids", []).append({"id": number, "off": index})
            # A put has a list; a copy and a sum have one place, and a sum a list behind it.
            for end, chunks in (("src", sources), ("dst", destinations)):
                chunks = [chunk for chunk in chunks if chunk[0] == gpu]
                is_list = name in ("put", "pws", "pwsf", "ppkt", "get")
                for place, (_, buffer, index, *size) in enumerate(chunks):
                    op["cnt"] = size[0] if size else 1
                    if place or is_list:
                        op.setdefault(end + "s", []).append({"buff": buffer, "off": index})
                    else:
                        op.update({end + "buff": buffer, end + "off": index})
            block["ops"].append(op)
        return block


def put(source, to, *channels):
    """Write chunks to another GPU."""
    return "put", [source], [to], channels, {}


def sync(name, *channels):
    """Signal or wait on channels."""
    return name, [], [], channels, {}


def move(name, sources, destinations, **more):
    """An operation on chunks, of which channels say nothing."""
    return name, sources, destinations, (), more


def put_all_gather(gpus, old=False, kind="memory"):
    """Each GPU writes its chunk to all others, a thread block for each."""
    plan = Plan("allgather", gpus, gpus, old=old)
    for gpu in range(gpus):
        plan.block(gpu, move("copy", [(gpu, "i", 0)], [(gpu, "o", gpu)]))
        for distance in range(1, gpus):
            # The block of both ends has one number: channels are counted alike.
            peer = (gpu + distance) % gpus
            channel = (peer, kind)
            ops = [("put", [(gpu, "i", 0)], [(peer, "o", gpu)], [channel], {})]
            ops += [sync("signal", channel), sync("wait", channel)]
            if kind == "port":
                ops = [("pws", *ops[0][1:]), sync("flush", channel), ops[2]]
            plan.block(gpu, *ops)
    return plan.make()


def get_all_gather(gpus, old=False):
    """Each GPU reads the chunks of all others, a thread block for each, once they have begun."""
    plan = Plan("allgather", gpus, gpus, old=old)
    for gpu in range(gpus):
        plan.block(gpu, move("copy", [(gpu, "i", 0)], [(gpu, "o", gpu)]))
        for distance in range(1, gpus):
            channel = ((gpu + distance) % gpus, "memory")
            source = (channel[0], "i", 0)
            get = ("get", [source], [(gpu, "o", channel[0])], [channel], {})
            plan.block(gpu, sync("signal", channel), sync("wait", channel), get)
    return plan.make()


def put_ring(gpus, old=False):
    """The ring of plans.ring_all_reduce(): sums go through scratch memory."""
    plan = Plan("allreduce", gpus, gpus, in_place=True, scratch=gpus - 1, old=old)
    for gpu in range(gpus):
        after, before = (gpu + 1) % gpus, (gpu - 1) % gpus
        ahead, behind = (after, "memory"), (before, "memory")
        ops = []
        for step in range(gpus - 1):
            sent, received = (gpu - step) % gpus, (gpu - step - 1) % gpus
            ops += [put((gpu, "i", sent), (after, "s", step), ahead), sync("signal", ahead)]
            ops += [sync("wait", behind), move("nop", [], [])]
            own = (gpu, "i", received)
            ops += [move("re", [own, (gpu, "s", step)], [own])]
        for step in range(gpus - 1):
            sent = (gpu - step - gpus + 1) % gpus
            ops += [put((gpu, "i", sent), (after, "i", sent), ahead), sync("signal", ahead)]
            ops += [sync("wait", behind)]
        plan.block(gpu, *ops)
    return plan.make()


def packet_all_reduce(gpus, old=False):
    """All pairs by packets: chunk i of all is added at GPU i, which puts the sum to all."""
    size = 2 * gpus
    plan = Plan("allreduce", gpus, gpus, True, size, old, "LL")
    for gpu in range(gpus):
        others = [(gpu + distance) % gpus for distance in range(1, gpus)]
        puts = [move("ppkt", [(gpu, "i", to)], [(to, "s", gpu)]) for to in others]
        own = (gpu, "i", gpu)
        sources = [own] + [(gpu, "s", other) for other in others]
        sums = [(to, "s", gpus + gpu) for to in others]
        plan.block(gpu, *puts)
        plan.block(gpu, move("respkt", sources, [own] + sums))
        for other in others:
            plan.block(gpu, move("upkt", [(gpu, "s", gpus + other)], [(gpu, "i", other)]))
    return plan.make()


def both(make, *arguments):
    """A plan of either generation."""
    return make(*arguments), make(*arguments, old=True)


SIZE = 8 << 17


@case
def execution_plans_flows(bench):
    """wl-replay sends what an execution plan of MSCCL++ says, pair by pair, as a script counts"""
    every = [(i, j) for i in range(8) for j in range(8) if i != j]
    part = SIZE // 8
    # A signal has 8 bytes, and so has a request; a put with signal is one message.
    for text in both(put_all_gather, 8):
        sent = check_flows(bench, bench.write("p.json", text), "allgather", 8, SIZE)
        assert sent == {pair: (2, part + 8) for pair in every}, sent
    sent = check_flows(
        bench, bench.write("w.json", put_all_gather(8, kind="port")), "allgather", 8, SIZE
    )
    assert sent == {pair: (1, part) for pair in every}, sent
    for text in both(get_all_gather, 8):
        sent = check_flows(bench, bench.write("g.json", text), "allgather", 8, SIZE)
        assert sent == {pair: (3, part + 16) for pair in every}, sent
    for text in both(put_ring, 8):
        sent = check_flows(bench, bench.write("r.json", text), "allreduce", 8, SIZE)
        ring = {(i, (i + 1) % 8): (28, 14 * (part + 8)) for i in range(8)}
        assert sent == ring, sent
    for text in both(packet_all_reduce, 8):
        sent = check_flows(bench, bench.write("l.json", text), "allreduce", 8, SIZE)
        assert sent == {pair: (2, 2 * part) for pair in every}, sent


@case
def execution_plans_times(bench):
    """wl-collective: rings, puts and gets of MSCCL++ take the times of ring and direct"""
    alike = ("--channels=1", "--chunkBytes=0", "--ns3::RingCollective::PipelineDepth=1")
    sizes = ("--minBytes=2MiB", "--maxBytes=64MiB", "--factor=32", "--transport=ideal")
    alone = ("--gpusPerServer=1", "--topology=single-switch")
    for kind, make, name, options in (
        ("all-reduce", put_ring, "ring", alike),
        ("all-gather", put_all_gather, "direct", ()),
        ("all-gather", get_all_gather, "direct", ()),
    ):
        for old in (False, True):
            plan = bench.write("plan.json", make(8, old=old))
            for place in (("--servers=1",), alone):
                some = (*sizes, *place, "--kind=" + kind, *options)
                # Of 2 MiB, pieces are so short that signals and requests count.
                own, who = time_plan(bench, plan, *some)
                assert all(plan in one for one in who), who
                theirs, _ = time_plan(bench, name, *some)
                assert abs(own[-1] / theirs[-1] - 1) < 0.01, (kind, place, old, own, theirs)
                assert theirs[0] <= own[0] * 1.001, (kind, place, old, own, theirs)


@case
def execution_plans_of_others(bench):
    """wl-replay sends what the reduction of MSCCL++'s own tests says"""
    folder = os.environ.get("WORKLOAD_REPLAY_SHARED", "")
    plan = os.path.join(folder, "files/msccl/mscclpp-reduce.json")
    if not os.path.isfile(plan):
        raise unittest.SkipTest("no $WORKLOAD_REPLAY_SHARED/files/msccl/mscclpp-reduce.json")
    sent = check_flows(bench, plan, "allreduce", 2, 1 << 20)
    # GPU 0 is read two quarters and puts two sums, and signals three times; GPU 1 reads a half.
    part = 1 << 18
    assert {pair: size for pair, (_, size) in sent.items()} == {
        (0, 1): 4 * part + 32,
        (1, 0): 4 * part + 24,
    }, sent
    assert load_counter()(plan, 1 << 20)[1] == 4 * part


def two_reduce(old=False):
    """An all-reduce of two GPUs that two thread blocks share: one is put chunks, one adds them."""
    plan = Plan("allreduce", 2, 2, True, 1, old)
    for gpu in range(2):
        peer = 1 - gpu
        channel = (peer, "memory")
        meet = {"barrier_id": 0, "nthread_blocks" if old else "num_threadblocks": 2}
        plan.block(
            gpu,
            put((gpu, "i", peer), (peer, "s", 0), channel),
            sync("signal", channel),
            sync("wait", channel),
            move("barrier", [], [], **meet),
        )
        own = (gpu, "i", gpu)
        plan.block(
            gpu,
            move("barrier", [], [], **meet),
            move("res", [own, (gpu, "s", 0)], [own, (peer, "i", gpu)]),
            sync("signal", channel),
            sync("wait", channel),
        )
    return plan.make()


def semaphore_gather():
    """An all-gather of two GPUs: a block copies, another one waits for that by a semaphore."""
    plan = Plan("allgather", 2, 2)
    for gpu in range(2):
        channel = (1 - gpu, "memory")
        release = move("sem_release", [], [], semaphore_ids=[0])
        plan.block(gpu, move("copy", [(gpu, "i", 0)], [(gpu, "o", gpu)]), release)
        plan.block(
            gpu,
            move("sem_acquire", [], [], semaphore_ids=[0]),
            put((gpu, "o", gpu), (1 - gpu, "o", gpu), channel),
            sync("signal", channel),
            sync("wait", channel),
        )
    text = json.loads(plan.make())
    for gpu in text["gpus"]:
        gpu["semaphores"] = [{"init_value": 0}]
    return json.dumps(text)


def run_plan(bench, text, kind, gpus, *arguments):
    """What wl-collective says of a plan, the file's name left out: exit code and first line."""
    plan = bench.write("plan.json", text)
    arguments += ("--kind=" + kind, "--collective=" + plan, f"--ranks={gpus}")
    arguments += ("--minBytes=1MiB", "--maxBytes=1MiB", "--transport=ideal")
    code, out, err = bench.run(*arguments, program=bench.collective)
    return code, err.replace(plan, "").strip() if code else out


def change(text, path, value):
    """The plan with one value replaced; value None takes it out."""
    plan = json.loads(text)
    *parents, last = path
    place = plan
    for key in parents:
        place = place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return json.dumps(plan)


def op_path(gpu, block, op):
    """Where an operation stands."""
    return ["gpus", gpu, "threadblocks", block, "ops", op]


@case
def execution_plans_order(bench):
    """Barriers and semaphores of MSCCL++ order thread blocks, and what lacks them is refused"""
    for text, kind in ((two_reduce(), "all-reduce"), (two_reduce(old=True), "all-reduce")):
        assert run_plan(bench, text, kind, 2)[0] == 0, run_plan(bench, text, kind, 2)
    text = semaphore_gather()
    assert run_plan(bench, text, "all-gather", 2)[0] == 0, run_plan(bench, text, "all-gather", 2)
    begun = change(text, ["gpus", 1, "semaphores", 0, "init_value"], 1)
    nop = {"name": "nop"}
    late = change(begun, op_path(1, 0, 1), nop)
    race = "error: expected steps that wait for each other before one writes what the other one "
    race += "uses, found none between it and "
    for wrong, kind, message in (
        # The block that adds does not wait for the one that is put chunks.
        (
            change(change(two_reduce(), op_path(0, 0, 3), nop), op_path(0, 1, 0), nop),
            "all-reduce",
            ":/gpus/0/threadblocks/1/ops/1: error: expected chunks that were written before "
            "they are "
            "read, found chunk 0 of its scratch, which is read first",
        ),
        (late, "all-gather", ":/gpus/1/threadblocks/1/ops/1: " + race),
        (
            change(text, op_path(0, 0, 1), nop),
            "all-gather",
            ":/gpus/0/threadblocks/1/ops/0: error: expected a release of the semaphore for this "
            "acquire, found 0, which are for others before it",
        ),
        (
            change(two_reduce(), op_path(0, 1, 0), nop),
            "all-reduce",
            ":/gpus/0/threadblocks/0/ops/3: error: expected 2 thread blocks with this barrier, "
            "found 1",
        ),
    ):
        code, said = run_plan(bench, wrong, kind, 2)
        assert code == 1 and said.startswith(message), (code, said, message)


@case
def execution_plans_wrong(bench):
    """wl-collective: wrong execution plans of MSCCL++, by GPU, thread block and operation"""
    text = put_all_gather(2)
    at = ":/gpus/0/threadblocks/1/ops/"
    op = json.loads(text)["gpus"][0]["threadblocks"][1]["ops"]
    both_late = text
    for gpu in range(2):
        own = json.loads(text)["gpus"][gpu]["threadblocks"][1]["ops"]
        path = ["gpus", gpu, "threadblocks", 1, "ops"]
        both_late = change(both_late, path, [own[0], own[2], own[1]])
    packet = {"name": "upkt", "src_buff": op[0]["src_buff"], "dst_buff": op[0]["src_buff"]}
    cases = [
        (
            change(text, op_path(0, 1, 1), None),
            ":/gpus/1/threadblocks/1/ops/2: error: expected a signal of GPU 0",
        ),
        (
            change(text, op_path(1, 1, 1), {"name": "nop"}),
            at + "2: error: expected a signal of GPU 1 on the channel for this wait, found 0, "
            "which "
            "are of others before it",
        ),
        (
            change(text, op_path(0, 1, 2), {"name": "nop"}),
            ":/gpus/1/threadblocks/1/ops/1: error: expected a wait of GPU 0 on the channel for "
            "this "
            "signal, found 0, which are of others before it",
        ),
        (
            both_late,
            at + "1: error: expected steps that come to an end, found one that waits for "
            "/gpus/1/threadblocks/1/ops/2, which is never over",
        ),
        (
            change(text, op_path(0, 1, 0), {"name": "nop"}),
            ":/gpus/1: error: expected steps that end with chunk 0 of GPU 0 as chunk 0 of the "
            "output, found what was never written",
        ),
        (
            change(text, op_path(0, 1, 0) + ["name"], "putt"),
            at + "0: error: expected an operation of MSCCL++, found 'putt'; did you mean put?",
        ),
        (
            change(text, op_path(0, 1, 0) + ["src_buff", 0, "index"], 1),
            at + "0/src_buff/0: error: expected chunks within the 1 of the buffer, found 1 from "
            "1 on",
        ),
        (
            change(text, op_path(0, 1, 0) + ["dst_buff", 0, "buffer_id"], 7),
            at + "0/dst_buff/0/buffer_id: error: expected a number below the 1 remote buffers "
            "of the "
            "thread block, found 7",
        ),
        (
            change(text, op_path(0, 1, 1) + ["channel_ids"], [1]),
            at + "1/channel_ids/0: error: expected a number below the 1 channels of the thread "
            "block, found 1",
        ),
        (
            change(text, op_path(0, 0, 0), packet),
            ":/gpus/0/threadblocks/0/ops/0: error: expected packets that one operation puts where "
            "these are read, found 0 of them",
        ),
        (
            change(text, op_path(0, 0, 0) + ["dst_buff", 0, "size"], 2),
            ":/gpus/0/threadblocks/0/ops/0: error: expected 1 chunks everywhere, found 2",
        ),
        (
            change(text, ["collective"], "allgathr"),
            ":/collective: error: expected collective as one of allreduce, allgather, "
            "reducescatter, alltoall, sendrecv, broadcast, reduce, gather, scatter, found "
            "'allgathr'; did you mean allgather?",
        ),
        (
            change(text, ["gpus", 1, "id"], 0),
            ":/gpus/1/id: error: expected 1, as GPUs are numbered from 0 on, found 0",
        ),
        (
            change(text, ["gpus", 0, "channels", 0, "connected_to"], [0]),
            ":/gpus/0/channels/0/connected_to/0: error: expected a GPU other than itself, found 0",
        ),
        (
            change(text, ["gpus", 0, "output_chunks"], 3),
            ":/gpus/0: error: expected chunks as a multiple of the 2 GPUs, found 3",
        ),
        (
            change(text, ["instances"], 2),
            ":/instances: error: expected one of the keys name, collective, protocol",
        ),
    ]
    for wrong, message in cases:
        code, said = run_plan(bench, wrong, "all-gather", 2)
        assert code == 1 and said.startswith(message), (code, said, message)
    code, said = run_plan(bench, text, "all-reduce", 2)
    other = "an algorithm of MSCCL for all-reduce, found one for all-gather"
    assert code == 1 and other in said, said


@case
def execution_plans_left(bench):
    """Calls that an execution plan is not for go as without it, and the run says so"""
    text = change(put_ring(8), ["min_message_size"], 4096)
    plan = bench.write("plan.json", change(text, ["max_message_size"], 65536))
    _, who = time_plan(bench, plan, "--minBytes=2KiB", "--maxBytes=128KiB")
    assert who == ["ring"] + [plan] * 5 + ["ring"], who
    said = "plan.json leaves calls of all-reduce to the automatic choice: it is for "
    for size, reason in ((2048, "4096 to 65536 bytes"), (4160, "multiples of 128 bytes")):
        arguments = ("--ranks=8", f"--minBytes={size}", f"--maxBytes={size}")
        arguments += ("--collective=" + plan,)
        code, out, err = bench.run(*arguments, program=bench.collective)
        assert (code, err) == (0, ""), (code, err)
        assert said + reason in " ".join(out.replace("#", " ").split()), out


@case
def execution_plans_reads(bench):
    """wl-collective: what is read of another GPU comes from there, behind a request"""
    plan = bench.write("plan.json", get_all_gather(2))
    place = ("--servers=2", "--gpusPerServer=1", "--topology=single-switch", "--ranks=2")
    place += ("--transport=ideal", "--nicRate=400Gbps", "--linkDelay=500ns", "--csv")
    size = 4 << 20
    arguments = (*place, "--kind=all-gather", f"--minBytes={size}", f"--maxBytes={size}")
    code, out, err = bench.run(*arguments, "--collective=" + plan, program=bench.collective)
    assert (code, err) == (0, ""), (code, err)
    found = float(out.splitlines()[-1].split(",")[2])
    # A signal, a request and the chunk, each over two links.
    expected = 1e6 * (size / 2 / 50e9 + 3 * 2 * 500e-9)
    assert abs(found / expected - 1) < 1e-3, (found, expected)
