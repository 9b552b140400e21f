# SPDX-License-Identifier: GPL-2.0-only
"""Numbers with units, as people read them."""

from __future__ import annotations

import math

#: Dimensions of communicators, in the order in which they are listed, coloured and stacked.
DIMENSIONS = ["tp", "cp", "ep", "dp", "edp", "pp", "embedding", "world"]

#: The one of them that files have only where ranks waited for it.
RARE_DIMENSION = "world"


def _scaled(value: float, steps: list[tuple[float, str]]) -> tuple[str, str]:
    """Return a number and the largest unit of which there is at least one."""
    for step, unit in steps:
        if abs(value) >= step:
            return _digits(value / step), unit
    step, unit = steps[-1]
    return _digits(value / step), unit


def _trimmed(digits: str, unit: str) -> str:
    """Return a number without zeros at its end: sizes and rates mostly are round."""
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return f"{digits} {unit}"


def _digits(value: float) -> str:
    """Return a number with four significant digits, none of them after the point if it is large."""
    if value == 0:
        return "0"
    decimals = max(0, 3 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(decimals, 6)}f}"


def time(ns: float) -> str:
    """Return a time given in nanoseconds."""
    digits, unit = _scaled(ns, [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")])
    return _trimmed(digits, unit) if unit == "ns" else f"{digits} {unit}"


def seconds(value: float) -> str:
    """Return a time given in seconds."""
    return time(value * 1e9)


def size(count: float) -> str:
    """Return a number of bytes; units are powers of 1024."""
    units = ["TiB", "GiB", "MiB", "KiB", "B"]
    return _trimmed(*_scaled(count, [(1024.0 ** (4 - i), unit) for i, unit in enumerate(units)]))


def rate(bits: float) -> str:
    """Return a rate given in bit/s; units are powers of ten."""
    return _trimmed(*_scaled(bits, [(1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s"), (1, "b/s")]))


def number(value: float) -> str:
    """Return a count with separators."""
    return f"{value:,.0f}"


def percent(share: float, decimals: int = 1) -> str:
    """Return a share, 0 to 1, as a percentage."""
    return f"{100 * share:.{decimals}f} %"


def change(value: float, base: float) -> str:
    """Return by how much a value differs from another one."""
    if base == 0:
        return "0.0 %" if value == 0 else "—"
    return f"{100 * (value / base - 1):+.1f} %"


def plural(count: int, noun: str) -> str:
    """Return a count and what it counts."""
    ending = "" if count == 1 else "es" if noun.endswith("h") else "s"
    return f"{count:,} {noun}{ending}"


def time_scale(ns: float) -> tuple[float, str]:
    """Return what to divide nanoseconds by on an axis that ends at a time, and its unit."""
    for size_ns, unit in [(1e9, "s"), (1e6, "ms"), (1e3, "µs")]:
        if ns >= 2 * size_ns:
            return size_ns, unit
    return 1.0, "ns"
