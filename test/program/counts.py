# SPDX-License-Identifier: GPL-2.0-only
"""Cases of setup-test.py: what utils/trust-report reads and adds up."""

import subprocess
import sys

from program.bench import case
from program.setup import UTILS

LOG = """\
PASS one: 3 runs
FAIL two
fuzz layers: 1200 executions in 10 s, 0 findings
fuzz goal-text: 800 executions in 10 s, 0 findings
faults, packets lost: 20 runs, 0 failures
40 passed, 0 failed
not tested: a: no tool
mutation check: 300 places, 250 killed, 20 survived with a reason, 0 survived, 0 not reached
41 passed, 0 failed, 2 skipped
"""

TABLE = """\
log  tests                 41 passed, 0 failed, 2 skipped
log  fuzz layers           1,200 executions, 0 findings
log  fuzz goal-text        800 executions, 0 findings
log  faults, packets lost  20 runs, 0 failures
log  mutation check        300 places, 250 killed, 20 survived with a reason, 0 survived, 0 not reached
"""


def report(*arguments):
    command = [sys.executable, UTILS + "/trust-report", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@case
def counts_of_log(bench):
    """trust-report: the counts that closing lines tell, and their sums"""
    code, out, err = report("--log=" + bench.write("log.txt", LOG))
    assert (code, err) == (0, ""), (code, err)
    table, _, totals = out.rpartition("\n\n")
    assert table + "\n" == TABLE, table
    assert "2,000 executions, 0 findings, 20 runs" in totals, totals


@case
def bad_counts(bench):
    """trust-report: findings, failures and mutants that survive without a reason: exit code 1"""
    for old, new in (
        ("0 findings", "1 findings"),
        ("0 failures", "2 failures"),
        ("41 passed, 0 failed", "40 passed, 1 failed"),
        ("reason, 0 survived", "reason, 3 survived"),
        ("0 not reached", "1 not reached"),
    ):
        code, out, _ = report("--log=" + bench.write("log.txt", LOG.replace(old, new, 1)))
        assert code == 1 and out.count("<--") == 1, (new, code, out)
    code, out, err = report("--log=" + bench.write("log.txt", "nothing\n"))
    assert code == 1 and (out, err) == ("", "no line has a count\n"), (code, out, err)
