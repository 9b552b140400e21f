# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: Chakra traces."""

import csv
import gzip
import json
import os

from program.bench import WORKLOADS, case

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


def attribute(key, value):
    """A number, a text in bytes, or a list of numbers."""
    if isinstance(value, list):
        told = field(14, field(1, b"".join(map(varint, value))))
    else:
        told = field(9 if isinstance(value, int) else 29, value)
    return field(10, field(1, key.encode()) + told)


def node(number, kind, name, after=(), micros=0, **attributes):
    message = field(1, number) + field(2, name) + field(3, kind) + field(7, micros)
    message += b"".join(field(5, other) for other in after)
    return message + b"".join(attribute(key, value) for key, value in attributes.items())


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
def chakra_rows(bench):
    """Chakra traces: ops of trace.json that overlap have a row each, others share one"""
    sends = [node(2 + i, SEND, b"put", comm_dst=1, comm_size=1000, comm_tag=i) for i in range(3)]
    last = node(9, SEND, b"last", [2, 3, 4], comm_dst=1, comm_size=1000)
    gets = [node(2 + i, RECV, b"get", comm_src=0, comm_size=1000, comm_tag=i) for i in range(3)]
    bench.write("job.0.et", trace(*sends, last))
    bench.write("job.1.et", trace(*gets, node(9, RECV, b"last", comm_src=0, comm_size=1000)))
    bench.check_whole("--workload=" + bench.path("job"), *ARGUMENTS)
    rows = {}
    for rank, row, name, start, end in bench.spans("whole"):
        rows.setdefault((rank, row), []).append((start, end, name))
    # All four receives wait at once; the fourth send waits for three that run at once.
    names = ["", " 2", " 3"]
    expected = [(0, "send" + n) for n in names] + [(1, "recv" + n) for n in [*names, " 4"]]
    assert sorted(rows) == expected, rows
    for spans in rows.values():
        spans.sort()
        for (_, end, _), (start, _, _) in zip(spans, spans[1:]):
            assert end <= start, rows
    assert sum(len(spans) for spans in rows.values()) == 8, rows


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


def read_varint(data, at):
    number = shift = 0
    while True:
        number |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return number, at


def read_fields(data):
    """The fields of a message, as (number, value); only the types that the exporter writes."""
    at = 0
    fields = []
    while at < len(data):
        tag, at = read_varint(data, at)
        if tag & 7 == 0:
            value, at = read_varint(data, at)
        else:
            assert tag & 7 == 2, tag
            length, at = read_varint(data, at)
            assert at + length <= len(data), "a field ends with its message"
            value, at = data[at : at + length], at + length
        fields.append((tag >> 3, value))
    return fields


def read_messages(path):
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    messages = []
    while at < len(data):
        length, at = read_varint(data, at)
        messages.append(read_fields(data[at : at + length]))
        at += length
    assert at == len(data), "a message ends with its file"
    return messages


def read_nodes(path):
    """The nodes of a trace, as (id, name, type, us, dependencies, attributes)."""
    metadata, *messages = read_messages(path)
    assert dict(metadata)[1] == b"0.0.4", metadata
    nodes = []
    for message in messages:
        single = dict(message)
        after = []
        for number, value in message:
            assert number != 4, "no control dependencies"
            if number == 5:
                at = 0
                while at < len(value):
                    other, at = read_varint(value, at)
                    after.append(other)
        attributes = {}
        for number, value in message:
            if number == 10:
                (_, key), (_, entry) = read_fields(value)
                attributes[key.decode()] = entry.decode() if isinstance(entry, bytes) else entry
        nodes.append(
            (single.get(1, 0), single[2], single[3], single.get(7, 0), after, attributes)
        )
    return nodes


def strip(path):
    """Take out of a trace what only wl-replay understands."""

    def encode(fields):
        own = [n for n, value in fields if n in (2, 10) and b"wl_" in bytes(value)[:6]]
        kept = [
            (n, value)
            for n, value in fields
            if not (n in (2, 10) and isinstance(value, bytes) and b"wl_" in value[:6])
        ]
        assert own, "each message has some"
        return b"".join(field(n, value) for n, value in kept)

    messages = [encode(fields) for fields in read_messages(path)]
    with open(path, "wb") as file:
        file.write(b"".join(varint(len(m)) + m for m in messages))


def timeline(bench, *arguments):
    """Iteration time, and what each op did when."""
    summary = bench.check_whole(*ARGUMENTS, *arguments)
    with open(os.path.join(bench.path("whole"), "ops.csv"), newline="") as file:
        header, *rows = csv.reader(file)
    origin = header.index("origin")
    rows = sorted(",".join(row[:origin] + row[origin + 1 :]) for row in rows)
    return summary["iterations"][0]["time_ns"], rows


# Two layers in each of two stages.
JOB = """\
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 2 vpp: 1 ga: 2 all_gpus: 8 \
pp_comm: 3000 checkpoints: 0 checkpoint_initiates: 0
3
grad_param -1 0 NONE 0 0 NONE 0 10000 REDUCESCATTER 2000000 0
layer -1 100000 ALLREDUCE 1000000 100000 ALLREDUCE 1000000 50000 NONE 0 0
layer -1 100000 ALLGATHER 1000000 100000 ALLREDUCE 1000000 50000 NONE 0 0
"""


def export_job(bench, name):
    """Export the job above; returns its file, the name of the traces, and what was told."""
    file = bench.write("layers.txt", JOB)
    prefix = bench.path(name)
    code, out, err = bench.run("--workload=" + file, "--exportChakra=" + prefix)
    assert (code, err) == (0, ""), err
    return file, prefix, out


@case
def chakra_export(bench):
    """Chakra export: nodes and bytes as counted by hand, read by a decoder of its own"""
    _, prefix, out = export_job(bench, "sub/job")
    assert out.startswith(f"Wrote 208 nodes of 8 ranks to {prefix}.RANK.et and "), out
    with open(prefix + ".json") as groups:
        groups = json.load(groups)
    names = [f"job.{rank}.et" for rank in range(8)] + ["job.json"]
    assert sorted(os.listdir(bench.path("sub"))) == sorted(names), "no other files"
    for rank in range(8):
        nodes = read_nodes(f"{prefix}.{rank}.et")
        assert [n[0] for n in nodes] == list(range(len(nodes))), "ids"
        assert all(other < n[0] for n in nodes for other in n[4]), "others stand before"
        kinds = {}
        for _, name, kind, micros, _, attributes in nodes:
            assert attributes["is_cpu_op"] == 0, name
            if kind in (SEND, RECV):
                mine, other = ("comm_src", "comm_dst")[:: 1 if kind == SEND else -1]
                assert attributes[mine] == rank and abs(attributes[other] - rank) == 4, name
                key = kind, 0, 2
            elif kind == COLL:
                ranks = groups[attributes["pg_name"]]
                assert rank in ranks, name
                key = kind, attributes["comm_type"], len(ranks)
            else:
                key = kind, 0, 1
            count, total = kinds.get(key, (0, 0))
            kinds[key] = count + 1, total + (attributes["comm_size"] if kind > COMP else micros)
        # Two layers and two microbatches: 100 us forward, 100 us and 50 us backward, and 10 us once.
        # Of an all-gather among two, a rank has half of the bytes.
        expected = {
            (COMP, 0, 1): (3 * 4 + 1, 4 * 250 + 10),
            (COLL, 0, 2): (2 + 4, 6000000),
            (COLL, 2, 2): (2, 2 * 500000),
            (COLL, 7, 2): (1, 2000000),
            (SEND, 0, 2): (2, 6000),
            (RECV, 0, 2): (2, 6000),
        }
        assert kinds == expected, (rank, kinds)


@case
def chakra_export_strip(bench):
    """Chakra export: without the attributes of its own a trace takes as long"""
    file, prefix, _ = export_job(bench, "job")
    before = timeline(bench, "--workload=" + file)
    assert timeline(bench, "--workload=" + prefix) == before
    for rank in range(8):
        strip(f"{prefix}.{rank}.et")
    assert timeline(bench, "--workload=" + prefix)[0] == before[0]


@case
def chakra_export_shipped(bench):
    """Chakra export: shipped workloads take as long to the nanosecond"""
    for name, *options in (
        ("gpt2-large-ops.tsv", "--world=8", "--backwardScale=2"),
        ("moe-pp4-ep2-dp4-rank0.megatron.txt", "--world=16", "--tp=1", "--pp=4", "--ep=2"),
        (
            "gpt-tp4-pp64-dp32-single-gpu-rank0.megatron.txt",
            "--tp=4",
            "--pp=4",
            "--dp=2",
            "--microbatches=4",
        ),
        ("layers-512gpu-tp8-pp4.simai.txt", "--world=64"),
        ("layers-1024gpu-tp8-pp16.simai.txt", "--world=128"),
    ):
        arguments = ["--workload=" + os.path.join(WORKLOADS, name), *options]
        prefix = bench.path(name.split("-")[0] + name[7:10])
        code, out, err = bench.run(*arguments, "--exportChakra=" + prefix)
        assert (code, err) == (0, ""), err
        before = timeline(bench, *arguments)
        assert timeline(bench, "--workload=" + prefix) == before, name


@case
def chakra_export_packets(bench):
    """Chakra export: over rdma a trace takes as long to the nanosecond"""
    file, prefix, _ = export_job(bench, "job")
    network = ["--transport=rdma", "--topology=auto", "--gpusPerServer=2"]
    before = timeline(bench, "--workload=" + file, *network)
    assert timeline(bench, "--workload=" + prefix, *network) == before


@case
def chakra_export_errors(bench):
    """Chakra export: wrong options and places end with code 1, a full disk with 2"""
    table = "--workload=" + bench.table
    for option, value in (
        ("--iterations=2", "--iterations"),
        ("--computeScale=2", "--computeScale"),
        ("--straggler=0:2", "--straggler"),
        ("--jitter=0.1", "--jitter"),
        ("--communicationShare=0.1", "--communicationShare"),
        ("--outputDir=x", "--outputDir"),
        ("--dryRun", "--dryRun"),
        ("--background=poisson:load=1", "--background"),
    ):
        code, out, err = bench.run(table, "--exportChakra=" + bench.path("job"), option)
        what = "with exportChakra, which writes one iteration of the workload as it is"
        assert code == 1 and err.startswith(value + ": error: ") and what in err, err
    goal = bench.write("one.goal", "num_ranks 1\nrank 0 {\ncalc 5\n}\n")
    bench.expect_error(
        f"{goal}: error: expected a workload whose ops do not share CPUs and NICs, to export it: "
        "Chakra knows none, found a schedule of such",
        "--workload=" + goal,
        "--exportChakra=" + bench.path("job"),
    )
    below = bench.table + "/job"
    bench.expect_error(
        "--exportChakra: error: expected a directory to write to, found "
        f"'{bench.table}' (Not a directory)",
        table,
        "--exportChakra=" + below,
    )
    folder = bench.path("")
    bench.expect_error(
        f"--exportChakra: error: expected DIRECTORY/NAME, found '{folder}'",
        table,
        "--exportChakra=" + folder,
    )
    bench.write("job.4.et", b"")
    bench.expect_error(
        "--exportChakra: error: expected a name that no larger job has: there are 4 ranks, found "
        f"'{bench.path('job.4.et')}'",
        table,
        "--world=4",
        "--exportChakra=" + bench.path("job"),
    )
    os.remove(bench.path("job.4.et"))
    os.symlink("/dev/full", bench.path(".job.1.et.new"))
    code, out, err = bench.run(table, "--world=4", "--exportChakra=" + bench.path("job"))
    full = bench.path("job.1.et") + ": error: could not be written (the disk is full or gone)\n"
    assert (code, out, err) == (2, "", full), (code, out, err)
    assert not os.path.exists(bench.path("job.2.et")), "nothing more is written"
