# SPDX-License-Identifier: GPL-2.0-only
"""The tables of a sweep. Equal results give equal bytes, whatever order runs ended in."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from ..report.statistics import mean_of
from .description import Description
from .effects import Analysis
from .grid import Combination
from .results import COSTS, Result, names_of
from .running import Run

#: Runs with their results, in order of the grid.
Rows = Sequence[tuple[Run, Result]]

#: All of them; the first is the last to be written.
TABLES = ["sweep.csv", "summary.csv", "effects.csv", "cost.csv"]


def _cell(value: Any) -> Any:
    """Return a number without digits that say nothing: thousandths of a ns are left."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        value = round(value, 3)
        return int(value) if value == int(value) else value
    return "" if value is None else value


def _text(header: list[str], rows: Iterable[Iterable[Any]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return file.getvalue()


def _option_names(combinations: Iterable[Combination]) -> list[str]:
    return list(dict.fromkeys(name for combination in combinations for name in combination.options))


def _option_cells(combination: Combination, names: list[str]) -> list[str]:
    options = combination.options
    return [" ".join(options[name].texts) if name in options else "" for name in names]


def _dimension_names(description: Description) -> list[str]:
    return [dimension.name for dimension in description.dimensions]


def runs_table(description: Description, rows: Rows) -> str:
    """Return a row for each run: its labels and number, all of its options, its results."""
    options = _option_names(run.combination for run, _ in rows)
    names = names_of([result for _, result in rows])
    header = [*_dimension_names(description), "run", "directory"]
    header += [f"--{name}" for name in options] + ["complete", *names]
    return _text(
        header,
        (
            [
                *run.combination.labels,
                run.number,
                f"runs/{run.name}",
                *_option_cells(run.combination, options),
                result.complete,
                *(result.values.get(name) for name in names),
            ]
            for run, result in rows
        ),
    )


def by_combination(rows: Rows) -> list[tuple[Combination, list[Result]]]:
    """Return the results of each combination."""
    groups: dict[tuple[str, ...], tuple[Combination, list[Result]]] = {}
    for run, result in rows:
        group = groups.setdefault(run.combination.labels, (run.combination, []))
        group[1].append(result)
    return list(groups.values())


def summary_table(description: Description, rows: Rows) -> str:
    """Return a row for each combination: mean and half of the 95 % interval over its runs."""
    names = names_of([result for _, result in rows])
    header = [*_dimension_names(description), "runs", "incomplete"]
    for name in names:
        header += [name, f"{name} ci95"]
    lines = []
    for combination, results in by_combination(rows):
        complete = [result for result in results if result.complete]
        line: list[Any] = [*combination.labels, len(complete), len(results) - len(complete)]
        for name in names:
            values = [result.values[name] for result in complete if name in result.values]
            mean = mean_of(values) if values else None
            interval = mean.half if mean and mean.count > 1 else None
            line += [mean.value if mean else None, interval]
        lines.append(line)
    return _text(header, lines)


def effects_table(analyses: dict[str, Analysis]) -> str:
    """Return a row for each result, dimension and value; at the end what is no dimension's."""
    header = ["result", "dimension", "share_of_variance", "value", "mean_ns", "mean_ns ci95"]
    header += ["difference_ns", "difference_ns ci95"]
    lines: list[list[Any]] = []
    for name, analysis in analyses.items():
        for influence in analysis.influences:
            for effect in influence.effects:
                line = [name, influence.name, f"{influence.share:.6f}", effect.label]
                for mean in (effect.mean, effect.difference):
                    interval = mean.half if mean and mean.count > 1 else None
                    line += [mean.value if mean else None, interval]
                lines.append(line)
        rest = {"(together)": analysis.together, "(seeds)": analysis.seeds}
        for title, share in rest.items():
            if share is not None:
                lines.append([name, title, f"{share:.6f}", None, None, None, None, None])
    return _text(header, lines)


def cost_table(rows: Rows) -> str:
    """Return what each run cost."""
    header = ["directory", *COSTS]
    lines = [[f"runs/{run.name}", *(result.costs[name] for name in COSTS)] for run, result in rows]
    return _text(header, lines)
