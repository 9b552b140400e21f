# SPDX-License-Identifier: GPL-2.0-only
"""What wl-report makes, of runs and sweeps in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import InputError
from .run import Run

if TYPE_CHECKING:
    from .report.report import Report
    from .study import Sweep

#: Tables that the sections of a page are made of.
TABLES = ["ops.csv", "collectives.csv", "flows.csv", "links.csv", "fabric.json"]


def report_of(*sources: Run | Sweep) -> Report:
    """Return a report on runs and sweeps, which compares them if there are several."""
    from .report.report import Report

    folders = []
    for source in sources:
        if not hasattr(source, "folder"):
            raise InputError(
                "report_of(): error: expected what replay(), sweep() or load() has returned, found "
                f"{source!r}"
            )
        if isinstance(source, Run):
            source.fetch(TABLES)
        folders.append(source.folder)
    report = Report(folders)
    names = [source.name for source in sources if isinstance(source, Run)]
    for run, name in zip(report.runs, names):
        run.label = name
    return report
