# SPDX-License-Identifier: GPL-2.0-only
"""The command line."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError
from ..program import command, find_program
from ..report.parser import Parser

USAGE = f"{command('wl-sweep')} FILE.json [--jobs=COUNT] [--output=DIR]"

DESCRIPTION = """\
Runs wl-replay for every combination of some options and every seed, on all cores. Started again, it
goes on where it was interrupted: no run is done twice. Writes one row a run (sweep.csv), mean and
confidence interval of each combination (summary.csv) and which option matters (effects.csv);
wl-report makes a page of it.

The file, JSON, has these keys; only grid must be there. Paths in it are relative to the file.
  grid     dimensions; each a list of values of the option that it is called as, or an object of
           names and values, or of names and objects of options that go together; null is the
           default
             {"routing": ["ecmp", "spray"],
              "network": {"full": {"topology": "clos"},
                          "4:1": {"topology": "clos:oversubscription=4", "cc": "hpcc"}}}
  options  options of all runs, {"workload": "FILE", "world": 16}; a list for one that is given
           several times; ns-3 attributes, too; values of the grid win over them
  seeds    number of runs of each combination, or a list of run numbers (--run) [1]
  exclude  combinations to be left out, [{"network": "4:1", "routing": ["ecmp"]}]
  keep     tables of each run to be kept, ["links.csv"], beside summary.json and the report [none]
  name     what the sweep is called [the file's name]"""


@dataclass(frozen=True)
class Options:
    """What the user wants."""

    file: Path
    jobs: int
    output: Path
    program: Path


def _jobs(text: str | None) -> int:
    if text is None:
        return len(os.sched_getaffinity(0))
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 4096:
        raise InputError(f"--jobs: error: expected a whole number from 1 to 4096, found '{text}'")
    return int(text)


def parse_options(arguments: list[str]) -> Options:
    """Return what a command line says."""
    parser = Parser(
        prog="wl-sweep",
        usage=USAGE,
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE.json", type=Path, help="what is to be run")
    parser.add_argument("--jobs", metavar="COUNT", help="runs at a time [the cores there are]")
    parser.add_argument(
        "--output", metavar="DIR", type=Path,
        help="where runs and tables go; made if missing [FILE, here]",
    )  # fmt: skip
    parser.add_argument(
        "--program", metavar="PROGRAM", type=Path,
        help="another build of wl-replay [the one that ./wl-replay starts]",
    )  # fmt: skip
    given = parser.parse_args(arguments)
    program = find_program(given.program, "wl-replay")
    output = given.output or Path(given.file.stem)
    return Options(given.file, _jobs(given.jobs), output, program)
