# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: wl-collective."""

import csv
import os

from program.bench import COLUMNS, TWO_HOSTS, case, expect_width


@case
def collective_help(bench):
    """wl-collective --help lists options and exits with 0"""
    code, out, err = bench.run("--help", program=bench.collective)
    assert (code, err) == (0, "")
    for option in ("kind", "ranks", "minBytes", "topology", "collective", "csv", "config"):
        assert f"\n  --{option}" in out, option
    assert max(map(len, out.splitlines())) <= 100


@case
def collective_csv(bench):
    """wl-collective --csv prints header and rows of the closed form, and nothing else"""
    arguments = ("--transport=ideal", "--minBytes=2000", "--maxBytes=4KiB", "--csv")
    code, out, err = bench.time(*arguments)
    assert (code, err) == (0, "")
    # two steps of half the bytes at 10 GB/s, each over two links of 1 us
    assert out == (
        f"{COLUMNS}\n2000,500,4.200000,0.476190,0.476190,ring\n"
        "4000,1000,4.400000,0.909091,0.909091,ring\n"
    ), out


@case
def collective_check(bench):
    """wl-collective --check: a line for each algorithm, right at all sizes; none that does nothing"""
    check = ("--check", "--ranks=12", "--gpusPerServer=8", "--maxBytes=5000", "--factor=7")
    # 1, 7, 49, 343, 2401 bytes, and a byte more of each.
    code, out, err = bench.run(*check, program=bench.collective)
    assert (code, err) == (0, ""), (code, err)
    head, *rows = out.splitlines()
    assert head == "# all-reduce, 12 ranks on 2 servers, 6 on each", head
    found = {row.split()[0]: " ".join(row.split()[1:]) for row in rows}
    for name in ("ring", "tree", "halving-doubling", "nvls", "hierarchical"):
        assert found.pop(name) == "right in 10 calls", (name, out)
    for name, text in found.items():
        assert text == "right in 10 calls" or text.startswith("not checked: "), (name, text)
    assert found["bucket"].startswith("not checked: "), found
    # Roots at both ends and in the middle.
    code, out, err = bench.run(
        *check, "--kind=broadcast", "--collective=chain", program=bench.collective
    )
    assert (code, err) == (0, "") and out.splitlines()[1:] == ["chain  right in 30 calls"], out
    code, out, err = bench.run("--check", "--kind=barrier", program=bench.collective)
    assert (code, err) == (0, "") and "halving-doubling  right in 1 call\n" in out, out


@case
def collective_kinds(bench):
    """wl-collective knows all kinds of collectives, on ideal, rdma and tcp"""
    for kind in (
        "all-reduce all-gather reduce-scatter all-to-all shift broadcast reduce gather scatter "
        "barrier"
    ).split():
        times = []
        for transport in ("ideal", "rdma", "tcp"):
            arguments = ["--transport=" + transport, "--kind=" + kind, "--csv"]
            if kind != "barrier":
                arguments += ["--minBytes=1MiB", "--maxBytes=1MiB"]
            code, out, err = bench.time(*arguments)
            assert (code, err) == (0, ""), (kind, transport, code, err)
            header, row = out.splitlines()
            assert header == COLUMNS, header
            times.append(float(row.split(",")[2]))
        # packets cost headers, and acknowledgements that take 2 us back; tcp has handshakes and
        # a slow start besides
        assert 0 < times[0] < times[1] < 1.1 * times[0] + 3, (kind, times)
        assert times[0] < times[2] < 3 * times[0] + 100, (kind, times)


def time_on_switches(bench, ranks, size, *arguments):
    """Time of an all-reduce by 18 NVSwitches without packets, us."""
    arguments += (f"--ranks={ranks}", f"--minBytes={size}", f"--maxBytes={size}", "--csv")
    arguments += ("--fabric=gb200-nvl72", "--collective=nvls", "--transport=ideal")
    code, out, err = bench.run(*arguments, program=bench.collective)
    assert (code, err) == (0, ""), (code, err)
    return float(out.splitlines()[1].split(",")[2])


@case
def collective_merged(bench):
    """wl-collective: on ideal 18 NVSwitches are one, which takes what they take"""
    apart = "--ns3::NvlsCollective::Merged=false"
    # Shares of all channels divide evenly; a piece ends up to a nanosecond later where each of
    # them is rounded up, and 4 to 32 pieces follow each other.
    for size in (18 * 8 * 64 << 10, 18 * 8 * 512 << 10):
        one = time_on_switches(bench, 8, size)
        all18 = time_on_switches(bench, 8, size, apart)
        assert 0 <= all18 - one <= 0.032, (size, one, all18)
    # A member sends its part of 1 GiB and what it is the head of, at 0.85 of 720 GB/s; links idle
    # for the time of 2 x 2 of the 57 pieces of 16 KiB of a share at most.
    least = (1 << 30) * (1 + 1 / 64) / (0.85 * 720e3)
    found = time_on_switches(bench, 64, 1 << 30) - 23
    assert least < found < least * (1 + 4 / 57), (least, found)
    text = "HYBRID_TRANSFORMER model_parallel_NPU_group: 8 ep: 1 pp: 1 ga: 1 all_gpus: 8\n"
    text += "1\nlayer -1 0 ALLREDUCE 9437184 0 NONE 0 0 NONE 0 0\n"
    arguments = ["--workload=" + bench.write("one.txt", text), "--fabric=gb200-nvl72"]
    arguments += ["--collective=all-reduce=nvls", "--transport=ideal"]
    few, many = (
        bench.check_whole(*arguments, *more)["run"]["events"] for more in ([], [apart])
    )
    # Messages that arrive together are one event, so not all of the 18 times as many are seen.
    assert 9 * few < many, (few, many)


@case
def collective_reference(bench):
    """wl-collective compares with a table, such as its own"""
    arguments = ("--maxBytes=64KiB", "--minBytes=4KiB")
    code, out, err = bench.time(*arguments, "--csv")
    assert (code, err) == (0, "")
    reference = "--reference=" + bench.write("reference.csv", out)
    code, table, err = bench.time(*arguments, reference)
    assert (code, err) == (0, "")
    rows = [line for line in table.splitlines() if not line.startswith("#")]
    assert len(rows) == 5 and all(row.endswith(" 1.000") for row in rows), table
    assert "geometric mean of max(ratio, 1 / ratio) less 1: 0.00 %" in table, table
    assert "# worst: " in table, table
    expect_width("\n".join(line for line in table.splitlines() if "#" in line))
    code, out, err = bench.time(*arguments, reference, "--csv")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == COLUMNS + ",reference_us,ratio", out
    assert all(row["ratio"] == "1.000000" for row in csv.DictReader(out.splitlines())), out


@case
def collective_advised(bench):
    """wl-collective says what the last size left idle of the network, and what uses it"""
    arguments = ["--kind=all-to-all", "--ranks=64", "--gpusPerServer=1", "--topology=dragonfly",
                 "--transport=fluid"]
    sizes = ["--minBytes=64KiB", "--maxBytes=16MiB", "--factor=256"]
    times = {}
    for remedy, isTold in (("--routing=ecmp", True), ("--routing=spray", False)):
        options = [*arguments, *sizes, remedy, "--ns3::DirectCollective::Concurrency=63"]
        code, out, err = bench.run(*options, program=bench.collective)
        assert (code, err) == (0, ""), (code, err)
        table, _, end = out.partition("\n#\n# last row    ")
        rows = [line.split() for line in table.splitlines() if not line.startswith("#")]
        # After all rows, and of the last one alone: in the first one nothing waits.
        assert [row[0] for row in rows] == ["65536", "16777216"], out
        told = " ".join(end.replace("#", " ").split())
        assert ("; --routing=spray uses all" in told) == isTold, (remedy, out)
        times[remedy] = float(rows[-1][2])
    assert times["--routing=spray"] < 0.95 * times["--routing=ecmp"], times
    code, out, err = bench.run(*arguments, "--minBytes=16MiB", "--csv", program=bench.collective)
    assert (code, err) == (0, "") and "last row" not in out and "#" not in out, out
    code, out, err = bench.time("--kind=all-reduce", "--minBytes=16MiB", "--maxBytes=16MiB")
    assert (code, err) == (0, "") and "last row" not in out, out


@case
def collective_dry_run(bench):
    """wl-collective --dryRun tells fabric and algorithms, and writes the fabric"""
    folder = bench.path("fabric")
    arguments = ("--dryRun", "--kind=broadcast", "--minBytes=64KiB", "--maxBytes=128KiB")
    code, out, err = bench.time(*arguments, "--outputDir=" + folder)
    assert (code, err) == (0, ""), (code, err)
    lines = [line.split() for line in out.splitlines()]
    assert "Fabric single-switch: 2 hosts, 1 switch, 0 NVSwitches, 2 links" in out, out
    assert ["65536", "bytes", "tree", "1"] in lines, out
    assert ["131072", "bytes", "chain", "1"] in lines, out
    assert sorted(os.listdir(folder)) == ["fabric.dot", "fabric.json"]


@case
def collective_errors(bench):
    """wl-collective exits with 1 and one line for wrong options, tables and pictures"""

    def expect_error(message, *arguments):
        bench.expect_error(message, *arguments, program=bench.collective)

    expect_error(
        "--rank: error: expected an option (--help lists all), found '--rank'; "
        "did you mean --ranks?",
        "--rank=8",
    )
    expect_error(
        "--servers: error: expected at most 8, a rank on each server, found 9",
        "--servers=9",
    )
    file = bench.write("wrong.csv", "time_us,size_bytes\n5,4096\nfast,8192\n")
    code, out, err = bench.run("--reference=" + file, program=bench.collective)
    assert (code, out) == (1, ""), (code, out)
    assert err.startswith(file + ":3:1: error: expected ") and err.count("\n") == 1, err
    file = bench.write("run.json", '{"kind": "shift", "world": 8}')
    expect_error(
        f"{file}:/world: error: expected an option (--help lists all), found 'world'",
        "--config=" + file,
    )
    expect_error(
        "--linkDown: error: expected a link of the topology (fabric.json of --dryRun lists them), "
        "found 'host0-host1'",
        *TWO_HOSTS,
        "--linkDown=host0-host1@0ns",
    )


@case
def collective_unfinished(bench):
    """collective that cannot finish: exit code 2, who waits, rows so far"""
    code, out, err = bench.time(
        "--minBytes=1000",
        "--maxBytes=1000000",
        "--factor=1000",
        "--linkDown=host1-switch0@50us",
        "--ns3::RdmaNic::RetransmissionTimeout=10us",
        "--csv",
    )
    assert code == 2, code
    assert [line.split(",")[0] for line in out.splitlines()] == ["size_bytes", "1000"], out
    lines = err.splitlines()
    assert lines[0] == "wl-collective: error: all-reduce of 1000000 bytes could not finish", err
    assert any("there is no path any more" in line for line in lines), err
    assert any("rank 1 waits in all-reduce" in line for line in lines), err
