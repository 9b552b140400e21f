# SPDX-License-Identifier: GPL-2.0-only
"""Puts a drawing on a canvas, its lines coloured by rate or by how much they were used."""

from __future__ import annotations

import math
from collections import Counter

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PathCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, Patch
from matplotlib.path import Path

from .. import units
from ..figure import BLUE, COLUMN_INCHES, GREEN, ORANGE, PURPLE, SKY, VERMILION
from .drawing import Box, Drawing, Line
from .tiers import BOX_HEIGHT

#: Fill, border and name of boxes by kind.
LOOKS = {
    "host": ("#dbe7fb", "#4a74c9", "host"),
    "server": ("#dbe7fb", "#4a74c9", "server"),
    "switch": ("#fdebc8", "#c98a1b", "switch"),
    "nvswitch": ("#d5edd3", "#4f9a4f", "NVSwitch"),
}

#: Colours of lines by rate, from the lowest, and of NVLink.
RATE_COLORS = ["#5b6b80", BLUE, VERMILION, PURPLE, ORANGE, SKY]
NVLINK_COLOR = GREEN

#: Most kinds of lines in the legend.
MAX_LEGEND = 8

#: Smallest text that is written, points.
MIN_FONT = 1.5

#: Colours of use, from a light one that is still seen on white to a dark one.
USE_COLORS = colormaps["viridis_r"]


def picture_height(drawing: Drawing) -> float:
    """Return how high a figure of two columns is, inches, with its legend."""
    return min(9.0, COLUMN_INCHES[2] * drawing.height / drawing.width + 0.55)


def _path(drawing: Drawing, line: Line) -> Path:
    a, b = drawing.boxes[line.a], drawing.boxes[line.b]
    if line.bend is None:
        return Path([(a.x, a.y), (b.x, b.y)])
    return Path([(a.x, a.y), line.bend, (b.x, b.y)], [Path.MOVETO, Path.CURVE3, Path.CURVE3])


class Painter:
    """Draws one picture."""

    def __init__(self, drawing: Drawing, canvas: Canvas) -> None:
        self.drawing = drawing
        self.axes: Axes = canvas.add_subplot()
        self.axes.set_xlim(0, drawing.width)
        # A quadratic curve comes half as near to its control point as its ends are.
        bent = [line for line in drawing.lines if line.bend]
        bends = [(drawing.boxes[line.a].y + line.bend[1]) / 2 for line in bent]
        self.axes.set_ylim(drawing.height, min(0.0, min(bends, default=0.0) - 4))
        self.axes.set_aspect("equal")
        self.axes.set_axis_off()
        #: Points of a unit of the drawing.
        self.scale = 72 * COLUMN_INCHES[2] / drawing.width
        totals = [line.rate * len(line.links) for line in drawing.lines]
        self.thinnest = min(totals, default=1)
        many = len(drawing.lines)
        self.opacity = 0.25 if many > 3000 else 0.45 if many > 600 else 0.8

    def _width(self, line: Line) -> float:
        """Return how wide a line is, points: it grows with its rate."""
        total = line.rate * len(line.links) / self.thinnest
        width = min(5.0, 0.9 + 0.5 * math.log2(total))
        return max(0.25, width * self.scale)

    def _paint_lines(self, colors: list, widths: list[float], opacity: float, z: float) -> None:
        paths = [_path(self.drawing, line) for line in self.drawing.lines]
        self.axes.add_collection(
            PathCollection(
                paths, facecolors="none", edgecolors=colors, linewidths=widths, alpha=opacity,
                zorder=z,
            )
        )  # fmt: skip

    def paint_rates(self) -> list:
        """Draw lines coloured by rate; return their part of the legend."""
        lines = self.drawing.lines
        rates = sorted({line.rate for line in lines if not line.nvlink})
        colors = {rate: RATE_COLORS[i % len(RATE_COLORS)] for i, rate in enumerate(rates)}

        def color(line: Line) -> str:
            return NVLINK_COLOR if line.nvlink else colors[line.rate]

        widths = [self._width(line) for line in lines]
        self._paint_lines([color(line) for line in lines], widths, self.opacity, 1)
        kinds = Counter((line.nvlink, line.rate, len(line.links)) for line in lines)
        sample = {(line.nvlink, line.rate, len(line.links)): line for line in lines}
        handles = []
        for key, count in sorted(kinds.items())[:MAX_LEGEND]:
            nvlink, rate, links = key
            times = f" ×{links}" if links > 1 else ""
            text = f"{units.rate(rate)}{times}{' NVLink' if nvlink else ''}"
            label = f"{text} ({units.plural(count, 'line')})"
            look = sample[key]
            width = max(0.8, self._width(look))
            handles.append(Line2D([], [], color=color(look), linewidth=width, label=label))
        return handles

    def paint_use(self, used: list[float], canvas: Canvas) -> None:
        """Draw lines coloured by how much their links were used, the busiest in front."""
        lines = self.drawing.lines
        values = [max((used[i] for i in line.links), default=0.0) for line in lines]
        top = max(values, default=0.0)
        norm = Normalize(0, 100 * top if top > 0 else 1)
        order = sorted(range(len(lines)), key=lambda i: values[i])
        paths = [_path(self.drawing, lines[i]) for i in order]
        colors = [USE_COLORS(norm(100 * values[i])) for i in order]
        least = max(0.35, min(1.3, 1.6 * self.scale))
        widths = [least * (1 + 1.5 * values[i] / top if top else 1) for i in order]
        self.axes.add_collection(
            PathCollection(
                paths, facecolors="none", edgecolors=colors, linewidths=widths, zorder=1
            )
        )
        bar = canvas.colorbar(
            ScalarMappable(norm, USE_COLORS), ax=self.axes, location="bottom", shrink=0.4,
            aspect=35, pad=0.02,
        )  # fmt: skip
        bar.set_label("use of a link, % of its rate (busier direction)")
        bar.outline.set_linewidth(0.4)

    def paint_boxes(self) -> None:
        """Draw frames, boxes and texts."""
        for frame in self.drawing.frames:
            self._rectangle(
                frame.x, frame.y, frame.width, frame.height, 5, "#f4f6f9", "#c5cad3", 0
            )
        for box in self.drawing.boxes:
            fill, border, _ = LOOKS.get(box.kind, LOOKS["switch"])
            left, top = box.x - box.width / 2, box.y - box.height / 2
            rounding = 3 if box.width > 12 else 0
            self._rectangle(left, top, box.width, box.height, rounding, fill, border, 2)
            self._write_name(box)
        for label in self.drawing.labels:
            size = max(11 * self.scale, 5.0 if label.text.startswith("tier") else 0)
            if size >= MIN_FONT:
                self.axes.text(label.x, label.y, label.text, fontsize=size, color="#5b6b80")

    def _rectangle(
        self, x: float, y: float, width: float, height: float, rounding: float, fill: str,
        border: str, z: float,
    ) -> None:  # fmt: skip
        self.axes.add_patch(
            FancyBboxPatch(
                (x + rounding, y + rounding),
                width - 2 * rounding,
                height - 2 * rounding,
                boxstyle=f"round,pad={rounding}" if rounding else "square,pad=0",
                facecolor=fill,
                edgecolor=border,
                linewidth=max(0.2, min(0.8, self.scale)),
                zorder=z,
            )
        )

    def _write_name(self, box: Box) -> None:
        """Write a box's name into it, or its number if that is all that fits."""
        name, width = box.name, box.width
        size = (8.0 if width < 24 else 10.0) * max(1.0, box.height / BOX_HEIGHT)
        number = name[len(name.rstrip("0123456789")) :]
        for text, part in ((name, 1), (name, 0.85), (name, 0.7), (number, 1)):
            points = part * size * self.scale
            fits = 0.66 * part * size * len(text) <= width - 2
            if text and fits and width >= 14 and points >= MIN_FONT:
                self.axes.text(
                    box.x, box.y, text, fontsize=points, ha="center", va="center_baseline",
                    zorder=3,
                )  # fmt: skip
                return

    def legend(self, handles: list) -> None:
        """Tell what boxes and lines mean, below the picture."""
        kinds = [kind for kind in LOOKS if any(box.kind == kind for box in self.drawing.boxes)]
        boxes = [
            Patch(facecolor=LOOKS[kind][0], edgecolor=LOOKS[kind][1], label=LOOKS[kind][2])
            for kind in kinds
        ]
        self.axes.legend(
            handles=boxes + handles, loc="upper center", bbox_to_anchor=(0.5, 0), fontsize=6,
            ncol=min(6, len(boxes + handles)), columnspacing=1.2,
        )  # fmt: skip
