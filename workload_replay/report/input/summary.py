# SPDX-License-Identifier: GPL-2.0-only
"""Reads summary.json and checks that it says what the page needs."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...errors import InputError, wrong_file
from ..units import DIMENSIONS, RARE_DIMENSION

#: What a key must hold: a type, or a tuple of types.
NUMBER = (int, float)

#: What is reported of the times of messages, and of their slowdowns.
TIMES = ["mean", "median", "p90", "p99", "max"]

#: Keys of the parts that each job has, or the file itself if there is only one.
JOB = {"workload": dict, "iterations": list, "ranks": list, "collectives": list}

#: Keys of the objects in these lists.
ENTRIES = {
    "iterations": {"time_ns": int},
    "ranks": {
        "rank": int,
        "compute_ns": int,
        "exposed_ns": dict,
        "bubble_ns": int,
        "idle_ns": int,
        "end_ns": int,
    },
    "collectives": {
        "dimension": str,
        "kind": str,
        "algorithm": str,
        "count": int,
        "bytes": int,
        "mean_ns": NUMBER,
        "max_ns": NUMBER,
        "busbw_bytes_per_s": NUMBER,
    },
}

#: The same of lists that files of older versions lack.
LATER_ENTRIES = {
    "messages": {
        "dimension": str,
        "count": int,
        "bytes": int,
        **dict.fromkeys((f"{name}_ns" for name in TIMES), NUMBER),
        **dict.fromkeys((f"{name}_slowdown" for name in TIMES), NUMBER),
    },
}

#: Keys of the objects that stand alone.
OBJECTS = {
    "workload": {"format": str, "file": str, "world": int, "pp": int, "microbatches": int},
    "fabric": {"topology": str, "nodes": int, "links": int, "transport": str},
    "network": {"messages": int, "bytes_delivered": int},
    "run": {"wall_s": NUMBER, "cpu_s": NUMBER, "events": int, "peak_rss_bytes": int, "seed": int},
}


def find_file(folder: Path, name: str) -> Path | None:
    """Return the path of a file, which may be compressed, or None if the run did not write it."""
    for path in (folder / name, folder / (name + ".gz")):
        if path.is_file():
            return path
    return None


def read_json(
    path: Path,
    hint: str = " (a damaged file?)",
    make: Callable[[list[tuple[str, Any]]], Any] | None = None,
) -> Any:
    """Read a JSON file, which may be compressed.

    An error has line and column, and hint what may be the cause.

    make makes the value of an object from its pairs, if it is to be other than a dictionary.
    """
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(f"{path}: error: cannot be read: {error}") from error
    try:
        return json.loads(text, object_pairs_hook=make)
    except json.JSONDecodeError as error:
        place = f"{error.lineno}:{error.colno}"
        found = "the end of the file" if error.pos >= len(text.rstrip()) else error.msg
        raise wrong_file(path, "JSON", found + hint, place) from error


class SummaryReader:
    """Checks one summary.json, and knows what to say about it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.summary = read_json(path)

    def read(self) -> dict[str, Any]:
        """Return the file's contents, or say what is missing."""
        self._expect(self.summary, dict, "")
        for key in ("fabric", "network", "run"):
            self._check_object(self.summary, key, "")
        self._expect_key(self.summary, "complete", bool, "")
        if "jobs" in self.summary:
            self._expect(self.summary["jobs"], list, "/jobs")
            for i, job in enumerate(self.summary["jobs"]):
                self._expect(job, dict, f"/jobs/{i}")
                self._expect_key(job, "name", str, f"/jobs/{i}")
                self._check_job(job, f"/jobs/{i}")
        else:
            self._check_job(self.summary, "")
        return self.summary

    def _check_job(self, job: dict[str, Any], pointer: str) -> None:
        for key, kind in JOB.items():
            self._expect_key(job, key, kind, pointer)
        self._check_object(job, "workload", pointer)
        later = {key: keys for key, keys in LATER_ENTRIES.items() if key in job}
        for key, keys in {**ENTRIES, **later}.items():
            self._expect_key(job, key, list, pointer)
            for i, entry in enumerate(job[key]):
                place = f"{pointer}/{key}/{i}"
                self._expect(entry, dict, place)
                for name, kind in keys.items():
                    self._expect_key(entry, name, kind, place)
        for i, rank in enumerate(job["ranks"]):
            for key in ("exposed_ns", "hidden_ns"):
                if key in rank:
                    self._check_times(rank, key, f"{pointer}/ranks/{i}")

    def _check_times(self, rank: dict[str, Any], key: str, pointer: str) -> None:
        """Check the times of a rank by dimension."""
        self._expect_key(rank, key, dict, pointer)
        for dimension in DIMENSIONS:
            if dimension != RARE_DIMENSION or dimension in rank[key]:
                self._expect_key(rank[key], dimension, int, f"{pointer}/{key}")

    def _check_object(self, parent: dict[str, Any], key: str, pointer: str) -> None:
        self._expect_key(parent, key, dict, pointer)
        for name, kind in OBJECTS[key].items():
            self._expect_key(parent[key], name, kind, f"{pointer}/{key}")

    def _expect_key(self, parent: dict[str, Any], key: str, kind: Any, pointer: str) -> None:
        if key not in parent:
            raise self._wrong(f"{pointer}/{key}", kind, "nothing")
        self._expect(parent[key], kind, f"{pointer}/{key}")

    def _expect(self, value: Any, kind: Any, pointer: str) -> None:
        # To Python true and false are numbers.
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self._wrong(pointer, kind, json.dumps(value)[:60])

    def _wrong(self, pointer: str, kind: Any, found: str) -> InputError:
        names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
        expected = names.get(kind, "a number")
        return wrong_file(self.path, expected, found + self._version(), pointer or "/")

    def _version(self) -> str:
        """Return which version wrote the file, if it says; most likely that is what is wrong."""
        run = self.summary.get("run") if isinstance(self.summary, dict) else None
        version = run.get("module_version") if isinstance(run, dict) else None
        return f" (the file is of version {version} of the module)" if version else ""


def read_summary(folder: Path) -> dict[str, Any]:
    """Read and check the summary.json of a run."""
    path = find_file(folder, "summary.json")
    if not folder.is_dir():
        raise wrong_file(folder, "the output directory of a run", "no such directory")
    if not path:
        unfinished = any(folder.glob(".*.new"))
        hint = (
            "files of a run that is under way or was killed"
            if unfinished
            else "none (wl-replay writes it with --outputDir=" + str(folder) + ")"
        )
        raise wrong_file(folder, "a file summary.json", hint)
    return SummaryReader(path).read()
