# SPDX-License-Identifier: GPL-2.0-only
"""Shows what goes on: a line that changes, in a notebook or on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Union

#: Takes the cursor to the start of the line and erases the line (ECMA-48).
ERASE_LINE = "\r\033[K"

#: What the word progress may be: whether it is shown (None: where there is somebody to see it), or
#: what is to be called with each line.
Progress = Union[bool, None, Callable[[str], None]]


def in_notebook() -> bool:
    """Return whether this runs in a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return type(shell).__name__ == "ZMQInteractiveShell"


class Display:
    """A line that says what goes on, and vanishes at the end."""

    def __init__(self, progress: Progress = None) -> None:
        self._call = progress if callable(progress) else None
        self._notebook = progress in (None, True) and in_notebook()
        terminal = sys.stderr is not None and sys.stderr.isatty()
        self._terminal = not self._notebook and (progress is True or progress is None and terminal)
        self._handle: Any = None
        self._last = ""

    @property
    def is_shown(self) -> bool:
        """Whether anybody sees it."""
        return bool(self._call or self._notebook or self._terminal)

    def show(self, line: str) -> None:
        """Show a line in place of the one before."""
        if line == self._last:
            return
        self._last = line
        if self._call:
            self._call(line)
        elif self._notebook:
            self._show_in_notebook(line)
        elif self._terminal:
            print(ERASE_LINE + line[:120], end="", file=sys.stderr, flush=True)

    def _show_in_notebook(self, line: str) -> None:
        from IPython.display import display

        content = {"text/plain": line}
        if self._handle is None:
            self._handle = display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)

    def close(self) -> None:
        """Take the line away."""
        if self._last and self._notebook:
            self._show_in_notebook("")
        elif self._last and self._terminal:
            print(ERASE_LINE, end="", file=sys.stderr, flush=True)
        self._last = ""

    def __enter__(self) -> Display:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()
