# SPDX-License-Identifier: GPL-2.0-only
"""Cases of sweep-test.py: which runs there are, and that none is done twice."""

import json
import os
import subprocess
import sys
from pathlib import Path

from program.bench import WORKLOADS, case
from program.sweep_bench import ROOT

from workload_replay.sweeps.description import read_description
from workload_replay.sweeps.grid import combinations_of

GRID = {"cc": ["dcqcn", "none"], "routing": ["ecmp", "spray", None]}


@case
def product(bench):
    """each combination and seed is run once, with the options as on the command line"""
    bench.describe(GRID, options={"world": 8, "ns3::A::B": [1.0, True], "dp": 0.5e1}, seeds=[3, 1])
    bench.sweep()
    rows = bench.rows()
    found = [(row["cc"], row["routing"], row["run"]) for row in rows]
    expected = [
        (cc, routing, run)
        for cc in ("dcqcn", "none")
        for routing in ("ecmp", "spray", "default")
        for run in ("3", "1")
    ]
    assert found == expected, found
    starts = bench.starts()
    assert len(starts) == 12
    assert all(s["world"] == "8" and s["ns3::A::B"] == "true" and s["dp"] == "5" for s in starts)
    assert sorted(s.get("routing", "") for s in starts[:12]) == [""] * 4 + ["ecmp"] * 4 + [
        "spray"
    ] * 4
    assert not any("NS_GLOBAL_VALUE" in start["env"] for start in starts)
    assert (rows[0]["--world"], rows[4]["--routing"], rows[0]["--ns3::A::B"]) == ("8", "", "1 true")
    for row in rows:
        folder = os.path.join(bench.out, row["directory"])
        names = ["messages.txt", "report.txt", "summary.json", "sweep-run.json"]
        assert sorted(os.listdir(folder)) == names, os.listdir(folder)


@case
def named_as_started(bench):
    """what to do next is said as the program was started: in the clone, or where pip put it"""
    bench.describe({"cc": ["none"]})
    _, out, _ = bench.run()
    assert out.endswith(f"\n./wl-report {bench.out} makes a page of it\n"), out
    installed = bench.write(
        "bin/wl-sweep",
        "import sys\nfrom workload_replay.sweeps.__main__ import main\nsys.exit(main())\n",
    )
    done = subprocess.run(
        [sys.executable, "-B", installed, "--program=" + bench.program, bench.file, "--output=" + bench.out],
        env={**os.environ, "PYTHONPATH": ROOT}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.endswith(f"\nwl-report {bench.out} makes a page of it\n"), done.stdout


@case
def nothing_twice(bench):
    """second start, more seeds, other labels, fewer values: only what is new is run"""
    bench.describe(GRID, seeds=2)
    first = bench.sweep()
    assert len(bench.starts()) == 12
    assert bench.sweep() == first and len(bench.starts()) == 12
    bench.describe(GRID, seeds=3)
    bench.sweep()
    assert len(bench.starts()) == 18
    bench.describe({"cc": {"by rate": "dcqcn"}, "routing": {"by flow": {"routing": "ecmp"}}})
    bench.sweep()
    assert len(bench.starts()) == 18
    (row,) = bench.rows()
    assert row["cc"] == "by rate" and "by-rate_by-flow_run1-" in row["directory"], row
    bench.describe(GRID, seeds=2)
    assert bench.sweep() == first and len(bench.starts()) == 18


@case
def equal_combinations(bench):
    """two names for the same options: one run, two rows"""
    bench.describe({"a": {"one": {"cc": "none"}, "other": {"cc": "none"}}, "dp": [1]})
    bench.sweep()
    rows = bench.rows()
    assert len(bench.starts()) == 1 and [row["a"] for row in rows] == ["one", "other"]
    assert rows[0]["directory"] == rows[1]["directory"]


@case
def changed_inputs(bench):
    """changed workload, files in directories, files that JSON names, program: run again"""
    bench.write("traces/rank0.txt", "a")
    bench.write("fabric.json", {"topology": "net.txt"})
    bench.write("net.txt", "1")
    options = {"workload": "traces", "ns3::F": "x:file=fabric.json"}
    bench.describe({"cc": ["none"]}, options=options)
    count = 0
    for name, content in (("traces/rank0.txt", "b"), ("net.txt", "2"), ("traces/new", "")):
        bench.sweep()
        count += 1
        assert len(bench.starts()) == count, (name, count)
        bench.write(name, content)
    bench.sweep()
    assert len(bench.starts()) == 4
    with open(bench.program, "a", encoding="utf-8") as file:
        file.write("# another version\n")
    code, _, err = bench.run()
    assert code == 0 and len(bench.starts()) == 5 and "4 other runs" in err, err
    bench.write("beside.txt", "no input")
    bench.sweep()
    assert len(bench.starts()) == 5


@case
def named_sets(bench):
    """options that go together, the grid wins over fixed ones, and exclusions"""
    network = {"flat": {"topology": "x", "dp": 7}, "deep": {"topology": ["y", "z"]}}
    exclude = [{"network": "deep", "cc": ["none", None]}]
    bench.describe(
        {"network": network, "cc": ["dcqcn", "none", None]}, options={"dp": 1}, exclude=exclude
    )
    bench.sweep()
    rows = [(r["network"], r["cc"], r["--dp"], r["--topology"]) for r in bench.rows()]
    flat = [("flat", cc, "7", "x") for cc in ("dcqcn", "none", "default")]
    assert rows == [*flat, ("deep", "dcqcn", "1", "y z")], rows


@case
def chosen_points(bench):
    """a value of a dimension at chosen points alone: exclusions of all but some"""
    exclude = [
        {"routing": "spray", "cc": {"not": "none"}},
        {"routing": "spray", "topology": {"not": ["x", "y"]}},
    ]
    grid = {"topology": ["w", "x", "y"], "cc": ["dcqcn", "none"], "routing": ["ecmp", "spray"]}
    bench.describe(grid, exclude=exclude)
    bench.sweep()
    found = [(row["topology"], row["cc"], row["routing"]) for row in bench.rows()]
    chosen = [row for row in found if row[2] == "spray"]
    assert chosen == [("x", "none", "spray"), ("y", "none", "spray")], found
    assert len(found) == 3 * 2 + len(chosen), found


@case
def kept_tables(bench):
    """tables are kept if asked for; if they are asked for later, the run is done again"""
    bench.describe({"cc": ["none"]})
    first = bench.sweep()
    bench.describe({"cc": ["none"]}, keep=["links.csv", "ops.csv"])
    assert bench.sweep() == first and len(bench.starts()) == 2
    (name,) = bench.runs()
    names = os.listdir(os.path.join(bench.out, "runs", name))
    assert "links.csv" in names and "ops.csv" in names and "flows.csv" not in names, names
    bench.describe({"cc": ["none"]}, keep=["ops.csv"])
    assert bench.sweep() == first and len(bench.starts()) == 2


@case
def jobs(bench):
    """any number of jobs gives the same bytes"""
    bench.describe(GRID, seeds=2)
    first = bench.sweep("--jobs=1")
    bench.out = bench.path("again")
    assert bench.sweep("--jobs=7") == first


@case
def real_program(bench):
    """wl-replay itself: rows are what its summary says, paths are relative to the file"""
    workload = os.path.relpath(os.path.join(WORKLOADS, "gpt2-large-ops.tsv"), bench.folder)
    options = {"workload": workload, "world": 4, "transport": "ideal", "jitter": 0.05}
    bench.describe({"gpusPerServer": [1, 4]}, options=options, seeds=2, keep=["links.csv"])
    first = bench.sweep(program=bench.real)
    rows = bench.rows()
    assert len({row["iteration_ns"] for row in rows}) == 4, rows
    for row in rows:
        folder = os.path.join(bench.out, row["directory"])
        with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        assert row["iteration_ns"] == str(summary["iterations"][0]["time_ns"])
        mean = sum(rank["compute_ns"] for rank in summary["ranks"]) / 4
        assert abs(float(row["compute_ns"]) - mean) < 0.001
        assert summary["run"]["rng_run"] == int(row["run"])
        files = [name for name in os.listdir(folder) if name.endswith((".csv", ".dot"))]
        assert sorted(files) == ["links.csv"], files
    bench.out = bench.path("again")
    assert bench.sweep("--jobs=1", program=bench.real) == first
    # Options of files, which a dry run refuses.
    series = {"workload": workload, "world": 4, "timeSeries": "5ms"}
    bench.out = bench.path("series")
    bench.describe({"gpusPerServer": [1]}, options=series, keep=["timeseries.csv"])
    bench.sweep(program=bench.real)
    (name,) = bench.runs()
    assert os.path.exists(os.path.join(bench.out, "runs", name, "timeseries.csv"))
    bench.describe({"gpusPerServer": [1, 3]}, options={**options, "cc": "dcqcn"})
    code, _, err = bench.run(program=bench.real)
    assert code == 1 and f"{bench.file}:/options/cc: error: expected no cc" in err, err


@case
def shipped_sweeps(bench):
    """the program takes every combination of the shipped sweeps, which are as many as documented"""
    folder = os.path.join(ROOT, "examples", "sweeps")
    found = {}
    for name in sorted(os.listdir(folder)):
        combinations = combinations_of(read_description(Path(folder, name)))
        found[name] = len(combinations)
        for combination in combinations:
            arguments = [bench.real, *combination.arguments(), "--dryRun"]
            done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True)
            assert done.returncode == 0, (name, combination.title, done.stderr)
    assert found == {"e-ecmp.json": 16, "fabrics.json": 106, "levels.json": 28, "moe-fabric.json": 32}, found
