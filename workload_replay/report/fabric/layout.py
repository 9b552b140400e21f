# SPDX-License-Identifier: GPL-2.0-only
"""Chooses how a network is drawn."""

from __future__ import annotations

from ..input.graph import Graph
from .drawing import Drawing, make_drawing
from .rings import place_hosts, place_switch_ring
from .tiers import find_tiers, place_tiers


def draw_graph(graph: Graph) -> Drawing:
    """Return the drawing of a network.

    Hosts that are linked to hosts stand in a grid if their links are those of a torus or mesh of
    two or three dimensions in rank order, else on a circle. Switches that all have hosts, and links
    to each other, stand on a circle, the hosts around it. Else hosts stand in a row, by server, under
    the tiers of switches.
    """
    drawing = make_drawing(graph)
    boxes = drawing.boxes
    if any(boxes[line.a].hosts > 0 and boxes[line.b].hosts > 0 for line in drawing.lines):
        place_hosts(drawing)
        return drawing
    tiers = find_tiers(drawing)
    meshed = any(
        boxes[line.a].kind == "switch" and boxes[line.b].kind == "switch" for line in drawing.lines
    )
    if max(tiers) == 1 and meshed:
        place_switch_ring(drawing)
    else:
        place_tiers(drawing, tiers)
    return drawing
