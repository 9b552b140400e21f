# SPDX-License-Identifier: GPL-2.0-only
"""What the ranks waited for longest."""

from __future__ import annotations

import os

import numpy
import pandas

from .. import units
from ..input.job import Job
from ..input.ops import Ops
from ..page import Section, Table, Text, missing
from .names import named

#: Rows of the table.
MAX_ROWS = 15


def find_waits(ops: Ops) -> pandas.DataFrame:
    """Return the waits of the ranks' compute streams: rank, wait_ns, codes of the texts.

    A wait is a time in which a rank does not compute: between two ops that do, before the first, or
    after the last until the rank's communication has ended. It is put down to the stream whose
    communication ended last in it, and there to each op from the end of the one before.
    """
    found = [_waits_of(ops, int(rank)) for rank in numpy.unique(ops.rows["rank"])]
    found = [waits for waits in found if not waits.empty]
    columns = ["rank", "wait_ns", "op", "stream", "origin"]
    return pandas.concat(found, ignore_index=True) if found else pandas.DataFrame(columns=columns)


def _breaks(work: pandas.DataFrame, end: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Return start and end of the times without an op that computes, from 0 to end."""
    starts = numpy.concatenate(([0], numpy.maximum.accumulate(work["end_ns"].to_numpy())))
    ends = numpy.concatenate((work["start_ns"].to_numpy(), [end]))
    waiting = ends > starts
    return starts[waiting], ends[waiting]


def _waits_of(ops: Ops, rank: int) -> pandas.DataFrame:
    rows = ops.of_rank(rank)
    computes = ops.is_compute(rows)
    talks = rows[~computes].sort_values("end_ns", kind="stable")
    if talks.empty:
        return pandas.DataFrame()
    ended = talks["end_ns"].to_numpy()
    streams = talks["stream"].to_numpy()
    starts, ends = _breaks(rows[computes], int(ended[-1]))
    if not len(starts):
        return pandas.DataFrame()
    # Of each op that communicates: the break in which it ended, and of that the last such op
    index = numpy.searchsorted(ends, ended, side="left").clip(0, len(ends) - 1)
    last = numpy.searchsorted(ended, ends[index], side="right") - 1
    inside = (ended > starts[index]) & (ended <= ends[index]) & (streams == streams[last])
    before = talks.groupby("stream")["end_ns"].shift(fill_value=0).to_numpy()
    until = numpy.where(numpy.arange(len(talks)) == last, ends[index], ended)
    length = (until - numpy.maximum(before, starts[index]))[inside]
    cause = talks[inside]
    waits = pandas.DataFrame(
        {
            "rank": rank,
            "wait_ns": length,
            "op": cause["op"].to_numpy(),
            "stream": cause["stream"].to_numpy(),
            "origin": cause["origin"].to_numpy(),
        }
    )
    return waits[waits["wait_ns"] > 0]


def _place(origin: str, count: int) -> str:
    """Return FILE:LINE without the folders of the file, and how many other places there are."""
    more = f" and {units.plural(count - 1, 'other')}" if count > 1 else ""
    return os.path.basename(origin) + more


def make_section(job: Job, ops: Ops | None) -> Section:
    """Return what the ranks of a job waited for."""
    section = Section(named("Longest waits", job))
    if ops is None:
        section.blocks.append(missing("There is no ops.csv, so waits are not known."))
        return section
    waits = find_waits(ops)
    if waits.empty:
        section.blocks.append(Text("No rank waited for communication."))
        return section
    if ops.every > 1:
        section.blocks.append(Text(f"Of every {ops.every}th rank.", "note"))
    waits = waits.sort_values("wait_ns", ascending=False, kind="stable")
    groups = waits.groupby(["op", "stream"], sort=False)
    # The longest wait of each group comes first.
    table = groups.agg(
        sum=("wait_ns", "sum"),
        count=("wait_ns", "count"),
        max=("wait_ns", "max"),
        rank=("rank", "first"),
        origin=("origin", "first"),
        origins=("origin", "nunique"),
    ).sort_values("sum", ascending=False, kind="stable")
    total = waits["wait_ns"].sum()
    rows = []
    for (op, stream), row in table.head(MAX_ROWS).iterrows():
        rows.append(
            [
                ops.texts["op"][op],
                ops.texts["stream"][stream],
                _place(ops.texts["origin"][row["origin"]], row["origins"]),
                units.time(row["sum"]),
                units.percent(row["sum"] / total),
                units.number(row["count"]),
                units.time(row["max"]),
                str(row["rank"]),
            ]
        )
    header = ["op", "stream", "longest at", "waited, all ranks", "share", "waits", "longest"]
    section.blocks.append(Table([*header, "on rank"], rows, names=3))
    section.blocks.append(
        Text(
            "A wait is a time in which a rank's compute stream stands still until communication of "
            "the rank has ended; ops of a name and stream are one row. Time after a rank's last op "
            "(idle) is not in it.",
            "note",
        )
    )
    return section
