# SPDX-License-Identifier: GPL-2.0-only
"""Simulated times beside measured ones, by kind: the table truth of utils/reproduce."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import os
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

CLONE = Path(__file__).resolve().parent.parent

#: Step times from configurations, which the program quotes, too (helper/program/step-time-record.h).
STEP_TIMES = CLONE / "examples/models/step-times.csv"

#: Iterations of 16 H800 in two servers whose ranks were traced: expert parallel ranks and ms.
RECORDED = {
    "moe-pp4-ep2-dp4-experts8-seq1024": (2, 719.7),
    "moe-pp2-ep4-dp8-experts8-seq1024": (4, 642.1),
    "moe-pp4-ep4-dp4-experts16-seq4096": (4, 1886.6),
}

LARGEST_CALL = 1 << 30


class Runs(Protocol):
    """Runs wl-replay and wl-collective (Runner of utils/reproduce)."""

    program: str
    folder: Path
    only_print: bool

    def run(self, options: list[str], program: str = "") -> str:
        """Run a program; return what it prints."""
        ...


@dataclass
class Row:
    """A measured time and a simulated one, s."""

    kind: str
    job: str
    measured: float
    simulated: float
    source: str

    @property
    def error(self) -> float:
        """Return by how much the simulated time is longer, %."""
        return 100 * (self.simulated / self.measured - 1)


def replay(runner: Runs, options: list[str]) -> float:
    """Return the simulated time of an iteration, s."""
    out = runner.folder / "out"
    runner.run([*options, "--transport=ideal", f"--outputDir={out}", "--files=summary.json"])
    if runner.only_print:
        return 1
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    return float(summary["iterations"][0]["time_ns"]) / 1e9


def simulate_steps(runner: Runs, only: list[str], update: bool) -> list[Row]:
    """Simulate step times of configurations; write them into their file if that is asked for."""
    with STEP_TIMES.open(newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    rows = []
    for line in table:
        if not is_chosen(only, line["kind"], line["job"]):
            continue
        time = replay(runner, line["options"].split())
        line["simulated_s"] = f"{time:.5g}"
        rows.append(Row(line["kind"], line["job"], float(line["measured_s"]), time, line["source"]))
        show(runner, rows[-1])
    if update and not runner.only_print:
        with STEP_TIMES.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(table[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(table)
    return rows


def simulate_recorded(runner: Runs, only: list[str], shared: Path) -> list[Row]:
    """Replay recorded runs."""
    rows = []
    for name, (ep, measured) in RECORDED.items():
        if not is_chosen(only, "recorded", name):
            continue
        options = [f"--workload={shared / 'traces' / name / 'measured'}", f"--ep={ep}", "--fabric=h800"]
        rows.append(Row("recorded", name, measured / 1e3, replay(runner, options), "traces of every rank"))
        show(runner, rows[-1])
    return rows


def read_tables(shared: Path) -> dict[tuple[str, str, str, int, int], dict[int, float]]:
    """Return tables of nccl-tests: us by bytes, of each cluster, kind, fabric, ranks and servers."""
    path = CLONE / "utils/compare-with-nccl-tables.py"
    spec = importlib.util.spec_from_file_location("nccl_tables", path)
    assert spec and spec.loader
    own = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(own)
    tables = {}
    for file in sorted((shared / "nccl").glob("*-allreduce_*gpu.csv")):
        match = own.NAME.match(file.name)
        table, outliers = own.read_table(file, LARGEST_CALL)
        key = (file.stem, "all-reduce", match[1], int(match[3]), int(match[2]))
        tables[key] = {size: time for size, time in table if size not in outliers}
    with (shared / "nccl/public.csv").open(newline="", encoding="utf-8") as others:
        for line in csv.DictReader(others):
            key = (line["cluster"], line["kind"], line["nearest_fabric"], int(line["ranks"]), int(line["servers"]))
            if int(line["size_bytes"]) <= LARGEST_CALL:
                tables.setdefault(key, {})[int(line["size_bytes"])] = float(line["time_us"])
    return tables


def simulate_calls(runner: Runs, only: list[str], shared: Path) -> list[Row]:
    """Time the calls of tables of nccl-tests, on named fabrics that nobody has fitted to them."""
    program = str(Path(runner.program).with_name(Path(runner.program).name.replace("wl-replay", "wl-collective")))
    rows = []
    for (cluster, kind, fabric, ranks, servers), table in read_tables(shared).items():
        if not is_chosen(only, "collectives", cluster):
            continue
        for size, measured in table.items():
            options = [f"--kind={kind}", f"--fabric={fabric}", f"--ranks={ranks}", f"--servers={servers}"]
            out = runner.run([*options, f"--minBytes={size}", f"--maxBytes={size}", "--csv"], program)
            time = 1.0 if runner.only_print else float(next(csv.DictReader(io.StringIO(out)))["time_us"])
            rows.append(Row("collectives", f"{cluster} on {fabric}; {kind}; {size} B", measured / 1e6, time / 1e6, ""))
            show(runner, rows[-1])
    return rows


def is_chosen(only: list[str], kind: str, job: str) -> bool:
    """Return whether a row is asked for: by its kind, or a part of its name."""
    return not only or any(word == kind or word in job for word in only)


def show(runner: Runs, row: Row) -> None:
    """Print a row."""
    if not runner.only_print:
        print(
            f"{row.kind:13}{row.job:54} {row.measured:12.6g} {row.simulated:12.6g} {row.error:+8.1f}  {row.source}",
            flush=True,
        )


def summarize(rows: list[Row]) -> None:
    """Print what predictions of each kind are worth."""
    print(f"\n{'kind':13}{'rows':>6}{'bias, %':>10}{'mean of |error|, %':>20}{'spread, %':>11}{'worst, %':>10}")
    for kind in dict.fromkeys(row.kind for row in rows):
        errors = [row.error for row in rows if row.kind == kind]
        spread = statistics.pstdev(errors)
        mean = statistics.fmean(map(abs, errors))
        worst = max(errors, key=abs)
        print(f"{kind:13}{len(errors):6}{statistics.fmean(errors):+10.1f}{mean:20.1f}{spread:11.1f}{worst:+10.1f}")


def print_truth(runner: Runs, only: list[str], update: bool) -> None:
    """Print simulated times beside measured ones, and what predictions of each kind are worth."""
    print(f"{'kind':13}{'job':54} {'measured, s':>12} {'simulated, s':>12} {'error, %':>8}  source", flush=True)
    rows = simulate_steps(runner, only, update)
    shared = os.environ.get("WORKLOAD_REPLAY_SHARED", "")
    if shared and Path(shared).is_dir():
        rows += simulate_recorded(runner, only, Path(shared))
        rows += simulate_calls(runner, only, Path(shared))
    else:
        print("skipped: recorded runs and tables of nccl-tests, as WORKLOAD_REPLAY_SHARED names no folder")
    if not rows:
        kinds = "dense, fsdp, long-context, experts, recorded, collectives"
        sys.exit(
            f"reproduce: --only: error: expected {kinds}, or a part of a job's name, found {' and '.join(only)}"
        )
    if not runner.only_print:
        summarize(rows)
