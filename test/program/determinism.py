# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: equal runs give equal files, others give others."""

import hashlib
import json
import os
import runpy
import shlex

from program.bench import FILES, LAYERS, TABLE, WORKLOADS, case

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")

#: Small workloads, which examples do not hold.
RING = "".join(
    f"rank {rank} {{\na: send 100000b to {(rank + 1) % 4}\nb: recv 100000b from {(rank - 1) % 4}\n}}\n"
    for rank in range(4)
)

SWITCH = "--topology=single-switch --gpusPerServer=1 "

#: Scenarios, and the start of the digest of their ops.csv and flows.csv. None of them computes with
#: numbers that are no integers, whose last digits may depend on the machine.
SCENARIOS = {
    "--workload=table.tsv --world=2 --transport=ideal": "000f977be2fbf3e8",
    "--workload=layers.txt --gpusPerServer=2 --transport=ideal": "3fa66e7149a6c1d0",
    "--workload=ring.goal --transport=ideal --logGops=1000:500:0:1:0:65535": "073f364321610d0b",
    "--workload=ring.goal --cc=none --exact=on " + SWITCH: "4fc8516110f62cb0",
    "--workload=table.tsv --world=8 --cc=none --maxTrain=1 --gpusPerServer=1 "
    "--topology=clos:leaves=2,hostsPerLeaf=4,oversubscription=4": "2bdc1650f5e36598",
    "--workload=table.tsv --world=4 --cc=none --flowControl=credits " + SWITCH: "ef9939cc064b68ca",
}

#: How long an iteration of some of them takes, ns: 1 ms of compute, then a ring of 1 MB on two ranks of
#: a server, two steps of half of it at 3600 Gb/s over two links of 250 ns.
CLOSED_FORMS = {"--workload=table.tsv --world=2 --transport=ideal": 1000000 + 2 * (500000 / 450 + 500)}


def write_workloads(bench):
    """Write the workloads."""
    for name, text in {"table.tsv": TABLE, "layers.txt": LAYERS}.items():
        bench.write(name, text)
    bench.write("ring.goal", "num_ranks 4\n" + RING)


def files_of(bench, folder, *arguments):
    """Replay into a folder; returns the files by name, without what a run cost."""
    os.chdir(bench.folder)  # files tell the workload's name as it is given
    code, out, err = bench.run(*arguments, "--outputDir=" + folder)
    os.chdir("/")
    assert (code, err) == (0, ""), (arguments, code, err)
    files = {"": "\n".join(out.split("\nrun cost")[0].splitlines())}
    for name in os.listdir(bench.path(folder)):
        with open(bench.path(f"{folder}/{name}"), encoding="utf-8") as file:
            files[name] = file.read()
    summary = json.loads(files["summary.json"])
    files["summary.json"] = json.dumps(dict(summary, run=summary["run"]["events"]))
    return files


def expect_equal(bench, *arguments):
    """Two runs must give equal files; returns them."""
    first = files_of(bench, "first", *arguments)
    second = files_of(bench, "second", *arguments)
    differing = [name for name in first if first[name] != second.get(name)]
    assert first.keys() == second.keys() and not differing, (arguments, differing)
    return first


@case
def examples_twice(bench):
    """determinism: each example that ns-3 would run, twice: equal outputs and files"""
    listed = runpy.run_path(os.path.join(ROOT, "test/examples-to-run.py"))["cpp_examples"]
    for command, condition, _ in listed:
        if condition != "True":
            continue
        name, *arguments = shlex.split(command)
        mine = os.path.join(os.path.dirname(WORKLOADS), "workloads")
        arguments = [
            argument.replace("../../contrib/workload-replay/examples/workloads", mine)
            for argument in arguments
        ]
        if name == "wl-replay":
            more = ["--files=-trace.json,-flows.csv"] if "512gpu" in command else []
            assert expect_equal(bench, *arguments, *more).keys() >= {"ops.csv", "summary.json"}
            continue
        if name == "replay-congestion":
            arguments.append("--elementBytes=1")  # it takes minutes with all four
        program = bench.program.replace("wl-replay", name)
        texts = []
        for _ in range(2):
            code, out, err = bench.run(*arguments, program=program)
            assert code == 0, (command, code, err)
            texts.append(out.split("\nrun cost")[0])
        assert texts[0] == texts[1] != "", command


@case
def random_draws_twice(bench):
    """determinism: with jitter, spraying, loss and background, too; other seeds and runs differ"""
    write_workloads(bench)
    arguments = ["--workload=layers.txt", "--gpusPerServer=1", "--jitter=0.1", "--routing=spray"]
    arguments += ["--topology=clos:leaves=2,hostsPerLeaf=4,oversubscription=2"]
    for more in ([], ["--background=poisson:load=0.1,sizes=web-search", "--alone=off"]):
        found = [expect_equal(bench, *arguments, *more)]
        for other in ("--seed=2", "--run=2", "--seed=2 --run=2"):
            found.append(expect_equal(bench, *arguments, *more, *other.split()))
        for name in ("ops.csv", "flows.csv", "links.csv", "collectives.csv"):
            assert len({files[name] for files in found}) == 4, (more, name)


@case
def fingerprints(bench):
    """determinism: six small scenarios give the files that they gave before"""
    write_workloads(bench)
    found = {}
    for number, scenario in enumerate(SCENARIOS):
        files = files_of(bench, f"s{number}", *scenario.split())
        assert set(FILES) <= files.keys()
        digest = hashlib.sha256((files["ops.csv"] + files["flows.csv"]).encode()).hexdigest()
        found[scenario] = digest[:16]
        (iteration,) = bench.summary(f"s{number}")["iterations"]
        if scenario in CLOSED_FORMS:
            assert abs(iteration["time_ns"] - CLOSED_FORMS[scenario]) <= 1, (scenario, iteration)
    # Where results change for a good reason, these take their place in SCENARIOS.
    assert found == SCENARIOS, json.dumps(found, indent=4)
    print(f"determinism: {len(found)} scenarios, 0 failures", flush=True)
