# SPDX-License-Identifier: GPL-2.0-only
"""Cases of sweep-test.py: what it computes, against sums by hand."""

from program.bench import case
from program.sweep_bench import SweepBench

from workload_replay.report.statistics import mean_of
from workload_replay.sweeps.description import Choice, Dimension
from workload_replay.sweeps.effects import Point, analyse


def dimensions(**labels):
    return [Dimension(name, [Choice(x, {}) for x in text]) for name, text in labels.items()]


@case
def table_of_runs(bench: SweepBench):
    """results of a run: means of the ranks, and the largest"""
    bench.describe({"compute": [100]}, options={"bubble": 10, "dp": 7})
    bench.sweep()
    (row,) = bench.rows()
    # Rank 0: 101 compute, 12 bubble, 7 dp; rank 1: 101, 10, 7 and 2 pp.
    expected = {"iteration_ns": 120, "compute_ns": 101, "exposed_pp_ns": 1, "bubble_ns": 11,
                "pipeline_ns": 12, "pipeline_max_ns": 12, "exposed_pp_max_ns": 2,
                "bubble_max_ns": 12, "data_parallel_ns": 7, "exposed_dp_ns": 7, "idle_ns": 0,
                "messages": 1, "bytes_delivered": 7}  # fmt: skip
    found = {name: int(row[name]) for name in expected}
    assert found == expected, found
    assert not {"wall_s", "cpu_s"} & set(row)


@case
def table_of_combinations(bench):
    """mean and 95 % interval over seeds: of 1, 2, 3 and 100, 102 +- 4.303 / sqrt(3)"""
    bench.describe({"compute": [100, 200], "dp": [1]}, seeds=3)
    bench.sweep()
    first, second = bench.rows("summary.csv")
    assert (first["compute"], first["runs"], first["compute_ns"]) == ("100", "3", "102"), first
    assert first["compute_ns ci95"] == "2.484", first
    assert second["compute_ns"] == "202" and second["dp"] == "1", second
    bench.describe({"compute": [100]})
    bench.sweep()
    (row,) = bench.rows("summary.csv")
    assert row["compute_ns"] == "101" and row["compute_ns ci95"] == "", row


@case
def shares_of_variance(bench):
    """shares: two dimensions of effects 3 and 1, what they do together and seeds add up to 1"""
    # Effects of +-3, +-1, together +-2 and of the seeds +-1 have variances 9, 1, 4 and 1.
    signs = {"x": -1, "y": 1}
    points = [
        Point((a, b), n, 50 + 3 * signs[a] + signs[b] + 2 * signs[a] * signs[b] + 2 * n - 3)
        for a in "xy"
        for b in "xy"
        for n in (1, 2)
    ]
    found = analyse(points, dimensions(a="xy", b="xy"), 2)
    shares = [found.influences[0].share, found.influences[1].share, found.together, found.seeds]
    for share, expected in zip(shares, (9, 1, 4, 1)):
        assert abs(share - expected / 15) < 1e-12, shares
    assert found.mean == 50
    (first, second) = found.influences[0].effects
    # Both seeds see the same difference, 6; their means are 46 and 48.
    assert first.difference is None and second.difference.value == 6
    assert second.difference.half == 0 and first.mean.value == 47
    assert first.mean.half == mean_of([46, 48]).half > 0


@case
def matched_pairs(bench):
    """with combinations left out, differences are those of pairs that are equal in the rest"""
    # b adds 5 wherever it is; a adds 100; the combination (y, v) is left out.
    points = [
        Point((a, b), n, 100 * (a == "y") + 5 * (b == "v") + n)
        for a, b in (("x", "u"), ("x", "v"), ("y", "u"))
        for n in (1, 2, 3)
    ]
    found = analyse(points, dimensions(a="xy", b="uv"), 3)
    effect = found.influences[1].effects[1]
    assert (effect.difference.value, effect.difference.half) == (5, 0), effect
    assert effect.mean.value == 7 and found.together is None and found.seeds is None
    # Without a common combination there is no difference to tell.
    apart = [Point(("x", "u"), 1, 1.0), Point(("y", "v"), 1, 2.0)]
    assert analyse(apart, dimensions(a="xy", b="uv"), 1).influences[0].effects[1].difference is None
    assert analyse([], dimensions(a="xy"), 1) is None


@case
def table_of_effects(bench):
    """effects of a sweep, and what it prints of them: the dimension that matters comes first"""
    bench.describe({"bubble": [10, 30], "dp": [0, 4]})
    code, out, err = bench.run()
    assert code == 0, err
    blocks = out.split("\n\n")
    assert blocks[0].startswith("iteration time: 0.000 ms\n"), out
    rows = [row for row in bench.rows("effects.csv") if row["result"] == "pipeline_ns"]
    found = [(r["dimension"], r["share_of_variance"], r["value"], r["mean_ns"], r["difference_ns"])
             for r in rows]  # fmt: skip
    assert found == [
        ("bubble", "1.000000", "10", "12", ""),
        ("bubble", "1.000000", "30", "32", "20"),
        ("dp", "0.000000", "0", "22", ""),
        ("dp", "0.000000", "4", "22", "0"),
        ("(together)", "0.000000", "", "", ""),
        ("(seeds)", "0.000000", "", "", ""),
    ], found
    iteration = blocks[0].splitlines()
    assert iteration[2].split()[:3] == ["96.2", "%", "bubble"], iteration


@case
def labels_of_any_kind(bench):
    """names with commas, quotes, blanks, slashes and none of ASCII, in tables and directories"""
    names = ['a, "b"', "../../x", "größer / 4:1", "." * 300]
    bench.describe({"n": {name: {"dp": i} for i, name in enumerate(names)}})
    bench.sweep()
    assert [row["n"] for row in bench.rows()] == names
    for name in bench.runs():
        assert name.isascii() and len(name) < 150, name


@case
def equal_seeds(bench):
    """runs of other numbers with equal results: says that nothing is random"""
    bench.describe({"cc": ["none"]}, seeds=2)
    code, _, err = bench.run()
    assert code == 0 and "note:" not in err, err
    with open(bench.program, encoding="utf-8") as file:
        text = file.read().replace(' + int(given["run"])', "")
    with open(bench.program, "w", encoding="utf-8") as file:
        file.write(text)
    code, _, err = bench.run()
    assert code == 0 and "note: runs with other numbers have equal results" in err, err
