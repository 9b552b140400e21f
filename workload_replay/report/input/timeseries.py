# SPDX-License-Identifier: GPL-2.0-only
"""Reads timeseries.csv: how links, tiers of links and queue pairs did over time.

The file has a row per series and interval, perhaps millions, so it is read twice, chunk by chunk:
first to learn which series there are and what each adds up to, and then to put the rows of the
series that are shown into bins of time.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy
import pandas

from .tables import read_chunks

#: What a row is about.
KINDS = ["links", "link", "queue-pair"]

#: What distinguishes series.
KEYS = ["kind", "number", "from", "to"]

#: Columns and their pandas types; a Float64 may be missing.
COLUMNS = {
    "end_ns": "int64",
    **dict.fromkeys(KEYS, "str"),
    "ports": "Float64",
    "rate_bps": "Float64",
    "max_queue_bytes": "Float64",
    "pause_share": "Float64",
    "ecn_marked": "Float64",
    "dropped": "Float64",
    "limit_bps": "Float64",
    "window_bytes": "Float64",
}

#: How the values of several intervals become that of a bin.
OF_BIN = {
    "rate_bps": "mean",
    "max_queue_bytes": "max",
    "pause_share": "mean",
    "ecn_marked": "sum",
    "dropped": "sum",
    "limit_bps": "mean",
    "window_bytes": "mean",
}

#: Most bins of the time; of fewer intervals each has its own.
MAX_BINS = 400


@dataclass
class Series:
    """One series: what it is about, its sums over all intervals, and its values by bin."""

    kind: str
    number: str
    source: str
    target: str
    ports: int
    totals: dict[str, float]  #: see TOTALS; NaN where nothing is known
    bins: dict[str, numpy.ndarray] = field(default_factory=dict)  #: by column; NaN: no row


@dataclass
class TimeSeries:
    """The series of a run that are shown."""

    interval: int  #: length of an interval of the file, ns
    end: int  #: end of the last one, ns
    each: int  #: intervals of a bin
    series: list[Series]  #: by kind; of queue pairs those with the most bytes first
    counts: dict[str, int]  #: number of series in the file by kind

    def of(self, kind: str) -> list[Series]:
        """Return the series of a kind that are shown."""
        return [series for series in self.series if series.kind == kind]

    @property
    def edges(self) -> numpy.ndarray:
        """Ends of the bins and the start of the first, ns."""
        count = bin_count(self.end, self.interval, self.each)
        return numpy.arange(count + 1) * float(self.interval * self.each)


#: What is known of each series over all intervals: by name, column and how it is aggregated.
TOTALS = {
    "ports": ("ports", "max"),
    "rows": ("end_ns", "count"),
    "rate_sum": ("rate_bps", "sum"),
    "rate_max": ("rate_bps", "max"),
    "queue_max": ("max_queue_bytes", "max"),
    "pause_sum": ("pause_share", "sum"),
    "marked": ("ecn_marked", "sum"),
    "dropped": ("dropped", "sum"),
    "limit_min": ("limit_bps", "min"),
    "window_min": ("window_bytes", "min"),
}

#: How those of chunks are put together.
JOINED = {name: "sum" if how == "count" else how for name, (_, how) in TOTALS.items()}


def bin_count(end: int, interval: int, each: int) -> int:
    """Return how many bins of so many intervals reach to an end."""
    return -(-end // (interval * each))


class _Clock:
    """Finds the length of the intervals: the most frequent distance of their ends."""

    def __init__(self) -> None:
        self.last = 0
        self.distances: Counter[int] = Counter()

    def add(self, ends: pandas.Series) -> None:
        """Take the ends of a chunk, which are in order."""
        times = numpy.concatenate(([self.last], numpy.unique(ends.to_numpy())))
        distances, counts = numpy.unique(numpy.diff(times), return_counts=True)
        for distance, count in zip(distances, counts):
            if distance > 0:
                self.distances[int(distance)] += int(count)
        self.last = max(self.last, int(times[-1]))

    def interval(self) -> int:
        """Return the length, ns."""
        return max(self.distances.items(), key=lambda item: (item[1], item[0]))[0]


def _plain(chunk: pandas.DataFrame) -> pandas.DataFrame:
    """Return a chunk whose missing numbers are NaN, which is faster to add up."""
    numbers = {name: "float64" for name, kind in COLUMNS.items() if kind == "Float64"}
    return chunk.astype(numbers)


def _aggregate(rows: pandas.DataFrame, how: dict[str, tuple[str, str]]) -> pandas.DataFrame:
    return rows.groupby(KEYS, as_index=False, sort=False).agg(**how)


def _find_series(path: Path) -> tuple[pandas.DataFrame, _Clock]:
    """Return a row for each series of the file, and what is known of its times."""
    clock = _Clock()
    joined = {name: (name, how) for name, how in JOINED.items()}
    found: pandas.DataFrame | None = None
    for chunk in read_chunks(path, COLUMNS):
        if chunk.empty:
            continue
        clock.add(chunk["end_ns"])
        sums = _aggregate(_plain(chunk), TOTALS)
        found = sums if found is None else _aggregate(pandas.concat([found, sums]), joined)
    return pandas.DataFrame(columns=KEYS) if found is None else found, clock


def _choose(found: pandas.DataFrame, most: dict[str, int]) -> pandas.DataFrame:
    """Return the series to show: of each kind those with the most bytes, as many as are wanted.

    Links stay in the order of the file, which is that of the network; queue pairs have none.
    """
    ordered = found.sort_values("rate_sum", ascending=False, kind="stable")
    parts = [ordered[ordered["kind"] == kind].head(most[kind]) for kind in KINDS]
    parts = [part if kind == "queue-pair" else part.sort_index() for kind, part in zip(KINDS, parts)]
    chosen = pandas.concat(parts, ignore_index=True)
    return chosen.assign(series=range(len(chosen)))


def _fill(path: Path, chosen: pandas.DataFrame, width: int, bins: int) -> dict[str, numpy.ndarray]:
    """Return by column: the values by series and bin of so many ns, NaN where there is no row."""
    cells = len(chosen) * bins
    values = {name: numpy.zeros(cells) for name in OF_BIN}
    counts = {name: numpy.zeros(cells, dtype="int64") for name in OF_BIN}
    for chunk in read_chunks(path, COLUMNS):
        rows = _plain(chunk.merge(chosen[[*KEYS, "series"]], on=KEYS))
        cell = rows["series"].to_numpy() * bins + (rows["end_ns"].to_numpy() - 1) // width
        for name, how in OF_BIN.items():
            known = rows[name].notna().to_numpy()
            where, what = cell[known], rows[name].to_numpy()[known]
            add = numpy.maximum if how == "max" else numpy.add
            add.at(values[name], where, what)
            numpy.add.at(counts[name], where, 1)
    for name, how in OF_BIN.items():
        if how == "mean":
            values[name] /= numpy.maximum(counts[name], 1)
        values[name][counts[name] == 0] = numpy.nan
    return {name: value.reshape(len(chosen), bins) for name, value in values.items()}


def read_timeseries(path: Path, most: dict[str, int]) -> TimeSeries | None:
    """Read the series with the most bytes, so many of each kind; None if the file has no row."""
    found, clock = _find_series(path)
    if found.empty:
        return None
    interval = clock.interval()
    each = max(1, -(-bin_count(clock.last, interval, 1) // MAX_BINS))
    chosen = _choose(found, most)
    bins = _fill(path, chosen, interval * each, bin_count(clock.last, interval, each))
    series = []
    for i, row in enumerate(chosen.to_dict("records")):
        ports = 1 if numpy.isnan(row["ports"]) else int(row["ports"])
        totals = {name: float(row[name]) for name in TOTALS}
        columns = {name: values[i] for name, values in bins.items()}
        series.append(
            Series(row["kind"], row["number"], row["from"], row["to"], ports, totals, columns)
        )
    counts = Counter(found["kind"])
    return TimeSeries(interval, clock.last, each, series, {kind: counts[kind] for kind in KINDS})
