# SPDX-License-Identifier: GPL-2.0-only
"""The directory of a sweep: which runs are done."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..report.input.summary import read_summary
from ..report.writing import write_whole
from .identity import DIGITS

#: File of a run that says what it is: options, digests of files, how it ended.
RECORD = "sweep-run.json"


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


class Store:
    """The directory, held until it is closed or the process ends.

    A run works in a directory below unfinished/, which is renamed to runs/NAME when it has ended:
    whatever is below runs/ is whole. What is below unfinished/ at the start is thrown away.
    """

    def __init__(self, folder: Path, wait: bool = False) -> None:
        """Take hold of a directory; wait: until others leave it, instead of refusing it."""
        self.folder = folder
        self.runs = folder / "runs"
        self._unfinished = folder / "unfinished"
        try:
            self.runs.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder, os.O_RDONLY)
            fcntl.flock(self._lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError as error:
            raise InputError(f"{folder}: error: another wl-sweep works there") from error
        except OSError as error:
            reason = f"{error.filename or folder}: {error.strerror}"
            raise InputError(f"error: no directory for the runs: {reason}") from error
        self.discard_unfinished()
        self._names = {path.name[-DIGITS:]: path.name for path in sorted(self.runs.iterdir())}
        self._probe()

    def _probe(self) -> None:
        """Find out now, not after the first run, whether files can be written."""
        try:
            self._unfinished.mkdir()
            tempfile.TemporaryFile(dir=self.runs).close()
        except OSError as error:
            reason = f"{error.filename or self.folder}: {error.strerror}"
            raise InputError(f"error: cannot be written: {reason}") from error

    def find(self, digest: str, name: str, keep: list[str]) -> Path | None:
        """Return the directory of a run that is done and has the files to be kept, or None.

        It gets the name that it is called by now.
        """
        present = self._names.get(digest)
        if present is None:
            return None
        path = self.runs / present
        try:
            read_summary(path)
            record = json.loads((path / RECORD).read_bytes())
        except (InputError, OSError, ValueError):
            return None
        if not set(keep) <= set(record.get("kept", [])):
            return None
        if present != name:
            path.rename(self.runs / name)
            self._names[digest] = name
        return self.runs / name

    def kept(self, name: str) -> list[str]:
        """Return the files that the run of a name has beside its summary, if there is one."""
        try:
            kept: list[str] = json.loads((self.runs / name / RECORD).read_bytes())["kept"]
        except (OSError, ValueError, KeyError):
            return []
        return kept

    def others(self, digests: set[str]) -> int:
        """Return how many directories of runs are not among these."""
        return sum(digest not in digests for digest in self._names)

    def begin(self, name: str) -> Path:
        """Return a new directory for a run to work in."""
        return Path(tempfile.mkdtemp(prefix=name + "-", dir=self._unfinished))

    def finish(self, work: Path, name: str, record: dict[str, Any]) -> Path:
        """Make what a run has written that run's result."""
        write_whole(work / RECORD, json.dumps(record, indent=2) + "\n")
        old = self._names.get(name[-DIGITS:])
        if old is not None:
            _remove(self.runs / old)
        work.chmod(0o755)
        work.rename(self.runs / name)
        self._names[name[-DIGITS:]] = name
        return self.runs / name

    def discard(self, work: Path) -> None:
        """Throw away what a run has written."""
        _remove(work)

    def discard_unfinished(self) -> None:
        """Throw away what runs that did not end have written."""
        _remove(self._unfinished)

    def close(self) -> None:
        """Leave the directory to others."""
        self.discard_unfinished()
        os.close(self._lock)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def discard_tables(self, names: list[str]) -> None:
        """Remove tables, which do not belong to the runs any more."""
        for name in names:
            (self.folder / name).unlink(missing_ok=True)
