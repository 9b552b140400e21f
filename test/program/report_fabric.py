# SPDX-License-Identifier: GPL-2.0-only
"""Cases of report-test.py: drawings of networks, against places by hand."""

from pathlib import Path

from program.bench import case

from workload_replay.report.fabric.layout import draw_graph
from workload_replay.report.fabric.rings import find_grid
from workload_replay.report.fabric.drawing import make_drawing
from workload_replay.report.fabric.tiers import find_tiers
from workload_replay.report.input.graph import Graph, GraphLink, GraphNode, GraphReader, parse_rate

GBPS = 10**9


def leaf_spine(servers, hosts):
    """A server's hosts at a leaf and an NVSwitch; two spines."""
    nodes, links = [], []
    leaves = servers * hosts + servers
    for server in range(servers):
        for i in range(hosts):
            nodes.append(GraphNode(f"host{server * hosts + i}", "host", server))
    nodes += [GraphNode(f"nvswitch{i}", "nvswitch", i) for i in range(servers)]
    nodes += [GraphNode(f"leaf{i}", "switch", None) for i in range(servers)]
    nodes += [GraphNode(f"spine{i}", "switch", None) for i in range(2)]
    for host in range(servers * hosts):
        links.append(GraphLink(host, servers * hosts + host // hosts, 3600 * GBPS, True))
        links.append(GraphLink(host, leaves + host // hosts, 400 * GBPS, False))
    for leaf in range(servers):
        links += [GraphLink(leaves + leaf, leaves + servers + i, 400 * GBPS, False) for i in (0, 1)]
    return Graph("leaf-spine", nodes, links)


def torus(columns, rows):
    nodes = [GraphNode(f"host{i}", "host", None) for i in range(columns * rows)]
    links = []
    for i in range(columns * rows):
        column, row = i % columns, i // columns
        for peer in ((column + 1) % columns + row * columns, column + (row + 1) % rows * columns):
            links.append(GraphLink(i, peer, 400 * GBPS, False))
    return Graph("torus", nodes, links)


@case
def tiers(bench):
    """tiers: servers in a row under leaves and spines, in order, no box on another one"""
    graph = leaf_spine(4, 2)
    drawing = draw_graph(graph)
    assert find_tiers(drawing) == [0] * 12 + [1] * 4 + [2] * 2
    rows = {}
    for box in drawing.boxes:
        rows.setdefault(box.y, []).append(box)
    # Spines, leaves, hosts, NVSwitches, from the top
    assert [len(rows[y]) for y in sorted(rows)] == [2, 4, 8, 4], rows.keys()
    for row in rows.values():
        row.sort(key=lambda box: box.x)
        for left, right in zip(row, row[1:]):
            assert left.x + left.width / 2 < right.x - right.width / 2, (left, right)
    assert [box.name for box in rows[min(rows)]] == ["spine0", "spine1"]
    assert len(drawing.frames) == 4 and len(drawing.lines) == 8 + 8 + 8
    for box in drawing.boxes:
        assert 0 <= box.x - box.width / 2 and box.x + box.width / 2 <= drawing.width, box
        assert 0 <= box.y - box.height / 2 and box.y + box.height / 2 <= drawing.height, box


@case
def shared_boxes(bench):
    """more than 128 hosts: a box for each server, its links to a leaf one line"""
    drawing = draw_graph(leaf_spine(17, 8))
    assert [box.kind for box in drawing.boxes] == ["server"] * 17 + ["switch"] * 19
    assert {box.hosts for box in drawing.boxes[:17]} == {8}
    to_leaves = [line for line in drawing.lines if line.a < 17]
    assert len(to_leaves) == 17 and {len(line.links) for line in to_leaves} == {8}
    assert len(draw_graph(leaf_spine(16, 8)).boxes) == 128 + 16 + 16 + 2


@case
def names_in_wide_networks(bench):
    """1,024 hosts: switches grow with the width of the drawing, none leaves it"""
    drawing = draw_graph(leaf_spine(128, 8))
    spines = drawing.boxes[-2:]
    # A letter, 10 of a box's 24, has 3 points or more in a figure of 7.1 inches.
    points = 72 * 7.1 / drawing.width
    for box in spines:
        assert 10 / 24 * box.height * points >= 3, (box, drawing.width)
        assert box.y - box.height / 2 >= 0, box


@case
def grids(bench):
    """torus: a grid in rank order, lines around it bent"""
    graph = torus(4, 3)
    assert find_grid(make_drawing(graph)) == (4, 3, 1)
    drawing = draw_graph(graph)
    xs = sorted({round(box.x) for box in drawing.boxes})
    ys = sorted({round(box.y) for box in drawing.boxes})
    assert (len(xs), len(ys)) == (4, 3), (xs, ys)
    for i, box in enumerate(drawing.boxes):
        assert (round(box.x), round(box.y)) == (xs[i % 4], ys[i // 4]), box
    assert sum(1 for line in drawing.lines if line.bend) == 3 + 4


@case
def parallel_links(bench):
    """parallel links of fabric.json: as many links, one line"""
    nodes = [{"name": "host0", "kind": "host"}, {"name": "leaf", "kind": "switch"}]
    link = {"a": "host0", "b": "leaf", "rate": "400Gbps", "count": 3}
    path = bench.write("run/fabric.json", {"name": "", "nodes": nodes, "links": [link]})
    graph = GraphReader(Path(path)).read()
    assert len(graph.links) == 3 and graph.host_rates() == (0, 1200 * GBPS)
    assert [line.links for line in draw_graph(graph).lines] == [[0, 1, 2]]


@case
def wrong_network(bench):
    """fabric.json with a link to no node, or without a rate: the place of the mistake"""
    nodes = [{"name": "host0", "kind": "host"}]
    link = {"a": "host0", "b": "leaf", "rate": "400Gbps"}
    path = bench.write("run/fabric.json", {"nodes": nodes, "links": [link]})
    folder = bench.path("run")
    expected = f"{path}:/links/0/b: error: expected a node's name, found leaf"
    bench.expect_error(expected, folder)
    bench.write("run/fabric.json", {"nodes": nodes, "links": [{**link, "b": "host0", "rate": 4}]})
    expected = f"{path}:/links/0/rate: error: expected a rate such as 400Gbps, found 4"
    bench.expect_error(expected, folder)


@case
def rates(bench):
    """rates as ns-3 writes them"""
    texts = ["400Gbps", "2.5Gb/s", "1000bps", "1Tbps", "fast", "400"]
    expected = [400 * GBPS, 2500000000, 1000, 10**12, None, None]
    assert [parse_rate(text) for text in texts] == expected
