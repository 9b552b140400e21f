# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: wl-collective."""

import csv
import os
import xml.dom.minidom

from program.bench import COLUMNS, TWO_HOSTS, case, expect_width


@case
def collective_help(bench):
    """wl-collective --help lists options and exits with 0"""
    code, out, err = bench.run("--help", program=bench.collective)
    assert (code, err) == (0, "")
    for option in ("kind", "ranks", "minBytes", "topology", "collective", "csv", "plot", "config"):
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


@case
def collective_reference(bench):
    """wl-collective compares with a table, such as its own, and draws both"""
    arguments = ("--maxBytes=64KiB", "--minBytes=4KiB")
    code, out, err = bench.time(*arguments, "--csv")
    assert (code, err) == (0, "")
    reference = "--reference=" + bench.write("reference.csv", out)
    plot = bench.path("plot.svg")
    code, table, err = bench.time(*arguments, reference, "--plot=" + plot)
    assert (code, err) == (0, "")
    rows = [line for line in table.splitlines() if not line.startswith("#")]
    assert len(rows) == 5 and all(row.endswith(" 1.000") for row in rows), table
    assert "geometric mean of max(ratio, 1 / ratio) less 1: 0.00 %" in table, table
    assert "# worst: " in table, table
    expect_width("\n".join(line for line in table.splitlines() if "#" in line))
    assert os.listdir(bench.folder).count("plot.svg") == 1
    picture = xml.dom.minidom.parse(plot)
    # two panels, each with five points of either curve
    assert len(picture.getElementsByTagName("circle")) == 20
    code, out, err = bench.time(*arguments, reference, "--csv")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == COLUMNS + ",reference_us,ratio", out
    assert all(row["ratio"] == "1.000000" for row in csv.DictReader(out.splitlines())), out


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
    for path, reason in (
        (bench.folder, "Is a directory"),
        (bench.path("no/such.svg"), "No such file or directory"),
    ):
        expect_error(
            f"--plot: error: expected a file to write to, found '{path}' ({reason})",
            "--plot=" + path,
        )
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
    """collective that cannot finish: exit code 2, who waits, rows so far, no picture"""
    code, out, err = bench.time(
        "--minBytes=1000",
        "--maxBytes=1000000",
        "--factor=1000",
        "--linkDown=host1-switch0@50us",
        "--ns3::RdmaNic::RetransmissionTimeout=10us",
        "--csv",
        "--plot=" + bench.path("plot.svg"),
    )
    assert code == 2, code
    assert [line.split(",")[0] for line in out.splitlines()] == ["size_bytes", "1000"], out
    lines = err.splitlines()
    assert lines[0] == "wl-collective: error: all-reduce of 1000000 bytes could not finish", err
    assert any("there is no path any more" in line for line in lines), err
    assert any("rank 1 waits in all-reduce" in line for line in lines), err
    assert sorted(os.listdir(bench.folder)) == ["table.tsv"], os.listdir(bench.folder)
