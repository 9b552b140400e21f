# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: what --dryRun says that each level costs, and tables of levels."""

import os
import re
import sys

from program.bench import WORKLOADS, case

REPRODUCE = os.path.join(WORKLOADS, "../../utils/reproduce")

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
