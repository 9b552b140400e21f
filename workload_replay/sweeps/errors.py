# SPDX-License-Identifier: GPL-2.0-only
"""What is wrong with what the user gave: the errors of the subpackage report, with suggestions."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from typing import Any

from ..report.errors import ReportError, wrong_file

__all__ = ["ReportError", "kind_of", "nearest", "wrong_file"]


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the end of a message that suggests the name that was meant, or nothing."""
    close = difflib.get_close_matches(name, list(names), 1)
    return f"; did you mean {close[0]}?" if close else ""


def kind_of(value: Any) -> str:
    """Return what a JSON value is, as messages say what they found."""
    if isinstance(value, dict):
        return "an object" if value else "an empty object"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    return json.dumps(value)
