# SPDX-License-Identifier: GPL-2.0-only
"""Values of Python as options of the programs."""

from __future__ import annotations

import numbers
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .errors import InputError, nearest
from .program import Option, check_names, options_of

#: Options that a call has a word of its own for, or no use for, and what to write instead.
REPLACED = {
    "outputDir": "save() of what replay() returns, which copies the files",
    "files": 'tables, such as tables=["flows"]; others are had when they are looked at',
    "dryRun": "describe(), which simulates nothing",
    "exportChakra": "./wl-replay --exportChakra=PREFIX",
    "mpi": "./wl-replay --mpi=COUNT and load(); runs of sweep() use the cores side by side",
    "help": "options()",
}


def _wrong(name: str, expected: str, found: str) -> InputError:
    return InputError(f"--{name}: error: expected {expected}, found {found}")


def text_of(name: str, value: Any, option: Option | None) -> str:
    """Return what means the same as a value on the command line."""
    value = plain(value)
    if isinstance(value, bool):
        # The programs' own switches are on or off, attributes of ns-3 true or false.
        return ("off", "on")[value] if option else ("false", "true")[value]
    if isinstance(value, (str, os.PathLike)):
        return str(value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        number = float(value)
        return str(int(number)) if number == int(number) and abs(number) < 2**53 else repr(number)
    if isinstance(value, Mapping):
        return ",".join(f"{key}={text_of(name, value[key], option)}" for key in value)
    expected = "a text, a number, True, False, a path, a mapping, or a list of these"
    raise _wrong(name, expected, type(value).__name__)


def plain(value: Any) -> Any:
    """Return a number or an array of NumPy or pandas as what Python itself has for it."""
    return value.tolist() if hasattr(value, "tolist") else value


def texts_of(name: str, value: Any, option: Option | None) -> tuple[str, ...]:
    """Return the values that an option is given: none of None, several of a list."""
    value = plain(value)
    if value is None:
        return ()
    if isinstance(value, (list, tuple, set, frozenset)):
        return tuple(text_of(name, entry, option) for entry in value)
    return (text_of(name, value, option),)


def options_as_texts(
    options: Mapping[str, Any], program: Path, replaced: Mapping[str, str] = REPLACED
) -> dict[str, tuple[str, ...]]:
    """Return options as they stand on the command line, by name; refuse those there are not."""
    for name in options:
        if name in replaced:
            raise _wrong(name, replaced[name], f"the option {name}")
    check_names(options, program)
    known = options_of(program)
    return {name: texts_of(name, value, known.get(name)) for name, value in options.items()}


def check_tables(tables: str | Iterable[str], known: list[str]) -> list[str]:
    """Return the files that hold a table, or several: links stands for links.csv."""
    files = []
    for table in [tables] if isinstance(tables, str) else tables:
        found = [name for name in known if table in (name, name.partition(".")[0])]
        if not found:
            names = [name.partition(".")[0] for name in known]
            raise InputError(
                f"tables: error: expected names of {', '.join(names)}, found "
                f"'{table}'{nearest(table, names)}"
            )
        files += found
    return files
