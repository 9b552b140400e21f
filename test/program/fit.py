# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: fabrics fitted to measured tables."""

import json
import re

from program.bench import case, expect_width

# Servers of one GPU, so that nothing but launch, network and NIC takes time.
BASE = {
    "fabric": "h100",
    "gpusPerServer": 1,
    "nicsPerServer": 1,
    "nicRate": "100Gbps",
    "linkDelay": "1us",
    "ns3::PointToPointFlow::Latency": "0us",
}

LAUNCH = 20  # us
EXTRA = 10  # us
RATE = 10e3  # bytes per us

KEYS = {
    "launch": "ns3::CollectiveCosts::LaunchLatency",
    "extra": "ns3::CollectiveCosts::NetworkExtraLatency",
    "rate": "nicRate",
}


def closed_form(ranks, size):
    """Time of a ring of ranks alone in their servers, with Simple, us.

    The call takes its launch and 8.4 us, each of the 2 (n - 1) steps 14 us, which hold the
    propagation of both links, what the network takes beyond that, and its share of the bytes.
    """
    steps = 2 * (ranks - 1)
    return LAUNCH + 8.4 + steps * (14 + EXTRA + size / ranks / RATE)


def write_table(bench, ranks, change=None):
    """Write the times of the closed form, one of them changed."""
    rows = ["size_bytes,time_us"]
    for size in (1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 22, 1 << 25):
        rows.append(f"{size},{closed_form(ranks, size) * (change or {}).get(size, 1)}")
    return bench.write(f"ring-{ranks}.csv", "\n".join(rows) + "\n")


def fit(bench, logs, *more):
    """Fit the base to tables; returns what is printed and the fabric."""
    base = bench.write("base.json", json.dumps(BASE))
    output = bench.path("fitted.json")
    arguments = ["--fit=" + ",".join(logs), "--fabric=" + base, "--output=" + output]
    arguments += ["--topology=single-switch", "--collective=ring/simple", *more]
    code, out, err = bench.run(*arguments, program=bench.collective)
    assert (code, err) == (0, ""), (code, err)
    expect_width(out)
    with open(output) as file:
        return out, json.load(file)


def number(text):
    """The number that a value begins with."""
    return float(re.match(r"[\d.]+", text).group())


def expect_close(fabric, least, most):
    """Parameters are those of the closed form, within a factor."""
    for name, value in (("launch", LAUNCH), ("extra", EXTRA), ("rate", RATE * 8 / 1000)):
        found = number(fabric[KEYS[name]])
        assert least < found / value < most, (name, found, value)


@case
def fit_closed_form(bench):
    """wl-collective --fit recovers the parameters that tables were made with"""
    logs = [
        write_table(bench, 2) + ":kind=all-reduce,ranks=2,servers=2",
        write_table(bench, 6) + ":kind=all-reduce,ranks=6,servers=6",
    ]
    out, fabric = fit(bench, logs)
    expect_close(fabric, 0.9, 1.1)
    for line in out.splitlines():
        if line.startswith("left out"):
            assert number(line.split()[2]) < 5, line
        if "NVLink" in line or "NVLS" in line:
            assert "stays: no row depends on it" in line, line
    assert "contradict" not in out, out
    # The file is a fabric: a call of it takes what the table says.
    size = 1 << 18
    code, out, err = bench.run(
        "--fabric=" + bench.path("fitted.json"),
        "--topology=single-switch",
        "--collective=ring/simple",
        "--transport=ideal",
        "--ranks=6",
        "--servers=6",
        f"--minBytes={size}",
        f"--maxBytes={size}",
        "--csv",
        program=bench.collective,
    )
    assert (code, err) == (0, ""), (code, err)
    assert 0.95 < float(out.splitlines()[1].split(",")[2]) / closed_form(6, size) < 1.05, out


@case
def fit_contradiction(bench):
    """wl-collective --fit names rows that contradict each other, and is not bent by them"""
    logs = [
        write_table(bench, 2) + ":kind=all-reduce,ranks=2,servers=2",
        write_table(bench, 6, {1 << 12: 3}) + ":kind=all-reduce,ranks=6,servers=6",
    ]
    out, fabric = fit(bench, logs)
    expect_close(fabric, 0.8, 1.25)
    wrong = closed_form(6, 1 << 12) * 3
    right = closed_form(6, 1 << 14)
    text = f"4096 bytes in {wrong:.1f} us, but 16384 bytes in {right:.1f} us"
    assert text in out.split("rows that contradict each other")[1], out


@case
def fit_bounds(bench):
    """wl-collective --fit keeps to what is possible, and says so"""
    # Ten times the rate of the line.
    rows = "".join(f"{1 << n},{100 + (1 << n) / 125e3}\n" for n in (24, 26, 28))
    log = bench.write("fast.csv", "size_bytes,time_us\n" + rows)
    out, fabric = fit(bench, [log], "--kind=all-reduce", "--ranks=2", "--servers=2")
    assert number(fabric["nicRate"]) == 100, fabric
    assert "NIC, Gb/s: at its bound, the line's rate" in out, out


@case
def fit_log(bench):
    """wl-collective --fit takes kind, ranks and servers from nccl-tests' log itself"""
    lines = [f"#  Rank  {i} Group  0 Pid  {7 + i} on node{i} device  0 [0x53] GPU" for i in (0, 1)]
    for size in (1 << 20, 1 << 22):
        time = closed_form(2, size)
        rate = size / time / 1000
        lines.append(f"{size} {size // 4} float sum -1 {time} {rate} {rate} 0 1 1 1 0")
    out, fabric = fit(bench, [bench.write("two.log", "\n".join(lines) + "\n")])
    assert "two.log: all-reduce, 2 ranks on 2 servers, 2 sizes" in out, out
    assert fabric["source"].startswith("Fitted by wl-collective"), fabric


@case
def fit_log_of_several(bench):
    """wl-collective --fit makes a table of each number of ranks in a log"""
    lines = ["# Collective test starting: all_reduce_perf"]
    for ranks in (1, 2, 6):
        for rank in range(ranks):
            place = f"Pid  {ranks}{rank} on node{rank} device  0 [0x53] GPU"
            lines.append(f"#  Rank  {rank} Group  0 {place}")
        for size in (1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 22, 1 << 25):
            # A rank alone takes no time that the others know of.
            time = closed_form(ranks, size) if ranks > 1 else 1
            lines.append(f"{size} {size // 4} float sum -1 {time} 0 0 0 1 1 1 0")
    log = bench.write("several.log", "\n".join(lines) + "\n")
    out, fabric = fit(bench, [log])
    expect_close(fabric, 0.9, 1.1)
    for ranks in (2, 6):
        table = f"several.log: all-reduce, {ranks} ranks on {ranks} servers, 6 sizes; left out: "
        assert table + "all-reduce of 1 rank on 1 server" in " ".join(out.split()), out
    assert "contradict" not in out, out
    out, _ = fit(bench, [log + ":ranks=6"])
    assert "all-reduce, 2 ranks" not in out, out
    # The same log to compare with: one of its runs, and a run of other ranks.
    arguments = ("--minBytes=4KiB", "--maxBytes=4KiB", "--transport=ideal", "--reference=" + log)
    code, out, err = bench.run(*arguments, "--ranks=6", "--servers=6", program=bench.collective)
    assert (code, err) == (0, ""), (code, err)
    row = [line for line in out.splitlines() if not line.startswith("#")][0]
    assert f" {closed_form(6, 1 << 12):.3f} " in row, out
    left = "left out: all-reduce of 1 rank on 1 server, all-reduce of 2 ranks on 2 servers"
    assert left in " ".join(out.replace("#", " ").split()), out
    code, out, err = bench.run(*arguments, "--ranks=6", "--servers=3", program=bench.collective)
    assert code == 1 and "runs of 6 ranks on 3 servers, as is asked for" in err, err


@case
def reference_of_other_ranks(bench):
    """wl-collective --reference says that a log is of other ranks than are simulated"""
    lines = [f"#  Rank  {i} Group  0 Pid  {7 + i} on node0 device  {i} [0x53] GPU" for i in (0, 1)]
    lines.append("4096 1024 float sum -1 10 0 0 0 1 1 1 0")
    log = bench.write("two.log", "\n".join(lines) + "\n")
    arguments = ("--minBytes=4KiB", "--maxBytes=4KiB", "--transport=ideal", "--reference=" + log)
    code, out, err = bench.run(*arguments, "--ranks=4", program=bench.collective)
    assert (code, err) == (0, ""), (code, err)
    assert "measured on 2 ranks on 1 server, not on 4 ranks on 1 server" in " ".join(
        out.replace("#", " ").split()
    ), out
