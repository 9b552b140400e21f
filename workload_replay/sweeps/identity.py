# SPDX-License-Identifier: GPL-2.0-only
"""Which runs are the same: a digest of the program, the options and the files that they name."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..program import find_clone

#: Hexadecimal digits of a digest in a directory's name: 64 bits.
DIGITS = 16

#: Largest JSON file that is searched for the names of further files, bytes.
LARGEST_JSON = 1 << 20


def _digest_file(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise InputError(f"{path}: error: cannot be read: {error.strerror}") from error
    return digest.hexdigest()


def _libraries(program: Path) -> list[Path]:
    """Return the libraries of ns-3 that a program is linked to: these hold what it does."""
    try:
        done = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
    except OSError:
        return []
    return sorted(Path(path) for path in re.findall(r"=> (\S*/libns3\S*) ", done.stdout))


def digest_program(program: Path) -> str:
    """Return the digest of a program and its libraries."""
    parts = [_digest_file(path) for path in [program, *_libraries(program)]]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from _strings(entry)


class Digests:
    """Digests of runs; each file is read once."""

    def __init__(self, program: Path, folder: Path, presets: Path | None = None) -> None:
        """presets: the directory of models that options may name, that of the clone by default."""
        clone = find_clone()
        self._program = digest_program(program)
        self._folder = folder  #: that paths are relative to
        self._presets = presets or (clone and clone / "examples" / "models")
        self._contents: dict[Path, str] = {}
        self._files: dict[str, list[Path]] = {}

    def _candidates(self, text: str) -> Iterator[Path]:
        """Return the paths that an option's value may name, by itself or inside a list of keys."""
        parts = [text, *re.split("[:,=]", text)]
        for part in dict.fromkeys(part for part in parts if part):
            preset = self._presets and self._presets / f"{part}.json"
            if preset and "/" not in part and preset.is_file():
                yield preset
            path = self._folder / part
            try:
                if path.exists():
                    yield path
                elif "/" in part and path.parent.is_dir():
                    # the traces of Chakra are named by what their names begin with
                    yield from (p for p in path.parent.iterdir() if p.name.startswith(path.name))
            except OSError:  # no path: too long, for example
                pass

    def _named_files(self, text: str) -> list[Path]:
        """Return the files that an option's value names, those in directories and JSON included."""
        if text in self._files:
            return self._files[text]
        self._files[text] = []  # a file may name itself
        found: set[Path] = set()
        for path in self._candidates(text):
            inside = sorted(path.rglob("*")) if path.is_dir() else [path]
            found.update(file for file in inside if file.is_file())
        for path in sorted(found):
            if path.suffix == ".json" and path.stat().st_size <= LARGEST_JSON:
                try:
                    content = json.loads(path.read_bytes())
                except ValueError:  # the program will say
                    continue
                for string in _strings(content):
                    found.update(self._named_files(string))
        self._files[text] = sorted(found)
        return self._files[text]

    def _content(self, path: Path) -> str:
        if path not in self._contents:
            self._contents[path] = _digest_file(path)
        return self._contents[path]

    def describe(self, options: Mapping[str, Sequence[str]], number: int) -> dict[str, Any]:
        """Return all that a run with some options and a run number depends on."""
        texts = [text for values in options.values() for text in values]
        # What files are called is in the options; their order follows from it.
        files = {
            text: [[path.name, self._content(path)] for path in self._named_files(text)]
            for text in texts
        }
        return {
            "program": self._program,
            "run": number,
            "options": {name: list(options[name]) for name in sorted(options) if options[name]},
            "files": {text: files[text] for text in sorted(files) if files[text]},
        }


def digest_of(description: dict[str, Any]) -> str:
    """Return the digest of what a run depends on."""
    text = json.dumps(description, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def directory_of(labels: tuple[str, ...], number: int, digest: str) -> str:
    """Return the name of a run's directory: what it is, to people, and its digest."""
    words = [re.sub(r"[^A-Za-z0-9._+-]+", "-", label).strip("-.") for label in labels]
    return "_".join([word for word in words if word])[:100] + f"_run{number}-{digest}"
