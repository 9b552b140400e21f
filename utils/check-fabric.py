#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks that the fabric stands alone: that a script can use it without the rest of the module.

usage: check-fabric.py TREE PROGRAM

TREE is an ns-3 tree in which the module was built by Ninja, PROGRAM the example rdma-by-hand in it.
Links what was compiled of helper/fabric, and of the folders that it may include, to a library of its
own, which fails where anything refers to other folders of the module; links the example with that
library alone, and compares what it prints with what PROGRAM prints. Exits 1 if anything differs.
"""

import pathlib
import re
import runpy
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

ROOT = pathlib.Path(__file__).resolve().parent.parent


def find_objects(build, folders):
    """The objects of the module's folders, united or not, and that of the example."""
    names = "|".join(name.replace("/", "[-/]") for name in folders)
    part = r"contrib/workload-replay/CMakeFiles/(?!workload-replay-sanitized)[^/ ]+\.dir"
    text = (build / "build.ninja").read_text()
    own = re.findall(rf"^build ({part}/(?:unity/)?(?:{names})(?:-\d+|/[^/ ]+)\.cc\.o)", text, re.M)
    example = re.findall(
        r"^build (contrib/workload-replay/examples/CMakeFiles/[^ ]+/rdma-by-hand\.cc\.o)", text, re.M
    )
    return [build / name for name in own], [build / name for name in example]


def find_libraries(build):
    """What the module is linked with: libraries of ns-3, of the system, and of MPI if it has that."""
    rule = r"^build [^ ]+/lib[^ /]+-workload-replay-[a-z]+\.so: (?:.+\n)+?  LINK_LIBRARIES = (.+)$"
    return shlex.split(re.search(rule, (build / "build.ninja").read_text(), re.M)[1])


def link(*arguments):
    """Link something."""
    subprocess.run(["c++", *map(str, arguments)], check=True)


def run(program):
    """What a program prints."""
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tree, program = map(pathlib.Path, sys.argv[1:])
    may_include = runpy.run_path(str(ROOT / "utils/check-includes.py"))["MAY_INCLUDE"]
    own, example = find_objects(
        tree / "cmake-cache", [*may_include["helper/fabric"], "helper/fabric"]
    )
    if not own or not example:
        print(f"{tree}: nothing compiled of the fabric or of rdma-by-hand", file=sys.stderr)
        return 1
    libraries = find_libraries(tree / "cmake-cache")
    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder) / "libfabric.so"
        alone = pathlib.Path(folder) / "rdma-by-hand"
        runpath = f"-Wl,-rpath,{folder}:{tree / 'build/lib'}"
        try:
            link("-shared", "-Wl,--no-undefined", "-o", library, *own, *libraries, runpath)
            link("-o", alone, *example, "-Wl,--no-as-needed", library, *libraries, runpath)
        except subprocess.CalledProcessError:
            print("the fabric refers to other folders of the module", file=sys.stderr)
            return 1
        if run(alone) != run(program):
            print("rdma-by-hand does not do the same with the fabric alone", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
