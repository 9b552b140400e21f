# SPDX-License-Identifier: GPL-2.0-only
"""Servers in a row under their tiers of switches."""

from __future__ import annotations

from .drawing import Box, Drawing, Frame, Label

BOX_HEIGHT = 24.0

#: Space around the boxes of a server.
PADDING = 6.0

#: Space at the left and right; tiers are named in it.
MARGIN = 90.0

#: Most width that is given to hosts, and to the longest tier.
MOST = 2600.0


def peers_of(drawing: Drawing) -> list[list[int]]:
    """Return by box: the boxes that it has lines to."""
    peers: list[list[int]] = [[] for _ in drawing.boxes]
    for line in drawing.lines:
        peers[line.a].append(line.b)
        peers[line.b].append(line.a)
    return peers


def _is_ground(box: Box) -> bool:
    """Return whether a box stands among the hosts."""
    return box.hosts > 0 or (box.kind == "nvswitch" and box.server is not None)


def find_tiers(drawing: Drawing) -> list[int]:
    """Return by box: how many lines it is away from the nearest host."""
    peers = peers_of(drawing)
    queue = [i for i, box in enumerate(drawing.boxes) if _is_ground(box)]
    tiers = dict.fromkeys(queue, 0)
    for box in queue:
        for peer in peers[box]:
            if peer not in tiers:
                tiers[peer] = tiers[box] + 1
                queue.append(peer)
    return [tiers.get(i, 1) for i in range(len(drawing.boxes))]


def _place_row(
    drawing: Drawing, row: list[int], left: float, y: float, width: float, gap: float
) -> float:
    """Put boxes in a row; return where it ends."""
    for index in row:
        box = drawing.boxes[index]
        box.x, box.y, box.width, box.height = left + width / 2, y, width, BOX_HEIGHT
        left += width + gap
    return left - gap


def _servers(drawing: Drawing) -> dict[int, tuple[list[int], list[int]]]:
    """Return the boxes of hosts and of NVSwitches by server; hosts in none come last, as one."""
    servers: dict[int, tuple[list[int], list[int]]] = {}
    outside = len(drawing.boxes) + max((box.server or 0 for box in drawing.boxes), default=0)
    for i, box in enumerate(drawing.boxes):
        if _is_ground(box):
            key = i if box.kind == "server" else outside if box.server is None else box.server
            servers.setdefault(key, ([], []))[0 if box.hosts > 0 else 1].append(i)
    return dict(sorted(servers.items()))


def _place_ground(drawing: Drawing) -> float:
    """Put the hosts and NVSwitches side by side, by server; return where they end."""
    hosts = drawing.host_boxes()
    shared = drawing.boxes[0].kind == "server"
    most = 66.0 if shared else 17.0 if hosts > 64 else 26.0 if hosts > 16 else 44.0
    width = max(2.0, min(most, MOST / hosts))
    gap = 4.0 if width > 30 else 2.0 if width > 8 else 0.5
    left = MARGIN
    for row, switches in _servers(drawing).values():
        end = max(left + width, _place_row(drawing, row, left, 0, width, gap))
        if switches:
            each = (end - left + gap) / len(switches) - gap
            _place_row(drawing, switches, left, 48, each, gap)
        server = drawing.boxes[(row or switches)[0]].server
        if not shared and server is not None:
            top = -BOX_HEIGHT / 2 - PADDING
            height = (48 if switches else 0) + BOX_HEIGHT + 2 * PADDING
            drawing.frames.append(Frame(left - PADDING, top, end - left + 2 * PADDING, height))
            drawing.labels.append(Label(left, top + height + 13, f"server {server}"))
        left = end + (gap if shared else 3 * PADDING)
    return left


def _growth(drawing: Drawing) -> float:
    """Return how much larger switches are than usual: names are read in wide networks, too."""
    return max(1.0, min(3.0, drawing.width / 1000))


def _place_tier(drawing: Drawing, tier: list[int], lower: list[list[int]], y: float) -> None:
    """Put the switches of a tier in a row, each as near above what it is linked to as can be."""

    def middle(index: int) -> float:
        below = lower[index]
        # Rounded, so that equal means do not differ by how they were summed up.
        return round(sum(drawing.boxes[i].x for i in below) / max(1, len(below)))

    pitch = (drawing.width - 2 * MARGIN) / len(tier)
    growth = _growth(drawing)
    width = max(3.0, min(84.0 * growth, 0.8 * pitch))
    row = sorted(tier, key=middle)
    _place_row(drawing, row, MARGIN + (pitch - width) / 2, y, width, pitch - width)
    for index in tier:
        drawing.boxes[index].height *= max(1.0, min(growth, width / 60.0))


def _bend_lines(drawing: Drawing) -> None:
    """Bend the lines between boxes of a tier, so that they pass above the boxes between."""
    for line in drawing.lines:
        a, b = drawing.boxes[line.a], drawing.boxes[line.b]
        if a.y == b.y:
            line.bend = (a.x + b.x) / 2, a.y - min(120.0, 30 + abs(a.x - b.x) / 4)


def place_tiers(drawing: Drawing, tiers: list[int]) -> None:
    """Give boxes and lines their places."""
    top = max(tiers)
    rows = [[i for i, tier in enumerate(tiers) if tier == t] for t in range(top + 1)]
    longest = max((len(row) for row in rows[1:]), default=0)
    ground = _place_ground(drawing)
    least = ground + MARGIN - 3 * PADDING
    drawing.width = max(760.0, least, 2 * MARGIN + min(MOST, 30.0 * longest))
    step = max(120.0, min(320.0, drawing.width / 9))
    above = BOX_HEIGHT * _growth(drawing)
    drawing.move((drawing.width - least) / 2, top * step + above)
    drawing.height = top * step + above + (100 if drawing.frames else 40)
    peers = peers_of(drawing)
    lower = [[p for p in peers[i] if tiers[p] < tiers[i]] for i in range(len(peers))]
    for tier in range(1, top + 1):
        if rows[tier]:
            y = (top - tier) * step + above
            _place_tier(drawing, rows[tier], lower, y)
            drawing.labels.append(Label(12, y + 4, f"tier {tier}"))
    _bend_lines(drawing)
