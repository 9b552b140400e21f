# SPDX-License-Identifier: GPL-2.0-only
"""The program: fits an accelerator's file to a table of measured kernels."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..report.parser import Parser
from ..report.writing import write_line
from .curves import CURVES, Peaks, Values, find_curve, find_left_out, find_median, find_quantile, find_residuals, fit
from .kernels import Kernel, read_kernels

ACCELERATORS = Path(__file__).resolve().parents[2] / "examples/accelerators"

USAGE = "./wl-model --fit=KERNELS.csv [--gpu=NAME] [--library=WORD] [--output=FILE.json]"

DESCRIPTION = """\
Fits curves of operators to measured kernels and prints what they are off by: max(ratio, 1 / ratio)
less 1 of times, median and 90 %, of the rows that were fitted and of each half of them by a fit to
the other half. The file that it writes is one for --accelerator of wl-replay.

The table has a line for each kernel and the columns kind, gpu, precision (bf16, fp16, fp8) and us, and
  gemm         m, n, k
  moe_layer    m (tokens that come in), n (inner size), k (hidden size), groups (experts of the
               rank) and tokens_per_group; gated, with router, permutations and activation
  attention    impl (with fa2, fa3, flash_attn or cudnn in it), batch, heads, head_dim, seq, causal
               (1: others are left out) and direction (fwd, bwd)
  ln, input_layernorm, mlp_act, attn_rope, add, mul, permute, ...   bytes that are read and written
Products, experts and attention below 1e9 FLOP, and others below 50 MB, are left out: launches are
most of them. Libraries differ by more than curves: fit one at a time (--library)."""

#: Rows of less are not fitted to.
LEAST_FLOPS, LEAST_BYTES = 1e9, 50e6

#: Rows that a kind must have.
LEAST_ROWS = 4


@dataclass
class Fitted:
    """A kind of kernels with its curve."""

    kernels: list[Kernel]
    values: Values


def read_peaks(name: str) -> Peaks:
    """Return the peak rates of an accelerator, of those that it starts from where it has none."""
    path = Path(name) if name.endswith(".json") else ACCELERATORS / f"{name}.json"
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        base = read_peaks(data["accelerator"]) if "accelerator" in data else Peaks({}, 0)
        flops = {key: float(value) for key, value in data.get("matrixFlops", base.flops).items()}
        rate = data.get("memoryBandwidth")
        memory = base.memory if rate is None else float(str(rate).removesuffix("GB/s")) * 1e9
    except (OSError, ValueError, TypeError, AttributeError):
        names = ", ".join(sorted(file.stem for file in ACCELERATORS.glob("*.json")))
        expected = f"{names}, or a file that ends in .json, with memoryBandwidth in GB/s"
        raise InputError(f"--accelerator: error: expected {expected}, found '{name}'") from None
    return Peaks(flops, memory)


def find_group(kernel: Kernel) -> tuple[str, ...]:
    """Return what has a curve of its own."""
    if kernel.kind == "attention":
        return kernel.kind, kernel.library, str(kernel.head_size), "backward" if kernel.backward else "forward"
    return (kernel.kind, kernel.precision) if kernel.precision else (kernel.kind,)


def is_large(kernel: Kernel) -> bool:
    """Return whether a kernel is more than its launch."""
    return kernel.flops >= LEAST_FLOPS or (kernel.kind not in CURVES and kernel.bytes >= LEAST_BYTES)


def fit_all(kernels: list[Kernel], peaks: Peaks) -> dict[tuple[str, ...], Fitted]:
    """Fit each group of enough rows, and say how good that is."""
    groups: dict[tuple[str, ...], list[Kernel]] = {}
    for kernel in filter(is_large, kernels):
        if not kernel.precision or kernel.kind == "attention" or kernel.precision in peaks.flops:
            groups.setdefault(find_group(kernel), []).append(kernel)
    write_line(f"{'':32}{'rows':>6}{'fitted: median':>17}{'90 %':>9}{'left out: median':>19}{'90 %':>9}")
    fitted = {}
    for group, rows in sorted(groups.items()):
        name = " ".join(group)
        if len(rows) < LEAST_ROWS:
            write_line(f"{name:32}{len(rows):6}   too few, not fitted")
            continue
        curve = find_curve(rows[0])
        values = fit(rows, curve, peaks)
        fitted[group] = Fitted(rows, values)
        columns = [find_residuals(rows, curve, values, peaks), find_left_out(rows, curve, peaks)]
        median, most, left, left_most = (
            f"{100 * number:.1f} %" for column in columns for number in (find_median(column), find_quantile(column, 0.9))
        )
        write_line(f"{name:32}{len(rows):6}{median:>17}{most:>9}{left:>19}{left_most:>9}")
    return fitted


def describe(fitted: dict[tuple[str, ...], Fitted], source: str) -> dict[str, Any]:
    """Return the object operators of an accelerator's file."""
    operators: dict[str, Any] = {}
    attention: dict[tuple[str, str], dict[str, Any]] = {}
    for group, found in fitted.items():
        values = {name: float(f"{value:.4g}") for name, value in found.values.items()}
        launch = f"{values.get('launch', 0) * 1e9:.0f}ns"
        if group[0] == "attention":
            entry = attention.setdefault(group[1:3], {"kernel": group[1], "headSize": int(group[2])})
            entry[group[3]] = {"flops": values["flops"], "halfLength": values["half"]}
        elif group[0] in ("product", "experts"):
            key = "products" if group[0] == "product" else "experts"
            entry = {"launch": launch, "share": values["share"], "memory": values["memory"]}
            entry |= {"halfDepth": round(values["half"]), "source": source}
            if key == "experts":
                entry["tileRows"] = 128
                operators["routing"] = {"token": f"{values['token'] * 1e12:.0f}ps", "source": source}
                operators.setdefault("memoryBound", {})["permutation"] = values["permutation"]
            elif group[1] == "fp8":
                operators["casts"] = {"memory": values["cast"], "source": source}
            operators.setdefault(key, {})[group[1]] = entry
        else:
            operators.setdefault("memoryBound", {})[group[0]] = values["memory"]
    # The file wants both directions: what was measured in one only stays as the base has it.
    whole = [{**entry, "source": source} for entry in attention.values() if {"forward", "backward"} <= set(entry)]
    if whole:
        operators["attention"] = whole
    if "memoryBound" in operators:
        operators["memoryBound"]["source"] = source
    return operators


def run(arguments: list[str]) -> None:
    """Fit what the command line asks for."""
    parser = Parser(
        prog="wl-model",
        usage=USAGE,
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--fit", metavar="KERNELS.csv", required=True, help="table of measured kernels")
    parser.add_argument("--gpu", default="", help="rows of this one [the only one of the table]")
    parser.add_argument("--library", default="", help="rows with this in impl or source [all]")
    parser.add_argument("--accelerator", default="h100", help="whose peaks, and what is not measured [h100]")
    parser.add_argument("--output", metavar="FILE.json", type=Path, help="the accelerator's file [none]")
    given = parser.parse_args(arguments)
    peaks = read_peaks(given.accelerator)
    fitted = fit_all(read_kernels(given.fit, given.gpu, given.library), peaks)
    if not fitted:
        raise InputError(f"--fit: error: expected {LEAST_ROWS} large kernels of a kind, found none in '{given.fit}'")
    operators = describe(fitted, f"wl-model --fit={Path(given.fit).name}")
    if given.output:
        data = {"accelerator": given.accelerator, "name": given.output.stem, "operators": operators}
        try:
            given.output.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise InputError(f"--output: error: expected a file, found '{given.output}' ({error.strerror})") from None
        write_line(f"wrote {given.output}: --accelerator={given.output} of wl-replay")


def main() -> int:
    """Run the program; return its exit code."""
    try:
        run(sys.argv[1:])
    except InputError as error:
        print(f"wl-model: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
