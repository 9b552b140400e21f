# SPDX-License-Identifier: GPL-2.0-only
"""The network that a run was simulated on: nodes, links, and how the links were used."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import wrong_file
from .summary import find_file, read_json
from .tables import read_table

#: Multipliers of ns-3's DataRate.
PREFIXES = {"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}

#: Columns of links.csv that are drawn or listed, and their types.
LINK_COLUMNS = {
    "link": "int64",
    "from": "str",
    "to": "str",
    "rate_bps": "int64",
    "bytes": "int64",
    "utilisation": "float64",
    "max_queue_bytes": "int64",
    "ecn_marked": "int64",
    "pfc_pause_ns": "int64",
    "dropped": "int64",
}


@dataclass(frozen=True)
class GraphNode:
    """A node; kind is host, switch or nvswitch; server is None outside of servers."""

    name: str
    kind: str
    server: int | None


@dataclass(frozen=True)
class GraphLink:
    """A link between two nodes, given by their indices; rate in bit/s."""

    a: int
    b: int
    rate: int
    nvlink: bool


@dataclass
class Graph:
    """Nodes and links. Hosts are numbered in the order of the nodes."""

    name: str
    nodes: list[GraphNode]
    links: list[GraphLink]
    hosts: list[int] = field(init=False)  #: nodes of the hosts
    guessed: bool = False  #: made of links.csv, so servers and kinds follow from the names

    def __post_init__(self) -> None:
        self.hosts = [i for i, node in enumerate(self.nodes) if node.kind == "host"]

    def peers(self) -> list[list[int]]:
        """Return by node: the nodes at the other ends of its links, in the order of the links."""
        peers: list[list[int]] = [[] for _ in self.nodes]
        for link in self.links:
            peers[link.a].append(link.b)
            peers[link.b].append(link.a)
        return peers

    def host_rates(self) -> tuple[int, int]:
        """Return the largest rates of a host to its NVSwitch and to the network, bit/s; 0: none."""
        totals: dict[tuple[int, bool], int] = {}
        kinds = [node.kind for node in self.nodes]
        for link in self.links:
            for end in (link.a, link.b):
                if kinds[end] == "host":
                    key = (end, link.nvlink)
                    totals[key] = totals.get(key, 0) + link.rate
        inside = max((rate for (_, nvlink), rate in totals.items() if nvlink), default=0)
        outside = max((rate for (_, nvlink), rate in totals.items() if not nvlink), default=0)
        return inside, outside


def parse_rate(text: str) -> int | None:
    """Return a rate such as 400Gbps in bit/s, or None if it is none."""
    match = re.fullmatch(r"([0-9.]+) *([kKMGT]?)(?:bps|b/s)", text)
    return round(float(match[1]) * PREFIXES[match[2]]) if match else None


def read_graph(folder: Path) -> Graph | None:
    """Read the network of a run, or return None if no file has it."""
    path = find_file(folder, "fabric.json")
    if path:
        return GraphReader(path).read()
    table = find_file(folder, "links.csv")
    return graph_of_links(table) if table else None


class GraphReader:
    """Reads fabric.json, which every run and `wl-replay --dryRun` write."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.data = read_json(path)

    def read(self) -> Graph:
        """Return the network, or say what is wrong with the file."""
        if not isinstance(self.data, dict):
            raise wrong_file(self.path, "an object", "something else", "/")
        nodes = [
            GraphNode(str(node["name"]), str(node["kind"]), node.get("server"))
            for node in self._entries("nodes", ("name", "kind"))
        ]
        index = {node.name: i for i, node in enumerate(nodes)}
        links = []
        for i, link in enumerate(self._entries("links", ("a", "b", "rate"))):
            for end in ("a", "b"):
                if link[end] not in index:
                    raise wrong_file(self.path, "a node's name", link[end], f"/links/{i}/{end}")
            rate = parse_rate(str(link["rate"]))
            if rate is None:
                raise wrong_file(
                    self.path, "a rate such as 400Gbps", link["rate"], f"/links/{i}/rate"
                )
            ends = index[link["a"]], index[link["b"]]
            made = GraphLink(*ends, rate, bool(link.get("nvlink")))
            links.extend([made] * int(link.get("count", 1)))
        return Graph(str(self.data.get("name", "")), nodes, links)

    def _entries(self, key: str, names: tuple[str, ...]) -> list[dict[str, Any]]:
        entries = self.data.get(key)
        if not isinstance(entries, list):
            raise wrong_file(self.path, "a list", "nothing", f"/{key}")
        for i, entry in enumerate(entries):
            for name in names:
                if not isinstance(entry, dict) or name not in entry:
                    raise wrong_file(self.path, "a value", "nothing", f"/{key}/{i}/{name}")
        return entries


def graph_of_links(path: Path) -> Graph | None:
    """Make a network of links.csv, whose names show the kinds of nodes; None if it has no links."""
    links = read_table(path, LINK_COLUMNS).drop_duplicates("link")
    if links.empty:
        return None
    names = sorted(set(links["from"]) | set(links["to"]), key=_name_order)
    index = {name: i for i, name in enumerate(names)}
    kinds = [_kind_of(name) for name in names]
    if "host" not in kinds:
        degrees = links["from"].value_counts().add(links["to"].value_counts(), fill_value=0)
        kinds = ["host" if degrees[name] == degrees.min() else "switch" for name in names]
    servers: dict[int, int] = {}
    made = []
    for a, b, rate in zip(links["from"], links["to"], links["rate_bps"]):
        ends = sorted((index[a], index[b]))
        nvswitch = next((end for end in ends if kinds[end] == "nvswitch"), None)
        if nvswitch is not None:
            server = servers.setdefault(nvswitch, len(set(servers.values())))
            servers[ends[0] + ends[1] - nvswitch] = server
        made.append(GraphLink(ends[0], ends[1], int(rate), nvswitch is not None))
    nodes = [GraphNode(name, kinds[i], servers.get(i)) for i, name in enumerate(names)]
    graph = Graph("", nodes, made)
    graph.guessed = True
    return graph


def _kind_of(name: str) -> str:
    return "host" if name.startswith("host") else "nvswitch" if "nvswitch" in name else "switch"


def _name_order(name: str) -> tuple[int, list[tuple[int, str]]]:
    """Order hosts by number, then NVSwitches, then the rest by name and number."""
    kinds = ["host", "nvswitch", "switch"]
    parts = re.findall(r"\d+|\D+", name)
    return kinds.index(_kind_of(name)), [
        (int(part), "") if part.isdigit() else (-1, part) for part in parts
    ]
