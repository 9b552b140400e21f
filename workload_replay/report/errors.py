# SPDX-License-Identifier: GPL-2.0-only
"""What is wrong with what the user gave."""

from __future__ import annotations

from pathlib import Path


class ReportError(Exception):
    """A file or an option is wrong; the text is what the user reads after the program's name."""


def wrong_file(path: Path, expected: str, found: str, place: str = "") -> ReportError:
    """Return the error of a file, in the form that wl-replay's own errors have.

    place tells where in the file, such as `3:7` (line and column) or a JSON pointer.
    """
    where = f"{path}:{place}" if place else f"{path}"
    return ReportError(f"{where}: error: expected {expected}, found {found}")
