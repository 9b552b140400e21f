# SPDX-License-Identifier: GPL-2.0-only
"""The command line."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError
from ..program import command
from .figure import FORMATS
from .parser import Parser

USAGE = f"{command('wl-report')} DIR [DIR ...] [--output=FILE] [--figures=DIR] [--format=svg|pdf|png]"

DESCRIPTION = """\
Shows what runs of wl-replay found out: an HTML page that needs no other file and no network.
Several runs are compared; those that differ only in seed or run number are one group, with mean and
confidence interval."""


@dataclass(frozen=True)
class Options:
    """What the user wants."""

    inputs: list[Path]
    output: Path
    figures: Path | None
    form: str


def parse_options(arguments: list[str]) -> Options:
    """Return what a command line says."""
    parser = Parser(
        prog="wl-report",
        usage=USAGE,
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "inputs", metavar="DIR", nargs="+", type=Path,
        help="output directory of wl-replay (of --dryRun, the picture of its network only) or "
        "of wl-sweep, or a CSV file of wl-collective",
    )  # fmt: skip
    parser.add_argument(
        "--output", metavar="FILE", type=Path,
        help="the page [report.html in the first DIR; of CSV files, report.html]",
    )  # fmt: skip
    parser.add_argument(
        "--figures", metavar="DIR", type=Path,
        help="write every figure as a file there, fit for a paper of two columns; made if missing",
    )  # fmt: skip
    parser.add_argument(
        "--format", choices=FORMATS, help="format of those files; needs --figures [svg]"
    )
    given = parser.parse_args(arguments)
    if given.format and not given.figures:
        raise InputError("error: --format is that of the files of --figures, which is not given")
    seen: set[Path] = set()
    for path in given.inputs:
        if path.resolve() in seen:
            raise InputError(f"error: {path} is given twice")
        seen.add(path.resolve())
    first = given.inputs[0]
    default = Path("report.html") if first.is_file() else first / "report.html"
    return Options(given.inputs, given.output or default, given.figures, given.format or "svg")
