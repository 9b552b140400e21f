# SPDX-License-Identifier: GPL-2.0-only
"""Cases of sweep-test.py: wrong files and options, which start no run, and outputs that are lost."""

import os

from program.bench import case

LISTS = 'a list of values, such as ["ecmp", "spray"], or an object of named ones'
RUN = "an option of a run; "
GRID = {"cc": ["dcqcn", "none"]}


@case
def damaged_file(bench):
    """file that is none, cut, no JSON or has a key twice: line and column"""
    missing = f"{bench.file}: error: expected a file that describes a sweep, found none"
    bench.expect_error(missing)
    bench.write("sweep.json", '{"grid":\n  {"cc": [')
    bench.expect_error(f"{bench.file}:2:11: error: expected JSON, found the end of the file")
    bench.write("sweep.json", '{"grid":\n  {"cc" ["none"]}}')
    bench.expect_error(f"{bench.file}:2:9: error: expected JSON, found Expecting ':' delimiter")
    bench.write("sweep.json", '{"grid": {"cc": ["none"], "cc": ["dcqcn"]}}')
    bench.expect_error(f"{bench.file}: error: expected each key once, found cc twice")
    assert not os.path.exists(bench.out)


# What a file says, the place of the mistake and the message.
WRONG = [
    ([], "/", "an object with the keys name, options, grid, exclude, seeds, keep, found an empty "
     "list"),
    ({}, "/", 'a key "grid", as in {"grid": {"routing": ["ecmp", "spray"]}}, found none'),
    ({"grid": GRID, "seds": 3}, "/seds", "a key: name, options, grid, exclude, seeds, keep, found "
     '"seds"; did you mean seeds?'),
    ({"grid": {}}, "/grid", "an object of dimensions, each a list of values or an object of named "
     "ones, found an empty object"),
    ({"grid": {"cc": []}}, "/grid/cc", f"{LISTS}, found an empty list"),
    ({"grid": {"cc": "dcqcn"}}, "/grid/cc", f'{LISTS}, found "dcqcn"'),
    ({"grid": {"cc": ["none", "none"]}}, "/grid/cc/1", "each value once, found none twice"),
    ({"grid": {"cc": [{"cc": "none"}]}}, "/grid/cc/0", "a value of cc (options that go together "
     'have names: {"NAME": {OPTIONS}, ...}), found an object'),
    ({"grid": {"cc": [["a", []]]}}, "/grid/cc/0/1",
     "a text, a number, true or false, found an empty list"),
    ({"grid": {"": ["a"]}}, "/grid/", "the name of an option, or another that is no column of the "
     'tables, found ""'),
    ({"grid": {"complete": {"a": {}}}}, "/grid/complete", "the name of an option, or another that "
     'is no column of the tables, found "complete"'),
    ({"grid": {"a": {"x": {"cc": "none"}}, "cc": ["dcqcn"]}}, "/grid/cc/0",
     "an option that no other dimension sets, found cc, which a sets, too"),
    ({"grid": {"a": {"": {}}}}, "/grid/a/", 'a name of the value, found the empty one ""'),
    ({"grid": {"run": [1]}}, "/grid/run", "the name of an option, or another that is no column of "
     'the tables, found "run"'),
    ({"grid": {"RngRun": [1]}}, "/grid/RngRun/0", "an option that runs of a sweep share, found "
     f'{RUN}the runs of a combination are given by "seeds"'),
    ({"grid": GRID, "options": {"outputDir": "x"}}, "/options/outputDir", "an option that runs of "
     f"a sweep share, found {RUN}each run has its own directory below --output"),
    ({"grid": GRID, "options": {"progress": "on"}}, "/options/progress", "an option that runs of a "
     f"sweep share, found {RUN}a sweep shows its own progress"),
    ({"grid": GRID, "options": {"--cc": "x"}}, "/options/--cc",
     "an option without dashes, found --cc"),
    ({"grid": GRID, "options": ["cc"]}, "/options", 'an object of options, such as {"world": 8}, '
     "found a list"),
    ({"grid": GRID, "seeds": 0}, "/seeds",
     "a number of runs from 1 to 10000, or a list of run numbers from 1 on, found 0"),
    ({"grid": GRID, "seeds": True}, "/seeds",
     "a number of runs from 1 to 10000, or a list of run numbers from 1 on, found true"),
    ({"grid": GRID, "seeds": [1, 2, 1]}, "/seeds/2", "each run once, found 1 twice"),
    ({"grid": GRID, "seeds": [0]}, "/seeds/0", "a run number from 1 on, found 0"),
    ({"grid": GRID, "seeds": ["1"]}, "/seeds/0", 'a run number, found "1"'),
    ({"grid": GRID, "exclude": [{"c": "none"}]}, "/exclude/0/c",
     'a dimension of the grid: cc, found "c"; did you mean cc?'),
    ({"grid": GRID, "exclude": [{"cc": ["nune"]}]}, "/exclude/0/cc",
     'a value of cc: dcqcn, none, found "nune"; did you mean none?'),
    ({"grid": GRID, "exclude": [{"cc": {"not": "nune"}}]}, "/exclude/0/cc/not",
     'a value of cc: dcqcn, none, found "nune"; did you mean none?'),
    ({"grid": GRID, "exclude": [{"cc": {"no": "none"}}]}, "/exclude/0/cc",
     'a value of cc, a list of some, or {"not": THOSE}, found another object'),
    ({"grid": GRID, "exclude": [{}]}, "/exclude/0",
     "an object of dimensions and their values, found an empty object"),
    ({"grid": GRID, "exclude": [{"cc": ["dcqcn", "none"]}]}, "/exclude",
     "combinations to be left, found rules that leave out all of them"),
    ({"grid": GRID, "keep": ["link.csv"]}, "/keep/0", "a file of a run: ops.csv, collectives.csv, "
     'flows.csv, links.csv, timeseries.csv, trace.json, fabric.json, found "link.csv"; did you mean links.csv?'),
    ({"grid": GRID, "name": 3}, "/name", "a text, found 3"),
]  # fmt: skip


@case
def wrong_files(bench):
    """each mistake in the file: its place, what is expected and what was meant"""
    for content, place, message in WRONG:
        bench.write("sweep.json", content)
        bench.expect_error(f"{bench.file}:{place}: error: expected {message}")
    assert not os.path.exists(bench.out)


@case
def refused_by_program(bench):
    """options that wl-replay refuses: all of them at once, at their places, before any run"""
    grid = {"cc": ["dcqcn", "dcqnc"], "network": {"a": {"routing": "ecmp"}, "b": {"routng": 1}}}
    bench.describe(grid, options={"workload": "none.txt"}, seeds=3)
    workload = f"{bench.file}: none.txt: error: no such file (with cc=dcqcn, network=a)"
    unknown = (
        f"{bench.file}:/grid/network/b/routng: error: expected an option (--help lists all), "
        "found '--routng' (with cc=dcqcn, network=b and 1 other)"
    )
    value = (
        f"{bench.file}:/grid/cc/1: error: expected dcqcn or none, found 'dcqnc'; did you mean "
        "dcqcn? (with cc=dcqnc, network=a)"
    )
    code, out, err = bench.run()
    assert (code, out) == (1, ""), (code, out, err)
    lines = [f"wl-sweep: {line}" for line in (workload, unknown, value)]
    assert err.splitlines()[1:] == lines, err
    assert bench.starts() == [] and bench.runs() == []


@case
def wrong_options(bench):
    """wrong options of the command line, and a directory that cannot be written"""
    bench.describe(GRID)
    help_ = "; ./wl-sweep --help lists what there is"
    bench.expect_error(f"error: unrecognized arguments: --nope{help_}", "--nope")
    for jobs in ("0", "x", "-1", "²"):
        message = f"--jobs: error: expected a whole number from 1 to 4096, found '{jobs}'"
        bench.expect_error(message, f"--jobs={jobs}")
    message = "--program: error: expected a program, found /no/such"
    bench.expect_error(message, "--program=/no/such")
    file = bench.write("file", "")
    message = f"error: no directory for the runs: {file}/out/runs: Not a directory"
    bench.expect_error(message, f"--output={file}/out")
    bench.expect_error(
        "error: no directory for the runs: /proc/out: No such file or directory",
        "--output=/proc/out",
    )


@case
def standard_output_lost(bench):
    """standard output that is full, closed or not read: exit code 2, one line, whole tables"""
    bench.describe({"cc": ["dcqcn", "none"]})
    expected = bench.sweep()
    reader, unread = os.pipe()
    os.close(reader)
    outputs = {"No space left on device": os.open("/dev/full", os.O_WRONLY)}
    outputs |= {"Broken pipe": unread, "Bad file descriptor": None}
    for reason, output in outputs.items():
        process = bench.start(stdout=output)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 2, (reason, process.returncode)
        assert err.splitlines()[-1] == f"wl-sweep: error: standard output: {reason}", err
        assert "Traceback" not in err and bench.tables() == expected, (reason, err)


@case
def tables_not_written(bench):
    """full disk: exit code 2, one line, no table that is not whole; afterwards it goes on"""
    bench.describe({"cc": ["dcqcn", "none"]})
    os.makedirs(bench.out)
    os.symlink("/dev/full", os.path.join(bench.out, ".summary.csv.new"))
    code, out, err = bench.run()
    assert (code, out) == (2, ""), (code, out)
    message = f"wl-sweep: error: {bench.out}/summary.csv: No space left on device"
    assert err.splitlines()[-1] == message, err
    assert sorted(os.listdir(bench.out)) == ["cost.csv", "effects.csv", "runs"], bench.out
    bench.sweep()
    assert len(bench.starts()) == 2
