#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests that tshark reads what ports of the rdma fabric write to pcap files.

usage: pcap-test.py RDMA_BY_HAND

Prints a line for each case, and `N passed, N failed` or, without tshark, `0 passed, 0 failed, N
skipped` as the last one. Exits 0 if none failed.
"""

import glob
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

# The example sends 1000000 bytes from each of 8 ranks to rank 8: 244 packets of 4096 bytes and one
# of 576. Priority 3 is class selector 3, DSCP 24; answers have priority 7, DSCP 56.
RANKS = 8
PACKETS = 245
SIZES = [4096 + 58] * 244 + [576 + 58]
SEND_FIRST, SEND_MIDDLE, SEND_LAST, ACKNOWLEDGE, NOTIFICATION = "0", "1", "2", "17", "129"
ECT, MARKED = "2", "3"

CASES = []


def case(function):
    """Note a function as a case; its docstring is its name."""
    CASES.append(function)
    return function


class Capture:
    """The files of a run of the example."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.out = self.run("full")
        # Ports that nothing passes leave files of 24 bytes.
        files = glob.glob(self.path("full-*.pcap"))
        self.files = sorted(file for file in files if os.path.getsize(file) > 24)
        # Rank 0 is node 0, whose first port is NVLink. The nodes 8 and 9 are NVSwitches, 10 to 15
        # the clos, 16 is the switch of the storage, whose second port leads to it.
        self.rank0 = self.path("full-0-1.pcap")
        self.leaf = self.path("full-10-0.pcap")
        self.storage_port = self.path("full-16-1.pcap")
        self.storage = self.path("full-17-0.pcap")

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, name, *arguments):
        """Run the example with files of this name; returns what it prints."""
        done = subprocess.run(
            [self.program, "--pcap=" + self.path(name), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )
        return done.stdout

    def fields(self, file, *names, where=""):
        """What tshark finds in these fields, as a tuple for each frame."""
        options = ["-o", "ip.check_checksum:TRUE", "-Y", where, "-T", "fields"]
        for name in names:
            options += ["-e", name]
        done = subprocess.run(
            ["tshark", "-r", file, *options],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )
        return [tuple(line.split("\t")) for line in done.stdout.splitlines()]


def read_frames(file):
    """The frames of a file of nanoseconds and Ethernet, without tshark."""
    with open(file, "rb") as stream:
        magic, *_, link = struct.unpack("<IHHIIII", stream.read(24))
        assert (magic, link) == (0xA1B23C4D, 1), (hex(magic), link)
        while header := stream.read(16):
            length = struct.unpack("<IIII", header)[2]
            yield stream.read(length)


@case
def arrivals(capture):
    """the example prints when each message has arrived"""
    lines = capture.out.splitlines()
    expected = {f"rank {rank} to rank 8: 1000000 bytes at" for rank in range(RANKS)}
    assert {line.rsplit(" ", 1)[0] for line in lines} == expected, lines
    assert len(lines) == RANKS
    # The last link carries 8 x 245 packets at 100 Gb/s: 8 x (1000000 + 245 x 82) bytes, 652.9 us.
    # All eight hear of congestion at once, and DCQCN takes longer than that to raise their rates
    # again, so that the link idles in between.
    end = float(lines[-1].rsplit("+", 1)[1].removesuffix("us"))
    assert 652.9 < end < 1.5 * 652.9, lines[-1]


@case
def protocols(capture):
    """all frames are Ethernet, IPv4, UDP and InfiniBand, or MAC control; none is malformed"""
    found = set()
    for file in capture.files:
        rows = capture.fields(
            file, "frame.protocols", "udp.dstport", "ip.checksum.status", "_ws.expert.message"
        )
        # Wireshark puts messages together, and guesses what may be in them.
        found |= {(":".join(row[0].split(":")[:5]), *row[1:]) for row in rows}
    assert found == {
        ("eth:ethertype:ip:udp:infiniband", "4791", "1", ""),
        ("eth:ethertype:macc", "", "", ""),
    }, found


@case
def data(capture):
    """data of a rank: operation codes, consecutive numbers, sizes, ECN and priority"""
    rows = capture.fields(
        capture.rank0,
        "infiniband.bth.opcode",
        "infiniband.bth.psn",
        "frame.len",
        "infiniband.bth.a",
        "ip.dsfield.ecn",
        "ip.dsfield.dscp",
        "ip.dst",
        where="infiniband && ip.src == 10.0.0.1",
    )
    assert len(rows) == PACKETS, len(rows)
    opcodes, numbers, sizes, asks, marks, classes, destinations = zip(*rows)
    assert opcodes == (SEND_FIRST, *[SEND_MIDDLE] * (PACKETS - 2), SEND_LAST), opcodes
    assert list(map(int, numbers)) == list(range(PACKETS)), numbers
    assert list(map(int, sizes)) == SIZES, sizes
    assert {value in ("1", "True") for value in asks[:-1]} == {False}, asks
    assert asks[-1] in ("1", "True"), asks
    assert set(marks) == {ECT} and set(classes) == {"24"}, (set(marks), set(classes))
    assert set(destinations) == {"10.0.0.18"}, set(destinations)


@case
def marked(capture):
    """data at the storage: each rank's whole message, some packets of it marked"""
    names = ("ip.src", "infiniband.bth.psn", "ip.dsfield.ecn")
    rows = capture.fields(capture.storage, *names, where="infiniband && ip.dst == 10.0.0.18")
    for rank in range(RANKS):
        mine = [row for row in rows if row[0] == f"10.0.0.{rank + 1}"]
        assert [int(row[1]) for row in mine] == list(range(PACKETS)), (rank, len(mine))
    marks = [row[2] for row in rows]
    assert set(marks) == {ECT, MARKED}, set(marks)


@case
def answers(capture):
    """acknowledgements end with the last packet and one message; congestion is notified"""
    rows = capture.fields(
        capture.rank0,
        "infiniband.bth.opcode",
        "infiniband.bth.psn",
        "infiniband.aeth.syndrome",
        "infiniband.aeth.msn",
        "frame.len",
        "ip.dsfield.dscp",
        "ip.dsfield.ecn",
        where="infiniband && ip.dst == 10.0.0.1",
    )
    acks = [row for row in rows if row[0] == ACKNOWLEDGE]
    numbers = [int(row[1]) for row in acks]
    assert numbers == sorted(numbers) and numbers[-1] == PACKETS - 1, numbers
    assert [row[3] for row in acks] == ["0"] * (len(acks) - 1) + ["1"], acks
    assert {(int(row[2], 0), *row[4:]) for row in acks} == {(0x1F, "62", "56", "0")}, acks
    notifications = [row for row in rows if row[0] == NOTIFICATION]
    assert notifications and len(acks) + len(notifications) == len(rows), len(rows)
    assert {row[4] for row in notifications} == {"74"}, notifications


@case
def pauses(capture):
    """flow control: priority 3 paused and let go in turn, as 802.1Qbb"""
    count = 0
    for file in capture.files:
        rows = capture.fields(
            file,
            "eth.src",
            "eth.dst",
            "macc.opcode",
            "macc.cbfc.enbv",
            "macc.cbfc.pause_time.c3",
            "frame.len",
            where="macc",
        )
        count += len(rows)
        fixed = {(row[1], *[int(field, 0) for field in (row[2], row[3], row[5])]) for row in rows}
        assert fixed <= {("01:80:c2:00:00:01", 0x0101, 1 << 3, 60)}, (file, fixed)
        for source in {row[0] for row in rows}:
            times = [row[4] for row in rows if row[0] == source]
            half = len(times) // 2
            assert times == ["65535", "0"] * half, (file, times)
    assert count > 0, "nothing was paused"


@case
def invariant_crc(capture):
    """the invariant CRC is zlib's over the frame with variable fields as ones"""
    count = 0
    for frame in read_frames(capture.storage):
        if frame[12:14] == b"\x08\x00":
            masked = bytearray(b"\xff" * 8 + frame[14:-4])
            for at in (1, 8, 10, 11, 26, 27, 32):
                masked[8 + at] = 0xFF
            assert frame[-4:] == struct.pack("<I", zlib.crc32(masked)), frame[:54].hex()
            count += 1
    assert count > RANKS * PACKETS, count


@case
def times(capture):
    """a packet comes in as much later than it is sent as its bytes and the cable take"""
    # 4158 + 20 bytes at 100 Gb/s take 334.24 ns.
    first = [
        capture.fields(file, "frame.time_epoch", where="infiniband && ip.src == 10.0.0.1")[0][0]
        for file in (capture.rank0, capture.leaf)
    ]
    assert first == ["0.000000000", "0.000000834"], first
    # What the last switch sends comes in 334.24 ns and 1 us later; both times are cut to 1 ns.
    out, into = [
        capture.fields(file, "frame.time_epoch", where="ip.dst == 10.0.0.18")
        for file in (capture.storage_port, capture.storage)
    ]
    assert len(out) == len(into) == RANKS * PACKETS
    sizes = capture.fields(capture.storage, "frame.len", where="ip.dst == 10.0.0.18")
    for sent, received, size in zip(out, into, sizes):
        taken = int(received[0].replace(".", "")) - int(sent[0].replace(".", ""))
        expected = 1000 + (int(size[0]) + 4 + 20) * 0.08
        assert -1 < taken - expected < 1, (sent, received, size)


@case
def capture_size(capture):
    """CaptureSize cuts frames to their headers, which still decode"""
    capture.run("cut", "--bytes=10000", "--ns3::PcapFileWrapper::CaptureSize=128")
    names = ("infiniband.bth.psn", "frame.len", "frame.cap_len")
    rows = capture.fields(capture.path("cut-0-1.pcap"), *names, where="ip.src == 10.0.0.1")
    last = str(10000 - 2 * 4096 + 58)
    expected = [("0", "4154", "128"), ("1", "4154", "128"), ("2", last, "128")]
    assert rows == expected, rows


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: pcap-test.py RDMA_BY_HAND")
    if not shutil.which("tshark"):
        print("SKIP pcap files: tshark is not there to read pcap files (Debian package tshark)")
        print(f"0 passed, 0 failed, {len(CASES)} skipped")
        return
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        capture = Capture(os.path.abspath(sys.argv[1]), folder)
        for function in CASES:
            try:
                function(capture)
                print(f"PASS {function.__doc__}", flush=True)
            except Exception as error:  # whatever a case trips over is its failure
                failed += 1
                print(f"FAIL {function.__doc__}: {type(error).__name__}: {error}", flush=True)
    print(f"{len(CASES) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
