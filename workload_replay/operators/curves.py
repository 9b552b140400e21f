# SPDX-License-Identifier: GPL-2.0-only
"""Curves of operators (OperatorCurves of the module), and how they are fitted."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .kernels import Kernel

#: Bytes that kernels for inference read and write to cast an element: the largest one is found (2), then each is read
#: and written in one byte (2 + 1). Training writes it transposed as well, where the accelerator wants it.
CAST_BYTES = 5

#: Rows of a tile of experts, and kernels of a layer of experts.
TILE_ROWS, LAYER_KERNELS = 128, 6

Values = dict[str, float]


@dataclass
class Peaks:
    """Peak rates of an accelerator."""

    flops: dict[str, float]  #: FLOP/s by number format
    memory: float  #: bytes/s


@dataclass
class Curve:
    """A form with parameters between bounds."""

    bounds: dict[str, tuple[float, float]]  #: smallest and largest value of each
    predict: Callable[[Kernel, Values, Peaks], float]  #: s


def time_multiplying(kernel: Kernel, values: Values, peaks: Peaks) -> float:
    """Return the time that matrix units take for a kernel's results, by the terms that each sums up."""
    depth = 1 + values["half"] / kernel.depth
    return kernel.flops * depth / (values["share"] * peaks.flops[kernel.precision])


def time_product(kernel: Kernel, values: Values, peaks: Peaks) -> float:
    """Return the time of a matrix multiplication and the cast before it."""
    compute = time_multiplying(kernel, values, peaks)
    memory = kernel.bytes / (values["memory"] * peaks.memory)
    cast = CAST_BYTES * kernel.cast / (values["cast"] * peaks.memory) if kernel.cast else 0
    return values["launch"] + max(compute, memory) + cast


def time_experts(kernel: Kernel, values: Values, peaks: Peaks) -> float:
    """Return the time of a layer of experts."""
    padded = math.ceil(kernel.tokens / TILE_ROWS) * TILE_ROWS / kernel.tokens
    compute = padded * time_multiplying(kernel, values, peaks)
    memory = kernel.bytes / (values["memory"] * peaks.memory)
    moved = kernel.moved / (values["permutation"] * peaks.memory)
    return LAYER_KERNELS * values["launch"] + values["token"] * kernel.routed + max(compute, memory) + moved


def time_attention(kernel: Kernel, values: Values, _peaks: Peaks) -> float:
    """Return the time of fused attention."""
    return kernel.flops * (1 + values["half"] / kernel.length) / values["flops"]


def time_memory(kernel: Kernel, values: Values, peaks: Peaks) -> float:
    """Return the time of a kernel that memory bounds."""
    return values["launch"] + kernel.bytes / (values["memory"] * peaks.memory)


SHARE = (0.02, 1.0)
LAUNCH = (0.5e-6, 50e-6)
HALF = (1.0, 16384.0)

CURVES = {
    "product": Curve({"launch": LAUNCH, "share": SHARE, "memory": SHARE, "half": HALF, "cast": SHARE}, time_product),
    "experts": Curve(
        {"launch": LAUNCH, "share": SHARE, "memory": SHARE, "half": HALF, "permutation": SHARE, "token": (1e-11, 1e-9)},
        time_experts,
    ),
    "attention": Curve({"flops": (1e12, 1e16), "half": HALF}, time_attention),
    "memory": Curve({"launch": LAUNCH, "memory": SHARE}, time_memory),
}


def find_curve(kernel: Kernel) -> Curve:
    """Return the form of a kernel's time."""
    return CURVES.get(kernel.kind, CURVES["memory"])


def find_residuals(kernels: Sequence[Kernel], curve: Curve, values: Values, peaks: Peaks) -> list[float]:
    """Return max(ratio, 1 / ratio) less 1 of simulated and measured times."""
    ratios = (curve.predict(kernel, values, peaks) / kernel.seconds for kernel in kernels)
    return [max(ratio, 1 / ratio) - 1 for ratio in ratios]


def find_loss(kernels: Sequence[Kernel], curve: Curve, values: Values, peaks: Peaks) -> float:
    """Return the sum of the logarithms that times are off by: few rows that are far off count little."""
    return sum(map(math.log1p, find_residuals(kernels, curve, values, peaks)))


def fit(kernels: Sequence[Kernel], curve: Curve, peaks: Peaks) -> Values:
    """Return the parameters of least loss: each in turn, by ever smaller factors."""
    best = {name: math.sqrt(low * high) for name, (low, high) in curve.bounds.items()}
    loss = find_loss(kernels, curve, best, peaks)
    factor = 2.0
    while factor > 1.002:
        improved = False
        for name, (low, high) in curve.bounds.items():
            for step in (factor, 1 / factor):
                tried = {**best, name: min(high, max(low, best[name] * step))}
                now = find_loss(kernels, curve, tried, peaks)
                if now < loss * (1 - 1e-9):
                    best, loss, improved = tried, now, True
        factor = factor if improved else math.sqrt(factor)
    return best


def find_left_out(kernels: Sequence[Kernel], curve: Curve, peaks: Peaks) -> list[float]:
    """Return residuals of each half of the rows by a fit to the other half."""
    halves = kernels[::2], kernels[1::2]
    if not all(halves):
        return []
    residuals = []
    for fitted, judged in (halves, halves[::-1]):
        residuals += find_residuals(judged, curve, fit(fitted, curve, peaks), peaks)
    return residuals


def find_quantile(residuals: Sequence[float], share: float) -> float:
    """Return what a share of the residuals does not exceed."""
    return sorted(residuals)[max(0, math.ceil(share * len(residuals)) - 1)]


def find_median(residuals: Sequence[float]) -> float:
    """Return the median."""
    return statistics.median(residuals)
