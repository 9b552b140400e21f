# SPDX-License-Identifier: GPL-2.0-only
"""Cases of python-test.py: sweep(), its reports, the notebook and the installed package."""

import os
import subprocess
import sys
import unittest
import warnings

from program.bench import case
from program.python_bench import error_of
from program.sweep_bench import ROOT

import workload_replay


@case
def same_as_program(bench):
    """sweep() has the tables of wl-sweep, and mean 102, interval 2.484 over three seeds"""
    grid = {"compute": [100, 200], "net": {"a": {"dp": 1}, "b": {"dp": 2, "cc": "none"}}}
    found = bench.call_sweep(grid, seeds=3, world=8)
    first = found.summary.iloc[0]
    assert (first["compute"], first["net"], first["runs"]) == ("100", "a", 3), first
    assert (first["compute_ns"], first["compute_ns ci95"]) == (102, 2.484), first
    assert len(found.results) == 12 == len(found.runs) and found.runs[0].iteration_ns == 104
    bench.describe(grid, seeds=3, options={"world": 8})
    tables = bench.sweep()
    for name, content in tables.items():
        path = found.folder / name
        assert path.read_bytes() == content, name
    assert set(found.effects["dimension"]) == {"compute", "net", "(together)", "(seeds)"}
    # Of another value only that one is run, of a table that was not kept that run again.
    count = len(bench.starts())
    more = bench.call_sweep({**grid, "compute": [100, 200, 300]}, seeds=3, world=8)
    assert len(bench.starts()) == count + 6 and len(more.runs) == 18
    more.runs[0].file("links.csv")
    assert len(bench.starts()) == count + 7


@case
def file_of_sweep(bench):
    """sweep() takes a file of wl-sweep, and its directory"""
    file = bench.describe({"compute": [1, 2]})
    bench.sweep()
    found = bench.call_sweep(file, output=bench.out)
    assert len(bench.starts()) == 2 and len(found.results) == 2


@case
def wrong_sweeps(bench):
    """mistakes in a grid: all at once, with place and remedy, before any run"""
    wrong = {
        "--rooting": {"rooting": ["ecmp"]},
        "sweep():/grid/cc/0": {"cc": ["dcqnc", "none"]},
        "sweep():/grid/cc/1": {"cc": ["dcqcn", "dcqcn"]},
        "--wrld": {"net": {"a": {"wrld": 1}}},
    }
    for place, grid in wrong.items():
        error = error_of(workload_replay.InputError, bench.call_sweep, grid)
        assert error.place == place, error
    error = error_of(workload_replay.InputError, bench.call_sweep, {"cc": ["dcqnc"]})
    assert error.remedy == "did you mean dcqcn?" and error.found == "'dcqnc'", error
    error = error_of(workload_replay.InputError, bench.call_sweep, ["cc"])
    assert error.place == "grid", error
    error = error_of(workload_replay.InputError, bench.call_sweep, {"cc": ["none"]}, seeds=0)
    assert error.place == "sweep():/seeds", error
    assert not bench.starts()


@case
def failed_runs(bench):
    """runs that crash are told of, the others are there"""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = bench.call_sweep({"act": ["crash", "fine"]})
    assert len(caught) == 1 and "SIGSEGV" in str(caught[0].message), caught
    assert list(found.failed) == ["act=crash, run=1"] and len(found.runs) == 1


@case
def reports(bench):
    """report(): names of runs are those that the call gave; a page and figures are written"""
    options = {"program": bench.real, "workload": bench.table, "world": 2, "gpusPerServer": 1,
               "topology": "single-switch"}  # fmt: skip
    runs = [bench.replay(nicRate=rate, name=rate, **options) for rate in ("80Gbps", "40Gbps")]
    report = workload_replay.report_of(*runs)
    report_path = runs[0].save(bench.path("page")) / "report.html"
    report.write(str(report_path))
    page = report_path.read_text(encoding="utf-8")
    assert "80Gbps" in page and "40Gbps" in page and "Comparison of 2 runs" in page
    figures = runs[0].report().figures()
    count = runs[0].report().write_figures(bench.path("figures"), "svg")
    assert count == len(figures) == len(os.listdir(bench.path("figures"))), count
    assert "time-by-rank" in figures and "<svg" in figures["time-by-rank"]._repr_svg_(), figures


@case
def notebook(bench):
    """the notebook of examples/, run as a script on a hundredth of the bytes and times"""
    script = os.path.join(ROOT, "test", "notebook.py")
    done = subprocess.run(
        [sys.executable, "-B", script, os.path.join(ROOT, "examples", "tutorial.ipynb")],
        env={**os.environ, "PYTHONPATH": ROOT, "XDG_CACHE_HOME": bench.folder, "SCALE": "0.01",
             "WL_REPLAY": bench.real},
        cwd=bench.folder, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert "ecmp" in done.stdout and "spray" in done.stdout, done.stdout


@case
def installed(bench):
    """pip install from the clone: the package finds the clone, programs start, nothing is left there"""
    names = ["setuptools", "wheel", "venv", "ensurepip", "pip"]
    code = "import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, sys.argv[1:])))"
    if subprocess.run([sys.executable, "-c", code, *names], check=False).returncode:
        raise unittest.SkipTest("needs python3-venv, python3-setuptools and python3-wheel")
    before = set(os.listdir(ROOT))
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    def run(*command):
        done = subprocess.run(
            command, cwd=bench.folder, env=clean, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout

    run(sys.executable, "-m", "venv", "--system-site-packages", "env")
    pip = [bench.path("env/bin/pip"), "install", "--no-deps", "--no-build-isolation", "--no-index"]
    run(*pip, os.path.realpath(ROOT))
    where = "import workload_replay as w; print(w.__file__); print(w.example('all-reduce.tsv'))"
    package, example = run(bench.path("env/bin/python"), "-c", where).splitlines()
    assert package.startswith(os.path.realpath(bench.folder)), package
    assert example == os.path.realpath(os.path.join(ROOT, "examples/workloads/all-reduce.tsv"))
    assert run(bench.path("env/bin/wl-report"), "--help").startswith("usage:")
    assert run(bench.path("env/bin/wl-sweep"), "--help").startswith("usage:")
    assert set(os.listdir(ROOT)) == before, set(os.listdir(ROOT)) - before
