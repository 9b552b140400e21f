# SPDX-License-Identifier: GPL-2.0-only
"""Means with confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom (any table of them).
STUDENT = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
]  # fmt: skip

#: The same for more of them: that of the normal distribution.
NORMAL = 1.960


@dataclass(frozen=True)
class Mean:
    """A mean and half of its 95 % confidence interval, 0 if there is one value only."""

    value: float
    half: float
    count: int


def mean_of(values: Sequence[float]) -> Mean:
    """Return the mean of values that were drawn independently."""
    count = len(values)
    mean = sum(values) / count
    if count < 2:
        return Mean(mean, 0.0, count)
    variance = sum((value - mean) ** 2 for value in values) / (count - 1)
    factor = STUDENT[count - 2] if count - 1 <= len(STUDENT) else NORMAL
    return Mean(mean, factor * math.sqrt(variance / count), count)
