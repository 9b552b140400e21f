# SPDX-License-Identifier: GPL-2.0-only
"""A network as it is drawn: boxes, and the lines between them.

Lengths are in units of which a figure of two columns has as many as the drawing is wide; y grows
downwards. Parallel links of a rate are one line. Where there are many hosts, those of a server are
one box, with their NVSwitches; hosts in no server are one box for each node they are linked to.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..input.graph import Graph

#: Most hosts that have a box each.
MAX_HOSTS = 128


@dataclass
class Box:
    """A box; x and y are its middle."""

    kind: str  #: host, server (hosts that share a box), switch or nvswitch
    name: str
    server: int | None
    hosts: int = 0  #: hosts in it
    x: float = 0
    y: float = 0
    width: float = 0
    height: float = 0


@dataclass
class Line:
    """A line between the boxes a and b, a before b."""

    a: int
    b: int
    nvlink: bool
    rate: int  #: of one link, bit/s
    links: list[int]  #: which links it stands for
    bend: tuple[float, float] | None = None  #: control point of a quadratic curve


@dataclass
class Frame:
    """The frame of a server; x and y are its upper left corner."""

    x: float
    y: float
    width: float
    height: float


@dataclass
class Label:
    """A text that begins at x on the base line y."""

    x: float
    y: float
    text: str


@dataclass
class Drawing:
    """Boxes (servers or hosts by rank, then the rest in the order of the nodes) and lines."""

    boxes: list[Box] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    width: float = 0
    height: float = 0

    def host_boxes(self) -> int:
        """Return how many boxes have hosts; they are the first ones."""
        return sum(1 for box in self.boxes if box.hosts > 0)

    def move(self, right: float, down: float) -> None:
        """Move everything."""
        for thing in [*self.boxes, *self.frames, *self.labels]:
            thing.x += right
            thing.y += down
        for line in self.lines:
            if line.bend:
                line.bend = line.bend[0] + right, line.bend[1] + down


Share = tuple[int, int]


def _share(graph: Graph, peers: list[list[int]], node: int) -> Share:
    """Return what distinguishes the boxes that hosts share: server, or whom they are linked to."""
    server = graph.nodes[node].server
    if server is not None:
        return server, -1
    return -1, peers[node][0] if peers[node] else -1


def _make_boxes(graph: Graph, drawing: Drawing) -> list[int]:
    """Make a box for each node, or server; return the box of each node."""
    peers = graph.peers()
    shares = {_share(graph, peers, host) for host in graph.hosts}
    shared = len(graph.hosts) > MAX_HOSTS and 2 * len(shares) <= len(graph.hosts)
    box_of = [-1] * len(graph.nodes)
    boxes: dict[Share, int] = {}
    for host in graph.hosts:
        node = graph.nodes[host]
        key = _share(graph, peers, host)
        box_of[host] = boxes.setdefault(key, len(drawing.boxes)) if shared else len(drawing.boxes)
        if box_of[host] == len(drawing.boxes):
            name = f"hosts at {graph.nodes[key[1]].name}" if key[0] < 0 else f"server{key[0]}"
            kind = "server" if shared else "host"
            drawing.boxes.append(Box(kind, name if shared else node.name, node.server))
        drawing.boxes[box_of[host]].hosts += 1
    for i, node in enumerate(graph.nodes):
        if node.kind == "host":
            continue
        inside = boxes.get((node.server, -1)) if node.server is not None else None
        if node.kind == "nvswitch" and inside is not None:
            box_of[i] = inside
        else:
            box_of[i] = len(drawing.boxes)
            drawing.boxes.append(Box(node.kind, node.name, node.server))
    return box_of


def _make_lines(graph: Graph, drawing: Drawing, box_of: list[int]) -> None:
    links: dict[tuple[int, int, bool, int], list[int]] = {}
    for i, link in enumerate(graph.links):
        a, b = sorted((box_of[link.a], box_of[link.b]))
        if a != b:
            links.setdefault((a, b, link.nvlink, link.rate), []).append(i)
    drawing.lines = [Line(*key, members) for key, members in sorted(links.items())]


def make_drawing(graph: Graph) -> Drawing:
    """Return boxes and lines of a network; they have no places yet."""
    drawing = Drawing()
    _make_lines(graph, drawing, _make_boxes(graph, drawing))
    return drawing
