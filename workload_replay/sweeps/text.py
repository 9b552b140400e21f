# SPDX-License-Identifier: GPL-2.0-only
"""What a sweep says at its end: which dimensions matter, and for what."""

from __future__ import annotations

from ..report.statistics import Mean
from ..report.units import percent
from .effects import SUBJECTS, Analysis

MS = 1e6


def _difference(mean: Mean | None) -> str:
    if mean is None:
        return ""
    half = f" ± {mean.half / MS:.3f}" if mean.count > 1 else ""
    return f"{mean.value / MS:+.3f}{half}"


def _table(rows: list[list[str]]) -> str:
    """Return a table whose last two columns are numbers."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if i >= 3 or i == 0 else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths))
        ]
        lines.append("  " + "  ".join(cells).rstrip())
    return "\n".join(lines)


def describe(name: str, analysis: Analysis) -> str:
    """Return the dimensions, those that matter most first, and their values."""
    rows = [["of variance", "dimension", "value", "mean, ms", "to the first, ms"]]
    for influence in sorted(analysis.influences, key=lambda entry: -entry.share):
        cells = [percent(influence.share), influence.name]
        for effect in influence.effects:
            mean = f"{effect.mean.value / MS:.3f}"
            rows.append([*cells, effect.label, mean, _difference(effect.difference)])
            cells = ["", ""]
    for title, share in (("all together", analysis.together), ("seeds", analysis.seeds)):
        if share is not None:
            rows.append([percent(share), f"({title})", "", "", ""])
    return f"{SUBJECTS[name]}: {analysis.mean / MS:.3f} ms\n{_table(rows)}\n"
