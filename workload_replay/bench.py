# SPDX-License-Identifier: GPL-2.0-only
"""collective(): times of a collective by size; describe(): what would run, and on what network."""

from __future__ import annotations

import html
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .arguments import REPLACED, options_as_texts
from .cache import Cache, folder_of
from .display import Display, Progress
from .errors import InputError, ProgramError
from .program import find_program
from .report.writing import write_whole
from .sweeps.identity import Digests, digest_of
from .sweeps.pool import run_all
from .sweeps.process import Starter
from .sweeps.running import describe_code, last_line

if TYPE_CHECKING:
    import pandas

    from .report.report import Report


class _Call:
    """A process whose standard output is what is wanted."""

    def __init__(self, program: Path, arguments: list[str], folder: Path) -> None:
        self._program = program
        self._arguments = arguments
        self._folder = folder
        self.output = ""

    def begin(self) -> tuple[list[str], Path, Path]:
        """Make ready; return the arguments and the files for standard output and error."""
        return self._arguments, self._folder / "out", self._folder / "err"

    def end(self, code: int) -> None:
        """Keep the output, or say what is wrong."""
        words = last_line(self._folder / "err")
        if code == 1:
            raise InputError(words)
        if code != 0:
            raise ProgramError(f"{self._program}: error: {describe_code(code)}: {words}")
        self.output = (self._folder / "out").read_text(encoding="utf-8")


def _call(program: Path, arguments: list[str], display: Display, title: str) -> str:
    with tempfile.TemporaryDirectory(prefix="workload-replay-") as folder:
        work = _Call(program, arguments, Path(folder))
        run_all(
            Starter(program, Path.cwd()), [work], 1, lambda _: None, lambda: display.show(title)
        )
        return work.output


def _arguments(texts: Mapping[str, tuple[str, ...]]) -> list[str]:
    return [f"--{name}={text}" for name, values in texts.items() for text in values]


def collective(
    kind: str = "all-reduce", *, program: str | Path | None = None, cache: Cache = True,
    progress: Progress = None, **options: Any,
) -> pandas.DataFrame:  # fmt: skip
    """Time a collective size by size, as nccl-tests does; return a row for each size.

    Options are those of wl-collective, such as ranks=16, servers=2, fabric="h800", minBytes="2KiB";
    columns are those of its --csv: size_bytes, count, time_us, algbw_gbs, busbw_gbs, algorithm.
    program, cache, progress and what is raised are those of replay().
    """
    import pandas

    replaced = {**REPLACED, "csv": "what collective() returns, a table"}
    with Display(progress) as display:
        path = find_program(program, "wl-collective", display.show if display.is_shown else None)
        texts = options_as_texts({"kind": kind, **options}, path, replaced)
        base, _temporary = folder_of(cache)
        digest = digest_of(Digests(path, Path.cwd()).describe(texts, 1))
        table = base / "collectives" / f"{digest}.csv"
        if not table.is_file():
            arguments = [*_arguments(texts), "--csv"]
            output = _call(path, arguments, display, f"{kind}: running")
            table.parent.mkdir(parents=True, exist_ok=True)
            write_whole(table, output)
    return pandas.read_csv(table)


class Plan:
    """What a dry run says: the workload, the network and its bounds."""

    def __init__(self, text: str, folder: tempfile.TemporaryDirectory[str]) -> None:
        self.text = text
        self._folder = folder

    def report(self) -> Report:
        """Return wl-report's picture of the network."""
        from .report.report import Report

        return Report([Path(self._folder.name)])

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """Return what notebooks show."""
        return f"<pre>{html.escape(self.text)}</pre>"


def describe(
    workload: str | Path | None = None, *, program: str | Path | None = None,
    progress: Progress = None, **options: Any,
) -> Plan:  # fmt: skip
    """Say what replay() would run with some options, and on what network; nothing is simulated."""
    if workload is not None:
        options = {"workload": workload, **options}
    folder = tempfile.TemporaryDirectory(prefix="workload-replay-")
    with Display(progress) as display:
        path = find_program(program, "wl-replay", display.show if display.is_shown else None)
        arguments = _arguments(options_as_texts(options, path))
        arguments += ["--dryRun", f"--outputDir={folder.name}"]
        return Plan(_call(path, arguments, display, "dry run"), folder)
