# SPDX-License-Identifier: GPL-2.0-only
"""A report: what is read, the page that is made of it, and its figures."""

from __future__ import annotations

import os
from pathlib import Path

from .chapters import (
    comparison_chapters,
    fabric_chapter,
    load_flows,
    run_chapter,
    sweep_chapter,
)
from .figure import Figure
from .input.benchmark import Benchmark, read_benchmark
from .input.graph import GraphReader
from .input.run import Run
from .input.summary import find_file
from .input.sweep import Sweep, is_sweep, read_sweep
from .page import Block, Chapter, Text, make_page
from .sections import benchmark, head
from .writing import write_whole


def _find_network(path: Path) -> Path | None:
    """Return what the directory of a dry run says of the network, or None if it is none."""
    return None if find_file(path, "summary.json") else find_file(path, "fabric.json")


class Report:
    """What the page consists of."""

    def __init__(self, inputs: list[Path]) -> None:
        self.runs: list[Run] = []
        self.networks: list[Path] = []
        self.benchmarks: list[Benchmark] = []
        self.sweeps: list[Sweep] = []
        self._chapters: list[Chapter] | None = None
        for path in inputs:
            if path.is_file():
                self.benchmarks.append(read_benchmark(path))
            elif network := _find_network(path):
                self.networks.append(network)
            elif is_sweep(path):
                self.sweeps.append(read_sweep(path))
            else:
                self.runs.append(Run(path))
        self._distinguish()

    def _distinguish(self) -> None:
        """Give runs in directories of the same name longer names."""
        labels = [run.label for run in self.runs]
        for run in self.runs:
            if labels.count(run.label) > 1:
                run.label = str(run.folder)

    def chapters(self) -> list[Chapter]:
        """Return the chapters, which are made once."""
        if self._chapters is None:
            self._chapters = self._make_chapters()
        return self._chapters

    def _make_chapters(self) -> list[Chapter]:
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

    def page(self) -> str:
        """Return the page, HTML."""
        return make_page(self.title(), self.lead(), self.chapters())

    def write(self, path: str | Path) -> None:
        """Write the page."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, self.page())

    def figures(self) -> dict[str, Figure]:
        """Return all figures by name, that of wl-report's files."""
        return {
            chapter.prefix + figure.name: figure
            for chapter in self.chapters()
            for section in chapter.sections
            for figure in section.figures()
        }

    def write_figures(self, folder: str | Path, form: str) -> int:
        """Write each figure as a file of a format; return how many there are."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        figures = self.figures()
        for name, figure in figures.items():
            write_whole(folder / f"{name}.{form}", figure.render(form))
        return len(figures)
