# SPDX-License-Identifier: GPL-2.0-only
"""The combinations of a grid, and how a run of one is asked for."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from ..errors import wrong_file
from .description import Choice, Description, Setting


@dataclass(frozen=True)
class Combination:
    """One value of each dimension, and all options that result."""

    labels: tuple[str, ...]  #: in the order of the dimensions
    title: str  #: for messages
    options: dict[str, Setting]

    def texts(self) -> dict[str, tuple[str, ...]]:
        """Return the values of each option."""
        return {name: setting.texts for name, setting in self.options.items()}

    def arguments(self) -> list[str]:
        """Return the options as they stand on the command line."""
        return [
            f"--{name}={text}" for name, setting in self.options.items() for text in setting.texts
        ]


def _is_excluded(description: Description, choices: tuple[Choice, ...]) -> bool:
    labels = {dim.name: choice.label for dim, choice in zip(description.dimensions, choices)}
    return any(
        all(labels[name] in values for name, values in rule.items()) for rule in description.exclude
    )


def _combine(description: Description, choices: tuple[Choice, ...]) -> Combination:
    options = dict(description.options)
    for choice in choices:
        options.update(choice.options)
    labels = tuple(choice.label for choice in choices)
    names = [dimension.name for dimension in description.dimensions]
    title = ", ".join(f"{name}={label}" for name, label in zip(names, labels))
    return Combination(labels, title, options)


def combinations_of(description: Description) -> list[Combination]:
    """Return the combinations, the last dimension varying fastest."""
    product = itertools.product(*(dimension.choices for dimension in description.dimensions))
    kept = [
        _combine(description, choices)
        for choices in product
        if not _is_excluded(description, choices)
    ]
    if not kept:
        found = "rules that leave out all of them"
        raise wrong_file(description.path, "combinations to be left", found, "/exclude")
    return kept
