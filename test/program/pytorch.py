# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: execution traces of PyTorch, and Chakra traces in JSON."""

import gzip
import json
import os
import unittest

from program.bench import TWO_HOSTS, case
from program.kineto import make_trace

OPTIONS = [option for option in TWO_HOSTS if not option.startswith("--ranks")]

# A FLOP and a byte take a picosecond.
ACCELERATOR = {
    "name": "simple",
    "matrixFlops": {"bf16": 1e12},
    "vectorFlops": 1e12,
    "memoryBandwidth": "1000GB/s",
    "combination": "max",
}


def make_node(number, name, inputs, outputs, more=(), schema=""):
    """A node of the schema 1.1.0, with tensors as pairs of their memory and shape, in bfloat16."""

    def describe(tensors, rest):
        values, shapes = [], []
        for storage, shape in tensors:
            elements = 1
            for length in shape:
                elements *= length
            values.append([storage + 100, storage, 0, elements, 2, "cuda:0"])
            shapes.append(shape)
        types = ["Tensor(c10::BFloat16)"] * len(shapes)
        return {"values": values + list(rest), "shapes": shapes, "types": types}

    attributes = [{"name": "op_schema", "type": "string", "value": schema}]
    return {
        "id": number,
        "name": name,
        "ctrl_deps": 1,
        "inputs": describe(inputs, more),
        "outputs": describe(outputs, ()),
        "attrs": attributes,
    }


def make_execution_trace():
    """A product, an all-reduce of its 4000 bytes, and a sum that waits for that."""
    mm = "aten::mm(Tensor self, Tensor mat2) -> Tensor"
    add = "aten::add_(Tensor(a!) self, Tensor other) -> Tensor(a!)"
    call = [3, ["0", "default_pg"], 0, "allreduce", [], [], 0, 1, 2]
    wait = [3, ["", ""], 0, "wait", [], [], -1, -1, 1]
    result = (12, [40, 50])
    nodes = [
        make_node(4, "aten::mm", [(10, [40, 500]), (11, [500, 50])], [result], schema=mm),
        make_node(5, "record_param_comms", [result], [result], call),
        make_node(6, "record_param_comms", [], [], wait),
        make_node(7, "aten::add_", [(13, [5000]), (13, [5000])], [(13, [5000])], schema=add),
    ]
    return json.dumps({"schema": "1.1.0-chakra.0.0.4", "pid": 1, "nodes": nodes})


def replay(bench, workload, *arguments):
    code, out, err = bench.run(
        "--workload=" + workload, "--transport=ideal", "--outputDir=" + bench.path("out"), *arguments
    )
    assert (code, err) == (0, ""), (code, err)
    return bench.summary("out"), " ".join(out.split())


@case
def pytorch_time(bench):
    """wl-replay replays execution traces of PyTorch, plain and gzip, in the closed form's time"""
    bench.write("simple.json", json.dumps(ACCELERATOR))
    # 2 x 40 x 500 x 50 FLOP; two steps of 2000 bytes at 10 GB/s, each over two links of 1 us; three
    # times 5000 numbers of 2 bytes.
    expected = 2000 + 4400 + 30
    for packed in (False, True):
        folder = bench.path("packed" if packed else "plain")
        os.mkdir(folder)
        for rank in range(2):
            text = make_execution_trace().encode()
            name = os.path.join(folder, f"et_{rank}.json")
            bench.write(name + (".gz" if packed else ""), gzip.compress(text) if packed else text)
        accelerator = "--accelerator=" + bench.path("simple.json")
        shares = "--communicationShare=0"
        summary, out = replay(bench, folder, accelerator, shares, *OPTIONS)
        assert summary["workload"]["format"] == "pytorch-et", summary["workload"]
        assert summary["iterations"][0]["time_ns"] == expected, summary["iterations"]
        assert "execution traces have no times: operators take those of simple" in out, out
        assert "2 products, convolutions and attentions take what their FLOP need" in out, out
    # A trace of the profiler beside has times.
    for rank in range(2):
        bench.write(os.path.join(folder, f"rank{rank}.json"), make_trace(rank))
    summary, out = replay(bench, folder, *OPTIONS)
    assert summary["workload"]["format"] == "kineto", summary["workload"]
    assert "execution traces, which lie beside and have no times, were not read" in out, out


@case
def pytorch_real(bench):
    """wl-replay takes every communication of two real execution traces"""
    shared = os.environ.get("WORKLOAD_REPLAY_SHARED", "")
    folder = os.path.join(shared, "files/pytorch")
    if not os.path.isdir(folder):
        raise unittest.SkipTest("no $WORKLOAD_REPLAY_SHARED/files/pytorch")
    path = os.path.join(folder, "et-1.0.2-allgather-2ranks.json.gz")
    summary, out = replay(bench, path, *OPTIONS)
    assert summary["workload"]["world"] == 2, summary["workload"]
    # Ten times one number of 4 bytes from each of two ranks.
    rows = [(row["kind"], row["count"], row["bytes"]) for row in summary["collectives"]]
    assert rows == [("all-gather", 10, 8)], rows
    # The parts that one rank sends differ from rank to rank.
    code, out, err = bench.run(
        "--workload=" + os.path.join(folder, "et-1.0.1-dlrm-8ranks"), "--transport=ideal"
    )
    assert code == 1 and "execution traces of PyTorch of all 8 ranks" in err, err
    assert "none of rank 2, 3, 4, 5, 6, 7" in err, err


@case
def chakra_json(bench):
    """wl-replay takes Chakra traces in JSON, which are printed by Protobuf, for binary ones"""
    node = {"name": "AG", "type": "COMM_COLL_NODE", "durationMicros": "1"}
    node["attr"] = [{"name": "is_cpu_op", "boolVal": False}, {"name": "comm_type", "int64Val": "2"}]
    node["attr"].append({"name": "comm_size", "uint64Val": "2000"})
    for rank in range(2):
        bench.write(f"npu.{rank}.json", json.dumps([node]))
    summary, out = replay(bench, bench.path("npu"), *OPTIONS)
    assert summary["workload"]["format"] == "chakra", summary["workload"]
    # 2000 bytes to the other rank at 10 GB/s over two links of 1 us.
    assert summary["iterations"][0]["time_ns"] == 2200, summary["iterations"]
