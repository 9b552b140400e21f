# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: execution plans of MSCCL++ with NVSwitches and pipelines."""

import json

from program.bench import case
from program.execution_plans import Plan, change, move, op_path, put, run_plan, sync
from program.plans import check_flows, load_counter, time_plan

SIZE = 8 << 17

# What an operation moves through an NVSwitch is one message.
WHOLE = "--ns3::MscclCollective::SwitchBytes=0"


def meet(gpu, gpus):
    """Signal to all others, and wait for them."""
    channels = [(peer, "memory") for peer in range(gpus) if peer != gpu]
    return [sync("signal", *channels), sync("wait", *channels)]


def switched(name, source, destination):
    """An operation through an NVSwitch: ends are chunks, or an index of the switch channel."""

    def place(end):
        if isinstance(end, int):
            return [{"switch_channel_id": 0, "index": end, "size": 1}]
        return [{"type": end[0], "index": end[1], "size": 1}]

    more = {"src_buff": place(source), "dst_buff": place(destination), "channel_type": "switch"}
    return move(name, [], [], **more)


def add_switches(text, buffer, groups=None):
    """The plan with a channel of NVSwitches, which all thread blocks have."""
    plan = json.loads(text)
    groups = groups or [list(range(len(plan["gpus"])))]
    for gpu in plan["gpus"]:
        ranks = [group for group in groups if gpu["id"] in group][0]
        channel = {"channel_type": "switch", "buffer_type": buffer}
        gpu["channels"].append({**channel, "rank_groups": [{"size": 1, "ranks": ranks}]})
        for block in gpu["threadblocks"]:
            block["channels"].append({"channel_type": "switch", "channel_ids": [0]})
    return json.dumps(plan)


def switch_all_reduce(gpus, parts=1, groups=None):
    """GPU i has the NVSwitch add up chunk i of all and multicast it: one operation, or two."""
    plan = Plan("allreduce", gpus, gpus, True)
    for gpu in range(gpus):
        ops = [switched("glres", gpu, gpu)]
        if parts == 2:
            ops = [switched("glre", gpu, ("i", gpu)), switched("gstore", ("i", gpu), gpu)]
        plan.block(gpu, *meet(gpu, gpus), *ops, *meet(gpu, gpus))
    return add_switches(plan.make(), "i", groups)


def old_switch_all_reduce(gpus):
    """The same in the older generation."""
    plan = Plan("allreduce", gpus, gpus, True, old=True)
    for gpu in range(gpus):
        more = {"ctype": "nvls", "i_cids": [{"id": 0}], "o_cids": [{"id": 0}]}
        more.update(srcbuff="i", srcoff=gpu, dstbuff="i", dstoff=gpu)
        plan.block(gpu, *meet(gpu, gpus), move("glres", [], [], **more))
    text = json.loads(plan.make())
    for gpu in text["gpus"]:
        groups = [{"size": gpus, "ranks": list(range(gpus))}]
        gpu["channels"].append({"buff": "i", "type": "nvls", "rankGroups": groups})
        for block in gpu["threadblocks"]:
            block["channels"].append({"src": "i", "dst": "i", "ctype": "nvls", "cids": [0]})
    return json.dumps(text)


def switch_all_gather(gpus):
    """Each GPU multicasts its chunk."""
    plan = Plan("allgather", gpus, gpus)
    for gpu in range(gpus):
        plan.block(gpu, switched("gstore", ("i", 0), gpu), *meet(gpu, gpus))
    return add_switches(plan.make(), "o")


def packet_all_gather(gpus):
    """Each GPU multicasts its chunk as packets, which it has made of it before."""
    plan = Plan("allgather", gpus, gpus, scratch=gpus, protocol="LL")
    for gpu in range(gpus):
        first = move("cpkt", [(gpu, "i", 0)], [(gpu, "s", gpu)])
        plan.block(gpu, first, switched("gstorepkt", ("s", gpu), gpu))
        for other in range(gpus):
            plan.block(gpu, move("upkt", [(gpu, "s", other)], [(gpu, "o", other)]))
    return add_switches(plan.make(), "s")


def loop_gather(gpus, unit, other=0):
    """Each GPU writes its chunk to scratch memory of the others in pieces, and copies theirs.

    The copies go round by themselves, with another unit, if there is one.
    """
    plan = Plan("allgather", gpus, gpus, scratch=gpus)
    for gpu in range(gpus):
        plan.block(gpu, move("copy", [(gpu, "i", 0)], [(gpu, "o", gpu)]))
        for distance in range(1, gpus):
            peer = (gpu + distance) % gpus
            channel = (peer, "memory")
            copy = move("copy", [(gpu, "s", peer)], [(gpu, "o", peer)])
            ops = [put((gpu, "i", 0), (peer, "s", gpu), channel), sync("signal", channel)]
            plan.block(gpu, *ops, sync("wait", channel), copy)
    text = json.loads(plan.make())
    for block in [block for gpu in text["gpus"] for block in gpu["threadblocks"][1:]]:
        ops = block["ops"]
        loops = [(unit, ops[:2]), (other, ops[2:])] if other else [(unit, ops)]
        block["ops"] = [
            {"name": "pipeline", "iter_context": {"unit_size": one, "num_chunks": 1}, "ops": some}
            for one, some in loops
        ]
    return json.dumps(text)


@case
def switch_plans_flows(bench):
    """wl-replay sends through NVSwitches what a plan of MSCCL++ says, as a script counts"""
    part = SIZE // 8
    # GPUs ask for 8 bytes, get asked by all, send a chunk to each sum and have one multicast.
    up, down = 8 + SIZE + part, 8 * 8 + part + SIZE
    for text in (switch_all_reduce(8), switch_all_reduce(8, 2), old_switch_all_reduce(8)):
        plan = bench.write("r.json", text)
        sent = check_flows(bench, plan, "allreduce", 8, SIZE, WHOLE)
        assert {sent[gpu, 8][1] for gpu in range(8)} == {up}, sent
        assert {sent[8, gpu][1] for gpu in range(8)} == {down}, sent
        assert load_counter()(plan, SIZE)[1] == 7 * SIZE
    sent = check_flows(
        bench, bench.write("g.json", switch_all_gather(8)), "allgather", 8, SIZE, WHOLE
    )
    assert {sent[gpu, 8] for gpu in range(8)} == {(1, part)}, sent
    assert {sent[8, gpu] for gpu in range(8)} == {(8, SIZE)}, sent
    sent = check_flows(
        bench, bench.write("p.json", packet_all_gather(8)), "allgather", 8, SIZE, WHOLE
    )
    # Packets carry their flags only with the costs of a fabric.
    expected = {(gpu, 8): (1, part) for gpu in range(8)}
    expected.update({(8, gpu): (8, SIZE) for gpu in range(8)})
    assert sent == expected, sent


@case
def switch_plans_times(bench):
    """wl-collective: sums by NVSwitches of MSCCL++ take the time of nvls"""
    sizes = ("--minBytes=512MiB", "--maxBytes=512MiB", "--transport=ideal", "--servers=1")
    theirs, _ = time_plan(bench, "nvls", *sizes, "--kind=all-reduce")
    for text in (switch_all_reduce(8), old_switch_all_reduce(8)):
        own, who = time_plan(bench, bench.write("r.json", text), *sizes, "--kind=all-reduce")
        assert "r.json" in who[0], who
        assert abs(own[0] / theirs[0] - 1) < 0.01, (own, theirs)
    theirs, _ = time_plan(bench, "nvls", *sizes, "--kind=all-gather")
    plan = bench.write("g.json", switch_all_gather(8))
    own, _ = time_plan(bench, plan, *sizes, "--kind=all-gather")
    assert abs(own[0] / theirs[0] - 1) < 0.01, (own, theirs)


@case
def switch_plans_rounds(bench):
    """wl-replay: a pipeline of MSCCL++ goes round as often as chunks are long"""
    every = [(i, j) for i in range(4) for j in range(4) if i != j]
    part = SIZE // 4
    for unit, rounds in ((part, 1), (part // 4, 4), (3 << 16, 2), (2 * part, 1)):
        plan = bench.write("p.json", loop_gather(4, unit))
        sent = check_flows(bench, plan, "allgather", 4, SIZE)
        assert sent == {pair: (2 * rounds, part + 8 * rounds) for pair in every}, (unit, sent)


@case
def switch_plans_wrong(bench):
    """wl-collective: wrong NVSwitch operations and pipelines of MSCCL++"""
    text = switch_all_reduce(4)
    at = ":/gpus/0/threadblocks/0/ops/2"
    other = [{"type": "i", "index": 0, "size": 1}]
    loops = loop_gather(2, 65536)
    inner = ":/gpus/0/threadblocks/1/ops/0"
    first = op_path(0, 1, 0)
    whole = json.loads(loops)["gpus"][0]["threadblocks"][1]["ops"][0]
    packet = {**whole["ops"][0], "name": "ppkt"}
    for wrong, kind, gpus, message in (
        (
            change(text, op_path(0, 0, 2) + ["src_buff"], other),
            "all-reduce",
            4,
            at + ": error: expected a switch channel at both ends, of one group, found others",
        ),
        (
            change(text, op_path(0, 0, 2) + ["src_buff", 0, "switch_channel_id"], 1),
            "all-reduce",
            4,
            at + "/src_buff/0/switch_channel_id: error: expected a number below the 1 switch "
            "channels of the thread block, found 1",
        ),
        (
            change(text, op_path(0, 0, 2) + ["dst_buff", 0, "index"], 1),
            "all-reduce",
            4,
            ":/gpus/1/threadblocks/0/ops/2: error: expected steps that wait for each other before "
            "one writes what the other one uses, found none between it and "
            "/gpus/0/threadblocks/0/ops/2, of which one writes chunk 1 of the input",
        ),
        (
            change(text, ["gpus", 0, "channels", 1, "rank_groups", 0, "ranks"], [1, 2, 3]),
            "all-reduce",
            4,
            ":/gpus/0/channels/1/rank_groups/0/ranks: error: expected GPU 0 and others, each "
            "once, found a group without it",
        ),
        (
            change(text, ["gpus", 0, "channels", 1, "rank_groups", 0, "ranks"], [0, 1, 1, 3]),
            "all-reduce",
            4,
            ":/gpus/0/channels/1/rank_groups/0/ranks: error: expected GPU 0 and others, each "
            "once, found GPU 1 twice",
        ),
        (
            change(loops, first + ["iter_context", "num_chunks"], 2),
            "all-gather",
            2,
            inner + "/ops/0: error: expected 2 chunks, the num_chunks of its pipeline, found 1",
        ),
        (
            change(loops, first + ["iter_context", "unit_size"], 0),
            "all-gather",
            2,
            inner + "/iter_context/unit_size: error: expected a whole number from 1",
        ),
        (
            change(loops, first + ["ops", 0], packet),
            "all-gather",
            2,
            inner + "/ops/0: error: expected operations in a pipeline that go over their chunks "
            "in pieces, found ppkt, whose packets go at once",
        ),
        (
            change(loops, first + ["ops", 0, "tbg_info"], {"tb_id": 0, "tbg_size": 2}),
            "all-gather",
            2,
            inner + "/ops/0: error: expected operations in a pipeline that go over their chunks "
            "in pieces, found put, which shares its chunks with a group of thread blocks",
        ),
        (
            change(loops, first + ["ops", 0], whole),
            "all-gather",
            2,
            inner + "/ops/0: error: expected operations in a pipeline, found another pipeline",
        ),
        # Of 512 KiB each, pieces are 8 and 4: half of the signals find no wait.
        (
            loop_gather(2, 65536, 131072),
            "all-gather",
            2,
            ":/gpus/1/threadblocks/1/ops/0/ops/1: error: expected a wait of GPU 0 on the channel "
            "for this signal, found 4, which are of others before it",
        ),
    ):
        code, said = run_plan(bench, wrong, kind, gpus)
        assert code == 1 and said.startswith(message), (code, said, message)


@case
def switch_plans_nowhere(bench):
    """wl-collective: plans with NVSwitches are refused where these are none, or of other groups"""
    plan = bench.write("r.json", switch_all_reduce(4))
    arguments = ("--ranks=4", "--kind=all-reduce", "--minBytes=1MiB", "--maxBytes=1MiB")
    for place, reason in (
        (
            ("--gpusPerServer=1",),
            "NVSwitches add up or multicast in it, and not all servers of its members have one "
            "that links all of their ranks: choose another fabric, or a plan without glre, glres, "
            "gstore and gstorepkt",
        ),
        (
            ("--gpusPerServer=2", "--servers=2"),
            "NVSwitches add up or multicast in it for a group of GPUs that is not all of its "
            "members in a server: place them so, see --gpusPerServer",
        ),
    ):
        code, _, err = bench.run(
            *arguments, *place, "--collective=" + plan, program=bench.collective
        )
        assert code == 1 and reason in err and len(err.splitlines()) == 1, (code, err)
