# SPDX-License-Identifier: GPL-2.0-only
"""sweep(): all combinations of some options, and which of them matter."""

from __future__ import annotations

import hashlib
import io
import json
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from .arguments import check_tables, plain, texts_of
from .cache import Cache, folder_of
from .display import Display, Progress
from .errors import InputError
from .program import check_names, find_program, options_of
from .replays import Replayer
from .run import Run
from .sweeps.description import FILES, Description, DescriptionReader, read_description
from .sweeps.performing import Outcome, list_runs, perform, write_tables
from .sweeps.store import Store

if TYPE_CHECKING:
    import pandas

    from .report.report import Report

#: What messages name as the place of what is wrong.
PLACE = Path("sweep()")

#: Dimensions: values of the option of that name, or names of values, or of options that go together.
Grid = Mapping[str, Union[Sequence[Any], Mapping[str, Any]]]


class Sweep:
    """What a sweep found out. Tables are pandas DataFrames, read when they are first looked at."""

    def __init__(
        self, description: Description, outcome: Outcome, folder: Path, program: Path, cache: Cache,
        progress: Progress, temporary: object,
    ) -> None:  # fmt: skip
        self.name = description.name
        self.folder = folder  #: where runs and tables are
        #: Messages of runs that went wrong, by what they are called.
        self.failed = {replay.run.title: replay.message for replay in outcome.failed}
        self._dimensions = [dimension.name for dimension in description.dimensions]
        self._outcome = outcome
        self._program = program
        self._how: tuple[Cache, Progress] = (cache, progress)
        self._temporary = temporary  # goes with this

    def _table(self, name: str) -> pandas.DataFrame:
        import pandas

        texts = dict.fromkeys(self._dimensions, str)
        return pandas.read_csv(
            io.StringIO(self._outcome.tables[name]), dtype=texts, keep_default_na=False,
            na_values=[""],
        )  # fmt: skip

    @cached_property
    def results(self) -> pandas.DataFrame:
        """sweep.csv: a row for each run, with its options and results."""
        return self._table("sweep.csv")

    @cached_property
    def summary(self) -> pandas.DataFrame:
        """summary.csv: a row for each combination, with means and 95 % confidence intervals."""
        return self._table("summary.csv")

    @cached_property
    def effects(self) -> pandas.DataFrame:
        """effects.csv: what each dimension and each of its values does to each result."""
        return self._table("effects.csv")

    @cached_property
    def cost(self) -> pandas.DataFrame:
        """cost.csv: what each run cost."""
        return self._table("cost.csv")

    @cached_property
    def runs(self) -> list[Run]:
        """All runs that have a result, in the order of results."""
        return [self._make_run(plan) for plan, _ in self._outcome.rows]

    def _make_run(self, plan: Any) -> Run:
        texts = plan.combination.texts()

        def again(files: list[str]) -> Path:
            options = {**{name: list(texts[name]) for name in texts}, "run": plan.number}
            return Replayer(options, self._program, *self._how).fetch(files)

        return Run(self.folder / "runs" / plan.name, texts, again, plan.title)

    def report(self) -> Report:
        """Return the report that wl-report makes: write() writes the page, figures() has its figures."""
        from .reports import report_of

        write_tables(self.folder, self._outcome.tables)
        return report_of(self)

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} failed" if self.failed else ""
        return f"<Sweep {self.name}: {len(self._outcome.rows)} runs{failed}>"

    def _repr_html_(self) -> str:
        """Return what notebooks show: the combinations with their times."""
        shown = [*self._dimensions, "runs", "iteration_ns", "iteration_ns ci95"]
        return self.summary[shown].to_html(index=False)


class _Converter:
    """Makes of Python's values what stands in a file that describes a sweep."""

    def __init__(self, program: Path) -> None:
        self._program = program
        self._known = options_of(program)

    def value(self, name: str, value: Any) -> str | list[str] | None:
        """Return the value of an option: one text, several, or None for the default."""
        if value is None:
            return None
        texts = list(texts_of(name, value, self._known.get(name)))
        return texts if isinstance(value, (list, tuple)) else texts[0]

    def options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return options that are set together."""
        check_names(options, self._program)
        return {name: self.value(name, value) for name, value in options.items()}

    def dimension(self, name: str, values: Any) -> Any:
        """Return the values of a dimension."""
        if isinstance(values, Mapping):
            return {str(label): self._named(name, values[label]) for label in values}
        values = plain(values)
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            values = [values]
        check_names([name], self._program)
        return [self.value(name, value) for value in values]

    def _named(self, name: str, value: Any) -> Any:
        if isinstance(value, Mapping):
            return self.options(value)
        check_names([name], self._program)
        return self.value(name, value)


def _describe(program: Path, grid: Grid, options: Mapping[str, Any], **keys: Any) -> Description:
    convert = _Converter(program)
    if not isinstance(grid, Mapping):
        expected = "a dictionary such as {'routing': ['ecmp', 'spray']}, or the path of a file"
        raise InputError(f"grid: error: expected {expected}, found {type(grid).__name__}")
    data = {
        **keys,
        "grid": {name: convert.dimension(name, values) for name, values in grid.items()},
        "options": convert.options(options),
    }
    return DescriptionReader(PLACE).read(data)


def _place(cache: Cache, description: Description) -> tuple[Path, object]:
    """Return where a sweep is kept: with others of the same dimensions and options."""
    base, temporary = folder_of(cache)
    options = {name: setting.texts for name, setting in description.options.items()}
    words = [description.name, [d.name for d in description.dimensions], options]
    digest = hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()[:16]
    return base / "sweeps" / digest, temporary


def sweep(
    grid: Grid | str | Path, *, seeds: int | Sequence[int] = 1,
    exclude: Sequence[Mapping[str, Any]] = (), tables: Sequence[str] = (), jobs: int | None = None,
    output: str | Path | None = None, program: str | Path | None = None, cache: Cache = True,
    progress: Progress = None, name: str = "sweep", **options: Any,
) -> Sweep:  # fmt: skip
    """Replay all combinations of some options, on all cores; return what came out.

    grid     dimensions, each a list of values of the option that it is called as, or a dictionary
             of names and values, or of names and dictionaries of options that go together; None is
             the default. Or the path of a file that wl-sweep reads
    options  those of all runs, as those of replay()
    seeds    runs of each combination, or a list of run numbers
    exclude  combinations to be left out: [{"topology": "torus", "routing": ["spray"]}]
    tables   of each run that are kept, such as ["links"]; others cost another replay
    jobs     runs at a time; as many as there are cores
    output   the directory of runs and tables, as wl-sweep's --output

    program, cache and progress are those of replay(). All options are checked before anything runs:
    InputError has a line for each mistake. Runs that go wrong are in failed, with a warning.
    """
    with Display(progress) as display:
        path = find_program(program, "wl-replay", display.show if display.is_shown else None)
        if isinstance(grid, (str, Path)):
            description = read_description(Path(grid))
        else:
            description = _describe(
                path, grid, options, name=name, exclude=[dict(rule) for rule in exclude],
                seeds=seeds if isinstance(seeds, int) else [int(seed) for seed in seeds],
                keep=check_tables(tables, FILES),
            )  # fmt: skip
        folder, temporary = (Path(output), None) if output else _place(cache, description)
        runs = list_runs(description, path)
        with Store(folder, wait=output is None) as store:
            count = jobs or len(os.sched_getaffinity(0))
            outcome = perform(description, runs, path, store, count, display.show)
    for title, message in ((replay.run.title, replay.message) for replay in outcome.failed):
        warnings.warn(f"{title}: {message}", RuntimeWarning, stacklevel=2)
    return Sweep(description, outcome, folder, path, cache, progress, temporary)
