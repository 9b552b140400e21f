# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: networks and settings of ASTRA-sim and InfraGraph."""

import csv
import json

from program.bench import case

SIZE = 16 << 20


def network(bench, name, shapes, counts, bandwidths, latencies):
    """A network of ASTRA-sim's analytical backend."""
    return "--topology=" + bench.write(
        name,
        f"topology: [ {', '.join(shapes)} ]\nnpus_count: {counts}  # NPUs\n"
        f"bandwidth: {bandwidths}  # GB/s\nlatency: {latencies}  # ns\n",
    )


def time_call(bench, *arguments):
    """Time of one call, us, and the algorithm that ran."""
    arguments += ("--csv", f"--minBytes={SIZE}", f"--maxBytes={SIZE}")
    code, out, err = bench.run(*arguments, program=bench.collective)
    assert (code, err) == (0, ""), (code, err)
    row = next(csv.DictReader(out.splitlines()))
    return float(row["time_us"]), row["algorithm"]


@case
def foreign_networks(bench):
    """wl-collective: rings on a ring and a switch of ASTRA-sim take what their links say"""
    ranks, bandwidth, latency = 4, 50e9, 500e-9
    for shape, servers, hops in (("Ring", 4, 1), ("Switch", 1, 2)):
        place = network(bench, shape + ".yml", [shape], [ranks], [50], [500])
        call = ("--kind=all-reduce", f"--ranks={ranks}", f"--servers={servers}", place)
        call += ("--collective=ring", "--channels=1")
        steps = 2 * (ranks - 1)
        wire = steps / ranks * SIZE / bandwidth
        expected = 1e6 * (wire + steps * hops * latency)
        found, _ = time_call(bench, *call, "--transport=ideal")
        assert abs(found / expected - 1) < 1e-4, (shape, found, expected)
        # Packets have headers, of which 4096 bytes have about 60, and a ring has to be filled.
        found, _ = time_call(bench, *call)
        assert expected < found < 1.05 * expected, (shape, found, expected)


@case
def foreign_dimensions(bench):
    """--config of ASTRA-sim: algorithms by dimension, delays, and what is left out"""
    place = network(bench, "two.yml", ["Switch", "Ring"], [8, 2], [400, 50], [936.25, 1000])
    system = {
        "endpoint-delay": 10,
        "scheduling-policy": "LIFO",
        "preferred-dataset-splits": 4,
        "all-reduce-implementation": ["direct", "ring"],
        "all-to-all-implementation": ["ring", "ring"],
    }
    config = "--config=" + bench.write("system.json", json.dumps(system))
    call = ("--kind=all-reduce", "--ranks=16", "--servers=2", place, config, "--transport=ideal")
    found, algorithm = time_call(bench, *call)
    # Each way an exchange in the server, of two links, and a step to the other one; 10 ns a step.
    inside = 2 * (7 / 8 * SIZE / 400e9 + 2 * 936.25e-9)
    between = 2 * (1 / 2 * SIZE / 8 / 50e9 + 1000e-9)
    expected = 1e6 * (inside + between + 4 * 10e-9)
    assert algorithm == "hierarchical" and abs(found / expected - 1) < 1e-4, (found, expected)
    code, out, err = bench.run(*call, program=bench.collective)
    assert (code, err) == (0, ""), (code, err)
    said = " ".join(out.replace("#", " ").split())
    for text in (
        'all-to-all-implementation ["ring","ring"], preferred-dataset-splits 4, '
        'scheduling-policy "LIFO" of',
        "have no counterpart and are left out",
        "ASTRA-sim's analytical backend counts 2^30",
    ):
        assert text in said, (text, said)
    # Rings in all dimensions of a torus are the bucket algorithm.
    torus = network(bench, "torus.yml", ["Ring", "Ring"], [4, 4], [50, 50], [100, 100])
    system = {"scheduling-policy": "FIFO", "all-reduce-implementation": ["ring", "ring"]}
    config = "--config=" + bench.write("rings.json", json.dumps(system))
    call = ("--kind=all-reduce", "--ranks=16", torus, config, "--transport=ideal")
    found, algorithm = time_call(bench, *call)
    # Four links of each send S / 2 / D twice (N - 1) / N: S / D (N - 1) / N / b, and 12 steps.
    expected = 1e6 * (SIZE / 2 * 15 / 16 / 50e9 + 12 * 100e-9)
    assert algorithm == "bucket" and abs(found / expected - 1) < 1e-3, (found, expected)


@case
def foreign_infrastructure(bench):
    """--topology of InfraGraph: options say the rates that a file leaves open"""
    text = (
        "devices:\n- name: server\n  components:\n  - {name: xpu, count: 2, choice: xpu}\n"
        "  - {name: nic, count: 2, choice: nic}\n  links:\n  - name: pcie\n  - name: xgmi\n"
        "  edges:\n"
        "  - {scheme: one2one, link: pcie, ep1: {component: xpu}, ep2: {component: nic}}\n"
        "  - scheme: one2one\n    link: xgmi\n    ep1: {component: 'xpu[0]'}\n"
        "    ep2: {component: 'xpu[1]'}\nlinks:\n- name: eth\ninstances:\n"
        "- {name: host, device: server, count: 2}\nedges:\n- scheme: one2one\n  link: eth\n"
        "  ep1: {instance: 'host[0]', component: nic}\n"
        "  ep2: {instance: 'host[1]', component: nic}\n"
    )
    place = "--topology=" + bench.write("infra.yaml", text)
    options = ("--world=4", "--dryRun", "--nicRate=80Gbps", "--linkDelay=7us")
    code, out, err = bench.run(place, *options)
    assert (code, err) == (0, ""), (code, err)
    said = " ".join(out.split())
    for part in (
        "infra.yaml: 4 hosts, 0 switches, 0 NVSwitches, 4 links",
        "host - host 2 80Gbps",
        "host - host, NVLink 2 3600Gbps",
        "links without a bandwidth have 3600Gbps (nvlinkRate), 80Gbps (nicRate)",
        "250ns inside devices (nvlinkDelay), 7000ns outside (linkDelay)",
        "parts of links: 4 nic",
    ):
        assert part in said, (part, said)
