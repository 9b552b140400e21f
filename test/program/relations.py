# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: relations between runs that hold whatever the times are.

Each needs no expected value: two runs of which one follows from the other are compared. The jobs
are those of random_jobs.py where any job will do, and a small pipeline where the job has to be known.
"""

import json
import os

from program.bench import HEADER, LAYERS, WORKLOADS, case
from program.random_jobs import Job

#: A network whose latencies are all options, so that they can be scaled.
LATENCIES = {"nvlinkDelay": 250, "linkDelay": 1000, "stepLatency": 2000, "launchLatency": 4000}
RATES = {"nicRate": 100, "nvlinkRate": 800}

#: Options of each transport. Windows, timers and gains of congestion controls are times and bytes
#: of their own, which do not grow with the job.
TRANSPORTS = {
    "ideal": ["--transport=ideal"],
    "fluid": ["--transport=fluid", "--cc=none"],
    "rdma": ["--transport=rdma", "--cc=none"],
}


def scaled(factor):
    """Options of a network that is so many times as fast in everything, with compute times."""
    options = [f"--{name}={rate * factor}Gbps" for name, rate in RATES.items()]
    options += [f"--{name}={time // factor}ns" for name, time in LATENCIES.items()]
    return [*options, f"--computeScale={1 / factor}"]


def times_of(bench, *arguments):
    """Run; returns the times of its iterations, ns."""
    code, _, err = bench.run(*arguments, "--files=summary.json", "--outputDir=" + bench.path("out"))
    assert (code, err) == (0, ""), (code, err, arguments)
    summary = bench.summary("out")
    first = summary if "iterations" in summary else summary["jobs"][0]
    return [iteration["time_ns"] for iteration in first["iterations"]]


def export(bench, prefix, *workload):
    """Write the workload as Chakra traces."""
    code, _, err = bench.run(*workload, "--exportChakra=" + prefix)
    assert (code, err) == (0, ""), (code, err)


def layers(bench):
    return "--workload=" + bench.write("layers.txt", LAYERS)


def write_clos(bench, hosts, slow=None):
    """Write a network of four leaves and two spines; one link may have half the rate."""
    leaves, spines = [f"leaf{i}" for i in range(4)], ["spine0", "spine1"]
    names = [f"h{i}" for i in range(hosts)]
    links = [(name, leaves[i * 4 // hosts]) for i, name in enumerate(names)]
    links += [(leaf, spine) for leaf in leaves for spine in spines]
    nodes = [{"name": name, "kind": "host"} for name in names]
    nodes += [{"name": name, "kind": "switch"} for name in leaves + spines]
    edges = [
        {"a": a, "b": b, "rate": "50Gbps" if number == slow else "100Gbps", "delay": "500ns"}
        for number, (a, b) in enumerate(links)
    ]
    return bench.write("graph.json", json.dumps({"nodes": nodes, "links": edges}))


@case
def twice_as_fast(bench):
    """relations: twice the rates, half the latencies and compute times: half the time"""
    for transport, network in TRANSPORTS.items():
        job = [layers(bench), "--gpusPerServer=2", *network]
        for topology in ("single-switch", "clos:hostsPerLeaf=2,oversubscription=2"):
            options = [*job, "--topology=" + topology]
            (slow,) = times_of(bench, *options, *scaled(1))
            (fast,) = times_of(bench, *options, *scaled(2))
            # Durations are rounded to ps, some thousand times in a run; a fluid's rates follow its
            # queues in steps that have bounds in ns.
            most = 0.005 * slow if transport == "fluid" else 20
            assert abs(slow - 2 * fast) <= most, (transport, topology, slow, fast)


@case
def other_names(bench):
    """relations: ranks on other hosts of a network that looks alike from all: the same times"""
    network = ["--topology=single-switch", "--gpusPerServer=1", "--nicRate=100Gbps"]
    for transport, share in (("ideal", 0), ("fluid", 0.005), ("rdma", 0.005)):
        job = [layers(bench), *network, "--transport=" + transport]
        # A fluid draws marks for each queue pair, those of other hosts being others.
        job += ["--cc=none"] if transport == "fluid" else []
        (given,) = times_of(bench, *job)
        for hosts in ("7+6+5+4+3+2+1+0", "3+0+6+1+7+2+5+4"):
            (other,) = times_of(bench, *job, "--placement=" + hosts)
            # Who comes first of those that come at the same time may decide whom a port serves.
            assert abs(other - given) <= share * given, (transport, hosts, given, other)


@case
def idle_neighbour(bench):
    """relations: a job that sends nothing beside another one: nothing changes"""
    quiet = bench.write("quiet.tsv", HEADER + "\nlayer\t1.5\tNone\t0\t0\tNone\t0\t0\tNone\t0\t0\n")
    path = bench.write("layers.txt", LAYERS)
    network = ["--topology=" + write_clos(bench, 16), "--alone=off"]
    for transport in ("ideal", "fluid", "rdma"):
        hosts = [*network, "--transport=" + transport]
        job = f"--job={path}:name=a,placement=0-7"
        other = f"--job={quiet}:name=b,placement=12-15,dp=4"
        noise = f"--job={quiet}:name=c,placement=8-11,dp=4,start=1us"
        alone = times_of(bench, *hosts, job, other)
        beside = times_of(bench, *hosts, job, other, noise)
        assert alone == beside, (transport, alone, beside)


@case
def later(bench):
    """relations: a job that starts later takes as long, and so does each of its iterations"""
    path = bench.write("layers.txt", LAYERS)
    for transport in ("ideal", "rdma"):
        network = ["--topology=single-switch", "--gpusPerServer=2", "--transport=" + transport]
        network += ["--exact=on", "--cc=none"] if transport == "rdma" else []
        first = times_of(bench, *network, f"--job={path}:iterations=3")
        shifted = times_of(bench, *network, f"--job={path}:iterations=3,start=1234567ns")
        assert first == shifted, (transport, first, shifted)
        # Ends are whole picoseconds, and reported in ns.
        assert transport != "ideal" or max(first) - min(first) <= 1, first


@case
def slower_link(bench):
    """relations: a link at half its rate never makes an iteration faster"""
    for transport, share in (("ideal", 0), ("fluid", 0.005), ("rdma", 0.01)):
        job = [layers(bench), "--transport=" + transport]
        (given,) = times_of(bench, *job, "--topology=" + write_clos(bench, 8))
        times = [
            times_of(bench, *job, "--topology=" + write_clos(bench, 8, slow))[0]
            for slow in (0, 5, 8, 13)
        ]
        # By packets, marks that come earlier may keep a queue shorter.
        assert min(times) >= (1 - share) * given, (transport, given, times)
        # Rings pass by all hosts, of which the first or the sixth is slow now.
        assert min(times[:2]) > given, (transport, given, times)


@case
def more_bytes(bench):
    """relations: the time of an all-reduce grows with its bytes, and no faster than they do"""
    for transport, network in TRANSPORTS.items():
        times = []
        for elements in (100000, 200000, 400000):
            row = f"\nlayer\t0\tNone\t0\t0\tALLREDUCE_ASYNC\t{elements}\t0\tNone\t0\t0\n"
            table = bench.write("row.tsv", HEADER + row)
            options = ["--workload=" + table, "--world=4", "--gpusPerServer=1", *network]
            options += ["--topology=single-switch", "--collective=all-reduce=ring"]
            times += times_of(bench, *options)
        for less, more in zip(times, times[1:]):
            assert less < more <= 2 * less, (transport, times)


@case
def read_back(bench):
    """relations: a workload that is exported as Chakra traces and read back: the same times"""
    small = ["--topology=single-switch", "--gpusPerServer=4", "--transport=ideal"]
    path = os.path.join(WORKLOADS, "moe-pp4-ep2-dp4-rank0.megatron.txt")
    trace = ["--workload=" + path, "--dp=4", "--ep=2"]
    for name, job in (("layers", [layers(bench)]), ("trace", trace)):
        prefix = bench.path(name)
        export(bench, prefix, *job)
        times = times_of(bench, *job, *small)
        again = times_of(bench, "--workload=" + prefix, *small)
        assert times == again, (name, times, again)


@case
def same_job_in_four_formats(bench):
    """relations: one job as op table, layer file, Chakra traces and GOAL schedule: the same time"""
    size, compute = 1000000, 1000000
    table = HEADER + f"\nlayer\t1.0\tNone\t0\t0\tALLREDUCE_ASYNC\t{size // 4}\t0\tNone\t0\t0\n"
    layer = (
        "HYBRID_TRANSFORMER model_parallel_NPU_group: 1 ep: 1 pp: 1 ga: 1 all_gpus: 4 pp_comm: 0\n"
        f"1\nlayer -1 {compute} NONE 0 0 NONE 0 0 ALLREDUCE {size} 0\n"
    )
    # A ring of four: three steps that reduce, three that gather, a quarter of the buffer each.
    ranks = []
    for rank in range(4):
        lines = [f"c: calc {compute}"]
        for step in range(6):
            lines.append(f"s{step}: send {size // 4}b to {(rank + 1) % 4} tag {step}")
            lines.append(f"r{step}: recv {size // 4}b from {(rank + 3) % 4} tag {step}")
            after = ["c"] if step == 0 else [f"r{step - 1}", f"s{step - 1}"]
            lines += [f"{op}{step} requires {before}" for op in "sr" for before in after]
        ranks.append(f"rank {rank} {{\n" + "\n".join(lines) + "\n}\n")
    network = ["--topology=single-switch", "--gpusPerServer=1", "--nicRate=100Gbps"]
    network += ["--transport=ideal"]
    ring = ["--channels=1", "--chunkBytes=1MiB", "--collective=all-reduce=ring"]
    files = {"table.tsv": table, "layers.txt": layer, "ring.goal": "num_ranks 4\n" + "".join(ranks)}
    found = {}
    options = {"table.tsv": ["--world=4", *ring], "layers.txt": ring, "ring.goal": []}
    for name, text in files.items():
        job = ["--workload=" + bench.write(name, text), *options[name]]
        found[name] = times_of(bench, *job, *network)
    prefix = bench.path("chakra")
    export(bench, prefix, "--workload=" + bench.path("layers.txt"))
    found["chakra"] = times_of(bench, "--workload=" + prefix, *network, *ring)
    assert len({tuple(times) for times in found.values()}) == 1, found


@case
def any_job_scaled(bench):
    """relations: random jobs, twice as fast in everything, take half the time on ideal"""
    names = {text.split("=")[0] for text in scaled(1)}
    for seed in range(20):
        job = Job(seed)
        # A GOAL schedule has no collectives, and so no steps of them.
        unused = ("--stepLatency", "--launchLatency") if "num_ranks" in job.text else ()
        options = [text for text in job.options if text.split("=")[0] not in names]
        options += ["--workload=" + bench.write("job", job.text), "--transport=ideal"]
        slow, fast = (
            times_of(
                bench,
                *options,
                *(text for text in scaled(factor) if text.split("=")[0] not in unused),
            )
            for factor in (1, 2)
        )
        for before, after in zip(slow, fast):
            assert abs(before - 2 * after) <= 20 + 1e-6 * before, (seed, slow, fast, options)
