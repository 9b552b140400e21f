# SPDX-License-Identifier: GPL-2.0-only
"""Reads flows.csv: how much longer messages took than they need.

The file may have millions of rows, so they are counted by size and slowdown as they are read. The
slowdown is that of the time from when the sender handed the message over until its last byte is
there, over `ideal_ns`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy
import pandas

from ..units import DIMENSIONS
from .tables import read_chunks, read_header, read_table

#: Bins of an octave of slowdown: values are known to 0.35 %, and powers of two exactly.
OCTAVE = 100

#: Bins below slowdown 1 and above it; what is beyond counts as the last one.
BELOW = OCTAVE
ABOVE = 20 * OCTAVE

#: Sizes by power of two, rounded down.
SIZES = 48

#: What messages of no known dimension are counted as, such as background traffic.
OTHER = "other"

COLUMNS = {
    "src_rank": "int64",
    "communicator": "category",
    "bytes": "int64",
    "start_ns": "int64",
    "end_ns": "int64",
    "ideal_ns": "int64",
}


@dataclass
class FlowCounts:
    """Messages by dimension, size and slowdown."""

    #: By dimension: counts by size and slowdown.
    counts: dict[str, numpy.ndarray] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)  #: payload by dimension
    members: dict[str, set[int]] = field(default_factory=dict)  #: senders by communicator

    def slowdowns(self, dimension: str) -> numpy.ndarray:
        """Return the number of messages of a dimension by slowdown."""
        return self.counts[dimension].sum(axis=0)

    def all(self) -> numpy.ndarray:
        """Return the number of messages by size and slowdown."""
        total = numpy.zeros((SIZES, BELOW + ABOVE + 1), dtype="int64")
        for counts in self.counts.values():
            total += counts
        return total

    def dimensions(self) -> list[str]:
        """Return the dimensions that have messages, in their usual order."""
        return [name for name in [*DIMENSIONS, OTHER] if name in self.counts]

    def messages(self) -> int:
        """Return the number of messages."""
        return int(sum(counts.sum() for counts in self.counts.values()))


#: Slowdown of each bin.
SLOWDOWNS = 2.0 ** ((numpy.arange(BELOW + ABOVE + 1) - BELOW) / OCTAVE)


def quantile(counts: numpy.ndarray, share: float) -> float:
    """Return the slowdown that a share of the messages does not exceed."""
    sums = counts.cumsum()
    # 99 % of 100 messages are 99 of them, whatever binary fractions say
    wanted = numpy.ceil(share * sums[-1] - 1e-9)
    return float(SLOWDOWNS[numpy.searchsorted(sums, max(wanted, 1))])


def dimension_of(communicator: str) -> str:
    """Return the dimension that the name of a communicator begins with, such as dp0."""
    words = communicator.split(" ", 1)
    word = words[0].rstrip("0123456789")
    return word if word in DIMENSIONS else OTHER


def read_dimensions(collectives: Path | None) -> dict[str, str]:
    """Return the dimensions of communicators as collectives.csv has them."""
    if collectives is None:
        return {}
    rows = read_table(collectives, {"communicator": "category", "dimension": "category"})
    rows = rows.astype(str).drop_duplicates("communicator")
    return dict(zip(rows["communicator"], rows["dimension"]))


def read_flows(path: Path, dimensions: dict[str, str]) -> FlowCounts:
    """Count the messages of a run."""
    counts = FlowCounts()
    types = dict(COLUMNS)
    if "job" in read_header(path):
        types["job"] = "category"
    for chunk in read_chunks(path, types):
        if not chunk.empty:
            _add(counts, chunk, dimensions)
    return counts


def _add(counts: FlowCounts, chunk: pandas.DataFrame, known: dict[str, str]) -> None:
    taken = (chunk["end_ns"] - chunk["start_ns"]).to_numpy()
    slowdown = numpy.maximum(taken, 1) / numpy.maximum(chunk["ideal_ns"].to_numpy(), 1)
    bins = numpy.rint(OCTAVE * numpy.log2(slowdown)).astype("int64")
    bins = bins.clip(-BELOW, ABOVE) + BELOW
    sizes = numpy.log2(numpy.maximum(chunk["bytes"].to_numpy(), 1)).astype("int64")
    cells = sizes.clip(0, SIZES - 1) * len(SLOWDOWNS) + bins
    communicators = [str(name) for name in chunk["communicator"].cat.categories]
    names = [known.get(name) or dimension_of(name) for name in communicators]
    of_rows = chunk["communicator"].cat.codes.to_numpy()
    for name in sorted(set(names)):
        codes = [i for i, other in enumerate(names) if other == name]
        rows = numpy.isin(of_rows, codes)
        if not rows.any():
            continue
        added = numpy.bincount(cells[rows], minlength=SIZES * len(SLOWDOWNS))
        added = added.reshape(SIZES, len(SLOWDOWNS))
        counts.counts[name] = counts.counts.get(name, 0) + added
        sent = int(chunk["bytes"].to_numpy()[rows].sum())
        counts.bytes[name] = counts.bytes.get(name, 0) + sent
    _add_members(counts, chunk, communicators)


def _add_members(counts: FlowCounts, chunk: pandas.DataFrame, communicators: list[str]) -> None:
    """Note who sends in which communicator; of several jobs, `JOB/COMMUNICATOR`."""
    pairs = pandas.DataFrame(
        {"communicator": chunk["communicator"].cat.codes, "rank": chunk["src_rank"]}
    )
    if "job" in chunk:
        pairs["job"] = chunk["job"].astype(str)
    for pair in pairs.drop_duplicates().itertuples(index=False):
        name = communicators[pair.communicator]
        key = f"{pair.job}/{name}" if "job" in chunk else name
        counts.members.setdefault(key, set()).add(int(pair.rank))
