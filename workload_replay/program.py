# SPDX-License-Identifier: GPL-2.0-only
"""The programs: where they are, and which options they say that they have."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from .errors import InputError, ProgramError, nearest

#: Programs of the clone that a call may ask for by name.
PROGRAMS = ("wl-replay", "wl-collective")

#: Builds a program as the script of that name does, and prints its path.
_BUILD = 'source "$1/utils/setup.sh"; prepare optimized "$2" >&2; program_path "$2"'

#: An option in the help: its name, what its value is, and where its meaning begins.
_OPTION = re.compile(r"  --(\w+)(?:=(\S+))?(?:  +(.*))?")


def find_clone() -> Path | None:
    """Return the clone that the package stands in or was installed from, or None if it has gone."""
    package = Path(__file__).resolve().parent
    folders = [package.parent]
    note = package / "clone.txt"  # written by setup.py
    if note.is_file():
        folders.append(Path(note.read_text(encoding="utf-8").strip()))
    for folder in folders:
        if (folder / "utils" / "setup.sh").is_file():
            return folder
    return None


def command(name: str) -> str:
    """Return how who started this program starts another: ./NAME in the clone, NAME where pip put it."""
    is_installed = Path(sys.argv[0]).name in ("wl-report", "wl-sweep")
    return name if is_installed else f"./{name}"


def example(name: str) -> Path:
    """Return the path of a file that is shipped in examples/ or in examples/workloads/."""
    clone = find_clone()
    folders = [clone / "examples" / "workloads", clone / "examples"] if clone else []
    for folder in folders:
        if (folder / name).exists():
            return folder / name
    names = [path.name for folder in folders if folder.is_dir() for path in folder.iterdir()]
    raise InputError(
        f"{name}: error: expected a file of examples, found none{nearest(name, names)}"
    )


#: Programs that were built in this process, by name.
_built: dict[str, Path] = {}


def build_program(name: str, notify: Callable[[str], None] | None = None) -> Path:
    """Build a program in the clone, as ./wl-replay does; return its path.

    It is built once in a process, and not if $WL_REPLAY or $WL_COLLECTIVE names one. notify is called with what
    goes on; without it that goes to standard error.
    """
    if name not in _built:
        _built[name] = _build(name, notify)
    return _built[name]


def _build(name: str, notify: Callable[[str], None] | None) -> Path:
    given = os.environ.get(name.upper().replace("-", "_"))
    if given:
        return find_program(given, name)
    clone = find_clone()
    if clone is None:
        found = shutil.which(name)
        if found:
            return Path(found)
        raise ProgramError(
            f"{name}: error: expected the clone that this package was installed from, or {name} on "
            "the search path, found neither; program=PATH names the program"
        )
    command = ["bash", "-euo", "pipefail", "-c", _BUILD, name, str(clone), name]
    lines: list[str] = []
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if notify else None,
        text=True,
    ) as process:
        for line in process.stderr or []:
            lines.append(line.rstrip())
            if notify:
                notify(lines[-1])
        path = process.stdout.read().strip() if process.stdout else ""
    if process.returncode != 0:
        raise ProgramError("\n".join(lines[-40:]) or f"{name}: error: it was not built, see above")
    return Path(path)


def find_program(
    program: str | Path | None, name: str, notify: Callable[[str], None] | None = None
) -> Path:
    """Return the program that a call names by its path, or the clone's own, which is built if need be."""
    if program is None:
        return build_program(name, notify)
    path = Path(program).expanduser()
    if not path.exists() and str(program) in PROGRAMS:
        return build_program(str(program), notify)
    if not (path.is_file() and os.access(path, os.X_OK)):
        raise InputError(f"--program: error: expected a program, found {program}")
    return path.resolve()


@dataclass(frozen=True)
class Option:
    """An option of a program, as its help describes it."""

    name: str
    group: str
    value: str  #: what its value is; empty if it has none
    meaning: str

    @property
    def default(self) -> str:
        """The default as the help words it; empty if there is none."""
        match = re.search(r"\[([^\]]*)\]$", self.meaning)
        return match[1] if match else ""


def parse_help(text: str) -> dict[str, Option]:
    """Return the options that a help lists, by name."""
    options: dict[str, Option] = {}
    group = name = ""
    for line in text.splitlines():
        match = _OPTION.fullmatch(line)
        if line and not line[0].isspace():
            group, name = line.partition(" (")[0].rstrip(":"), ""
        elif match:
            name = match[1]
            options[name] = Option(name, group, match[2] or "", match[3] or "")
        elif name and line.startswith("      "):
            old = options[name]
            meaning = f"{old.meaning} {line.strip()}".strip()
            options[name] = Option(name, old.group, old.value, meaning)
        else:
            name = ""
    return options


@lru_cache
def _read_options(program: Path, _modified: int) -> dict[str, Option]:
    done = subprocess.run(
        [program, "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    options = parse_help(done.stdout)
    if done.returncode != 0 or not options:
        raise ProgramError(
            f"{program}: error: expected --help to list options, found "
            f"{(done.stderr or done.stdout).strip().splitlines()[-1:] or 'nothing'}"
        )
    return options


def options_of(program: Path) -> dict[str, Option]:
    """Return the options of a program by name; it is asked once, and again when it has changed."""
    return _read_options(program, program.stat().st_mtime_ns)


def check_names(names: Iterable[str], program: Path) -> None:
    """Refuse names that are no options; those of ns-3's attributes and values the program judges."""
    known = options_of(program)
    for name in names:
        if name in known or "::" in name or name[:1].isupper():
            continue
        raise InputError(
            f"--{name}: error: expected an option (options() lists all), found '{name}'"
            f"{nearest(name, known)}"
        )
