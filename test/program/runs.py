# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: replays that are watched, interrupted or cannot finish."""

import json
import os
import pty
import re
import signal
import subprocess
import time

from program.bench import FILES, case, expect_width


@case
def unfinished_replay(bench):
    """replay that cannot finish: exit code 2, the waits, files marked incomplete"""
    code, out, err = bench.replay(
        "--world=2",
        "--gpusPerServer=1",
        "--topology=single-switch",
        "--linkDown=host0-switch0@0ns",
        "--ns3::RdmaNic::RetransmissionTimeout=10us",
        "--outputDir=" + bench.path("unfinished"),
        "--traceRanks=all",
    )
    assert code == 2, code
    lines = err.splitlines()
    assert lines[0] == "wl-replay: error: the replay could not finish", err
    assert "a queue pair from rank 0 to rank 1 has given up: there is no path any more" in lines, err
    assert any(f"{bench.table}:2: rank 1 waits in layer" in line for line in lines), err
    assert lines[-1] == "ranks that wait for each other: 0 -> 1 -> 0", err
    assert "INCOMPLETE" in out, out
    summary = bench.summary("unfinished")
    assert summary["complete"] is False and summary["iterations"] == [], summary
    assert sorted(os.listdir(bench.path("unfinished"))) == FILES + ["waits.csv"]
    waits = bench.rows("unfinished", "waits.csv")
    assert [(row["rank"], row["waits_for"]) for row in waits] == [("0", "1"), ("1", "0")], waits
    assert all(f"{row['origin']}: rank {row['rank']} waits in" in err for row in waits), waits
    ops = bench.rows("unfinished", "ops.csv")
    assert ops and len(ops) == len(bench.spans("unfinished")), ops
    assert bench.rows("unfinished", "flows.csv") == []
    assert bench.rows("unfinished", "collectives.csv") == []


#: Ops of a rank in make_ring(): what another queue pair is to send when its port has stopped for good.
LATE = "\nc: calc 10000000\ns: send 1000b to {to} tag 1\ns requires c\nrecv 1000b from {by} tag 1"


def make_ring(bench, more=""):
    """Five switches in a ring; each host sends to the one two switches on. Their paths make a cycle.
    More ops of each rank may follow, with {to} and {by} for the next rank and the one before."""
    nodes = [{"name": f"h{i}", "kind": "host"} for i in range(5)]
    nodes += [{"name": f"s{i}", "kind": "switch"} for i in range(5)]
    ends = [(f"h{i}", f"s{i}") for i in range(5)]
    ends += [(f"s{i}", f"s{(i + 1) % 5}") for i in range(5)]
    links = [{"a": a, "b": b, "rate": "100Gbps", "delay": "500ns"} for a, b in ends]
    topology = bench.write("ring.json", json.dumps({"nodes": nodes, "links": links}))
    ranks = [f"send 4000000b to {(i + 2) % 5}\nrecv 4000000b from {(i + 3) % 5}" for i in range(5)]
    ranks = [ops + more.format(to=(i + 1) % 5, by=(i + 4) % 5) for i, ops in enumerate(ranks)]
    text = "".join(f"rank {i} {{\n{ops}\n}}\n" for i, ops in enumerate(ranks))
    schedule = bench.write("late.goal" if more else "ring.goal", "num_ranks 5\n" + text)
    return ["--workload=" + schedule, "--topology=" + topology, "--cc=none"]


@case
def deadlock(bench):
    """deadlock: exit code 2 and the cycle of ports, with pauses, repeated pauses and credits, as a
    fluid, and if queue pairs have nothing in flight; with a watchdog all bytes arrive"""
    ring = make_ring(bench)
    buffer = "--ns3::RdmaSwitch::BufferSize=400000"
    cycle = "hold: s0 -> s1 -> s2 -> s3 -> s4 -> s0 (links 5, 6, 7, 8, 9)"
    patience = "--ns3::RdmaNic::RetransmissionTimeout=100us"
    for arguments in (
        [*ring, buffer],
        [*ring, buffer, "--ns3::RdmaNetDevice::PauseQuanta=65535"],
        [*ring, "--flowControl=credits"],
        [*ring, buffer, "--transport=fluid"],
        [*ring, buffer, "--transport=fluid", "--timeSeries=1ms", "--outputDir=" + bench.path("still")],
        [*make_ring(bench, LATE), buffer],
        [*make_ring(bench, LATE), buffer, "--transport=fluid"],
    ):
        if "--transport=fluid" not in arguments:
            arguments.append(patience)
        code, _, err = bench.run(*arguments)
        assert code == 2, (code, err)
        lines = err.splitlines()
        assert lines[0] == "wl-replay: error: the replay could not finish", err
        assert lines[1].startswith("deadlock of priority 3, ") and lines[1].endswith(cycle), err
    folder = "--outputDir=" + bench.path("recovered")
    watchdog = ["--ns3::RdmaSwitch::Watchdog=drop"]
    watchdog += [f"--ns3::RdmaSwitch::Watchdog{word}Time=50us" for word in ("Detection", "Restoration")]
    code, out, err = bench.run(*ring, "--ns3::RdmaNic::RetransmissionTimeout=1ms", buffer, *watchdog, folder)
    assert (code, err) == (0, ""), (code, err)
    storms = sum(int(row["pfc_storms"]) for row in bench.rows("recovered", "links.csv"))
    assert storms > 0 and f"PFC watchdogs have acted {storms} times" in " ".join(out.split()), out
    summary = bench.summary("recovered")
    assert summary["network"]["bytes_delivered"] == 5 * 4000000, summary["network"]
    assert summary["network"]["dropped_packets"] > 0, summary["network"]


@case
def lost_port(bench):
    """deadlock: a queue pair with nothing in flight, whose port has stopped and then loses its link, gives up"""
    arguments = [*make_ring(bench, LATE), "--ns3::RdmaSwitch::BufferSize=400000"]
    arguments += ["--ns3::RdmaNic::RetransmissionTimeout=100us", "--linkDown=h0-s0@20ms"]
    code, _, err = bench.run(*arguments)
    assert code == 2, (code, err)
    # The one to rank 2 had packets in flight; that to rank 1 has never sent any.
    for peer in (1, 2):
        assert f"a queue pair from rank 0 to rank {peer} has given up" in err, err


@case
def many_failures(bench):
    """a network that fails: 20 of the queue pairs that gave up are named, and the others counted"""
    senders = range(1, 31)
    ops = "\n".join(f"recv 100000b from {i}" for i in senders)
    ranks = [ops] + ["send 100000b to 0" for _ in senders]
    text = "".join(f"rank {i} {{\n{ops}\n}}\n" for i, ops in enumerate(ranks))
    arguments = ["--workload=" + bench.write("incast.goal", "num_ranks 31\n" + text)]
    arguments += ["--topology=single-switch", "--gpusPerServer=1", "--linkDown=host0-switch0@1us"]
    code, _, err = bench.run(*arguments, "--ns3::RdmaNic::RetransmissionTimeout=10us")
    assert code == 2, (code, err)
    assert err.count("has given up") == 20 and "\nand 10 more of these\n" in err, err


@case
def interrupted_replay(bench):
    """Ctrl-C and SIGTERM: exit code 2, whole rows, files marked incomplete"""
    for stop in (signal.SIGINT, signal.SIGTERM):
        folder = bench.path(stop.name)
        # A million iterations would take a minute.
        arguments = ["--workload=" + bench.table, "--transport=ideal", "--world=2"]
        arguments += ["--iterations=1000000", "--outputDir=" + folder, "--traceRanks=all"]
        with subprocess.Popen(
            [bench.program, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Whoever runs this in the background may have told it to ignore Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        ) as process:
            deadline = time.monotonic() + 60
            begun = os.path.join(folder, ".ops.csv.new")
            while not os.path.exists(begun) or os.path.getsize(begun) == 0:
                assert process.poll() is None and time.monotonic() < deadline
                time.sleep(0.01)
            process.send_signal(stop)
            out, err = process.communicate(timeout=60)
        assert process.returncode == 2, process.returncode
        how = r"interrupted at \d+\.\d{3} ms, when \d+\.\d % was done"
        assert re.fullmatch(f"wl-replay: error: the replay was {how}\n", err), err
        assert re.search(f"^INCOMPLETE: {how}; below is what was done ", out, re.M), out
        expect_width(out)

        assert sorted(os.listdir(folder)) == FILES
        summary = bench.summary(stop.name)
        assert summary["complete"] is False
        assert 0 < len(summary["iterations"]) < 1000000
        for name in FILES:
            if name.endswith(".csv"):
                with open(os.path.join(folder, name)) as file:
                    text = file.read()
                assert text.endswith("\n"), name
                columns = text.split("\n", 1)[0].count(",")
                assert {line.count(",") for line in text.splitlines()} == {columns}, name
        ops = bench.rows(stop.name, "ops.csv")
        assert len(ops) == len(bench.spans(stop.name)) >= 4 * len(summary["iterations"])
        assert len(bench.rows(stop.name, "flows.csv")) == summary["network"]["messages"]


@case
def progress_without_terminal(bench):
    """progress=on speaks on standard error only, off and auto are silent without a terminal"""
    reports = []
    for value in ("on", "off", "auto"):
        code, out, err = bench.replay("--transport=ideal", "--progress=" + value)
        assert code == 0, code
        assert ("replaying " in err) == (value == "on"), err
        assert value == "on" or err == "", err
        reports.append(out.split("\nrun cost")[0])
    assert reports[0] == reports[1] == reports[2]


@case
def progress_on_a_terminal(bench):
    """progress on a terminal is one line that is taken away at last; it changes no output"""
    workload = ["--workload=" + bench.table, "--transport=ideal", "--iterations=200000"]
    texts = []
    for value in ("auto", "off"):
        master, slave = pty.openpty()
        with subprocess.Popen(
            [
                bench.program,
                *workload,
                "--world=2",
                "--progress=" + value,
                "--outputDir=" + bench.path(value),
            ],
            stdout=subprocess.DEVNULL,
            stderr=slave,
        ) as process:
            os.close(slave)
            shown = b""
            try:
                while more := os.read(master, 4096):
                    shown += more
            except OSError:  # how Linux tells that nobody writes any more
                pass
        os.close(master)
        assert process.returncode == 0, process.returncode
        lines = shown.decode().split("\r\x1b[K")
        if value == "auto":
            assert "replaying " in lines[0] and lines[-1] == "" and len(lines) > 2, lines
            for line in lines[1:-1]:
                assert re.fullmatch(
                    r"\[\d+\.\d{3} ms\] \d+\.\d+ % done in \d+ s,( about \d+ s left,)? "
                    r"\d+\.\d\d million events/s",
                    line,
                ), line
        else:
            assert shown == b"", shown
        summary = bench.summary(value)
        texts.append([json.dumps(dict(summary, run=summary["run"]["events"]))])
        for name in FILES:
            if name != "summary.json":
                with open(os.path.join(bench.path(value), name), "rb") as stream:
                    texts[-1].append(stream.read())
    assert texts[0] == texts[1]


@case
def nvlink_without_packets(bench):
    """--nvlink=ideal: as on ideal within servers, as with packets between them"""

    def ops(*arguments):
        code, _, err = bench.replay("--outputDir=" + bench.path("nvlink"), *arguments)
        assert (code, err) == (0, ""), (code, err)
        return bench.rows("nvlink", "ops.csv"), bench.rows("nvlink", "links.csv")

    inside, _ = ops("--world=8", "--transport=ideal")
    hybrid, links = ops("--world=8", "--nvlink=ideal")
    assert hybrid == inside and all(link["bytes"] == "0" for link in links), links
    assert ops("--world=8")[0] != inside
    servers = ("--world=4", "--gpusPerServer=1")
    assert ops(*servers, "--nvlink=ideal") == ops(*servers)
    _, links = ops("--world=4", "--gpusPerServer=2", "--nvlink=ideal")
    carried = {kind: 0 for kind in ("nvswitch", "leaf")}
    for link in links:
        kind = "nvswitch" if "nvswitch" in link["from"] + link["to"] else "leaf"
        carried[kind] += int(link["bytes"])
    assert carried["nvswitch"] == 0 and carried["leaf"] > 0, carried
    bench.expect_error(
        "--linkDown: error: expected a link of the network, because with nvlink ideal nothing goes "
        "over links of servers, found 'host0-nvswitch0'",
        "--workload=" + bench.table,
        "--world=4",
        "--nvlink=ideal",
        "--linkDown=host0-nvswitch0@1ms",
    )
