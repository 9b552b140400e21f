# SPDX-License-Identifier: GPL-2.0-only
"""The program: reads what is given, writes the page and the figures."""

from __future__ import annotations

import signal
import sys

from ..errors import InputError
from .options import Options, parse_options
from .report import Report
from .writing import write_line


def run_report(options: Options) -> None:
    """Write what is wanted."""
    report = Report(options.inputs)
    report.write(options.output)
    write_line(f"wrote {options.output}")
    if options.figures:
        count = report.write_figures(options.figures, options.form)
        write_line(f"wrote {count} figures to {options.figures}")


def main() -> int:
    """Run the program; return its exit code."""
    # Ctrl-C ends it at once: files are whole or not there.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        run_report(parse_options(sys.argv[1:]))
    except InputError as error:
        print(f"wl-report: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"wl-report: error: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
