# SPDX-License-Identifier: GPL-2.0-only
"""Tables of measured kernels."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError

#: Columns that a table must have; the others of a kind are asked for where it is used.
COLUMNS = ("kind", "gpu", "precision", "us")

#: Kinds of kernels that memory bounds, as tables name them, and as an accelerator's file does.
MEMORY_KINDS = {
    "ln": "norm",
    "layernorm": "norm",
    "input_layernorm": "norm",
    "rmsnorm": "norm",
    "mlp_act": "activation",
    "swiglu": "activation",
    "gelu": "activation",
    "attn_rope": "rotary",
    "rope": "rotary",
    "add": "elementwise",
    "mul": "elementwise",
    "permute": "permutation",
    "cross_entropy": "loss",
    "adam": "optimizer",
}

#: Number formats: block-scaled fp8 has other kernels, for which an accelerator's file has no place.
PRECISIONS = ("bf16", "fp16", "fp8")

#: Libraries of attention: what their name has in it, and what an accelerator's file calls them.
LIBRARIES = {"fa3": "fa3", "fa2": "fa2", "flash_attn": "fa2", "cudnn": "cudnn"}


@dataclass
class Kernel:
    """A measured kernel; what it does not have is 0."""

    kind: str  #: product, experts, attention, or a kind that memory bounds
    precision: str
    library: str
    seconds: float
    flops: float = 0
    bytes: float = 0
    cast: float = 0  #: elements that are cast before
    depth: float = 0  #: of products and experts: terms that a result sums up
    tokens: float = 0  #: of experts: tokens of each
    routed: float = 0  #: of experts: tokens that choose
    moved: float = 0  #: of experts: bytes that permutations and the activation move
    head_size: int = 0
    length: float = 0
    backward: bool = False


class Line:
    """A line of a table."""

    def __init__(self, file: str, number: int, cells: dict[str, str]) -> None:
        self.file = file
        self.number = number
        self.cells = cells

    def text(self, column: str) -> str:
        """Return a cell."""
        return (self.cells.get(column) or "").strip()

    def number_of(self, column: str) -> float:
        """Return a cell's number, above 0."""
        text = self.text(column)
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not 0 < number < math.inf:
            raise InputError(f"{self.file}:{self.number}: error: expected a number above 0 as {column}, found '{text}'")
        return number


def read_kernels(file: str, gpu: str, library: str) -> list[Kernel]:
    """Return a GPU's kernels, of the only GPU if none is named, whose impl or source has a word."""
    try:
        with Path(file).open(newline="", encoding="utf-8") as stream:
            reader = csv.DictReader(stream)
            columns = reader.fieldnames or []
            lines = [Line(file, reader.line_num, cells) for cells in reader]
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "no text"
        raise InputError(f"--fit: error: expected a table of measured kernels, found '{file}' ({reason})") from None
    for column in COLUMNS:
        if column not in columns:
            raise InputError(f"{file}:1: error: expected the columns {', '.join(COLUMNS)}, found no {column}")
    names = sorted({line.text("gpu") for line in lines})
    if gpu not in names and (gpu or len(names) != 1):
        raise InputError(f"--gpu: error: expected one of {', '.join(names) or 'none'}, found '{gpu}'")
    chosen = [line for line in lines if line.text("gpu") == (gpu or names[0])]
    if library:
        chosen = [line for line in chosen if library in line.text("impl") or library in line.text("source")]
    return [kernel for kernel in map(read_kernel, chosen) if kernel]


def read_kernel(line: Line) -> Kernel | None:
    """Return a kernel; none if an accelerator's file has no curve for its kind."""
    kind = line.text("kind")
    precision = line.text("precision")
    seconds = line.number_of("us") * 1e-6
    implementation = line.text("impl").lower()
    library = next((name for part, name in LIBRARIES.items() if part in implementation), "")
    if kind in MEMORY_KINDS and line.text("bytes"):
        return Kernel(MEMORY_KINDS[kind], "", library, seconds, bytes=line.number_of("bytes"))
    if precision not in PRECISIONS:
        return None
    if kind == "gemm":
        return read_product(line, Kernel("product", precision, library, seconds))
    if kind == "moe_layer" and "nongated" not in implementation:
        return read_experts(line, Kernel("experts", precision, library, seconds))
    # Those without a causal mask are other kernels, as to their speed.
    if kind == "attention" and library and line.text("causal") == "1":
        return read_attention(line, Kernel("attention", precision, library, seconds))
    return None


def read_product(line: Line, kernel: Kernel) -> Kernel:
    """Complete a matrix multiplication."""
    m, n, k = (line.number_of(column) for column in "mnk")
    narrow = kernel.precision == "fp8"
    kernel.flops = 2 * m * n * k
    kernel.bytes = (1 if narrow else 2) * (m * k + k * n) + 2 * m * n
    kernel.cast = m * k if narrow else 0
    kernel.depth = k
    return kernel


def read_experts(line: Line, kernel: Kernel) -> Kernel:
    """Complete a gated layer of experts, with router, permutations and activation."""
    tokens, inner, hidden = (line.number_of(column) for column in "mnk")
    groups, each = line.number_of("groups"), line.number_of("tokens_per_group")
    rows = groups * each
    element = 1 if kernel.precision == "fp8" else 2
    kernel.flops = 6 * rows * inner * hidden
    kernel.bytes = element * 3 * groups * inner * hidden
    # Two thirds of the FLOP sum up the hidden size, one third the inner one.
    kernel.depth = 3 / (2 / hidden + 1 / inner)
    kernel.tokens = each
    kernel.routed = tokens
    # Out and back, read and written; gate and up read, their product written.
    kernel.moved = 2 * rows * (4 * hidden + 3 * inner)
    return kernel


def read_attention(line: Line, kernel: Kernel) -> Kernel:
    """Complete causal attention, which does half of the square; backward has 5 products for 2."""
    batch, heads, size, length = (line.number_of(column) for column in ("batch", "heads", "head_dim", "seq"))
    kernel.backward = line.text("direction") == "bwd"
    kernel.flops = 2 * batch * heads * length**2 * size * (2.5 if kernel.backward else 1)
    kernel.head_size = int(size)
    kernel.length = length
    return kernel
