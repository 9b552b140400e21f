# SPDX-License-Identifier: GPL-2.0-only
"""Reads ops.csv: every op of every rank, in as little memory as that takes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy
import pandas

from .tables import read_chunks

#: Streams whose name begins like this compute (some formats have several); all others communicate.
COMPUTE = "compute"

#: Most bytes of ops.csv of which all ranks are kept; of a larger one every second, third, ... rank.
MAX_BYTES = 1_200_000_000

#: A compressed file is taken to hold this many times its size.
COMPRESSION = 12

COLUMNS = {
    "rank": "int32",
    "stream": "category",
    "op": "category",
    "phase": "category",
    "microbatch": "Int64",
    "origin": "category",
    "start_ns": "int64",
    "end_ns": "int64",
}

TEXTS = ["stream", "op", "phase", "origin"]


@dataclass
class Ops:
    """Ops, sorted by rank and then by start.

    rows has the columns of ops.csv; texts are codes, positions in the lists of `texts`; a
    microbatch of -1 means none.
    """

    rows: pandas.DataFrame
    texts: dict[str, list[str]]
    every: int  #: 1: all ranks are there; n: those whose number is a multiple of n, and `kept`

    def code(self, column: str, text: str) -> int:
        """Return the code of a text, -1 if it does not occur."""
        return self.texts[column].index(text) if text in self.texts[column] else -1

    def of_rank(self, rank: int) -> pandas.DataFrame:
        """Return the ops of a rank."""
        ranks = self.rows["rank"].to_numpy()
        first, last = numpy.searchsorted(ranks, [rank, rank + 1])
        return self.rows.iloc[first:last]

    def is_compute(self, rows: pandas.DataFrame) -> numpy.ndarray:
        """Return for each of some ops whether it computes."""
        codes = [i for i, name in enumerate(self.texts["stream"]) if name.startswith(COMPUTE)]
        return numpy.isin(rows["stream"].to_numpy(), codes)


def read_ops(path: Path, job: str, kept: list[int]) -> Ops:
    """Read ops.csv; the ranks in kept are there in any case."""
    size = path.stat().st_size * (COMPRESSION if path.suffix == ".gz" else 1)
    every = max(1, -(-size // MAX_BYTES))
    codes: dict[str, dict[str, int]] = {name: {} for name in TEXTS}
    chunks = []
    for chunk in read_chunks(path, COLUMNS, job):
        if every > 1:
            chunk = chunk[(chunk["rank"] % every == 0) | chunk["rank"].isin(kept)]
        chunks.append(_encode(chunk, codes))
    rows = pandas.concat(chunks, ignore_index=True) if chunks else pandas.DataFrame(columns=COLUMNS)
    del chunks
    order = numpy.lexsort((rows["end_ns"], rows["start_ns"], rows["rank"]))
    rows = rows.take(order).reset_index(drop=True)
    return Ops(rows, {name: list(known) for name, known in codes.items()}, every)


def _encode(chunk: pandas.DataFrame, codes: dict[str, dict[str, int]]) -> pandas.DataFrame:
    """Replace texts by codes that are the same in all chunks."""
    encoded = {}
    for name in TEXTS:
        column = chunk[name].cat
        known = codes[name]
        mapped = [known.setdefault(str(text), len(known)) for text in column.categories]
        encoded[name] = numpy.asarray(mapped, dtype="int32")[column.codes] if mapped else []
    microbatch = chunk["microbatch"].fillna(-1).astype("int32").to_numpy()
    return pandas.DataFrame(
        {
            "rank": chunk["rank"].to_numpy(),
            **encoded,
            "microbatch": microbatch,
            "start_ns": chunk["start_ns"].to_numpy(),
            "end_ns": chunk["end_ns"].to_numpy(),
        }
    )
