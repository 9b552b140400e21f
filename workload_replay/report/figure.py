# SPDX-License-Identifier: GPL-2.0-only
"""A figure: what it is called, what it says, and how it becomes SVG, PDF or PNG."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass

import matplotlib
from matplotlib.figure import Figure as Canvas

#: Widths of a figure in a paper of two columns, inches (those of ACM's and IEEE's templates).
COLUMN_INCHES = {1: 3.4, 2: 7.1}

FORMATS = ["svg", "pdf", "png"]

#: Colours that people with any of the usual colour deficiencies can distinguish (Okabe and Ito,
#: "Color Universal Design", 2008).
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = (
    "#000000", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7",
)  # fmt: skip

#: Colours of the parts of a rank's time, and of dimensions wherever they occur.
PART_COLORS = {
    "compute": "#b9c4d0",
    "tp": BLUE,
    "cp": "#7f3c8d",
    "ep": ORANGE,
    "dp": GREEN,
    "edp": SKY,
    "pp": VERMILION,
    "embedding": PURPLE,
    "world": "#8c6d31",
    "bubble": YELLOW,
    "idle": "#ececec",
    "other": "#707070",
}

#: Colours of runs that are compared.
RUN_COLORS = [BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, BLACK, "#8c6d31"]

STYLE = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "legend.handlelength": 1.2,
    "lines.linewidth": 1.2,
    "pdf.fonttype": 42,  # fonts are embedded whole, as publishers ask for
    "savefig.dpi": 300,
    "svg.hashsalt": "wl-report",  # equal runs give equal figures
}


def color_of(part: str) -> str:
    """Return the colour of a dimension or a part of a rank's time."""
    return PART_COLORS.get(part.removeprefix("exposed "), PART_COLORS["other"])


@dataclass(frozen=True)
class Figure:
    """A figure, drawn when it is wanted."""

    name: str  #: of its file, without ending
    caption: str  #: what it shows, plain text
    columns: int  #: of a paper that it is as wide as, 1 or 2
    height: float  #: inches
    draw: Callable[[Canvas], None]  #: draws it on an empty canvas

    @property
    def width(self) -> float:
        """Its width, inches."""
        return COLUMN_INCHES[self.columns]

    def render(self, form: str, live_text: bool = False) -> bytes:
        """Return the figure as a file of a format.

        With live_text, texts of an SVG stay texts, in whatever font the reader has.
        """
        style = {**STYLE, "svg.fonttype": "none" if live_text else "path"}
        with matplotlib.rc_context(style):
            canvas = Canvas(figsize=(self.width, self.height), layout="constrained")
            canvas.set_layout_engine("constrained", w_pad=0.03, h_pad=0.03)
            self.draw(canvas)
            file = io.BytesIO()
            dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": None}
            canvas.savefig(file, format=form, metadata=dates[form])
        return file.getvalue()

    def _repr_svg_(self) -> str:
        """Return the figure as notebooks show it."""
        return self.render("svg").decode()

    def inline_svg(self, prefix: str = "") -> str:
        """Return the figure as an element of an HTML page; prefix distinguishes its names from others'."""
        prefix += self.name
        svg = self.render("svg", live_text=True).decode()
        svg = svg[svg.index("<svg") :]
        svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
        svg = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", svg)
        # Figures of one page must not share the names of their elements.
        svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
        svg = re.sub(r"url\(#", f"url(#{prefix}-", svg)
        svg = re.sub(r'href="#', f'href="#{prefix}-', svg)
        svg = svg.replace("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif")
        label = self.caption.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
        svg = re.sub(r'\s(?:width|height)="[\d.]+pt"', "", svg, count=2)
        return svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)
