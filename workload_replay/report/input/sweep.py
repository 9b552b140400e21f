# SPDX-License-Identifier: GPL-2.0-only
"""Reads the tables of a sweep, which wl-sweep writes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas

from .tables import read_header, read_table

#: Columns of effects.csv that the page needs, and their types.
EFFECT_COLUMNS = {
    "result": "str",
    "dimension": "str",
    "share_of_variance": "float64",
    "value": "str",
    "mean_ns": "float64",
    "mean_ns ci95": "float64",
    "difference_ns": "float64",
    "difference_ns ci95": "float64",
}

#: Columns of summary.csv that describe its rows.
COUNTS = {"runs": "int64", "incomplete": "int64"}


@dataclass(frozen=True)
class Sweep:
    """What a sweep found out."""

    label: str
    dimensions: list[str]
    summary: pandas.DataFrame  #: a row for each combination
    effects: pandas.DataFrame  #: a row for each result, dimension and value

    @property
    def results(self) -> list[str]:
        """Results whose effects are reported."""
        return list(dict.fromkeys(self.effects["result"]))

    def shares(self, result: str) -> dict[str, float]:
        """Return the share of the variance of each dimension and of what is no dimension's."""
        rows = self.effects[self.effects["result"] == result]
        return dict(zip(rows["dimension"], rows["share_of_variance"]))


def is_sweep(folder: Path) -> bool:
    """Return whether a directory is that of a sweep."""
    return (folder / "sweep.csv").is_file() and not (folder / "summary.json").exists()


def read_sweep(folder: Path) -> Sweep:
    """Read the tables of a sweep."""
    path = folder / "summary.csv"
    header = read_header(path)
    names = header[: header.index("runs")] if "runs" in header else []
    effects = _read(folder / "effects.csv", EFFECT_COLUMNS)
    numbers = [name for name in header if name.removesuffix(" ci95") in set(effects["result"])]
    types = {**dict.fromkeys(names, "str"), **COUNTS, **dict.fromkeys(numbers, "float64")}
    return Sweep(folder.name or str(folder), names, _read(path, types), effects)


def _read(path: Path, types: dict[str, str]) -> pandas.DataFrame:
    """Read a table in which numbers may be missing."""
    numbers = [name for name, kind in types.items() if kind == "float64"]
    rows = read_table(path, {**types, **dict.fromkeys(numbers, "str")})
    for name in numbers:
        rows[name] = pandas.to_numeric(rows[name], errors="coerce")
    return rows
