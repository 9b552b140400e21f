# SPDX-License-Identifier: GPL-2.0-only
"""What can go wrong: exceptions that carry what the programs print."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .run import Run

#: How all programs say what is wrong: the place may have colons itself, what was found a comma.
_PARTS = re.compile(
    r"(?P<place>.+?): error: expected (?P<expected>.*), found (?P<found>.*?)"
    r"(?:; (?P<suggestion>did you mean .*?\?))?"
    r"(?: \(with .*\))?",  # the combination of a sweep
    re.DOTALL,
)


class ReplayError(Exception):
    """Something went wrong; the text is what the user reads after the program's name."""

    @property
    def _parts(self) -> dict[str, str | None]:
        match = _PARTS.fullmatch(str(self).split("\n", 1)[0])
        return match.groupdict() if match else {}

    @property
    def place(self) -> str:
        """Where: FILE:LINE:COLUMN, FILE:POINTER (JSON) or --OPTION; empty if it has no place."""
        head, colon, _ = str(self).partition(": error: ")
        return self._parts.get("place") or (head if colon else "")

    @property
    def expected(self) -> str:
        """What should be there; empty if the message does not say it."""
        return self._parts.get("expected") or ""

    @property
    def found(self) -> str:
        """What is there; empty if the message does not say it."""
        return self._parts.get("found") or ""

    @property
    def remedy(self) -> str:
        """What to do: the name that was meant, else what was expected, else the message."""
        suggestion = self._parts.get("suggestion")
        if suggestion:
            return suggestion
        return f"expected {self.expected}" if self.expected else str(self)


class InputError(ReplayError):
    """A file or an option is wrong; nothing was run."""


class ProgramError(ReplayError):
    """The program cannot be had, or ended as it should not."""


class UnfinishedError(ReplayError):
    """The replay could not finish; run holds what it has written until then."""

    def __init__(self, text: str, run: Run | None = None) -> None:
        super().__init__(text)
        self.run = run


def wrong_file(path: Path | str, expected: str, found: str, place: str = "") -> InputError:
    """Return the error of a file, in the form that wl-replay's own errors have.

    place says where in the file, such as `3:7` (line and column) or a JSON pointer.
    """
    where = f"{path}:{place}" if place else f"{path}"
    return InputError(f"{where}: error: expected {expected}, found {found}")


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the end of a message that suggests the name that was meant, or nothing."""
    # Who writes gpus_per_server means gpusPerServer.
    plain = {re.sub("[_-]", "", other).lower(): other for other in names}
    close = difflib.get_close_matches(re.sub("[_-]", "", name).lower(), plain, 1)
    return f"; did you mean {plain[close[0]]}?" if close else ""


def kind_of(value: Any) -> str:
    """Return what a JSON value is, as messages say what they found."""
    if isinstance(value, dict):
        return "an object" if value else "an empty object"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    return json.dumps(value)
