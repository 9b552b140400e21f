# SPDX-License-Identifier: GPL-2.0-only
"""replay(): one run of wl-replay, or what it has left when it ran before."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .arguments import check_tables, options_as_texts
from .cache import Cache, folder_of
from .display import Display, Progress
from .errors import InputError, ProgramError, UnfinishedError
from .program import find_program
from .run import Run
from .sweeps.description import FILES, Setting
from .sweeps.grid import Combination
from .sweeps.identity import Digests, digest_of, directory_of
from .sweeps.pool import run_all
from .sweeps.process import Starter
from .sweeps.running import Replay, last_line
from .sweeps.running import Run as Plan
from .sweeps.store import Store

#: Tables that are written unless others are asked for. Not those of messages: with them, a replay
#: that reuses collectives has to simulate their messages, and takes several times as long.
TABLES = ("ops", "collectives", "links")

#: How a replay says in its messages how far it is.
_SHARE = re.compile(r"[\d.]+ % done in .*")


def _number_of(texts: tuple[str, ...]) -> int:
    if len(texts) != 1 or not re.fullmatch("[1-9][0-9]{0,18}", texts[0]):
        found = ", ".join(texts)
        raise InputError(f"--run: error: expected a run number from 1 on, found '{found}'")
    return int(texts[0])


class Replayer:
    """Has one run done, or finds it among the results that are kept."""

    def __init__(
        self, options: Mapping[str, Any], program: Path, cache: Cache, progress: Progress
    ) -> None:
        texts = options_as_texts(options, program)
        number = _number_of(texts.pop("run", ()) or ("1",))
        self.options = texts
        self._program = program
        self._progress = progress
        title = self._title()
        combination = Combination((title,), title, {k: Setting(v, k) for k, v in texts.items()})
        identity = Digests(program, Path.cwd()).describe(texts, number)
        digest = digest_of(identity)
        name = directory_of(combination.labels, number, digest)
        self._plan = Plan(combination, number, digest, name, identity)
        base, self._temporary = folder_of(cache)  # goes with the last run that is looked at
        self._folder = base / "replays" / digest
        self._starter = Starter(program, Path.cwd())

    def _title(self) -> str:
        """Return what the run is called, for people: what it replays."""
        words = [text for key in ("workload", "model", "job") for text in self.options.get(key, ())]
        return Path(words[0].partition(":")[0]).stem if words else "replay"

    def fetch(self, files: Sequence[str]) -> Path:
        """Return the directory of the run with some files, replaying if they are not all there."""
        with Store(self._folder, wait=True) as store:
            found = store.find(self._plan.digest, self._plan.name, list(files))
            if found is None:
                found = self._replay(store, sorted({*files, *store.kept(self._plan.name)}))
        return found

    def _replay(self, store: Store, files: list[str]) -> Path:
        """Replay; return the directory of the result."""
        with Display(self._progress) as display:
            work = Replay(self._plan, store, files, "on" if display.is_shown else "off")

            def wait() -> None:
                lines = (work.work / "messages.txt").read_text(errors="replace")
                shares = _SHARE.findall(lines)
                display.show(f"{self._plan.title}: {shares[-1] if shares else 'running'}")

            run_all(self._starter, [work], 1, lambda _: None, wait)
        if work.message:
            raise self._failure(work)
        return store.runs / self._plan.name

    def _failure(self, work: Replay) -> Exception:
        if work.code == 1:
            return InputError(work.words)
        return ProgramError(f"{self._program}: error: {work.message}")

    def run(self, files: Sequence[str], name: str) -> Run:
        """Return the run; raises UnfinishedError if it could not finish."""
        folder = self.fetch(files)
        run = Run(folder, self.options, self.fetch, name or self._plan.title)
        if not run.complete:
            raise UnfinishedError(waiting_report(folder), run)
        return run


def waiting_report(folder: Path) -> str:
    """Return what a replay that could not finish says of it."""
    text = (folder / "messages.txt").read_text(encoding="utf-8", errors="replace")
    lines = [line for line in text.strip().splitlines() if not _SHARE.search(line)]
    return "\n".join(lines) or last_line(folder / "messages.txt")


def replay(
    workload: str | Path | None = None, *, tables: Sequence[str] = TABLES,
    program: str | Path | None = None, cache: Cache = True, progress: Progress = None,
    name: str = "", **options: Any,
) -> Run:  # fmt: skip
    """Replay a workload; return what came out.

    Options are those of wl-replay (options() lists them), as keywords: `cc="hpcc"`, `world=16`,
    `exact=True`; a list is an option that is given several times, a dictionary KEY=VALUE with commas
    between; attributes of ns-3 stand in `**{"ns3::RdmaNic::InFlightLimit": "64KiB"}`. Relative paths
    are those of the working directory.

    tables   those that are written at once, of ops, collectives, links, flows, timeseries, trace;
             another one that is looked at costs another replay
    program  another program than the clone's wl-replay, such as one with classes of one's own
    cache    whether the result is kept and found again, or the directory where; what it is found by
             are all options, the contents of the files that they name, and the program
    progress whether a line says how far it is, or a function that is called with each such line;
             by default there is one in notebooks and on terminals
    name     what reports call the run

    Raises InputError if an option or a file is wrong, UnfinishedError if the replay cannot finish,
    and ProgramError if the program crashes or cannot be had.
    """
    if workload is not None:
        options = {"workload": workload, **options}
    with Display(progress) as display:
        path = find_program(program, "wl-replay", display.show if display.is_shown else None)
    wanted = check_tables(tables, FILES)
    if options.get("timeSeries") is not None:
        wanted.append("timeseries.csv")
    replayer = Replayer(options, path, cache, progress)
    return replayer.run(["fabric.json", *wanted], name)
