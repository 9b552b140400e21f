# SPDX-License-Identifier: GPL-2.0-only
"""Hosts in a grid or on a circle, and switches on a circle with their hosts around it."""

from __future__ import annotations

import math
from collections import Counter

from .drawing import Box, Drawing

#: Space around the picture.
MARGIN = 40.0

#: How far the control point of a bent line is from the line's middle.
BEND = 50.0

#: From a plane of a grid to the next one: no box hides another one.
DEPTH = (52.0, -34.0)


def find_grid(drawing: Drawing) -> tuple[int, int, int] | None:
    """Return columns, rows and planes of the torus or mesh that hosts form by rank, if any."""
    n = drawing.host_boxes()
    steps = Counter(b - a for a, b in {(line.a, line.b) for line in drawing.lines if line.b < n})
    # All but the last box of a row are linked to the next one.
    lines = n - min(n, steps[1])
    if lines < 2 or n % lines != 0 or n == lines:
        return None
    columns = n // lines
    # All but the last row of a plane are linked to the next one.
    last = n - min(n, steps[columns])
    planes = max(1, last // columns)
    rows = lines // planes
    whole = last % columns == 0 and lines % planes == 0
    return (columns, rows, planes) if whole and rows > 1 else None


def _place(box: Box, x: float, y: float, width: float) -> None:
    box.x, box.y, box.width, box.height = x, y, width, 22.0


def _direction(i: float, count: int) -> tuple[float, float]:
    """Return the direction of a place on a circle, counted from 0 at the top, clockwise."""
    angle = 2 * math.pi * i / count - math.pi / 2
    return math.cos(angle), math.sin(angle)


def _radius(count: int, pitch: float) -> float:
    """Return the radius of a circle of boxes that have some room each."""
    return max(130.0, pitch * count / (2 * math.pi))


def _middles(drawing: Drawing, placed: int) -> list[tuple[float, float]]:
    """Return by box: the middle of the first `placed` boxes that it is linked to."""
    sums = [[0.0, 0.0, 0.0] for _ in drawing.boxes]
    for line in drawing.lines:
        for box, peer in ((line.a, line.b), (line.b, line.a)):
            if peer < placed:
                sums[box][0] += drawing.boxes[peer].x
                sums[box][1] += drawing.boxes[peer].y
                sums[box][2] += 1
    return [(x / n, y / n) if n else (0.0, 0.0) for x, y, n in sums]


def _fit(drawing: Drawing) -> None:
    """Move everything into the picture, and find its size."""
    left = min(box.x - box.width / 2 for box in drawing.boxes)
    right = max(box.x + box.width / 2 for box in drawing.boxes)
    top = min(box.y - box.height / 2 for box in drawing.boxes)
    bottom = max(box.y + box.height / 2 for box in drawing.boxes)
    drawing.width = max(760.0, right - left + 2 * MARGIN)
    drawing.height = bottom - top + 2 * MARGIN
    drawing.move((drawing.width - left - right) / 2, MARGIN - top)


def _place_grid(drawing: Drawing, columns: int, rows: int, planes: int) -> None:
    """Place the boxes with hosts in a grid, one plane behind the other."""
    cell = DEPTH[0] * planes + 24, 34 - DEPTH[1] * planes
    n = columns * rows * planes
    places = [(i % columns, i // columns % rows, i // (columns * rows)) for i in range(n)]
    for box, (column, row, plane) in zip(drawing.boxes, places):
        x = cell[0] * column + DEPTH[0] * plane
        _place(box, x, cell[1] * row + DEPTH[1] * plane, 40)
    for line in drawing.lines:
        if line.b >= n:
            continue
        steps = sum(abs(i - j) for i, j in zip(places[line.a], places[line.b]))
        if steps > 1:
            # What goes around a row or column passes beside the boxes between.
            a, b = drawing.boxes[line.a], drawing.boxes[line.b]
            length = math.hypot(b.x - a.x, b.y - a.y)
            line.bend = (
                (a.x + b.x) / 2 + BEND * (b.y - a.y) / length,
                (a.y + b.y) / 2 - BEND * (b.x - a.x) / length,
            )


def place_hosts(drawing: Drawing) -> None:
    """Place hosts that are linked to hosts, and what else there is near those it is linked to."""
    n = drawing.host_boxes()
    grid = find_grid(drawing)
    radius = _radius(n, 56)
    if grid:
        _place_grid(drawing, *grid)
    else:
        for i in range(n):
            x, y = _direction(i, n)
            _place(drawing.boxes[i], radius * x, radius * y, 44)
    middles = _middles(drawing, n)
    for i in range(n, len(drawing.boxes)):
        x, y = middles[i]
        if grid:
            y += 32
        elif math.hypot(x, y) < 0.05 * radius and i > n:
            # Switches of all hosts would stand on top of each other.
            x, y = (0.4 * radius * part for part in _direction(i - n, len(drawing.boxes) - n))
        _place(drawing.boxes[i], x, y, 70)
    _fit(drawing)


def place_switch_ring(drawing: Drawing) -> None:
    """Place switches on a circle, the hosts of each around it, and NVSwitches around them."""
    n = drawing.host_boxes()
    ring = [i for i, box in enumerate(drawing.boxes) if box.kind == "switch"]
    hosts: dict[int, list[int]] = {i: [] for i in ring}
    taken: set[int] = set()
    for line in drawing.lines:
        if line.a < n and line.a not in taken and line.b in hosts:
            taken.add(line.a)
            hosts[line.b].append(line.a)
    most = max(1, *(len(members) for members in hosts.values()))
    radius = _radius(len(ring), max(80.0, 35.0 * most))
    for i, switch in enumerate(ring):
        x, y = _direction(i, len(ring))
        _place(drawing.boxes[switch], radius * x, radius * y, 64)
        members = hosts[switch]
        for j, host in enumerate(members):
            part = (j + 0.5) / len(members) - 0.5
            x, y = _direction(i + 0.85 * part, len(ring))
            _place(drawing.boxes[host], (radius + 75) * x, (radius + 75) * y, 40)
    middles = _middles(drawing, n)
    for i, box in enumerate(drawing.boxes):
        if box.kind == "nvswitch":
            x, y = middles[i]
            scale = (radius + 135) / max(1.0, math.hypot(x, y))
            _place(box, scale * x, scale * y, 70)
    _fit(drawing)
