# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: what --dryRun says that each level costs, and tables of levels."""

import csv
import os
import re
import sys

from program.bench import WORKLOADS, case

REPRODUCE = os.path.join(WORKLOADS, "../../utils/reproduce")
STEP_TIMES = os.path.join(WORKLOADS, "../models/step-times.csv")
PAGE = os.path.join(WORKLOADS, "../../doc/truth.rst")

RING = ["--collective=all-reduce=ring", "--gpusPerServer=1", "--topology=single-switch"]


def told(out):
    """What a dry run says of the levels: the estimate of each by name, and the line of traffic."""
    rows = dict(re.findall(r"--transport=(\w+) +(below 1 s|[\d.]+ to [\d.]+ (?:s|min|h))", out))
    return rows, re.search("Per iteration: (.*)", out)[1]


@case
def levels_counted(bench):
    """levels: --dryRun counts messages, bytes and packet-hops of a ring"""
    code, out, err = bench.replay("--dp=8", "--dryRun", *RING)
    assert (code, err) == (0, ""), (code, err)
    rows, traffic = told(out)
    # Each of 8 sends 2 * 7 messages of an eighth of 1 MB: 31 packets of 4096 bytes over two links.
    messages = 8 * 14
    expected = f"8 ranks, 8 queue pairs, {messages} messages, {messages * 125000 / 1e6:.1f} M bytes, "
    assert traffic == f"{expected}{messages * 31 * 2} packet-hops", traffic
    assert rows == {"ideal": "below 1 s", "fluid": "below 1 s", "rdma": "below 1 s"}, rows


@case
def levels_ranked(bench):
    """levels: --dryRun finds packets dearer than a fluid, and says which levels are faster"""
    file = os.path.join(WORKLOADS, "layers-1024gpu-tp8-pp16.simai.txt")
    arguments = ["--workload=" + file, "--dryRun"]
    code, out, err = bench.run(*arguments, "--exact=on")
    assert (code, err) == (0, ""), (code, err)
    # 54 billion packet-hops are hours at 0.2 us each.
    assert told(out)[0]["rdma"].endswith(" h"), out
    assert "note: packets whose ports are shared take long" in out, out
    code, out, err = bench.run(*arguments)
    assert (code, err) == (0, "") and "note: packets" not in out, (code, out, err)
    assert not told(out)[0]["rdma"].endswith(" h"), out


@case
def levels_table(bench):
    """levels: utils/reproduce prints commands, and a case at all levels"""
    program = "--program=" + bench.program
    code, out, err = bench.run(REPRODUCE, "levels", program, "--commands", program=sys.executable)
    assert (code, err) == (0, ""), (code, err)
    assert len(out.splitlines()) > 3 * 12 and "--transport=fluid" in out, out
    only = ["--only=incast of 16", "--seeds=1"]
    code, out, err = bench.run(REPRODUCE, "levels", program, *only, program=sys.executable)
    assert (code, err) == (0, ""), (code, err)
    found = re.search(r"incast of 16 +([\d.]+) +([\d.]+) +([\d.]+) ", out)
    ideal, fluid, rdma = map(float, found.groups())
    # 16 times 8 MiB through a port of 400 Gb/s take 2.68 ms.
    least = 16 * 2**23 * 8 / 400e6
    assert least <= ideal <= min(fluid, rdma) and ideal < 1.01 * least, (least, out)


@case
def levels_fluid(bench):
    """levels: utils/reproduce prints a case as a fluid and by packets, with each congestion control"""
    arguments = ["fluid", "--program=" + bench.program, "--only=incast", "--seeds=2"]
    code, out, err = bench.run(REPRODUCE, *arguments, program=sys.executable)
    assert (code, err) == (0, ""), (code, err)
    rows = re.findall(r"^incast +(\w+) +2 +([\d.]+) \S+ +[\d.]+ +([\d.]+) \S+ +[\d.]+ +([-+][\d.]+) %", out, re.M)
    assert [row[0] for row in rows] == ["dcqcn", "ref", "hpcc", "swift", "none"], out
    # As above; and without control all that comes in waits at the port, which never rests.
    least = 16 * 2**23 * 8 / 400e6
    for control, packets, fluid, error in rows:
        assert float(packets) > least and float(fluid) > least, (control, least, out)
        assert abs(100 * (float(fluid) / float(packets) - 1) - float(error)) < 0.1, (control, out)
    assert float(rows[-1][2]) < 1.03 * least, (least, out)
    for wrong, message in (
        ("--only=incas", "--only: expected one of 'all-to-all', "),
        ("--seeds=0", "--seeds: expected 1 or more, found 0"),
    ):
        code, _, err = bench.run(REPRODUCE, *arguments[:2], wrong, program=sys.executable)
        assert code == 2 and message in err and "Traceback" not in err, (code, err)


@case
def levels_nvlink(bench):
    """levels: an all-to-all over 1 and 18 NVSwitches takes as long as a fluid as by packets"""
    exchange = ["--kind=all-to-all", "--ranks=64", "--minBytes=16MiB", "--maxBytes=16MiB", "--fabric=gb200-nvl72"]
    for switches in ("--nvSwitches=1", "--nvSwitches=18"):
        times = {}
        for transport in ("fluid", "rdma"):
            options = [*exchange, switches, "--transport=" + transport]
            code, out, err = bench.run(*options, program=bench.collective)
            assert (code, err) == (0, ""), (code, err)
            times[transport] = float(re.search(r"^ +16777216 +65536 +([\d.]+)", out, re.M)[1])
        # Packets of eight messages alternate, and each ends a packet after the one before it: rounds
        # drift apart, so that ports do not idle where all wait. Alike they would take a third more.
        assert abs(times["fluid"] / times["rdma"] - 1) < 0.02, (switches, times)


@case
def levels_torus(bench):
    """levels: an all-to-all where hosts forward takes as long as a fluid as by packets"""
    for dims, ranks, controls, tolerance in (
        # One message after another, each between neighbours: windows are open when the next begins.
        ("4x4x4", 64, "dcqcn swift hpcc", 0.08),
        # Hosts forward to each other around rings of five and eight.
        ("2x5x8", 80, "dcqcn swift", 0.02),
    ):
        for control in controls.split():
            options = ["--kind=all-to-all", "--gpusPerServer=1", f"--topology=torus:dims={dims}"]
            options += [f"--ranks={ranks}", "--minBytes=4MiB", "--maxBytes=16MiB", "--factor=4", "--cc=" + control]
            times = {}
            for transport in ("fluid", "rdma"):
                code, out, err = bench.run(*options, "--transport=" + transport, program=bench.collective)
                assert (code, err) == (0, ""), (code, err)
                times[transport] = [float(time) for time in re.findall(r"^ +\d+ +\d+ +([\d.]+)", out, re.M)]
            assert len(times["rdma"]) == 2, times
            for fluid, packets in zip(*times.values()):
                assert abs(fluid / packets - 1) < tolerance, (dims, control, times)


@case
def levels_pauses(bench):
    """levels: ports are paused for as long as a fluid as by packets"""
    with open(os.path.join(WORKLOADS, "all-to-all.tsv"), encoding="utf-8") as file:
        traffic = bench.write("all-to-all.tsv", file.read().replace("33554432", "8388608"))
    arguments = ["--workload=" + traffic, "--world=16", "--gpusPerServer=1", "--topology=dragonfly", "--cc=none"]
    paused = {}
    for transport in ("fluid", "rdma"):
        folder = bench.path(transport)
        code, out, err = bench.run(*arguments, "--transport=" + transport, "--outputDir=" + folder)
        assert (code, err) == (0, ""), (code, err)
        times = [int(row["pfc_pause_ns"]) for row in bench.rows(transport, "links.csv")]
        # Without congestion control nothing but pauses keeps buffers from overflowing.
        assert 0 < max(times) < bench.summary(transport)["iterations"][0]["time_ns"], (transport, out)
        paused[transport] = [max(times), sum(times)]
    for fluid, packets in zip(*paused.values()):
        assert abs(fluid / packets - 1) < 0.05, paused


def read_step_times():
    """Rows of the table of step times: kind, job, options, measured, simulated, source."""
    with open(STEP_TIMES, newline="", encoding="utf-8") as file:
        return [list(row.values()) for row in csv.DictReader(file)]


@case
def truth_row(bench):
    """truth: utils/reproduce simulates a row anew, which has the time that its table says"""
    program = "--program=" + bench.program
    job = "MPT 7B; 8 A100"
    code, out, err = bench.run(REPRODUCE, "truth", program, "--only=" + job, program=sys.executable)
    assert (code, err) == (0, ""), (code, err)
    (row,) = (row for row in read_step_times() if row[1] == job)
    found = re.search(re.escape(job) + r" +([\d.]+) +([\d.]+) +([-+][\d.]+) ", out)
    measured, simulated, error = map(float, found.groups())
    assert measured == float(row[3]), (row, out)
    assert abs(simulated / float(row[4]) - 1) < 1e-3, (row, out)
    # One row: its error is bias, mean and worst, and nothing is spread.
    said = [f"{error:+.1f}", f"{abs(error):.1f}", "0.0", f"{error:+.1f}"]
    assert out.splitlines()[-1].split() == ["fsdp", "1", *said], (said, out)
    assert abs(100 * (simulated / measured - 1) - error) < 0.06, out
    code, out, err = bench.run(REPRODUCE, "truth", program, "--only=no job", program=sys.executable)
    assert code == 1 and "--only: error: expected dense, fsdp," in err and "found no job" in err, (code, out, err)


@case
def truth_page(bench):
    """truth: the page has the rows of the table, and the report what they come to"""
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    errors = []
    for kind, job, _, measured, simulated, source in read_step_times():
        error = 100 * (float(simulated) / float(measured) - 1)
        line = rf" {kind} +{re.escape(job)} +[\d.]+ +[\d.]+ +{re.escape(f'{error:+.1f}')} +{re.escape(source)}"
        assert re.search(line, page), line
        if kind == "fsdp":
            errors.append(error)
    arguments = ["--model=mpt-7b", "--world=8", "--zero=3", "--transport=ideal"]
    told = bench.check_whole(*arguments)["assumptions"]
    mean = sum(map(abs, errors)) / len(errors)
    (quoted,) = (text for text in told if "published" in text)
    found = re.search(r"\(fsdp\) are ([\d.]+) % off in the mean of (\d+) published", quoted)
    assert abs(float(found[1]) - mean) < 0.06 and int(found[2]) == len(errors), (quoted, mean)
    # Whose speed is known for this job is not judged by others.
    told = bench.check_whole(*arguments, "--efficiency=0.9")["assumptions"]
    assert not any("published" in text for text in told), told
