# SPDX-License-Identifier: GPL-2.0-only
"""Units, which are a header and its sources, and the circles in which they include each other."""

import re


def list_files(root):
    """The C++ files of model/ and helper/."""
    files = [file for top in ("model", "helper") for file in sorted((root / top).rglob("*"))]
    return [file for file in files if file.suffix in (".cc", ".h")]


def read_includes(file):
    """The headers that a file includes in quotation marks, by name, in their order."""
    pattern = re.compile(r'^#include "(?:ns3/)?([^"]+)"', re.MULTILINE)
    return pattern.findall(file.read_text(encoding="utf-8"))


def find_units(files):
    """The unit of each file, and the units that each includes.

    A unit has the name of its header. A source belongs to the header of its name or, as several sources
    may implement a class, to the one with whose name its own begins (of several the longest) or that it
    includes first; if that is not of its folder, the source is a unit by itself.
    """
    headers = {file.name: file for file in files if file.suffix == ".h"}
    uses = {}
    for file in files:
        includes = [name for name in read_includes(file) if name in headers]
        unit = file.name
        names = [name for name in headers if f"{file.stem}-".startswith(f"{headers[name].stem}-")]
        candidates = sorted(names, key=len, reverse=True) + includes
        if candidates and headers[candidates[0]].parent == file.parent:
            unit = candidates[0]
        uses.setdefault(unit, set()).update(name for name in includes if name != unit)
    return uses


def reach(uses, start):
    """The units that one includes, directly or not."""
    seen, left = set(), [start]
    while left:
        for unit in uses.get(left.pop(), ()):
            if unit not in seen:
                seen.add(unit)
                left.append(unit)
    return seen


def find_circles(uses):
    """The sets of units that include each other, the largest first."""
    reached = {unit: reach(uses, unit) for unit in uses}
    circles, placed = [], set()
    for unit in sorted(uses):
        if unit not in placed and unit in reached[unit]:
            circle = sorted(other for other in reached[unit] if unit in reached.get(other, ()))
            placed.update(circle)
            circles.append(circle)
    return sorted(circles, key=len, reverse=True)
