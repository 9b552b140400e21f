#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Rank the parallel layouts of a model on a fabric by the time of a simulated training step.

usage: rank-layouts.py --model=NAME|FILE --world=RANKS --globalBatch=SEQUENCES [OPTION ...]

Tries all powers of two of tensor (tp), context (cp), pipeline (pp, and vpp model chunks of a stage)
and expert parallel ranks (ep) that divide the world; replicas (dp) make up the rest. --tp=4, or
--tp=4,8, tries these alone, and so on. Layouts that wl-replay refuses, or that need more memory than
the accelerator has, are left out and counted. Every other one is simulated, as many at once as there
are processor cores.

options:
  --accelerator=NAME|FILE  says how long operators take [h100]
  --fabric=NAME|FILE       servers, links and what collectives cost [that of wl-replay]
  --transport=KIND         what the steps are simulated with [ideal: ports without packets]
  --top=N                  simulate the N fastest again with packets (rdma), and rank these by that
  --csv=FILE               write the table to a file, too, with all its digits
  --peak=TFLOPS            peak of a rank that MFU refers to [data sheet: dense, of the precision]
  --allMemory              do not ask whether memory suffices
  --program=PATH           wl-replay [built as by ./wl-replay]
  --KEY=VALUE              any other one goes to wl-replay, such as --recompute=full

MFU is the share of the peak that the operations of the model make up, attention counted causal and
nothing counted twice. An exposed share is that of the step in which a rank waits for communication
of that kind; a bubble, for its neighbours in the pipeline; all are means over ranks.
"""

import argparse
import collections
import concurrent.futures
import csv
import itertools
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
DIMENSIONS = ["tp", "cp", "pp", "vpp", "ep"]
COUNTS = ["tp", "cp", "pp", "vpp", "ep", "dp"]

# TFLOP/s of data sheets, without sparsity. Precisions of 2 bytes are equally fast.
PEAKS = {
    "a100": {"bf16": 312},
    "h100": {"bf16": 989.4, "fp8": 1978.9},
    "h800": {"bf16": 989.4, "fp8": 1978.9},
    "b200": {"bf16": 2250, "fp8": 4500},
}

# How wl-replay says what is read here.
SIZE = re.compile(r"^  iteration +(\d+) sequences? of (\d+) tokens?", re.MULTILINE)
FLOPS = re.compile(r"^  FLOPs +([\d.]+) G a token", re.MULTILINE)
MEMORY = re.compile(r"^  memory +([\d.]+) of (\d+) GiB", re.MULTILINE)
STEP = re.compile(r"^iteration time +([\d.]+) ms", re.MULTILINE)
PART = re.compile(r"^  (?:exposed (\w+)|(bubble)) +([\d.]+) ", re.MULTILINE)


class Failure(Exception):
    """Something that the user has to know of."""


class Layout:
    """A layout, and what became of it."""

    def __init__(self, counts, world):
        self.counts = dict(counts)
        self.counts["dp"] = world // (counts["tp"] * counts["cp"] * counts["pp"])
        self.refusal = None  # what wl-replay has against it
        self.memory = 0.0  # GiB that a rank needs
        self.capacity = 0.0  # GiB that it has
        self.flops = 0.0  # operations of a rank and step
        self.ideal = {}  # step_ms, and shares of parts, as simulated first
        self.packets = {}  # the same with packets

    def arguments(self):
        """Options of wl-replay that ask for the layout."""
        asked = [key for key in DIMENSIONS if self.counts[key] > 1]
        return [f"--{key}={self.counts[key]}" for key in asked]

    def result(self):
        return self.packets or self.ideal


def parse_arguments(arguments):
    """Return the options of this script, and those of wl-replay."""
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False, allow_abbrev=False)
    parser.add_argument("--model", required=True)
    parser.add_argument("--world", required=True, type=int)
    parser.add_argument("--globalBatch", required=True, type=int)
    parser.add_argument("--accelerator", default="h100")
    parser.add_argument("--transport", default="ideal")
    parser.add_argument("--top", type=int, default=0)
    parser.add_argument("--csv")
    parser.add_argument("--peak", type=float)
    parser.add_argument("--allMemory", action="store_true")
    parser.add_argument("--program")
    if not arguments or "--help" in arguments or "-h" in arguments:
        print(__doc__)
        sys.exit(0 if arguments else 1)
    parser.error = lambda message: sys.exit(f"rank-layouts.py: error: {message} (--help)")
    asked, rest = parser.parse_known_args(arguments)
    for option in rest:
        if not re.match(r"--\w+(=|$)", option):
            parser.error(f"expected options such as --KEY=VALUE, found '{option}'")
    if asked.world < 1:
        parser.error(f"expected --world of at least 1, found {asked.world}")
    return asked, rest


def take_counts(rest):
    """Take the counts that are to be tried out of options; return them by dimension."""
    counts = {}
    for option in list(rest):
        match = re.match(rf"--({'|'.join(DIMENSIONS)})=(.*)", option)
        if match:
            try:
                counts[match[1]] = [int(part) for part in match[2].split(",")]
            except ValueError:
                raise Failure(f"expected numbers with commas between in '{option}'") from None
            rest.remove(option)
    return counts


def find_program():
    """Build wl-replay, as the script of that name does, and return its path."""
    sys.path.insert(0, ROOT)
    from workload_replay.program import ProgramError, build_program

    try:
        return str(build_program("wl-replay"))
    except ProgramError as error:
        raise Failure(error) from error


def powers(limit):
    """Powers of two up to a limit."""
    return [1 << i for i in range(limit.bit_length()) if 1 << i <= limit]


def make_layouts(world, asked):
    """All layouts of so many ranks."""
    choices = [asked.get(key, powers(world)) for key in DIMENSIONS]
    layouts = []
    for values in itertools.product(*choices):
        counts = dict(zip(DIMENSIONS, values))
        if min(values) < 1:
            raise Failure(f"expected counts of at least 1, found {min(values)}")
        replica = counts["tp"] * counts["cp"] * counts["pp"]
        divides = world % replica == 0 and world // counts["pp"] % counts["ep"] == 0
        if divides and (counts["pp"] > 1 or counts["vpp"] == 1):
            layouts.append(Layout(counts, world))
    return layouts


def run(program, arguments):
    """Run wl-replay; return what it prints, or what it has against its arguments."""
    done = subprocess.run(
        [program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return done.stdout, None
    if done.returncode == 1 and ": error: expected " in done.stderr:
        return None, done.stderr.strip()
    command = " ".join([program, *arguments])
    raise Failure(f"exit code {done.returncode} of {command}\n{done.stderr}")


def plan(program, common, layout):
    """Ask what a layout needs."""
    output, layout.refusal = run(program, [*common, *layout.arguments(), "--dryRun"])
    if output:
        sequences, tokens = map(int, SIZE.search(output).groups())
        flops = float(FLOPS.search(output)[1]) * 1e9
        replicas = layout.counts["dp"] * layout.counts["tp"] * layout.counts["cp"]
        layout.flops = flops * sequences * tokens / (replicas * layout.counts["pp"])
        layout.memory, layout.capacity = map(float, MEMORY.search(output).groups())


def simulate(program, common, transport, layout):
    """Return the time of a step, and the shares that its parts have."""
    options = [f"--transport={transport}"]
    output, refusal = run(program, [*common, *layout.arguments(), *options])
    if refusal:
        raise Failure(refusal)
    step = float(STEP.search(output)[1])
    result = {"step_ms": step}
    for exposed, bubble, mean in PART.findall(output):
        result[exposed or bubble] = float(mean) / step
    return result


def run_all(what, layouts, function):
    """Call a function for all layouts at once; say how far it is."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        tasks = [pool.submit(function, layout) for layout in layouts]
        try:
            for done, task in enumerate(concurrent.futures.as_completed(tasks), 1):
                task.result()
                if sys.stderr.isatty():
                    print(f"\r{what} {done} of {len(tasks)}", end="", file=sys.stderr, flush=True)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    if sys.stderr.isatty():
        print(file=sys.stderr)


def describe_refusals(layouts):
    """Lines that say how many layouts were left out, and why."""
    reasons = collections.defaultdict(list)
    for layout in layouts:
        if layout.refusal:
            reasons[re.sub(r"\d+", "N", layout.refusal)].append(layout.refusal)
    lines = [f"  {len(texts)} refused, such as: {texts[0]}" for texts in reasons.values()]
    return sorted(lines, key=lambda line: -int(line.split()[0]))


def choose_peak(asked, rest):
    """Peak of a rank in FLOP/s; nothing if it is not known."""
    precision = next((o.split("=")[1] for o in rest if o.startswith("--precision=")), "bf16")
    peaks = PEAKS.get(asked.accelerator, {})
    tera = asked.peak or peaks.get("bf16" if precision == "fp16" else precision)
    return tera * 1e12 if tera else None


def make_rows(layouts, peak):
    """Rows of the table, the fastest first, as dictionaries."""
    parts = []
    for layout in layouts:
        parts += [part for part in layout.result() if part not in parts and part != "step_ms"]
    shown = [part for part in parts if any(l.result().get(part, 0) >= 0.0005 for l in layouts)]
    rows = []
    for layout in layouts:
        result = layout.result()
        row = {**layout.counts, "memory_gib": layout.memory, "step_ms": result["step_ms"]}
        if layout.packets:
            row["ideal_ms"] = layout.ideal["step_ms"]
        if peak:
            row["mfu"] = layout.flops / (result["step_ms"] * 1e-3 * peak)
        for part in shown:
            row[part if part == "bubble" else "exposed_" + part] = result.get(part, 0.0)
        rows.append(row)
    return rows


def format_table(rows):
    """The same as text; shares in per cent."""

    def text(key, row):
        if key in COUNTS:
            return str(row[key])
        if key == "memory_gib":
            return f"{row[key]:.1f}"
        if key.endswith("_ms"):
            return f"{row[key]:.3f}"
        return f"{100 * row[key]:.1f}"

    headings = {"memory_gib": "GiB", "step_ms": "step, ms", "ideal_ms": "ideal, ms", "mfu": "MFU, %"}
    columns = []
    for key in rows[0]:
        unit = "" if key in COUNTS else ", %"
        heading = headings.get(key, key.replace("exposed_", "") + unit)
        cells = [heading] + [text(key, row) for row in rows]
        width = max(map(len, cells))
        columns.append([cell.rjust(width) for cell in cells])
    return "\n".join("  ".join(cells) for cells in zip(*columns))


def rank(layouts, program, common, asked):
    """Simulate layouts and sort them."""

    def first(layout):
        layout.ideal = simulate(program, common, asked.transport, layout)

    def again(layout):
        layout.packets = simulate(program, common, "rdma", layout)

    run_all("simulated", layouts, first)
    layouts.sort(key=lambda layout: layout.ideal["step_ms"])
    top = layouts[: asked.top]
    run_all("with packets", top, again)
    return sorted(top, key=lambda layout: layout.packets["step_ms"]), layouts[len(top) :]


def write_csv(path, tables):
    """Write tables to one file, which has the columns of all."""
    rows = [row for table in tables for row in table]
    keys = []
    for row in rows:
        keys += [key for key in row if key not in keys]
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, keys, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main():
    asked, rest = parse_arguments(sys.argv[1:])
    layouts = make_layouts(asked.world, take_counts(rest))
    program = asked.program or find_program()
    common = [f"--{key}={getattr(asked, key)}" for key in ("model", "world", "globalBatch")]
    common += [f"--accelerator={asked.accelerator}", *rest]
    run_all("planned", layouts, lambda layout: plan(program, common, layout))
    possible = [layout for layout in layouts if not layout.refusal]
    chosen = [l for l in possible if asked.allMemory or l.memory <= l.capacity]
    print(f"{len(layouts)} layouts, {len(chosen)} simulated ({asked.transport})")
    for line in describe_refusals(layouts):
        print(line)
    if len(chosen) < len(possible):
        least = min(layout.memory for layout in possible if layout not in chosen)
        print(f"  {len(possible) - len(chosen)} need too much memory, {least} GiB or more")
    if not chosen:
        raise Failure("no layout is left")
    peak = choose_peak(asked, rest)
    tables = [make_rows(part, peak) for part in rank(chosen, program, common, asked) if part]
    for table, title in zip(tables, ["with packets", asked.transport] if asked.top else [""]):
        print(f"\n{title}" if title else "")
        print(format_table(table))
    if asked.csv:
        write_csv(asked.csv, tables)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"rank-layouts.py: error: {failure}")
