# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: Chakra traces."""

import gzip

from program.bench import case

COMP, SEND, RECV, COLL = 4, 5, 6, 7


def varint(number):
    result = b""
    while number >= 0x80:
        result += bytes([0x80 | number & 0x7F])
        number >>= 7
    return result + bytes([number])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def node(number, kind, name, after=(), micros=0, **attributes):
    message = field(1, number) + field(2, name) + field(3, kind) + field(7, micros)
    message += b"".join(field(5, other) for other in after)
    for key, value in attributes.items():
        message += field(10, field(1, key.encode()) + field(9, value))
    return message


def trace(*nodes):
    return b"".join(varint(len(m)) + m for m in (field(1, b"0.0.4"), *nodes))


def reduce(number, size, after=()):
    return node(number, COLL, b"reduce", after, comm_type=0, comm_size=size)


ARGUMENTS = ["--transport=ideal", "--topology=single-switch", "--gpusPerServer=1"]


@case
def chakra_traces(bench):
    """Chakra traces: found by directory, name and content, one of them compressed"""
    bench.write("job.0.et", trace(node(5, COMP, b"work", micros=7), reduce(6, 1000, [5])))
    bench.write("job.1.et", gzip.compress(trace(reduce(1, 1000))))
    times = set()
    for path, options in (("", []), ("job", ["--format=chakra"]), ("job.1.et", [])):
        output = bench.path("out")
        code, out, err = bench.run(
            "--workload=" + bench.path(path), "--outputDir=" + output, *ARGUMENTS, *options
        )
        assert code == 0, err
        summary = bench.summary("out")
        assert summary["workload"]["format"] == "chakra", summary
        assert summary["workload"]["world"] == 2, summary
        assert [rank["compute_ns"] for rank in summary["ranks"]] == [7000, 0], summary
        times.add(summary["iterations"][0]["time_ns"])
        origins = {row["origin"] for row in bench.rows("out", "ops.csv")}
        nodes = (("job.0.et", 5), ("job.0.et", 6), ("job.1.et", 1))
        assert origins == {f"{bench.path(name)}, node {id}" for name, id in nodes}, origins
    assert len(times) == 1 and times.pop() > 7000, times
    code, out, err = bench.run("--workload=" + bench.path("job"), "--dryRun", *ARGUMENTS)
    assert code == 0 and "2 hosts" in out, (out, err)


@case
def chakra_options(bench):
    """Chakra traces: options that other formats have, and that only they have"""
    work = node(5, COMP, b"work", num_ops=2000000, tensor_size=1000)
    bench.write("job.0.et", trace(work))
    workload = "--workload=" + bench.path("job")
    code, out, err = bench.run(workload, "--tp=2")
    assert code == 1 and "with a Chakra trace (chakra), which has no use for it" in err, err
    code, out, err = bench.replay("--peakFlops=1e12")
    assert code == 1 and "with an op table (op-table), which has no use for it" in err, err
    for options, nanoseconds in (
        ([], 0),
        (["--peakFlops=1e12"], 2000),
        (["--peakFlops=1e12", "--memoryBandwidth=2Gbps"], 4000),
    ):
        output = "--outputDir=" + bench.path("out")
        code, out, err = bench.run(workload, output, *ARGUMENTS, *options)
        assert code == 0, err
        assert bench.summary("out")["ranks"][0]["compute_ns"] == nanoseconds, out
        assert ("take none: --peakFlops" in " ".join(out.split())) == (not options), out


@case
def chakra_deadlock(bench):
    """Chakra traces: a deadlock names the nodes that wait, and ends with code 2"""
    for rank in (0, 1):
        peer = 1 - rank
        bench.write(
            f"job.{rank}.et",
            trace(
                node(40, RECV, b"get", comm_src=peer, comm_size=10),
                node(41, SEND, b"put", [40], comm_dst=peer, comm_size=10),
            ),
        )
    code, out, err = bench.run("--workload=" + bench.path("job"), *ARGUMENTS)
    assert code == 2, code
    wait = ", node 40: rank 0 waits in get (receive of 10 bytes) for rank 1"
    assert bench.path("job.0.et") + wait in err.splitlines(), err
    assert "ranks that wait for each other: 0 -> 1 -> 0" in err, err


@case
def chakra_damage(bench):
    """Chakra traces: damaged files end with code 1 and a place"""
    good = trace(reduce(1, 1000))
    for content, message in (
        (good[:-1], ", byte 8: error: expected a message of "),
        (good + varint(1 << 60), f", byte {len(good)}: error: expected a length of a message of "),
        (gzip.compress(good)[:-9], "error: expected a whole file of gzip, found "),
        (trace(reduce(1, 1000, [9])), ", node 1: error: expected dependencies on other nodes "),
    ):
        file = bench.write("job.0.et", content)
        code, out, err = bench.run("--workload=" + bench.path("job"), *ARGUMENTS)
        assert code == 1 and err.startswith(file) and message in err, err
