# SPDX-License-Identifier: GPL-2.0-only
"""Reads the file that says what is to be run."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import InputError, kind_of, nearest, wrong_file
from ..report.input.summary import read_json
from .values import check_name, texts_of

#: Keys of the file.
KEYS = ["name", "options", "grid", "exclude", "seeds", "keep"]

#: Files of a run that may be kept beside its summary.
FILES = [
    "ops.csv",
    "collectives.csv",
    "flows.csv",
    "links.csv",
    "timeseries.csv",
    "trace.json",
    "fabric.json",
]

#: Most runs of a combination, so that a slip of the finger is not a week of work.
MAX_SEEDS = 10_000

#: Columns of the tables that a dimension must not be called as.
RESERVED = ["run", "runs", "incomplete", "complete", "directory"]


@dataclass(frozen=True)
class Setting:
    """The values of an option, and where the file gives them."""

    texts: tuple[str, ...]
    pointer: str


@dataclass(frozen=True)
class Choice:
    """A value of a dimension of the grid: options that are set together."""

    label: str
    options: dict[str, Setting]


@dataclass(frozen=True)
class Dimension:
    """A dimension of the grid."""

    name: str
    choices: list[Choice]


@dataclass(frozen=True)
class Description:
    """What is to be run."""

    path: Path
    name: str
    options: dict[str, Setting]
    dimensions: list[Dimension]
    exclude: list[dict[str, list[str]]]  #: labels by dimension
    seeds: list[int]
    keep: list[str] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        """The directory that paths in the file are relative to."""
        return self.path.resolve().parent


class _Duplicate(Exception):
    """An object has a key twice."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for key, value in pairs:
        if key in seen:
            raise _Duplicate(key)
        seen[key] = value
    return seen


def _step(key: str) -> str:
    """Return a key as a part of a JSON pointer."""
    return "/" + key.replace("~", "~0").replace("/", "~1")


class DescriptionReader:
    """Reads a description, and knows what to say about it."""

    def __init__(self, path: Path) -> None:
        self.path = path  #: what messages name as the place

    def read(self, data: Any) -> Description:
        """Return what the contents of a file say."""
        self._expect(data, dict, "an object with the keys " + ", ".join(KEYS), "/")
        for key in data:
            if key not in KEYS:
                found = f'"{key}"{nearest(key, KEYS)}'
                raise wrong_file(self.path, "a key: " + ", ".join(KEYS), found, _step(key))
        if "grid" not in data:
            expected = 'a key "grid", as in {"grid": {"routing": ["ecmp", "spray"]}}'
            raise wrong_file(self.path, expected, "none", "/")
        name = data.get("name", self.path.stem)
        self._expect(name, str, "a text", "/name")
        dimensions = self._grid(data["grid"])
        return Description(
            self.path,
            name,
            self._options(data.get("options", {}), "/options"),
            dimensions,
            self._exclude(data.get("exclude", []), dimensions),
            self._seeds(data.get("seeds", 1)),
            self._keep(data.get("keep", [])),
        )

    def _expect(self, value: Any, kind: type, expected: str, pointer: str) -> None:
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise wrong_file(self.path, expected, kind_of(value), pointer)

    def _options(self, data: Any, pointer: str) -> dict[str, Setting]:
        self._expect(data, dict, 'an object of options, such as {"world": 8}', pointer)
        return {key: self._setting(key, data[key], pointer + _step(key)) for key in data}

    def _setting(self, name: str, value: Any, pointer: str) -> Setting:
        check_name(name, self.path, pointer)
        return Setting(texts_of(value, self.path, pointer), pointer)

    def _grid(self, data: Any) -> list[Dimension]:
        expected = "an object of dimensions, each a list of values or an object of named ones"
        if not isinstance(data, dict) or not data:
            raise wrong_file(self.path, expected, kind_of(data), "/grid")
        dimensions = []
        for name, values in data.items():
            pointer = "/grid" + _step(name)
            if not isinstance(values, (dict, list)) or not values:
                expected = 'a list of values, such as ["ecmp", "spray"], or an object of named ones'
                raise wrong_file(self.path, expected, kind_of(values), pointer)
            if not name or name in RESERVED or name.startswith("-"):
                expected = "the name of an option, or another that is no column of the tables"
                raise wrong_file(self.path, expected, f'"{name}"', pointer)
            choices = self._listed(name, values, pointer)
            dimensions.append(Dimension(name, choices))
        self._check_overlap(dimensions)
        return dimensions

    def _listed(self, name: str, values: Any, pointer: str) -> list[Choice]:
        if isinstance(values, dict):
            return [self._named(name, label, values[label], pointer) for label in values]
        choices: list[Choice] = []
        for i, value in enumerate(values):
            place = f"{pointer}/{i}"
            if isinstance(value, dict):
                expected = f'a value of {name} (options that go together have names: {{"NAME": {{'
                raise wrong_file(self.path, expected + "OPTIONS}, ...})", "an object", place)
            setting = self._setting(name, value, place)
            label = " ".join(setting.texts) if setting.texts else "default"
            if label in [choice.label for choice in choices]:
                raise wrong_file(self.path, "each value once", f"{label} twice", place)
            choices.append(Choice(label, {name: setting}))
        return choices

    def _named(self, name: str, label: str, value: Any, pointer: str) -> Choice:
        place = pointer + _step(label)
        if not label:
            raise wrong_file(self.path, "a name of the value", 'the empty one ""', place)
        if isinstance(value, dict):
            return Choice(label, self._options(value, place))
        return Choice(label, {name: self._setting(name, value, place)})

    def _check_overlap(self, dimensions: list[Dimension]) -> None:
        """Two dimensions must not set the same option: one would have no effect."""
        owners: dict[str, str] = {}
        for dimension in dimensions:
            for choice in dimension.choices:
                for name, setting in choice.options.items():
                    owner = owners.setdefault(name, dimension.name)
                    if owner != dimension.name:
                        found = f"{name}, which {owner} sets, too"
                        expected = "an option that no other dimension sets"
                        raise wrong_file(self.path, expected, found, setting.pointer)

    def _exclude(self, data: Any, dimensions: list[Dimension]) -> list[dict[str, list[str]]]:
        expected = 'a list of combinations, such as [{"topology": "torus", "routing": ["spray"]}]'
        self._expect(data, list, expected, "/exclude")
        labels = {dim.name: [choice.label for choice in dim.choices] for dim in dimensions}
        rules = []
        for i, entry in enumerate(data):
            pointer = f"/exclude/{i}"
            if not isinstance(entry, dict) or not entry:
                expected = "an object of dimensions and their values"
                raise wrong_file(self.path, expected, kind_of(entry), pointer)
            rules.append(self._rule(entry, labels, pointer))
        return rules

    def _rule(
        self, entry: dict[str, Any], labels: dict[str, list[str]], pointer: str
    ) -> dict[str, list[str]]:
        rule = {}
        for name, values in entry.items():
            place = pointer + _step(name)
            if name not in labels:
                found = f'"{name}"{nearest(name, labels)}'
                expected = "a dimension of the grid: " + ", ".join(labels)
                raise wrong_file(self.path, expected, found, place)
            rule[name] = self._labels(name, values, labels[name], place)
        return rule

    def _labels(self, name: str, values: Any, known: list[str], place: str) -> list[str]:
        """Return the labels that a rule means: a value, a list of some, or all but those."""
        if isinstance(values, dict):
            if list(values) != ["not"]:
                expected = f'a value of {name}, a list of some, or {{"not": THOSE}}'
                raise wrong_file(self.path, expected, "another object", place)
            those = self._labels(name, values["not"], known, place + "/not")
            return [label for label in known if label not in those]
        labels = []
        for value in values if isinstance(values, list) else [values]:
            texts = texts_of(value, self.path, place)
            label = " ".join(texts) if texts else "default"
            if label not in known:
                expected = f"a value of {name}: " + ", ".join(known)
                found = f'"{label}"{nearest(label, known)}'
                raise wrong_file(self.path, expected, found, place)
            labels.append(label)
        return labels

    def _seeds(self, data: Any) -> list[int]:
        expected = f"a number of runs from 1 to {MAX_SEEDS}, or a list of run numbers from 1 on"
        if isinstance(data, int) and not isinstance(data, bool) and 1 <= data <= MAX_SEEDS:
            return list(range(1, data + 1))
        if not isinstance(data, list) or not data:
            raise wrong_file(self.path, expected, kind_of(data), "/seeds")
        for i, number in enumerate(data):
            self._expect(number, int, "a run number", f"/seeds/{i}")
            if number < 1:
                raise wrong_file(self.path, "a run number from 1 on", str(number), f"/seeds/{i}")
            if number in data[:i]:
                raise wrong_file(self.path, "each run once", f"{number} twice", f"/seeds/{i}")
        return data

    def _keep(self, data: Any) -> list[str]:
        self._expect(data, list, 'a list of files, such as ["links.csv"]', "/keep")
        for i, name in enumerate(data):
            if name not in FILES:
                hint = nearest(name, FILES) if isinstance(name, str) else ""
                expected = "a file of a run: " + ", ".join(FILES)
                raise wrong_file(self.path, expected, kind_of(name) + hint, f"/keep/{i}")
        return data


def read_description(path: Path) -> Description:
    """Read and check a file."""
    if not path.is_file():
        raise InputError(f"{path}: error: expected a file that describes a sweep, found none")
    try:
        data = read_json(path, "", _unique)
    except _Duplicate as error:
        raise wrong_file(path, "each key once", f"{error} twice") from error
    return DescriptionReader(path).read(data)
