# SPDX-License-Identifier: GPL-2.0-only
"""The program: reads what is given, writes the page and the figures."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from .chapters import (
    comparison_chapters,
    fabric_chapter,
    load_flows,
    run_chapter,
    sweep_chapter,
)
from .errors import ReportError
from .figure import Figure
from .input.benchmark import Benchmark, read_benchmark
from .input.graph import GraphReader
from .input.run import Run
from .input.sweep import Sweep, is_sweep, read_sweep
from .input.summary import find_file
from .options import Options, parse_options
from .page import Block, Chapter, Text, make_page
from .sections import benchmark, head
from .writing import tell, write_whole


def _find_network(path: Path) -> Path | None:
    """Return what the directory of a dry run tells of the network, or None if it is none."""
    return None if find_file(path, "summary.json") else find_file(path, "fabric.json")


class Report:
    """What the page consists of."""

    def __init__(self, inputs: list[Path]) -> None:
        self.runs: list[Run] = []
        self.networks: list[Path] = []
        self.benchmarks: list[Benchmark] = []
        self.sweeps: list[Sweep] = []
        for path in inputs:
            if path.is_file():
                self.benchmarks.append(read_benchmark(path))
            elif network := _find_network(path):
                self.networks.append(network)
            elif is_sweep(path):
                self.sweeps.append(read_sweep(path))
            else:
                self.runs.append(Run(path))
        self._tell_apart()

    def _tell_apart(self) -> None:
        """Give runs in directories of the same name longer names."""
        labels = [run.label for run in self.runs]
        for run in self.runs:
            if labels.count(run.label) > 1:
                run.label = str(run.folder)

    def chapters(self) -> list[Chapter]:
        """Return the chapters."""
        chapters = [sweep_chapter(found, len(self.sweeps) > 1) for found in self.sweeps]
        if len(self.runs) > 1:
            chapters += comparison_chapters(self.runs)
        elif self.runs:
            chapters.append(run_chapter(self.runs[0], load_flows(self.runs[0]), several=False))
        if self.benchmarks:
            chapters.append(Chapter("Collectives", [benchmark.make_section(self.benchmarks)]))
        for network in self.networks:
            graph = GraphReader(network).read()
            several = len(self.networks) + len(chapters) > 1
            chapters.append(fabric_chapter(network.parent, graph, several))
        return chapters

    def title(self) -> str:
        """Return the page's title."""
        if len(self.runs) > 1:
            return f"Comparison of {len(self.runs)} runs"
        if self.runs:
            return f"Replay of {os.path.basename(self.runs[0].label)}"
        if self.sweeps:
            return f"Sweep {self.sweeps[0].label}"
        return "Collectives" if self.benchmarks else "Network"

    def lead(self) -> list[Block]:
        """Return what stands under the title."""
        if len(self.runs) != 1:
            return []
        (run,) = self.runs
        times = "; ".join(
            f"{job.name + ': ' if job.name else ''}{head.describe_iterations(job)}"
            for job in run.jobs
        )
        return [Text(f"Iteration time {times}.")]


def write_figures(chapters: list[Chapter], folder: Path, form: str) -> int:
    """Write each figure as a file; return how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for chapter in chapters:
        for figure in figures_of(chapter):
            path = folder / f"{chapter.prefix}{figure.name}.{form}"
            write_whole(path, figure.render(form))
            count += 1
    return count


def figures_of(chapter: Chapter) -> list[Figure]:
    """Return the figures of a chapter."""
    return [figure for section in chapter.sections for figure in section.figures()]


def run_report(options: Options) -> None:
    """Write what is wanted."""
    report = Report(options.inputs)
    chapters = report.chapters()
    page = make_page(report.title(), report.lead(), chapters)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    write_whole(options.output, page)
    tell(f"wrote {options.output}")
    if options.figures:
        count = write_figures(chapters, options.figures, options.form)
        tell(f"wrote {count} figures to {options.figures}")


def main() -> int:
    """Run the program; return its exit code."""
    # Ctrl-C ends it at once: files are whole or not there.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        run_report(parse_options(sys.argv[1:]))
    except ReportError as error:
        print(f"wl-report: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"wl-report: error: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
