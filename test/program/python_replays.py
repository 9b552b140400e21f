# SPDX-License-Identifier: GPL-2.0-only
"""Cases of python-test.py: replay(), by the numbers of a stand-in and by closed forms."""

import multiprocessing
import os
import subprocess
import sys
import types
from pathlib import Path
from unittest import mock

from program.bench import case
from program.python_bench import error_of, working_in
from program.sweep_bench import ROOT

import workload_replay
from workload_replay.display import Display
from workload_replay.program import parse_help
from workload_replay.sweeps.identity import Digests


@case
def light_import(bench):
    """the package is imported without pandas, matplotlib and IPython"""
    code = "import sys, workload_replay; print({'pandas', 'matplotlib', 'IPython'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], env={**os.environ, "PYTHONPATH": ROOT},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "set()\n", done.stdout


@case
def numbers(bench):
    """iteration, parts and ranks are those of the summary: 101 compute, 12 and 10 bubble, 7 dp, 2 pp"""
    run = bench.replay(compute=100, bubble=10, dp=7)
    assert run.complete and run.iteration_ns == 120 and run.iteration_ms == 0.00012
    parts = {name: value for name, value in run.parts.items() if value}
    assert parts == {"compute": 101, "exposed dp": 7, "exposed pp": 1, "bubble": 11}, parts
    assert list(run.ranks["bubble_ns"]) == [12, 10] and list(run.ranks["exposed_pp_ns"]) == [0, 2]
    assert run.summary["network"]["bytes_delivered"] == 7
    assert "0.000 ms" in repr(run)


@case
def values(bench):
    """numbers, True, False, None, lists, dictionaries and attributes are as on the command line"""
    bench.replay(
        world=8, dp=1e2, exact=True, routing=None, act={"a": 1, "b": 0.5},
        **{"ns3::A::B": True, "ns3::A::C": [1.5, False]},
    )  # fmt: skip
    (start,) = bench.starts()
    found = {name: start.get(name) for name in ("world", "dp", "exact", "routing", "act")}
    expected = {"world": "8", "dp": "100", "exact": "on", "routing": None, "act": "a=1,b=0.5"}
    assert found == expected, found
    # Of an option that is given twice the stand-in notes the last.
    assert (start["ns3::A::B"], start["ns3::A::C"]) == ("true", "false"), start


@case
def other_kinds_of_values(bench):
    """numbers and arrays of NumPy are as those of Python, and a table needs no list"""
    import numpy

    bench.replay(
        world=numpy.int32(8), dp=numpy.float64(4), exact=numpy.bool_(True),
        **{"ns3::A::B": numpy.bool_(False), "ns3::A::C": numpy.array([1, 2])},
    )  # fmt: skip
    bench.replay(world=8, dp=4, exact=True, **{"ns3::A::B": False, "ns3::A::C": [1, 2]})
    (start,) = bench.starts()  # the same options: kept
    assert (start["world"], start["dp"], start["exact"]) == ("8", "4", "on"), start
    assert (start["ns3::A::B"], start["ns3::A::C"]) == ("false", "2"), start
    bench.replay(world=9, tables="flows")
    assert "flows.csv" in bench.starts()[1]["files"], bench.starts()


@case
def nothing_twice(bench):
    """equal options, files and program: one start; else another one; cache=False keeps nothing"""
    os.mkdir(bench.path("here"))
    bench.write("here/w.tsv", "one")
    with working_in(bench.path("here")):
        first = bench.replay(workload="w.tsv", compute=5)
        assert bench.replay(compute=5, workload="w.tsv").folder == first.folder
        assert len(bench.starts()) == 1
        bench.write("here/w.tsv", "two")
        bench.replay(workload="w.tsv", compute=5)
        bench.replay(workload="w.tsv", compute=6)
        bench.replay(workload="w.tsv", compute=6, run=2)
        assert len(bench.starts()) == 4
        with open(bench.program, "a", encoding="utf-8") as file:
            file.write("# changed\n")
        bench.replay(workload="w.tsv", compute=6)
        assert len(bench.starts()) == 5
        run = bench.replay(workload="w.tsv", compute=6, cache=False)
        assert len(bench.starts()) == 6 and run.iteration_ns == 9
        folder = run.folder
        del run
        assert not folder.exists()


@case
def presets(bench):
    """the files of models that options name by a preset are among what a run is found by"""
    folder = Path(bench.path("models"))

    def found(text):
        digests = Digests(Path(bench.program), Path(bench.folder), folder)
        return digests.describe({"job": [text]}, 1)["files"]

    bench.write("models/tiny.json", {"layers": 1})
    one = found("tiny:dp=8")
    assert [name for name, _ in one["tiny:dp=8"]] == ["tiny.json"], one
    bench.write("models/tiny.json", {"layers": 2})
    assert found("tiny:dp=8") != one and not found("huge:dp=8")


def _replay_slowly(bench):
    bench.replay(compute=1, act="")


@case
def side_by_side(bench):
    """two processes that want the same at once: one start"""
    bench.write("slow", "0.5")
    context = multiprocessing.get_context("fork")
    others = [context.Process(target=_replay_slowly, args=(bench,)) for _ in range(2)]
    for other in others:
        other.start()
    for other in others:
        other.join(60)
        assert other.exitcode == 0, other.exitcode
    assert len(bench.starts()) == 1, bench.starts()


@case
def more_tables(bench):
    """a table that was not asked for: one more start with all that was there; then none"""
    run = bench.replay(tables=["links"])
    assert bench.starts()[0]["files"] == "summary.json,fabric.json,links.csv", bench.starts()
    run.file("flows.csv")
    run.file("flows.csv")
    run.file("links.csv")
    assert len(bench.starts()) == 2
    assert bench.starts()[1]["files"] == "summary.json,fabric.json,flows.csv,links.csv"
    bench.replay(tables=["flows"])
    bench.replay(tables=["links", "fabric"])
    assert len(bench.starts()) == 2
    copied = run.save(bench.path("copy"))
    assert {"summary.json", "links.csv", "flows.csv"} <= set(os.listdir(copied))
    assert workload_replay.load(copied).iteration_ns == run.iteration_ns
    error = error_of(workload_replay.InputError, lambda: run.timeseries)
    assert error.place == "timeseries" and "timeSeries=" in error.remedy, error
    assert len(bench.starts()) == 2


@case
def wrong_options(bench):
    """options that there are not, values that are refused: place and remedy, and no start"""
    wrong = {
        "rooting": ("--rooting", "did you mean routing?"),
        "Routing_": ("--Routing_", None),
        "output_dir": ("--output_dir", "did you mean outputDir?"),
        "outputDir": ("--outputDir", "expected save() of what replay() returns, which copies the files"),
    }
    for name, (place, remedy) in wrong.items():
        error = error_of(workload_replay.InputError, bench.replay, **{name: "x"})
        assert error.place == place, error
        assert remedy is None or error.remedy == remedy, error.remedy
    error = error_of(workload_replay.InputError, bench.replay, cc="dcqnc")
    assert (error.place, error.found) == ("--cc", "'dcqnc'"), error
    assert error.remedy == "did you mean dcqcn?" and error.expected == "dcqcn or none", error
    for value in (0, "1 2", -1):
        assert error_of(workload_replay.InputError, bench.replay, run=value).place == "--run"
    error = error_of(workload_replay.InputError, bench.replay, compute=object())
    assert error.place == "--compute" and error.found == "object", error
    error = error_of(workload_replay.InputError, bench.replay, tables=["flow"])
    assert error.remedy == "did you mean flows?", error
    error = error_of(workload_replay.InputError, workload_replay.report_of, "out")
    assert error.expected == "what replay(), sweep() or load() has returned", error
    error = error_of(workload_replay.InputError, bench.replay, program="/no/program")
    assert str(error) == "--program: error: expected a program, found /no/program", error
    assert not bench.starts()


@case
def bad_ends(bench):
    """a replay that cannot finish, one that crashes: an exception each; the first has a run"""
    error = error_of(workload_replay.UnfinishedError, bench.replay, act="stall")
    assert str(error) == "wl-replay: error: the replay cannot finish", error
    assert error.run.complete is False and error.run.iteration_ns == 0
    error = error_of(workload_replay.ProgramError, bench.replay, act="crash")
    assert "SIGSEGV" in str(error), error
    error = error_of(workload_replay.ProgramError, bench.replay, act="interrupted")
    assert "was interrupted" in str(error), error
    assert issubclass(workload_replay.UnfinishedError, workload_replay.ReplayError)


@case
def help_text(bench):
    """options of a help: value, default and meaning over several lines; no ns-3 attributes"""
    found = parse_help(
        "Usage: x\n\nShape (wins):\n  --a=ON|OFF  what\n           it is [on or\n           so]\n"
        "  --longOption=VALUE\n           text\n  --flag   no value\n\nns-3:\n"
        "  --ns3::C::A=VALUE sets it\n  --PrintGroups, --PrintGlobals tell\n"
    )
    assert list(found) == ["a", "longOption", "flag"], found
    first = found["a"]
    assert (first.group, first.value, first.default) == ("Shape", "ON|OFF", "on or so"), first
    assert (found["longOption"].meaning, found["flag"].value) == ("text", ""), found


@case
def shown_progress(bench):
    """progress: a function hears what is replayed; a notebook has one line that changes"""
    bench.write("slow", "0.3")
    lines = []
    bench.replay(workload=bench.table, progress=lines.append)
    assert lines and lines[0] == "table, run=1: running", lines
    shown = []
    handle = types.SimpleNamespace(update=lambda content, raw: shown.append(content["text/plain"]))

    class ZMQInteractiveShell:
        """Named as the class of the shell of a notebook's kernel."""

    def display(content, raw, display_id):
        assert raw and display_id
        shown.append(content["text/plain"])
        return handle

    modules = {"IPython": types.ModuleType("IPython"), "IPython.display": types.ModuleType("d")}
    modules["IPython"].get_ipython = ZMQInteractiveShell
    modules["IPython.display"].display = display
    sys.modules.update(modules)
    try:
        with Display() as line:
            line.show("one")
            line.show("two")
    finally:
        for name in modules:
            del sys.modules[name]
    assert shown == ["one", "two", ""], shown


#: A layer of 1 ms on two hosts at 10 GB/s and 1 us from a switch, whose 1,000,000 bytes of gradients
#: go round a ring of two: each host sends both halves, 1,000,000 bytes in all.
TWO = {"world": 2, "gpusPerServer": 1, "topology": "single-switch", "nicRate": "80Gbps", "linkDelay": "1us",
       "collective": {"all-reduce": "ring"}}  # fmt: skip


@case
def tables_of_replay(bench):
    """wl-replay itself: tables add up to closed forms, and looking at them changes no time"""
    run = bench.replay(program=bench.real, workload=bench.table, **TWO)
    compute = run.ops[run.ops["stream"] == "compute"]
    assert (compute["end_ns"] - compute["start_ns"]).sum() == 2_000_000, compute
    assert str(run.ops["layer"].dtype) == "Int64" and len(run.collectives) == 1
    assert run.collectives["bytes"][0] == 1_000_000 and run.collectives["kind"][0] == "all-reduce"
    assert len(run.links) == 4 and set(run.links["rate_bps"]) == {80_000_000_000}
    times = run.summary["iterations"]
    assert run.flows["bytes"].sum() == 2_000_000 == run.summary["network"]["bytes_delivered"]
    with open(run.file("summary.json"), encoding="utf-8") as file:
        assert f'"time_ns": {times[0]["time_ns"]}' in file.read()
    # Two steps of half a megabyte at 10 GB/s, 50 us each, beside headers and 4 us of propagation.
    exposed = run.iteration_ns - 1_000_000
    assert 104_000 < exposed < 110_000, exposed
    assert run.trace.name == "trace.json" and "iteration time" in run.text
    series = bench.replay(program=bench.real, workload=bench.table, timeSeries="100us", **TWO)
    assert series.iteration_ns == run.iteration_ns
    assert set(series.timeseries["kind"]) == {"links"}, series.timeseries


@case
def real_errors(bench):
    """wl-replay itself: names are those of its help, files and values have place and remedy"""
    wrong = {
        "gpus_per_server": (2, "--gpus_per_server", "did you mean gpusPerServer?"),
        "cc": ("hpc", "--cc", "did you mean hpcc?"),
        "workload": (bench.write("bad.tsv", "nme\t1\n"), bench.path("bad.tsv") + ":1", None),
    }
    for name, (value, place, remedy) in wrong.items():
        options = {"workload": bench.table, **TWO, name: value}
        error = error_of(workload_replay.InputError, bench.replay, program=bench.real, **options)
        assert error.place == place, error
        assert remedy is None or error.remedy == remedy, error
    options = workload_replay.options(bench.real)
    assert options.loc["gpusPerServer", "default"] == "8", options
    assert options.loc["exact", "value"] == "on|off" and "ns3" not in options.index
    # A program of the clone by its name, which $WL_COLLECTIVE says where to find
    with mock.patch.dict(os.environ, WL_COLLECTIVE=bench.collective), working_in(bench.path("")):
        assert "minBytes" in workload_replay.options("wl-collective").index


@case
def times_of_collective(bench):
    """collective(): bytes over time is its bandwidth, rows double; found again without a start"""
    given = {"kind": "all-gather", "ranks": 2, "gpusPerServer": 1, "topology": "single-switch",
             "nicRate": "80Gbps", "linkDelay": "1us", "minBytes": "1MiB", "maxBytes": "2MiB",
             "program": bench.collective, "cache": bench.cache, "progress": False}  # fmt: skip
    times = workload_replay.collective(**given)
    assert list(times["size_bytes"]) == [1 << 20, 1 << 21], times
    # busbw of an all-gather of n ranks is (n - 1) / n of algbw; 10 GB/s at most.
    for row in times.itertuples():
        assert abs(row.size_bytes / row.time_us / 1e3 - row.algbw_gbs) < 0.01, row
        assert abs(row.busbw_gbs - row.algbw_gbs / 2) < 0.01 and 8 < row.busbw_gbs < 10, row
    again = workload_replay.collective(**given)
    assert times.equals(again)
    error = error_of(workload_replay.InputError, workload_replay.collective, **{**given, "rank": 2})
    assert error.place == "--rank" and error.remedy == "did you mean ranks?", error


@case
def dry_run(bench):
    """describe(): the text of a dry run, and a picture of the network"""
    plan = workload_replay.describe(
        bench.table, world=4, gpusPerServer=1, topology="single-switch", program=bench.real
    )
    assert "4 hosts" in plan.text, plan.text
    assert list(plan.report().figures()) == ["fabric"]
