# SPDX-License-Identifier: GPL-2.0-only
"""Replays training workloads of large language models on networks, from scripts and notebooks.

    from workload_replay import example, replay, sweep

    run = replay(example("gpt2-large-ops.tsv"), world=8, cc="dcqcn")
    run.iteration_ms, run.parts, run.links, run.flows

replay() runs wl-replay, sweep() all combinations of some options, collective() wl-collective, and
describe() a dry run; options() lists what there is. report/ is the program wl-report, sweeps/ the
program wl-sweep.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .bench import Plan, collective, describe
from .cache import clear_cache
from .errors import InputError, ProgramError, ReplayError, UnfinishedError
from .program import example, find_program, options_of
from .replays import replay
from .reports import report_of
from .run import Run, load
from .study import Sweep, sweep

if TYPE_CHECKING:
    import pandas

__all__ = [
    "InputError",
    "Plan",
    "ProgramError",
    "ReplayError",
    "Run",
    "Sweep",
    "UnfinishedError",
    "clear_cache",
    "collective",
    "describe",
    "example",
    "load",
    "options",
    "replay",
    "report_of",
    "sweep",
]


def options(program: str | Path | None = None) -> pandas.DataFrame:
    """Return the options of wl-replay or of another program: a row for each, by name."""
    import pandas

    found = options_of(find_program(program, "wl-replay")).values()
    rows = [[option.name, option.group, option.value, option.default, option.meaning] for option in found]
    return pandas.DataFrame(
        rows, columns=["name", "group", "value", "default", "meaning"]
    ).set_index("name")
