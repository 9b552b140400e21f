# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: traces of PyTorch's profiler."""

import gzip
import json
import os
import unittest

from program.bench import TWO_HOSTS, case


def replay(bench, *arguments):
    """Summary of a replay; what the host does counts as idle time of the accelerator."""
    folder = bench.path("out")
    code, out, err = bench.run(*arguments, "--outputDir=" + folder)
    assert (code, err) == (0, ""), (code, err)
    summary = bench.summary("out")
    assert summary["complete"] is True
    return summary


def make_event(category, name, start, duration, **arguments):
    """An event of thread 1, in us."""
    event = {"ph": "X", "cat": category, "name": name, "tid": 1, "ts": start, "dur": duration}
    return {**event, "args": {key.replace("_", " "): value for key, value in arguments.items()}}


def make_trace(rank):
    """A kernel, an all-reduce of 4000 bytes, a kernel that waits for it, and a wait for that."""
    nccl = {"stream": 20, "correlation": 2, "dtype": "Float", "In_msg_nelems": 1000}
    events = [
        make_event("cuda_runtime", "cudaLaunchKernel", 100, 10, correlation=1),
        make_event("kernel", "a", 112, 50, stream=7, correlation=1),
        make_event("cuda_runtime", "cudaLaunchKernel", 120, 10, correlation=2),
        make_event("cuda_runtime", "cudaStreamWaitEvent", 140, 1),
        make_event("cuda_runtime", "cudaLaunchKernel", 150, 10, correlation=3),
        make_event("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 165, 200, **nccl),
        make_event("kernel", "b", 366, 30, stream=7, correlation=3),
        make_event("cuda_runtime", "cudaDeviceSynchronize", 170, 230),
    ]
    job = {"backend": "nccl", "rank": rank, "world_size": 2}
    return json.dumps({"schemaVersion": 1, "distributedInfo": job, "traceEvents": events})


@case
def kineto_time(bench):
    """wl-replay replays Kineto traces, plain and gzip, in the closed form's time"""
    # Kernel a ends after 10 + 50 us; two steps of 2000 bytes at 10 GB/s, each over two links of
    # 1 us;
    # kernel b begins 1 us later and takes 30 us, and 4 us pass until the host goes on.
    expected = 60000 + 4400 + 31000 + 4000
    for packed in (False, True):
        folder = bench.path("packed" if packed else "plain")
        os.mkdir(folder)
        for rank in range(2):
            text = make_trace(rank).encode()
            name = os.path.join(folder, f"rank{rank}.pt.trace.json")
            bench.write(name + (".gz" if packed else ""), gzip.compress(text) if packed else text)
        options = [option for option in TWO_HOSTS if not option.startswith("--ranks")]
        summary = replay(bench, "--workload=" + folder, "--transport=ideal", *options)
        assert summary["workload"]["format"] == "kineto", summary["workload"]
        assert summary["iterations"][0]["time_ns"] == expected, summary["iterations"]


@case
def kineto_real(bench):
    """wl-replay ends with the span of a real step of eight ranks, within 3 %"""
    folder = os.path.join(
        os.environ.get("WORKLOAD_REPLAY_SHARED", ""), "files/pytorch/kineto-dlrm-8ranks"
    )
    if not os.path.isdir(folder):
        raise unittest.SkipTest("no $WORKLOAD_REPLAY_SHARED/files/pytorch/kineto-dlrm-8ranks")
    begins, ends = [], []
    for name in os.listdir(folder):
        with gzip.open(os.path.join(folder, name)) as file:
            events = json.load(file)["traceEvents"]
        kernels = [e for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
        launched = {event["args"].get("correlation") for event in kernels}
        calls = [e for e in events if e.get("cat") == "cuda_runtime"]
        calls = [
            call
            for call in calls
            if call["args"].get("correlation") in launched or "Synchronize" in call["name"]
        ]
        begins += [event["ts"] for event in kernels + calls]
        ends += [event["ts"] + event["dur"] for event in kernels + calls]
    span = 1000 * (max(ends) - min(begins))  # ns
    summary = replay(bench, "--workload=" + folder, "--fabric=h100")
    found = summary["iterations"][0]["time_ns"]
    assert abs(found / span - 1) < 0.03, (found, span)
