#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks that the folders of model/ and helper/, and their files, include each other one way only.

Each folder has a list of those that it may include; a header of another one is reported with its
place, and so is a header that the files.cmake of its folder does not list once, be it as public or as
private, and what a public one includes that users of an installed module do not have: a private one,
or one of another project. Exits 1 if there is any, if a folder has no list, or if more units than
the limit (a header and its sources; see check-structure, which names them) include each other in a
circle.
"""

import pathlib
import re
import sys

sys.dont_write_bytecode = True

from structure.units import find_circles, find_units, list_files

MAX_UNITS_IN_CIRCLES = 3  # may only sink

MAY_INCLUDE = {
    "model/input": [],
    "model/workload": ["model/input"],
    "model/collective": ["model/input", "model/workload"],
    "model/process": [],
    "model/transport": ["model/input"],
    "model/replay": ["model/input", "model/workload", "model/collective", "model/transport"],
    "model/topology": ["model/input"],
    "model/routing": ["model/input", "model/topology"],
    "model/rdma": [
        "model/input",
        "model/process",
        "model/transport",
        "model/topology",
        "model/routing",
    ],
    "model/fluid": ["model/transport", "model/rdma", "model/topology", "model/routing", "model/input"],
    "model/isolation": ["model/transport", "model/replay", "model/rdma"],
}
MODEL = list(MAY_INCLUDE)
MAY_INCLUDE["helper/fabric"] = [
    "model/input",
    "model/process",
    "model/transport",
    "model/topology",
    "model/routing",
    "model/rdma",
    "model/fluid",
]
HELPERS = MODEL + ["helper/fabric", "helper"]
MAY_INCLUDE["helper"] = HELPERS
MAY_INCLUDE["helper/report"] = HELPERS
MAY_INCLUDE["helper/program"] = HELPERS + ["helper/report"]
OTHERS = ("nlohmann/", "boost/", "google/", "mpi.h", "zlib.h")


def list_headers(root, variable):
    """The headers that the folders' files.cmake list in a variable, by their path."""
    headers = []
    for folder in MAY_INCLUDE:
        text = (root / folder / "files.cmake").read_text()
        found = re.search(rf"^set\({variable}\b([^)]*)\)$", text, re.MULTILINE)
        headers += [f"{folder}/{name}" for name in found.group(1).split()]
    return headers


def find_hidden(root, public, private):
    """What public headers include and their users do not have."""
    hidden = {pathlib.Path(name).name for name in private}
    for name in public:
        for number, line in enumerate((root / name).read_text().splitlines(), 1):
            found = re.match(r'#include ["<](?:ns3/)?([^">]+)[">]', line)
            if found and (found.group(1) in hidden or found.group(1).startswith(OTHERS)):
                yield f"{name}:{number}: a public header may not include {found.group(1)}"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    files = list_files(root)
    folder = {file: file.parent.relative_to(root).as_posix() for file in files}
    home = {file.name: folder[file] for file in files if file.suffix == ".h"}
    faults = []
    for file in files:
        own = folder[file]
        if own not in MAY_INCLUDE:
            faults.append(f"{own}: no list in {pathlib.Path(__file__).name} says what it may include")
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            found = re.match(r'#include "(?:ns3/)?([^"]+)"', line)
            other = home.get(found.group(1)) if found else None
            if other and other != own and other not in MAY_INCLUDE[own]:
                faults.append(
                    f"{file.relative_to(root)}:{number}: {own} may not include {found.group(1)},"
                    f" which is in {other}"
                )
    public, private = list_headers(root, "headers"), list_headers(root, "private_headers")
    listed = public + private
    faults += find_hidden(root, public, private)
    for file in files:
        name = file.relative_to(root).as_posix()
        if file.suffix == ".h" and listed.count(name) != 1:
            faults.append(
                f"{folder[file]}/files.cmake: lists {file.name} {listed.count(name)} times, not once"
            )
    in_circles = sum(len(circle) for circle in find_circles(find_units(files)))
    if in_circles > MAX_UNITS_IN_CIRCLES:
        faults.append(
            f"{in_circles} units include each other in circles, and the limit is {MAX_UNITS_IN_CIRCLES}"
        )
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
