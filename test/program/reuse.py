# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: with collectives reused, runs give what they give without.

All files are the same, byte for byte. Only what is not of the job is left out, the cost of the run,
and sums of floating-point numbers in another order are compared to 12 digits. So it makes no
difference to any result which files are asked for.
"""

import json
import math
import os

from program.bench import WORKLOADS, case

#: Two servers of 8 GPUs: all-reduces of tensor groups, each in a server, and gradients on 8 rails.
LAYERS = """\
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 1 ga: 2 all_gpus: 16 \
checkpoints: 0 checkpoint_initiates: 0
5
gather -1 1 NONE 0 2000 NONE 0 1 ALLGATHER 1000000 100
reduce -1 1 NONE 0 2000 NONE 0 1 REDUCESCATTER 8000000 100
embedding -1 76400 ALLREDUCE 6553600 1 NONE 0 76400 NONE 0 100
attention -1 38000 ALLREDUCE 3355443 38000 NONE 0 38000 NONE 0 100
mlp -1 38000 ALLREDUCE 3355443 38000 NONE 0 38000 NONE 0 100
"""


def expect_equal(first, second, place=""):
    """Two values of JSON files must be equal, floating-point numbers nearly."""
    if isinstance(first, dict) and isinstance(second, dict):
        assert first.keys() == second.keys(), place
        for key, value in first.items():
            expect_equal(value, second[key], f"{place}/{key}")
    elif isinstance(first, list) and isinstance(second, list):
        assert len(first) == len(second), place
        for i, value in enumerate(first):
            expect_equal(value, second[i], f"{place}/{i}")
    elif isinstance(first, float) and isinstance(second, float):
        assert math.isclose(first, second, rel_tol=1e-12), (place, first, second)
    else:
        assert first == second, (place, first, second)


def check_same(bench, *arguments):
    """Run with reuse and without; returns what became of collectives with it."""
    summaries = []
    for reuse in ("on", "off"):
        folder = bench.path(reuse)
        more = ["--reuse=" + reuse, "--outputDir=" + folder, "--files=all,-flows.csv"]
        code, _, err = bench.run(*arguments, *more)
        assert (code, err) == (0, ""), (code, err)
        summaries.append(bench.summary(reuse))
    runs = [summary.pop("run") for summary in summaries]
    expect_equal(*summaries)
    for name in sorted(os.listdir(bench.path("off"))):
        if name != "summary.json":
            contents = []
            for reuse in ("on", "off"):
                with open(os.path.join(bench.path(reuse), name), "rb") as file:
                    contents.append(file.read())
            assert contents[0] == contents[1], f"{name} differs with {arguments}"
    assert "collectives" not in runs[1], runs[1]
    return runs[0].get("collectives")


def layers(bench):
    return ["--workload=" + bench.write("layers.txt", LAYERS), "--maxTrain=1"]


@case
def same_files(bench):
    """reuse: all files are the same, by algorithm, costs and fabric"""
    # 2 microbatches call 5 all-reduces each in both servers, of two sizes; each of 8 rails has a
    # reduce-scatter and an all-gather.
    assert 4 == len({6553600, 3355443, 8000000, 1000000})
    collectives = check_same(bench, *layers(bench))
    rows = bench.rows("on", "collectives.csv")
    kinds = {(row["dimension"], row["kind"], row["bytes"]) for row in rows}
    assert collectives["simulated"] == len(kinds) == 4, (collectives, kinds)
    assert collectives["reused"] == len(rows) - 4, (collectives, len(rows))
    for option in (
        "--collective=all-reduce=nvls",
        "--collective=all-reduce=tree",
        "--fabric=h100",
        "--stepLatency=1us",
        "--nvSwitches=4",
        "--cc=none",
    ):
        check_same(bench, *layers(bench), option)


@case
def same_under_disturbance(bench):
    """reuse: members that begin apart, links that fail, several jobs: all files are the same"""
    collectives = check_same(bench, *layers(bench), "--jitter=0.05")
    assert collectives["reused"] == 0, collectives
    check_same(bench, *layers(bench), "--linkDown=host3-rail3-leaf0@935us:960us")
    check_same(bench, *layers(bench), "--cc=swift")
    bench.write("other.txt", LAYERS)
    placed = [f"--job={bench.path('layers.txt')}:placement=random"]
    placed += [f"--job={bench.path('other.txt')}:start=100us,placement=random"]
    layers(bench)
    check_same(bench, *placed, "--maxTrain=1", "--alone=off")


@case
def same_behind_acknowledgements(bench):
    """reuse: calls that begin as the one before ends leave before its last acknowledgements: all files are the same"""
    columns = "name forward_compute_time forward_comm_type forward_comm_size backward_compute_time"
    columns += " backward_comm_type backward_comm_size weight_grad_compute_time weight_grad_comm_type"
    columns += " weight_grad_comm_size process_time"
    kinds = ["ALLREDUCE", "ALLTOALL", "ALLTOALL", "ALLREDUCE", "ALLGATHER", "ALLTOALL"]
    rows = [f"{kind.lower()} 0 None 0 0 None 0 0 {kind} 1048576 0" for kind in kinds]
    table = "\n".join(row.replace(" ", "\t") for row in [columns, *rows]) + "\n"
    job = ["--workload=" + bench.write("ops.tsv", table), "--world=8", "--gpusPerServer=8", "--iterations=3"]
    for option in ("--maxTrain=1", "--maxTrain=1024", "--transport=fluid"):
        for algorithm in ("nvls", "ring"):
            check_same(bench, *job, option, "--collective=all-reduce=" + algorithm)


def two_layers(bench, tensor, experts, passes, *rows):
    """A job of two layers on 8 GPUs of a server, or of two; rows are those of layer files."""
    header = f"HYBRID_TRANSFORMER model_parallel_NPU_group: {tensor} ep: {experts} pp: 1 ga: {passes} all_gpus: 8"
    lines = [header, str(len(rows)), *(f"layer -1 {row} 0" for row in rows)]
    return "--workload=" + bench.write("layers.txt", "\n".join(lines) + "\n")


def check_packets(bench, *arguments):
    for option in ("--maxTrain=1", "--transport=rdma"):
        collectives = check_same(bench, *arguments, option)
        assert collectives["reused"] > 0, (option, collectives)


@case
def same_at_once(bench):
    """reuse: what ranks begin at one time goes in that order: all files are the same"""
    rows = ("0 ALLGATHER 0 0 ALLTOALL_EP 1000000 0 ALLTOALL 0", "0 ALLTOALL 0 0 ALLTOALL 1000000 0 ALLTOALL 4095")
    # The tensor groups' calls end at one time; each rank then begins one of its data group and one of its expert
    # group, and other ranks begin one of them first.
    check_packets(bench, two_layers(bench, 2, 2, 2, *rows), "--stepLatency=1us")


@case
def same_after_latencies(bench):
    """reuse: latencies that end when other calls begin do so in order: all files are the same"""
    rows = (
        "0 ALLGATHER_EP 0 1000 REDUCESCATTER_EP 1000000 0 REDUCESCATTER_DP_EP 0",
        "0 ALLGATHER 0 0 ALLTOALL 0 0 ALLGATHER_DP_EP 1000000",
    )
    # A gather that begins at 0 sends at 1 us, when 1 us of computing is over, too.
    check_packets(bench, two_layers(bench, 2, 2, 1, *rows), "--stepLatency=1us")


@case
def same_over_planes(bench):
    """reuse: which NVSwitches messages take does not depend on queue pairs to the network: all files are the same"""
    rows = (
        "0 ALLGATHER_EP 20000 0 REDUCESCATTER 0 0 ALLREDUCE 0",
        "0 ALLGATHER 0 0 REDUCESCATTER 300000 0 ALLREDUCE 0",
    )
    check_packets(bench, two_layers(bench, 4, 2, 1, *rows), "--gpusPerServer=4", "--nvSwitches=4")


@case
def nothing_by_queue_pair(bench):
    """reuse: nothing is reused where paths depend on numbers of queue pairs: all files are the same"""
    row = "0 ALLGATHER 20000 0 ALLREDUCE 300000 0 ALLREDUCE 1000000"
    job = two_layers(bench, 2, 1, 2, row, row), "--gpusPerServer=2"
    assert check_same(bench, *job, "--routing=ecmp")["reused"] > 0
    # Nothing is said of reuse where there is none.
    collectives = check_same(bench, *job, "--routing=e-ecmp")
    assert collectives is None, collectives


@case
def same_without_bytes(bench):
    """reuse: calls of fewer bytes than members, of which some wait for nobody: all files are the same"""
    rows = [f"layer -1 {time} {kind} {size} 0 NONE 0 0 NONE 0 0" for time, kind, size in (
        (1000, "REDUCESCATTER", 1), (3000, "ALLGATHER", 3), (0, "ALLTOALL", 2), (500, "REDUCESCATTER", 4)
    )]
    header = "HYBRID_TRANSFORMER model_parallel_NPU_group: 4 ep: 1 pp: 1 ga: 3 all_gpus: 8"
    job = ["--workload=" + bench.write("few.txt", "\n".join([header, "4", *rows]) + "\n"), "--gpusPerServer=4"]
    for option in ("--transport=ideal", "--transport=fluid", "--maxTrain=1"):
        collectives = check_same(bench, *job, option, "--jitter=0.2")
        # 4 members: only reduce-scatters of 4 bytes give each a part.
        assert collectives["simulated"] + collectives["reused"] == 2 * 3 * 4, collectives


@case
def same_without_packets(bench):
    """reuse: all files are the same on the transport ideal, with switches that add, and disturbed"""
    ideal = [layers(bench)[0], "--transport=ideal"]
    collectives = check_same(bench, *ideal)
    rows = bench.rows("on", "collectives.csv")
    # Both servers, and all rails, make a call at the same time: one of them is simulated.
    calls = {(row["dimension"], row["sequence"]) for row in rows}
    assert collectives["simulated"] <= len(calls) < len(rows) / 2, (collectives, len(rows))
    assert collectives["simulated"] + collectives["reused"] == len(rows), (collectives, len(rows))
    # The NVSwitches of both servers are alike.
    collectives = check_same(bench, *ideal, "--collective=all-reduce=nvls")
    rows = bench.rows("on", "collectives.csv")
    assert any(row["algorithm"] == "nvls" for row in rows), rows
    assert collectives["simulated"] <= len(calls), (collectives, len(calls))
    assert collectives["simulated"] + collectives["reused"] == len(rows), (collectives, len(rows))
    assert collectives["disturbed"] == 0, collectives
    for option in ("--fabric=h100", "--stepLatency=1us", "--jitter=0.05"):
        check_same(bench, *ideal, option)
    bench.write("other.txt", LAYERS)
    placed = [f"--job={bench.path('layers.txt')}:placement=random"]
    placed += [f"--job={bench.path('other.txt')}:start=100us,placement=random"]
    check_same(bench, *placed, "--transport=ideal", "--alone=off")


@case
def same_as_a_fluid(bench):
    """reuse: all files are the same as a fluid, by algorithm, control and fabric, and disturbed"""
    fluid = [layers(bench)[0], "--transport=fluid"]
    collectives = check_same(bench, *fluid)
    rows = bench.rows("on", "collectives.csv")
    # A call in a server has all of its NVSwitch to itself; switches of rails have uplinks, too.
    inside = [row["bytes"] for row in rows if row["dimension"] == "tp"]
    assert collectives["simulated"] == len(rows) - len(inside) + 2, (collectives, rows)
    assert len(set(inside)) == 2 and collectives["reused"] == len(inside) - 2, (collectives, inside)
    # Groups have half a server each, beside others at the same switch.
    collectives = check_same(bench, *fluid, "--gpusPerServer=16")
    assert collectives["reused"] == 0, collectives
    # With telemetry all is looked at: who has followed is simulated after all.
    collectives = check_same(bench, *fluid, "--cc=hpcc")
    assert collectives["reused"] == collectives["disturbed"], collectives
    for options in (
        ["--collective=all-reduce=nvls"],
        ["--collective=all-reduce=tree", "--jitter=0.02", "--iterations=3"],
        ["--fabric=h100"],
        ["--nvSwitches=4"],
        ["--cc=swift"],
        ["--jitter=0.05"],
        ["--linkDown=host3-rail3-leaf0@935us:960us"],
    ):
        check_same(bench, *fluid, *options)
    bench.write("other.txt", LAYERS)
    placed = [f"--job={bench.path('layers.txt')}:placement=random"]
    placed += [f"--job={bench.path('other.txt')}:start=100us,placement=random"]
    check_same(bench, *placed, "--transport=fluid", "--alone=off")


@case
def not_where_messages_are_told(bench):
    """reuse: every collective is simulated where messages are told, and with --exact"""
    layers(bench)
    table = ["--workload=" + bench.path("layers.txt")]
    for more in (["--exact=on"], ["--outputDir=" + bench.path("told")]):
        code, out, err = bench.run(*table, *more)
        assert (code, err) == (0, ""), (code, err)
        assert "known from" not in out, out
    with open(os.path.join(bench.path("told"), "summary.json")) as file:
        assert "collectives" not in json.load(file)["run"]


#: Two Mixture-of-Experts layers and the rest of a model, in four stages.
MODEL = """\
{"layers": 4, "hidden": 1024, "heads": 8, "ffn": 2048, "vocabulary": 32000, "sequence": 1024,
 "experts": {"count": 8, "topK": 2, "ffn": 512}}
"""

#: Hosts that share ports, paths, switches or none of these; what they send and how.
NETWORKS = {
    "one switch": ["--topology=single-switch", "--gpusPerServer=1"],
    "fat tree": ["--topology=fat-tree:k=4", "--gpusPerServer=1"],
    "fat tree, servers of two": ["--topology=fat-tree:k=4", "--gpusPerServer=2"],
    "fat tree, sprayed": ["--topology=fat-tree:k=4", "--gpusPerServer=1", "--routing=spray"],
    "clos": ["--topology=clos:hostsPerLeaf=4,spines=2", "--gpusPerServer=1"],
    "clos, servers of four": ["--topology=clos:hostsPerLeaf=8,spines=2", "--gpusPerServer=4"],
    "rails": ["--topology=rail", "--gpusPerServer=4"],
    "rails, no control": ["--topology=rail", "--gpusPerServer=4", "--cc=none"],
    "rails, Swift": ["--topology=rail", "--gpusPerServer=4", "--cc=swift"],
    "uec": ["--topology=clos:hostsPerLeaf=4,spines=2", "--gpusPerServer=4", "--transport=uec"],
    "ideal": ["--topology=rail", "--gpusPerServer=4", "--transport=ideal"],
    "fluid, rails": ["--topology=rail", "--gpusPerServer=4", "--transport=fluid"],
    "fluid, clos": ["--topology=clos:hostsPerLeaf=4", "--gpusPerServer=2", "--transport=fluid"],
}


def check_outputs(bench, *arguments):
    """Run with outputs that look at more and more; returns what became of collectives with none."""
    looks = {
        "summary": ["--files=summary.json"],
        "all": [],
        "series": ["--files=summary.json,timeseries.csv", "--timeSeries=100us"],
        "off": ["--files=summary.json", "--reuse=off"],
    }
    if "--transport=ideal" in arguments:
        del looks["series"]
    summaries = {}
    for name, options in looks.items():
        folder = "--outputDir=" + bench.path(name)
        code, _, err = bench.run(*arguments, folder, *options)
        assert (code, err) == (0, ""), (code, err, arguments, name)
        summaries[name] = bench.summary(name)
    runs = {name: summary.pop("run") for name, summary in summaries.items()}
    for name, summary in summaries.items():
        expect_equal(summaries["summary"], summary, f"{arguments}: summary and {name}")
    return runs["summary"].get("collectives")


@case
def same_with_every_output(bench):
    """reuse: in packet trains, all results are the same whatever is looked at, of such jobs"""
    model = [f"--model={bench.write('model.json', MODEL)}", "--world=16", "--tp=1", "--pp=2"]
    model += ["--ep=4", "--globalBatch=32", "--accelerator=h100"]
    trains = [layers(bench)[0]]
    reused = 0
    for options in NETWORKS.values():
        collectives = check_outputs(bench, *model, *options)
        reused += collectives["reused"] if collectives else 0
    # Rings of one edge switch beside others: what they have sent before matters.
    trace = "--workload=" + os.path.join(WORKLOADS, "moe-pp4-ep2-dp4-rank0.megatron.txt")
    jobs = [
        [trace, "--world=16", "--tp=1", "--pp=4", "--ep=2", *NETWORKS["fat tree"]],
        [*model, *NETWORKS["fat tree, servers of two"], "--jitter=0.02"],
        [*model, "--fabric=h100"],
        [*trains, *NETWORKS["rails"]],
        [*trains, "--collective=all-reduce=tree", "--iterations=2"],
        [*trains, "--collective=all-reduce=nvls", "--iterations=2"],
        [*trains, "--fabric=h100", "--iterations=2"],
        [*trains, "--jitter=0.02", "--iterations=2"],
        [*trains, "--ns3::RdmaMessageTransport::QpsPerConnection=4", "--iterations=2"],
    ]
    for job in jobs:
        collectives = check_outputs(bench, *job)
        reused += collectives["reused"] if collectives else 0
    assert reused > 0, "nothing is reused, so that nothing was checked"
