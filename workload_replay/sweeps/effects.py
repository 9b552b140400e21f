# SPDX-License-Identifier: GPL-2.0-only
"""Which dimension of the grid matters for a result, and which of its values is better.

The share of a dimension is that of the variance of all runs that its value explains by itself (the
correlation ratio, eta squared of an analysis of variance). If every combination has as many runs,
shares of dimensions, of what they do together and of the seeds add up to 1.

The difference of a value is the mean over pairs of runs that are equal in everything else, in the
run number, too, so that rules of exclusion and incomplete runs do not bias it. Its interval is
that of the means of each run number.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from ..report.statistics import Mean, mean_of
from .description import Dimension

#: Results that are looked at, and what they are called.
SUBJECTS = {
    "iteration_ns": "iteration time",
    "pipeline_ns": "pipeline time (bubble and exposed pp, mean of the ranks)",
    "data_parallel_ns": "data-parallel time (exposed dp and edp, mean of the ranks)",
    "exposed_ep_ns": "expert-parallel time (exposed ep, mean of the ranks)",
    "exposed_tp_ns": "tensor-parallel time (exposed tp, mean of the ranks)",
}


@dataclass(frozen=True)
class Point:
    """A result of a run."""

    labels: tuple[str, ...]
    number: int
    value: float


@dataclass(frozen=True)
class Effect:
    """A value of a dimension."""

    label: str
    mean: Mean  #: over the other dimensions; interval over run numbers
    difference: Mean | None  #: to the dimension's first value; None of that one, or without pairs


@dataclass(frozen=True)
class Influence:
    """A dimension."""

    name: str
    share: float
    effects: list[Effect]


@dataclass(frozen=True)
class Analysis:
    """What matters for a result."""

    mean: float
    influences: list[Influence]
    together: float | None  #: share of what dimensions do together; None if not all are combined
    seeds: float | None  #: share of the run numbers; None if not all are combined


def _explained(points: Sequence[Point], key: Callable[[Point], Hashable]) -> float:
    """Return the share of the variance that lies between groups of points, 0 to 1."""
    mean = sum(point.value for point in points) / len(points)
    total = sum((point.value - mean) ** 2 for point in points)
    if total == 0:
        return 0.0
    groups: dict[Hashable, list[float]] = {}
    for point in points:
        groups.setdefault(key(point), []).append(point.value)
    between = sum(len(g) * (sum(g) / len(g) - mean) ** 2 for g in groups.values())
    return min(1.0, between / total)


def _by_number(values: list[tuple[int, float]]) -> Mean:
    """Return the mean of values, with the interval of the means of each run number."""
    numbers: dict[int, list[float]] = {}
    for number, value in values:
        numbers.setdefault(number, []).append(value)
    return mean_of([sum(group) / len(group) for group in numbers.values()])


def _effects(points: Sequence[Point], index: int, dimension: Dimension) -> list[Effect]:
    def rest(point: Point) -> Hashable:
        return point.labels[:index], point.labels[index + 1 :], point.number

    first = dimension.choices[0].label
    base = {rest(point): point.value for point in points if point.labels[index] == first}
    effects = []
    for choice in dimension.choices:
        those = [point for point in points if point.labels[index] == choice.label]
        if not those:
            continue
        pairs = [(p.number, p.value - base[rest(p)]) for p in those if rest(p) in base]
        difference = _by_number(pairs) if pairs and choice.label != first else None
        mean = _by_number([(point.number, point.value) for point in those])
        effects.append(Effect(choice.label, mean, difference))
    return effects


def analyse(points: Sequence[Point], dimensions: list[Dimension], seeds: int) -> Analysis | None:
    """Return what matters, or None without a run that finished."""
    if not points:
        return None
    influences = []
    for i, dimension in enumerate(dimensions):
        share = _explained(points, lambda point, i=i: point.labels[i])
        influences.append(Influence(dimension.name, share, _effects(points, i, dimension)))
    mean = sum(point.value for point in points) / len(points)
    whole = seeds
    for dimension in dimensions:
        whole *= len(dimension.choices)
    if len(points) != whole:
        return Analysis(mean, influences, None, None)
    cells = _explained(points, lambda point: point.labels)
    varies = any(point.value != points[0].value for point in points)
    alone = sum(influence.share for influence in influences)
    return Analysis(mean, influences, max(0.0, cells - alone), 1 - cells if varies else 0.0)
