# SPDX-License-Identifier: GPL-2.0-only
"""Reads what wl-collective prints with --csv."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas

from .tables import read_header, read_table

#: Columns that the page needs, and their types.
COLUMNS = {
    "size_bytes": "int64",
    "time_us": "float64",
    "algbw_gbs": "float64",
    "busbw_gbs": "float64",
    "algorithm": "str",
}

#: Columns of a comparison (--reference), empty where the reference lacks the size.
REFERENCE_COLUMNS = {"reference_us": "Float64", "ratio": "Float64"}


@dataclass(frozen=True)
class Benchmark:
    """Times of a collective by size."""

    label: str
    rows: pandas.DataFrame
    has_reference: bool = False


def read_benchmark(path: Path) -> Benchmark:
    """Read a file of wl-collective."""
    has_reference = "reference_us" in read_header(path)
    columns = {**COLUMNS, **REFERENCE_COLUMNS} if has_reference else COLUMNS
    return Benchmark(path.stem, read_table(path, columns), has_reference)
