# SPDX-License-Identifier: GPL-2.0-only
"""Where results are kept, so that no replay is done twice."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Union

#: What the word cache may be: whether results are kept, or the directory for them.
Cache = Union[bool, str, Path]


def cache_folder() -> Path:
    """Return the directory of results: below the one that the scripts keep their builds in."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "workload-replay" / "results"


def folder_of(cache: Cache) -> tuple[Path, tempfile.TemporaryDirectory[str] | None]:
    """Return the directory that a call keeps results in; a temporary one goes with its object."""
    if cache is False:
        folder = tempfile.TemporaryDirectory(prefix="workload-replay-")
        return Path(folder.name), folder
    return (cache_folder() if cache is True else Path(cache)), None


def clear_cache(cache: Cache = True) -> None:
    """Throw away the results that are kept."""
    if cache is not False:
        shutil.rmtree(folder_of(cache)[0], ignore_errors=True)
