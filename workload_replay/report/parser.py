# SPDX-License-Identifier: GPL-2.0-only
"""The command lines of the programs in Python."""

from __future__ import annotations

import argparse

from ..errors import InputError
from .writing import write_line


class Parser(argparse.ArgumentParser):
    """A parser whose errors are like those of the other programs."""

    def error(self, message: str) -> None:  # type: ignore[override]
        """Report what is wrong with the command line."""
        raise InputError(f"error: {message}; ./{self.prog} --help lists what there is")

    def print_help(self, file: object = None) -> None:
        """Print the help on standard output."""
        write_line(self.format_help().rstrip())
