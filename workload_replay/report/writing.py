# SPDX-License-Identifier: GPL-2.0-only
"""What the programs write: files that are whole or not there, and lines on standard output."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file that is there whole or not at all."""
    new = path.with_name(f".{path.name}.new")
    try:
        new.write_bytes(content if isinstance(content, bytes) else content.encode())
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error


def write_line(text: str) -> None:
    """Print a line on standard output; an OSError that names it if that cannot be written."""
    name = "standard output"
    if sys.stdout is None:  # it was closed when the program began
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), name)
    try:
        print(text, flush=True)
    except OSError as error:
        # Python would try to write what is left, and fail, once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise OSError(error.errno, error.strerror, name) from error
