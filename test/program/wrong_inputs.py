# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: wrong inputs of every reader and option, from wrong-inputs.tsv.

Each row of that table is a way to be wrong: the program (blank: wl-replay), its arguments, the file
that is changed, the text in it, the text in its place (\\n and \\t stand for themselves; a blank old
text: the whole file), and the message. The files below are right as they stand here.
"""

import csv
import gzip
import json
import os
import subprocess
import zipfile

from program.bench import LAYERS, TABLE, case

TABLE_OF_CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "wrong-inputs.tsv")

COLUMNS = ["program", "arguments", "file", "old", "new", "message"]


def trace_line(op, state, duration, timestamp, tensor="None,input__shape=None,input__dtype=None"):
    """A line of a rank trace, of a job without a pipeline."""
    return (
        f"rank:0:{op}(stage_id=0,batch_id=0,mg_state={state},duration={duration},description=None,"
        f"group_kind={tensor},timestamp={timestamp},sub_operations=[])\n"
    )


INPUTS = {
    "layers.txt": LAYERS,
    "table.tsv": TABLE,
    "rank0.txt": trace_line("get_batch", "steady", "0.5", "100.5")
    + trace_line("forward_step", "steady", "10", "111")
    + trace_line("backward_step", "steady", "20", "132")
    + trace_line(
        "dp_allreduce",
        "finalize",
        "4",
        "137",
        "dp,input__shape=[30, 1000],input__dtype=torch.float32",
    )
    + trace_line("optimizer_step", "finalize", "7", "145"),
    "ring.goal": "num_ranks 2\nrank 0 {\na: calc 1000\nb: send 5b to 1 tag 3\nb requires a\n}\n"
    "rank 1 {\nc: recv 5b from 0 tag 3\n}\n",
    "model.json": json.dumps(
        {
            "name": "small",
            "layers": 2,
            "hidden": 512,
            "heads": 8,
            "ffn": 2048,
            "vocabulary": 32000,
            "sequence": 128,
        }
    ),
    "accelerator.json": json.dumps(
        {
            "name": "chip",
            "matrixFlops": {"bf16": 1e15},
            "vectorFlops": 1e14,
            "memoryBandwidth": "3000GB/s",
        }
    ),
    "operators.tsv": "operator\tforward_us\tbackward_input_us\tbackward_weight_us\n"
    "attention.core\t10\t20\t0\n",
    "graph.json": json.dumps(
        {
            "nodes": [
                {"name": "h0", "kind": "host"},
                {"name": "h1", "kind": "host"},
                {"name": "s0", "kind": "switch"},
            ],
            "links": [
                {"a": "h0", "b": "s0", "rate": "100Gbps", "delay": "500ns"},
                {"a": "h1", "b": "s0", "rate": "100Gbps", "delay": "500ns"},
            ],
        }
    ),
    "graph.txt": "3 1 2\n2\n0 2 100Gbps 0.0005ms 0\n1 2 100Gbps 0.0005ms 0\n",
    "fabric.json": json.dumps({"fabric": "h100", "nicRate": "200Gbps"}),
    "config.json": json.dumps({"workload": "layers.txt", "iterations": 2}),
    "flows.csv": "src_rank,dst_rank,bytes,start_ns\n0,1,1000,0\n1,0,1000,500\n",
    "sizes.txt": "1000 0\n10000 0.5\n100000 1\n",
    "circuits.json": json.dumps(
        {"darkTime": "10us", "changes": [{"time": "1ms", "down": "host0-switch0"}]}
    ),
    "reference.csv": "size_bytes,time_us\n1024,10\n2048,12\n",
    "groups.json": json.dumps({"dp0": [0, 1]}),
}


def write_inputs(folder):
    """Write the right inputs to a folder."""
    for name, content in INPUTS.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(content)
    os.mkdir(os.path.join(folder, "pipes"))
    os.mkfifo(os.path.join(folder, "pipes", "one"))  # nobody writes to it


def run_case(bench, row):
    """Run the program on one wrong input; returns exit code, standard output and standard error."""
    unescape = {key: row[key].replace("\\n", "\n").replace("\\t", "\t") for key in ("old", "new")}
    path = os.path.join(bench.folder, row["file"])
    content = None
    if row["file"]:
        content = INPUTS.get(row["file"])
        old = unescape["old"]
        assert not old or content.count(old) >= 1, f"{row['file']} has no {old!r}"
        text = content.replace(old, unescape["new"], 1) if old else unescape["new"]
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    program = bench.collective if row["program"] == "wl-collective" else bench.program
    done = subprocess.run(
        [program, *row["arguments"].split()],
        cwd=bench.folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if content is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
    elif row["file"]:
        os.remove(path)
    return done.returncode, done.stdout, done.stderr


def read_cases():
    """Return the rows of the table."""
    with open(TABLE_OF_CASES, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))


@case
def right_inputs(bench):
    """wrong inputs: the files that they are made of are right"""
    write_inputs(bench.folder)
    for arguments in RIGHT:
        program, *rest = arguments.split()
        program = bench.collective if program == "wl-collective" else bench.program
        done = subprocess.run(
            [program, *rest], cwd=bench.folder, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, ""), (arguments, done.stderr)


RIGHT = [
    "wl-replay --workload=layers.txt --transport=ideal",
    "wl-replay --workload=table.tsv --world=2 --transport=ideal",
    "wl-replay --workload=rank0.txt --world=2 --transport=ideal",
    "wl-replay --workload=ring.goal --transport=ideal",
    "wl-replay --model=model.json --accelerator=accelerator.json --world=1 --transport=ideal",
    "wl-replay --model=model.json --operatorTimes=operators.tsv --world=1 --transport=ideal",
    "wl-replay --workload=ring.goal --topology=graph.json",
    "wl-replay --workload=ring.goal --topology=graph.txt",
    "wl-replay --workload=layers.txt --fabric=fabric.json --dryRun",
    "wl-replay --config=config.json --transport=ideal",
    "wl-replay --workload=ring.goal --topology=single-switch --gpusPerServer=1 "
    "--background=file:name=flows.csv",
    "wl-replay --workload=ring.goal --topology=single-switch --gpusPerServer=1 "
    "--background=poisson:load=0.1,sizes=sizes.txt",
    "wl-replay --workload=ring.goal --topology=single-switch --gpusPerServer=1 "
    "--circuits=circuits.json",
    "wl-collective --ranks=2 --minBytes=1KiB --maxBytes=2KiB --reference=reference.csv",
]


@case
def compressed_inputs(bench):
    """wrong inputs: compressed files are told for what they are"""
    text = b"name\tforward\n"
    bench.write("table.tsv.gz", gzip.compress(text))
    with zipfile.ZipFile(bench.path("table.zip"), "w") as archive:
        archive.writestr("table.tsv", text)
    for name, what in (
        ("table.tsv.gz", "a file compressed by gzip; unpack it first (gunzip)"),
        ("table.zip", "a ZIP archive; unpack it first (unzip)"),
    ):
        bench.expect_error(
            f"{bench.path(name)}: error: expected a file of a format that is read, found {what}",
            "--workload=" + bench.path(name),
        )


@case
def wrong_inputs(bench):
    """wrong inputs: each is refused with exit code 1 and the message that names it, and no more"""
    write_inputs(bench.folder)
    rows = read_cases()
    seen = {tuple(row[column] for column in COLUMNS[:5]) for row in rows}
    assert len(seen) == len(rows) >= 200, (len(seen), len(rows))
    wrong = []
    for row in rows:
        code, out, err = run_case(bench, row)
        if (code, out, err) != (1, "", row["message"] + "\n"):
            wrong.append((row["arguments"], row["file"], row["new"], code, out[:100], err))
    assert not wrong, "\n".join(map(str, wrong))
    print(f"wrong inputs: {len(rows)} executions, {len(wrong)} findings", flush=True)
