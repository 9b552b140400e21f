# SPDX-License-Identifier: GPL-2.0-only
"""Values of options: from JSON to what stands on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..errors import kind_of, wrong_file

#: Options that are not a sweep's to set, and why.
REFUSED = {
    "outputDir": "an option of a run; each run has its own directory below --output",
    "files": 'an option of a run; "keep" says which tables stay',
    "run": 'an option of a run; the runs of a combination are given by "seeds"',
    "RngRun": 'an option of a run; the runs of a combination are given by "seeds"',
    "progress": "an option of a run; a sweep shows its own progress",
    "config": 'an option of a run; its keys may stand in "options" as they are',
    "mpi": "an option of a run; a sweep uses the cores for runs side by side",
    "dryRun": "an option of a run; a sweep simulates",
    "exportChakra": "an option of a run; a sweep simulates",
    "help": "an option of a run; a sweep simulates",
}

#: Largest whole number that JSON's numbers are sure to hold.
EXACT = 2**53


def text_of(value: Any, path: Path, pointer: str) -> str:
    """Return what means the same as a JSON value on the command line."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value == int(value) and abs(value) <= EXACT:
        return str(int(value))
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    raise wrong_file(path, "a text, a number, true or false", kind_of(value), pointer)


def texts_of(value: Any, path: Path, pointer: str) -> tuple[str, ...]:
    """Return the values that an option is given.

    None if it is null, which leaves the option's default; several if it is a list, as of options
    that may be given several times.
    """
    if value is None:
        return ()
    if isinstance(value, list):
        return tuple(text_of(entry, path, f"{pointer}/{i}") for i, entry in enumerate(value))
    return (text_of(value, path, pointer),)


def check_name(name: str, path: Path, pointer: str) -> None:
    """Refuse options that are not a sweep's to set; others are the program's to judge."""
    if name.startswith("-"):
        raise wrong_file(path, "an option without dashes", name, pointer)
    if name in REFUSED:
        raise wrong_file(path, "an option that runs of a sweep share", REFUSED[name], pointer)
