# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: jobs made from the configuration of a model."""

import csv
import json
import os
import re
import sys

from program.bench import case, expect_width

FOLDER = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(FOLDER, "../../examples/rank-layouts.py")

# 4 layers; sizes divide by 8.
MODEL = {
    "name": "small",
    "layers": 4,
    "hidden": 1024,
    "heads": 16,
    "kvHeads": 8,
    "ffn": 4096,
    "vocabulary": 1024,
    "sequence": 512,
}

# No shares of communication, so that computations take the same beside it.
ACCELERATOR = {
    "name": "easy",
    "matrixFlops": {"bf16": 1e14},
    "vectorFlops": 1e13,
    "memoryBandwidth": "1000GB/s",
    "memory": "16GiB",
}


def small(bench, **keys):
    """Options of a small model on an accelerator of round numbers."""
    file = bench.write("small.json", json.dumps({**MODEL, **keys}))
    accelerator = bench.write("easy.json", json.dumps(ACCELERATOR))
    return ["--model=" + file, "--accelerator=" + accelerator]


def time_of(bench, *arguments):
    """Time of the only iteration of a replay, ns."""
    return bench.check_whole(*arguments)["iterations"][0]["time_ns"]


@case
def model_runs(bench):
    """Model: a preset on 8 ranks, and a small one with packets"""
    summary = bench.check_whole(
        "--model=llama3-8b", "--world=8", "--tp=2", "--transport=ideal", "--globalBatch=8"
    )
    assert summary["workload"]["format"] == "model", summary["workload"]
    assert (summary["workload"]["dp"], summary["workload"]["microbatches"]) == (4, 2), summary
    # 2 x 8192 tokens for two ranks at no more than the peak, and not below a third of it.
    seconds = summary["iterations"][0]["time_ns"] * 1e-9
    least = 2 * 8192 * 51.47e9 / 2 / 989.4e12
    assert least < seconds < 3 * least, (least, seconds)
    arguments = ["--world=8", "--tp=2", "--pp=2", "--microbatches=4"]
    ideal = time_of(bench, *small(bench), *arguments, "--transport=ideal")
    assert ideal < time_of(bench, *small(bench), *arguments) < 1.2 * ideal, ideal
    # By its name where a workload is expected.
    code, out, err = bench.run("--workload=llama3-8b", "--world=8", "--transport=ideal")
    assert (code, err) == (0, "") and "llama3-8b, model, 8 ranks (dp 8)" in out, (code, err, out)


@case
def model_plan(bench):
    """Model: --dryRun tells sizes, memory and what is communicated at least"""
    arguments = ["--model=llama3-8b", "--world=16", "--tp=2", "--dryRun"]
    code, out, err = bench.run(*arguments)
    assert (code, err) == (0, ""), (code, err)
    expect_width(out)
    for part in (
        "Model llama3-8b on 16 ranks of h100",
        "parameters    8.03 G",
        "iteration     8 sequences of 8192 tokens, 1 microbatch of 1 sequence for each of 8",
        "FLOPs         51.47 G a token",
    ):
        assert part in out, (part, out)
    assert "nan" not in out and "inf" not in out, out
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line[:2] == "  "}
    # Per layer 6 gathered and 4 scattered activations, 5 more of embedding and output layer, of
    # which the other rank has half; 3 floats a token for the loss; gradients of 65 norms.
    activation = 2 * 8192 * 4096
    reduced = 3 * 4 * 8192 + 4 * 65 * 4096
    calls, nvlink, _, nic, _ = map(float, rows["tp"])
    assert calls == 32 * 10 + 5 + 4, rows["tp"]
    assert abs(nvlink - (325 * activation / 2 + reduced) / 1e6) < 0.1 and nic == 0, rows["tp"]
    # Gradients of 4 bytes and parameters of 2 come to a server of 4 replicas from the other one,
    # a quarter of the half to each rank.
    held = 32 * (218103808 / 2 + 2 * 4096) + 128256 * 4096 + 4096
    assert abs(float(rows["dp"][3]) - 6 * held / 2 / 4 / 1e6) < 0.1, rows["dp"]


@case
def model_exported(bench):
    """Model: what --exportChakra writes takes the same time"""
    layouts = [
        ["--world=8", "--tp=2", "--pp=2", "--microbatches=4"],
        ["--world=4", "--zero=3", "--cp=2", "--context=all-gather"],
    ]
    for number, options in enumerate(layouts):
        prefix = bench.path(f"job{number}")
        code, out, err = bench.run(*small(bench), *options, "--exportChakra=" + prefix)
        assert (code, err) == (0, ""), (code, err)
        told = time_of(bench, *small(bench), *options, "--transport=ideal")
        read = time_of(bench, "--workload=" + prefix, "--format=chakra", "--transport=ideal")
        assert told == read, (options, told, read)


@case
def model_jobs(bench):
    """Model: two jobs in one network, each with a layout of its own"""
    model, accelerator = (option.split("=", 1)[1] for option in small(bench))
    keys = f"accelerator={accelerator},microbatches=2"
    alone = []
    code, out, err = bench.run(
        f"--job={model}:world=4,tp=2,name=a,{keys}",
        f"--job={model}:world=4,pp=4,name=b,{keys}",
        "--transport=ideal",
        "--outputDir=" + bench.path("out"),
    )
    assert (code, err) == (0, ""), (code, err)
    summary = bench.summary("out")
    for job, layout in zip(summary["jobs"], ["--tp=2", "--pp=4"]):
        arguments = [layout, "--world=4", "--microbatches=2", "--transport=ideal"]
        alone.append(time_of(bench, *small(bench), *arguments))
        assert job["workload"]["format"] == "model", job
    # They share no port.
    assert [job["iterations"][0]["time_ns"] for job in summary["jobs"]] == alone, (summary, alone)


@case
def model_calibrated(bench):
    """Model: --stepTime finds an efficiency, --operatorTimes takes what was measured"""
    arguments = [*small(bench), "--world=1", "--transport=ideal"]
    whole = time_of(bench, *arguments)
    code, out, err = bench.run(*arguments, f"--stepTime={2 * whole}ns")
    assert (code, err) == (0, ""), (code, err)
    efficiency = re.search(r"an\s+efficiency\s+of\s+([\d.]+)", out)
    assert efficiency and abs(float(efficiency[1]) - 0.5) < 0.001, out
    step = float(re.search(r"iteration time +([\d.]+) ms", out)[1])
    assert abs(step / (2 * whole * 1e-6) - 1) < 0.001, (step, whole)

    names = ["embedding", "final-norm", "output", "loss", "optimizer"]
    names += ["attention." + name for name in ("norm", "qkv", "rotary", "core", "projection")]
    names += ["ffn." + name for name in ("norm", "fc1", "activation", "fc2", "residual")]
    header = "operator\tforward_us\tbackward_input_us\tbackward_weight_us\n"
    rows = "".join(f"{name}\t1\t2\t3\n" for name in [*names, "attention.residual"])
    table = bench.write("times.tsv", header + rows)
    measured = time_of(bench, *arguments, "--operatorTimes=" + table)
    # 11 operators in each of 4 layers, 4 others of 6 us, and the optimizer, which has no backward.
    assert measured == 1000 * (6 * (4 * 11 + 4) + 1), measured


def table_of(bench, times):
    """File of the times of operators of the small model: TIMES, us, those of linear layers."""
    names = ["embedding", "final-norm", "output", "loss", "optimizer", "attention.residual"]
    names += ["attention." + name for name in ("norm", "rotary", "core")]
    names += ["ffn." + name for name in ("norm", "activation", "residual")]
    linear = ["attention.qkv", "attention.projection", "ffn.fc1", "ffn.fc2"]
    rows = [f"{name}\t5\t5\t5\n" for name in names]
    rows += [f"{name}\t{times}\t{times}\t{times}\n" for name in linear]
    header = "operator\tforward_us\tbackward_input_us\tbackward_weight_us\n"
    return bench.write(f"linear-{times}.tsv", header + "".join(rows))


@case
def model_overlap(bench):
    """Model: where pieces of a layer take what they take together, --overlapTensor costs nothing"""
    # 16 MiB of activations, of which copies take 40 us or more, and NCCL's channels five times that.
    model = small(bench, hidden=4096, heads=32, kvHeads=16, ffn=8192, sequence=2048)
    layouts = (
        ["--world=8", "--tp=8"],
        ["--world=8", "--tp=2", "--globalBatch=8"],
        ["--world=16", "--tp=4", "--pp=2", "--vpp=2", "--globalBatch=8", "--microbatches=4"],
        ["--world=16", "--tp=4", "--cp=2", "--globalBatch=2"],
        ["--world=16", "--tp=8", "--pp=2", "--globalBatch=4"],
    )
    for layout in layouts:
        for fabric in ("h100", "h800", "gb200-nvl72"):
            arguments = [*model, *layout, "--fabric=" + fabric, "--transport=ideal"]
            arguments += ["--operatorTimes=" + table_of(bench, 100)]
            arguments += ["--communicationShare=server:0.15,network:0.02"]
            apart = time_of(bench, *arguments)
            beside = time_of(bench, *arguments, "--overlapTensor=on")
            assert beside < apart, (layout, fabric, beside, apart)
    bench.expect_error(
        "--collective: error: expected algorithms that suit where the ranks stand "
        "(--collective=KIND.DIMENSION=ALGORITHM takes another), found copy for "
        "shift in tp group of rank 0: its members stand in 2 servers, and copy engines reach the "
        "memories of one",
        *model,
        "--world=16",
        "--tp=16",
        "--fabric=h100",
        "--transport=ideal",
        "--overlapTensor=on",
    )


@case
def model_kernels(bench):
    """Model: kernels of communication take multiprocessors, or the share that is asked for"""
    own = [argument for argument in small(bench) if not argument.startswith("--accelerator=")]
    arguments = [*own, "--world=16", "--fabric=h100", "--transport=ideal"]
    counted = bench.check_whole(*arguments)["assumptions"]
    assert any("takes one of 132 multiprocessors" in text for text in counted), counted
    shared = bench.check_whole(*arguments, "--communicationShare=0.1")["assumptions"]
    assert any("communication takes 10 % of an accelerator" in text for text in shared), shared
    assert not any("multiprocessors" in text for text in shared), shared


@case
def model_wrong(bench):
    """Model: what does not go together"""
    model = small(bench)
    bench.expect_error(
        "--workload: error: expected no workload besides --model, which takes its place, found one",
        *model,
        "--workload=" + bench.table,
    )
    bench.expect_error(
        "--world: error: expected the number of ranks, or of data parallel ranks by --dp, found "
        "neither, nor does the file say it",
        *model,
    )
    bench.expect_error(
        "--tp: error: expected a number that divides the 16 heads of small, found 32",
        *model,
        "--world=32",
        "--tp=32",
    )
    bench.expect_error(
        "--stepTime: error: expected a time above 0, found '0s'", *model, "--stepTime=0s"
    )
    code, _, err = bench.run(
        *model,
        "--world=2",
        "--gpusPerServer=1",
        "--topology=single-switch",
        "--linkDown=host0-switch0@0ns",
        "--ns3::RdmaNic::RetransmissionTimeout=10us",
        "--stepTime=1s",
    )
    assert code == 2 and err.startswith("wl-replay: error: the replay could not finish"), err
    code, out, err = bench.run(*model, "--world=1", "--transport=ideal", "--stepTime=1ns")
    assert code == 1 and "expected a time that an iteration takes with some efficiency" in err, err
    file = bench.write("small.json", json.dumps({**MODEL, "layers": 0}))
    bench.expect_error(
        file + ":/layers: error: expected a whole number from 1 to 100000, found 0",
        "--model=" + file,
        "--world=1",
    )


def rank(bench, *arguments):
    """Run rank-layouts.py; returns exit code, standard output and standard error."""
    return bench.run(SCRIPT, *arguments, "--program=" + bench.program, program=sys.executable)


@case
def model_layouts(bench):
    """Model: rank-layouts.py ranks layouts, and leaves out those that cannot be"""
    csv_file = bench.path("table.csv")
    given = [*small(bench), "--world=8", "--globalBatch=16", "--gpusPerServer=4"]
    code, out, err = rank(bench, *given, "--csv=" + csv_file, "--top=1")
    assert (code, err) == (0, ""), (code, err)
    with open(csv_file, newline="") as file:
        rows = list(csv.DictReader(file))
    # By hand: tp, cp and pp of 1 to 8, together at most 8, vpp if pp is above 1 and layers go
    # round, without experts. 16 / dp microbatches: interleaving wants a multiple of pp.
    expected = set()
    powers = (1, 2, 4, 8)
    for tp in powers:
        for cp in powers:
            for pp in (1, 2, 4):
                for vpp in powers:
                    dp = 8 // (tp * cp * pp)
                    goes_round = vpp == 1 or (pp > 1 and 16 // max(dp, 1) % pp == 0)
                    if dp > 0 and pp * vpp <= 4 and goes_round:
                        expected.add((tp, cp, pp, vpp, dp))
    keys = ("tp", "cp", "pp", "vpp", "dp")
    found = [tuple(int(row[key]) for key in keys) for row in rows]
    assert set(found) == expected and len(found) == len(expected), (found, expected)
    times = [float(row["step_ms"]) for row in rows]
    assert times[1:] == sorted(times[1:]), times
    assert rows[0]["ideal_ms"] and float(rows[0]["ideal_ms"]) <= times[1], rows[0]
    # The first one alone, in ideal and with packets.
    layout = [f"--{key}={row}" for key, row in zip(keys, found[0]) if row > 1 and key != "dp"]
    alone = time_of(bench, *given, *layout, "--transport=ideal")
    assert abs(float(rows[0]["ideal_ms"]) - alone * 1e-6) < 0.0006, (rows[0], alone)
    assert f"{len(expected)} simulated (ideal)" in out and "refused, such as: --ep" in out, out

    # Chosen counts, a peak, and no memory.
    options = ["--tp=2,4", "--cp=1", "--pp=1", "--ep=1", "--peak=100"]
    code, out, err = rank(bench, *given, *options, "--csv=" + csv_file)
    assert (code, err) == (0, ""), (code, err)
    with open(csv_file, newline="") as file:
        rows = list(csv.DictReader(file))
    assert sorted(row["tp"] for row in rows) == ["2", "4"], rows
    layer = 6 * (1024 * (1024 + 2 * 512) + 1024 * 1024 + 3 * 1024 * 4096) + 6 * 1024 * 512
    flops = 16 * 512 / 8 * (4 * layer + 6 * 1024 * 1024)
    for row in rows:
        share = flops / (float(row["step_ms"]) * 1e-3 * 100e12)
        assert abs(float(row["mfu"]) / share - 1) < 0.05, (row, share)
    tiny = bench.write("easy.json", json.dumps({**ACCELERATOR, "memory": "1MiB"}))
    code, out, err = rank(bench, *given[:1], "--accelerator=" + tiny, *given[2:], *options)
    assert (code, err) == (1, "rank-layouts.py: error: no layout is left\n"), (code, err)
    assert "2 need too much memory" in out, out
    code, out, err = rank(bench, "--world=8")
    assert (code, out) == (1, "") and "--model" in err, (code, out, err)


@case
def expert_tensor_groups(bench):
    """Model: tensor groups of experts, though of the same ranks, number their calls by themselves"""
    options = ["--model=qwen3-30b-a3b", "--world=16", "--tp=2", "--ep=8", "--microbatches=1"]
    summary = bench.check_whole(*options, "--fabric=h800", "--transport=ideal")
    counts = {"all-gather": 0, "reduce-scatter": 0}
    for row in summary["collectives"]:
        if row["dimension"] == "tp" and row["kind"] in counts:
            counts[row["kind"]] += row["count"]
    # Forward and backward gather and reduce once for attention and once for experts, and attention's
    # input is gathered once more for its weights; in 48 layers of 8 groups. The embedding and the
    # output beside them have at most 4 of a kind.
    for kind, each in (("all-gather", 5), ("reduce-scatter", 4)):
        assert 0 <= counts[kind] - 8 * 48 * each <= 8 * 4, (kind, counts)


@case
def model_stages(bench):
    """Model: --dryRun tells what each stage of a layout by hand has"""
    arguments = ["--world=64", "--tp=4", "--pp=8", "--vpp=5", "--globalBatch=128", "--dryRun"]
    layout = "--pipelineLayout=Et*2|(t*2|)*34,t*3|(t*2|)*3,tL"
    code, out, err = bench.run("--model=llama3-70b", layout, *arguments)
    assert (code, err) == (0, ""), (code, err)
    expect_width(out)
    # Parts 1 to 40 go round the stages; part 36 has three layers, part 40 one and the loss.
    for row in (
        "0    2 + 2 + 2 + 2 + 2, embedding",
        "3    2 + 2 + 2 + 2 + 3 ",
        "7    2 + 2 + 2 + 2 + 1, loss",
    ):
        assert row in out, (row, out)


@case
def model_hugging_face(bench):
    """Model: a configuration of Hugging Face, which tells what is left out of it"""
    config = {
        "model_type": "qwen3_next",
        "num_hidden_layers": 4,
        "hidden_size": 1024,
        "num_attention_heads": 16,
        "num_key_value_heads": 2,
        "head_dim": 64,
        "vocab_size": 1024,
        "num_experts": 8,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 512,
        "full_attention_interval": 4,
        "linear_conv_kernel_dim": 4,
        "linear_key_head_dim": 32,
        "linear_num_key_heads": 16,
        "linear_num_value_heads": 16,
        "linear_value_head_dim": 32,
        "max_position_embeddings": 512,
    }
    file = bench.write("config.json", json.dumps(config))
    code, out, err = bench.run("--model=" + file, "--world=8", "--ep=4", "--dryRun")
    assert (code, err) == (0, ""), (code, err)
    expect_width(out)
    # Router, 8 experts of 3 x 1024 x 512 and two norms in each layer; one layer of attention with
    # 1024 x (1024 + 2 x 128 + 1024 + 1024), the last its gate, three of 1024 x (2 x 512 + 3 x 512 + 32)
    # + 4 x 1536; a norm and two embeddings.
    layer = 8 * 1024 + 8 * 3 * 1024 * 512 + 2 * 1024
    linear = 1024 * (5 * 512 + 32) + 4 * 3 * 512
    total = 4 * layer + 1024 * (3 * 1024 + 256) + 3 * linear + 1024 + 2 * 1024 * 1024
    assert f"parameters    {total / 1e6:.2f} M" in out, (total, out)
    assert "3 of 4 layers have linear attention, Mamba or a short convolution" in out, out
    summary = bench.check_whole(
        "--model=" + file, "--world=8", "--ep=4", "--transport=ideal", "--globalBatch=8"
    )
    assert summary["workload"]["format"] == "model", summary["workload"]
    own = {"layers": 2, "hidden": 64, "heads": 4, "ffn": 128, "vocabulary": 1000, "sequence": 128}
    own["attention"] = {"kind": "linear", "weights": 1000}
    code, out, err = bench.run("--model=" + bench.write("own.json", json.dumps(own)), "--world=1", "--dryRun")
    assert (code, err) == (0, ""), (code, err)
    assert "2 of 2 layers have compressed attention, or linear attention without a rule" in out, out


def forward_time(bench, name, *arguments):
    """Time of the forward ops of rank 0 whose name has something in it, us."""
    bench.check_whole(*arguments, "--transport=ideal")
    rows = bench.rows("whole", "ops.csv")
    found = [
        row
        for row in rows
        if row["rank"] == "0" and row["stream"] == "compute" and row["phase"] == "forward" and name in row["op"]
    ]
    assert found, (name, rows)
    return sum(int(row["end_ns"]) - int(row["start_ns"]) for row in found) / 1e3


@case
def model_sorted(bench):
    """Model: ranks with several experts sort what comes from other ranks by them"""
    times = []
    for count, dispatch in ((2, "direct"), (4, "direct"), (4, "by-group")):
        experts = {"count": count, "topK": 2, "ffn": 1024, "groups": 2, "groupLimit": 1}
        options = ["--world=2", "--ep=2", "--etp=1", "--dispatch=" + dispatch]
        model = small(bench, layers=1, experts=experts)
        times.append(forward_time(bench, "moe.permute", *model, *options))
    # 512 tokens for two experts each, 1024 elements of 2 bytes, read and written at 1000 GB/s; the
    # router has two more outputs.
    expected = 512 * 2 * 1024 * 4 / 1e6
    assert abs(times[1] - times[0] - expected) < 0.05, (times, expected)
    # Who sends by group has permuted once, as who has one expert.
    assert abs(times[2] - times[0]) < 0.05, times
