# SPDX-License-Identifier: GPL-2.0-only
"""Cases of sweep-test.py: sweeps that are killed or interrupted, and runs that fail."""

import os
import random
import signal
import time

from program.bench import case

GRID = {"cc": ["dcqcn", "none"], "routing": ["ecmp", "spray"]}


def is_running(process):
    """Whether a process runs, which one that has ended but was not waited for does not."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


def expect_ended(bench):
    """All runs must end at once, although nobody waits for them."""
    deadline = time.monotonic() + 5
    while any(is_running(start["pid"]) for start in bench.starts()):
        assert time.monotonic() < deadline, "runs outlive the sweep"
        time.sleep(0.01)


def reference(bench):
    """The tables of a sweep that nobody disturbs, in another directory."""
    bench.out = bench.path("undisturbed")
    tables = bench.sweep()
    os.remove(bench.path("starts"))
    bench.out = bench.path("out")
    return tables


@case
def killed(bench):
    """kill -9 after any start of a run, or at any time, and started again: the same tables"""
    bench.describe(GRID, seeds=2)
    expected = reference(bench)
    bench.write("slow", "0.15")
    for count in range(1, 9):
        process = bench.start("--jobs=2")
        bench.wait_for_starts(len(bench.starts()) + 1)
        time.sleep(0.02 * count)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        expect_ended(bench)
        finished = len(bench.runs())
        if finished < 8:
            assert not os.path.exists(os.path.join(bench.out, "sweep.csv"))
        else:
            break
    before = len(bench.starts())
    missing = 8 - len(bench.runs())
    assert bench.sweep("--jobs=2") == expected
    assert len(bench.starts()) == before + missing
    assert not os.path.exists(os.path.join(bench.out, "unfinished"))


@case
def no_orphans(bench):
    """kill -9: runs that would take a minute end with the sweep"""
    bench.describe(GRID)
    bench.write("slow", "60")
    process = bench.start("--jobs=2")
    bench.wait_for_starts(2)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    expect_ended(bench)


@case
def killed_at_random(bench):
    """kill -9 at 12 moments from the first to the last: the same tables, results are not lost"""
    bench.describe(GRID, seeds=3)
    expected = reference(bench)
    chance = random.Random(1)
    for _ in range(12):
        known = len(bench.runs()) if os.path.isdir(bench.out + "/runs") else 0
        process = bench.start("--jobs=3")
        time.sleep(chance.uniform(0.02, 0.45))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        expect_ended(bench)
        if os.path.isdir(bench.out + "/runs"):
            assert len(bench.runs()) >= known
    assert bench.sweep("--jobs=3") == expected


@case
def killed_writing(bench):
    """what is left of files that were being written does not count"""
    bench.describe(GRID)
    expected = bench.sweep()
    name = bench.runs()[0]
    os.remove(os.path.join(bench.out, "runs", name, "sweep-run.json"))
    bench.write(f"out/runs/{bench.runs()[1]}/summary.json", '{"complete": tr')
    bench.write("out/unfinished/dead-run/summary.json", "{}")
    bench.write("out/.sweep.csv.new", "half a ta")
    assert bench.sweep() == expected
    assert len(bench.starts()) == 6
    assert sorted(os.listdir(bench.out)) == [
        "cost.csv", "effects.csv", "runs", "summary.csv", "sweep.csv"
    ]  # fmt: skip


def interrupt(bench, number):
    bench.describe(GRID, seeds=3)
    expected = reference(bench)
    bench.describe(GRID, seeds=1)
    bench.sweep()
    bench.describe(GRID, seeds=3)
    bench.write("slow", "0.15")
    process = bench.start("--jobs=2")
    bench.wait_for_starts(7)
    os.killpg(process.pid, number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 2 and out == "", (process.returncode, out, err)
    assert "the same command goes on" in err.splitlines()[-1] and "Traceback" not in err, err
    expect_ended(bench)
    # The tables of the four runs that were done before are none of this sweep.
    assert not os.path.exists(os.path.join(bench.out, "sweep.csv"))
    done = len(bench.runs())
    before = len(bench.starts())
    assert 4 < done < 12, done
    assert bench.sweep() == expected
    assert len(bench.starts()) == before + 12 - done


@case
def interrupted(bench):
    """Ctrl-C: runs end, exit code 2, how to go on; then the same tables"""
    interrupt(bench, signal.SIGINT)


@case
def terminated(bench):
    """SIGTERM, as batch systems send it: the same"""
    interrupt(bench, signal.SIGTERM)


@case
def failed_runs(bench):
    """failed and crashed runs: reported, the others go on, the next start tries again"""
    grid = {"act": ["flaky", "fine", "silent", "crash"], "cc": ["dcqcn", "none"]}
    bench.describe(grid, exclude=[{"act": ["silent", "crash"], "cc": "none"}])
    code, out, err = bench.run()
    assert code == 2, (code, out, err)
    words = "act=flaky, cc=dcqcn, run=1 and 1 other: exit code 1: stand-in: error: flaky"
    assert f"failed: {words}\n" in err, err
    assert "failed: act=crash, cc=dcqcn, run=1: SIGSEGV" in err, err
    assert "failed: act=silent, cc=dcqcn, run=1: exit code 0, but " in err, err
    assert "4 runs failed, and the tables miss them; the next start tries again" in err, err
    assert [row["act"] for row in bench.rows()] == ["fine", "fine"]
    bench.write("mended", "")
    code, _, err = bench.run()
    assert code == 2 and "2 runs failed" in err and len(bench.starts()) == 10, err
    assert [row["act"] for row in bench.rows()] == ["flaky", "flaky", "fine", "fine"]


@case
def incomplete_runs(bench):
    """a replay that cannot finish is a result without numbers; an interrupted one is none"""
    bench.describe({"act": ["fine", "stall"]}, seeds=2)
    code, _, err = bench.run()
    assert code == 0 and "2 replays could not finish" in err, err
    rows = bench.rows()
    assert [row["complete"] for row in rows] == ["true", "true", "false", "false"]
    assert rows[0]["bubble_ns"] == "1" and rows[2]["bubble_ns"] == "", rows
    found = [(r["runs"], r["incomplete"], r["bubble_ns"]) for r in bench.rows("summary.csv")]
    assert found == [("2", "0", "1"), ("0", "2", "")], found
    bench.sweep()
    assert len(bench.starts()) == 4
    bench.describe({"act": ["interrupted"]})
    code, _, err = bench.run()
    assert code == 2 and "failed: act=interrupted" in err and bench.rows() == [], err


@case
def two_at_once(bench):
    """a second wl-sweep in the same directory is refused, while the first goes on"""
    bench.describe(GRID, seeds=2)
    bench.write("slow", "0.15")
    first = bench.start("--jobs=1")
    bench.wait_for_starts(1)
    code, out, err = bench.run()
    assert (code, out) == (1, ""), (code, out, err)
    assert err == f"wl-sweep: {bench.out}: error: another wl-sweep works there\n", err
    first.communicate(timeout=60)
    assert first.returncode == 0 and len(bench.starts()) == 8
