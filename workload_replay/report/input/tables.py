# SPDX-License-Identifier: GPL-2.0-only
"""Reads CSV files in chunks, so that memory does not grow with the run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas

from ...errors import InputError, wrong_file

#: Types of columns in which a cell may be empty.
NULLABLE = ("Int64", "Float64")

#: Rows that are held at a time.
CHUNK_ROWS = 400_000


def read_header(path: Path) -> list[str]:
    """Return the names of a table's columns."""
    try:
        return list(pandas.read_csv(path, nrows=0).columns)
    except (OSError, ValueError, EOFError) as error:
        raise wrong_file(path, "a line with the names of columns", _reason(error), "1") from error


def read_chunks(
    path: Path, types: dict[str, str], job: str = "", rows: int = CHUNK_ROWS
) -> Iterator[pandas.DataFrame]:
    """Read some columns of a table, chunk by chunk.

    types holds the columns and their pandas types. With a job, rows of others are left out; a table
    without a column `job` has one job only.
    """
    header = read_header(path)
    missing = [name for name in types if name not in header]
    if missing:
        raise wrong_file(
            path, f"a column {missing[0]}", f"{', '.join(header)} (another version?)", "1"
        )
    wanted = dict(types)
    filtered = bool(job) and "job" in header
    if filtered:
        wanted["job"] = "category"
    try:
        chunks = pandas.read_csv(
            path, usecols=list(wanted), dtype=wanted, chunksize=rows, keep_default_na=False,
            na_values={name: [""] for name, kind in wanted.items() if kind in NULLABLE},
        )  # fmt: skip
        for chunk in chunks:
            yield chunk[chunk["job"] == job] if filtered else chunk
    except (OSError, ValueError, EOFError) as error:
        # pandas' ParserError is a ValueError
        raise InputError(
            f"{path}: error: expected rows as wl-replay writes them, found a damaged one: "
            f"{_reason(error)}"
        ) from error


def read_table(path: Path, types: dict[str, str], job: str = "") -> pandas.DataFrame:
    """Read some columns of a table that is known to be small."""
    chunks = list(read_chunks(path, types, job))
    return pandas.concat(chunks, ignore_index=True) if chunks else pandas.DataFrame(columns=types)


def _reason(error: Exception) -> str:
    """Return the first line of what pandas says."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
