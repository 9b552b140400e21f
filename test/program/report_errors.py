# SPDX-License-Identifier: GPL-2.0-only
"""Cases of report-test.py: wrong and missing files."""

import gzip
import json
import os

from program.bench import case
from program.report_bench import FILES, FLOWS, NONE, SUMMARY


@case
def no_summary(bench):
    """directory that is none, has no summary.json, or only files of an unfinished run"""
    folder = bench.path("nothing")
    expected = f"{folder}: error: expected the output directory of a run, found no such directory"
    bench.expect_error(expected, folder)
    os.mkdir(folder)
    expected = f"{folder}: error: expected a file summary.json, found "
    bench.expect_error(
        expected + f"none (wl-replay writes it with --outputDir={folder})", folder
    )
    bench.write("nothing/.ops.csv.new", "")
    bench.expect_error(expected + "files of a run that is under way or was killed", folder)


@case
def damaged_summary(bench):
    """summary.json that is cut, has other types or misses keys: where, and of which version"""
    path = bench.write("run/summary.json", '{"complete": true,\n  "ranks": [')
    expected = f"{path}:2:13: error: expected JSON, found the end of the file (a damaged file?)"
    bench.expect_error(expected, bench.path("run"))
    version = " (the file is of version 0.1.0 of the module)"

    def without(summary):
        del summary["ranks"][1]["bubble_ns"]

    bench.make_run("run", without)
    expected = f"{path}:/ranks/1/bubble_ns: error: expected a number, found nothing{version}"
    bench.expect_error(expected, bench.path("run"))
    bench.make_run("run", lambda summary: summary.update(complete="yes"))
    expected = f'{path}:/complete: error: expected true or false, found "yes"{version}'
    bench.expect_error(expected, bench.path("run"))
    bench.write("run/summary.json", "[]")
    bench.expect_error(f"{path}:/: error: expected an object, found []", bench.path("run"))


@case
def damaged_tables(bench):
    """tables with other columns or damaged rows"""
    folder = bench.make_run("run")
    path = bench.write("run/flows.csv", "src_rank,dst_rank\n0,1\n")
    expected = f"{path}:1: error: expected a column communicator, found src_rank, dst_rank "
    bench.expect_error(expected + "(another version?)", folder)
    bench.write("run/flows.csv", FLOWS + "0,1,dp0,0,10")
    code, _, err = bench.report(folder)
    assert code == 1 and err.startswith(f"wl-report: {path}: error: expected rows"), err
    bench.write("run/flows.csv", "")
    code, _, err = bench.report(folder)
    assert code == 1 and err.startswith(f"wl-report: {path}:1: error: expected a line"), err


@case
def missing_tables(bench):
    """tables that were not asked for: the page is there, sections say what they miss"""
    folder = bench.make_run("run", without=FILES)
    page = bench.page(folder)
    for name in ("ops.csv", "flows.csv", "collectives.csv", "links.csv", "fabric.json"):
        assert f"no {name}" in page, name
    # Time by rank and stage and exposed communication are in summary.json.
    assert page.count("<svg") == 3, page.count("<svg")


def with_messages(summary):
    for rank, hidden in zip(summary["ranks"], (60, 20)):
        rank["hidden_ns"] = {**NONE, "dp": hidden}
    times = {"mean": 107, "median": 100, "p90": 100, "p99": 200, "max": 800}
    entry = {"dimension": "dp", "count": 100, "bytes": 102400}
    for name, value in times.items():
        entry[f"{name}_ns"] = value
        entry[f"{name}_slowdown"] = value / 100
    summary["messages"] = [entry]


@case
def summary_for_tables(bench):
    """without ops.csv and flows.csv: hidden communication and message times of summary.json"""
    folder = bench.make_run("run", with_messages, without=("ops.csv", "flows.csv"))
    page = bench.page(folder)
    # A mean of 60 and 20 hidden, and 50 exposed.
    row = '<td>dp</td><td class="n">50 ns</td><td class="n">5.0 %</td><td class="n">40 ns</td>'
    assert row in page and "receiving a message counts, too" in page
    row = '<td>dp</td><td class="n">100</td><td class="n">100 KiB</td>'
    for cell in ("107 ns", "100 ns", "200 ns", "800 ns", "1.00", "2.00", "8.00"):
        row += f'<td class="n">{cell}</td>'
    assert row in page, page[page.index("Message times") :][:3000]
    # With the tables, what they say wins: rank 0 hides 50 of its message, rank 1 50 of dp.
    page = bench.page(bench.make_run("run", with_messages))
    row = '<td>dp</td><td class="n">50 ns</td><td class="n">5.0 %</td><td class="n">25 ns</td>'
    assert row in page and "107 ns" not in page


@case
def damaged_messages(bench):
    """summary.json whose later keys are damaged: where"""
    path = bench.path("run/summary.json")

    def change(summary):
        with_messages(summary)
        del summary["messages"][0]["p99_slowdown"]

    folder = bench.make_run("run", change)
    version = " (the file is of version 0.1.0 of the module)"
    expected = f"{path}:/messages/0/p99_slowdown: error: expected a number, found nothing{version}"
    bench.expect_error(expected, folder)

    def other(summary):
        with_messages(summary)
        summary["ranks"][1]["hidden_ns"]["ep"] = "none"

    bench.make_run("run", other)
    expected = f'{path}:/ranks/1/hidden_ns/ep: error: expected a number, found "none"{version}'
    bench.expect_error(expected, folder)


@case
def waits_in_no_dimension(bench):
    """communication of all ranks, which few workloads have, is a part of the time, too"""

    def change(summary):
        rank = summary["ranks"][0]
        rank["exposed_ns"] = {**NONE, "world": 200}

    page = bench.page(bench.make_run("run", change))
    assert '<td>exposed world</td><td class="n">100 ns</td>' in page


@case
def damaged_compressed_files(bench):
    """compressed files that are cut, or are none of gzip"""
    folder = bench.make_run("run")
    os.remove(os.path.join(folder, "summary.json"))
    path = bench.write("run/summary.json.gz", gzip.compress(json.dumps(SUMMARY).encode())[:-9])
    code, _, err = bench.report(folder)
    assert code == 1 and err.startswith(f"wl-report: {path}: error: cannot be read: "), err
    bench.write("run/summary.json.gz", "{}")
    code, _, err = bench.report(folder)
    assert code == 1 and err.startswith(f"wl-report: {path}: error: cannot be read: "), err


@case
def incomplete_run(bench):
    """run that did not finish: the page says so first, even without an iteration"""

    def change(summary):
        summary.update(complete=False, iterations=[])

    page = bench.page(bench.make_run("run", change))
    assert "This run is not complete" in page and "No iteration was finished" in page


@case
def empty_tables(bench):
    """tables with a header alone"""
    folder = bench.make_run("run")
    for name, content in FILES.items():
        bench.write(f"run/{name}", content.splitlines()[0] + "\n")
    page = bench.page(folder)
    assert "No message arrived" in page and "the ideal network has no links" in page


@case
def wrong_options(bench):
    """wrong options: nothing written"""
    help_ = "; ./wl-report --help lists what there is"
    bench.expect_error("error: the following arguments are required: DIR" + help_)
    folder = bench.make_run("run")
    bench.expect_error(f"error: unrecognized arguments: --nope{help_}", folder, "--nope")
    bench.expect_error(f"error: {folder} is given twice", folder, folder)
    message = "error: --format is that of the files of --figures, which is not given"
    bench.expect_error(message, folder, "--format=pdf")
    assert "report.html" not in os.listdir(folder)
    file = bench.write("file", "")
    code, _, err = bench.report(folder, f"--output={file}/page.html")
    assert code == 1 and "Traceback" not in err and str(file) in err, err


@case
def other_directory(bench):
    """page goes to the first directory if nothing else is said"""
    folder = bench.make_run("run", lambda summary: summary.update(assumptions=[]))
    code, out, err = bench.report(folder)
    assert (code, err) == (0, "") and out == f"wrote {folder}/report.html\n", (out, err)
    assert SUMMARY["assumptions"], "the table of the bench must not change"


@case
def page_not_written(bench):
    """full disk: exit code 1, one line, the page of before is still there, no other file"""
    folder = bench.make_run("run")
    page = bench.write("run/report.html", "earlier")
    os.symlink("/dev/full", bench.path("run/.report.html.new"))
    bench.expect_error(f"error: {page}: No space left on device", folder)
    with open(page, encoding="utf-8") as file:
        assert file.read() == "earlier"
    assert not [name for name in os.listdir(folder) if name.startswith(".")]


@case
def standard_output_lost(bench):
    """standard output that is full, closed or not read: exit code 1, one line, the page is whole"""
    folder = bench.make_run("run")
    bench.page(folder)
    with open(bench.path("page.html"), "rb") as file:
        page = file.read()
    reader, unread = os.pipe()
    os.close(reader)
    outputs = {"No space left on device": os.open("/dev/full", os.O_WRONLY)}
    outputs |= {"Broken pipe": unread, "Bad file descriptor": None}
    for reason, output in outputs.items():
        for arguments in ([folder], ["--help"]):
            code, err = bench.lose(output, *arguments)
            assert code == 1, (reason, arguments, code)
            assert err == f"wl-report: error: standard output: {reason}\n", (reason, err)
        with open(folder + "/report.html", "rb") as file:
            assert file.read() == page, reason
        os.remove(folder + "/report.html")
