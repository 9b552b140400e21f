# SPDX-License-Identifier: GPL-2.0-only
"""Cases of setup-test.py: several clones in one home folder, each with a tree of its own."""

import fcntl
import os
import shutil

from program.bench import case

MODULES = "/build-support/custom-modules/ns3-module-macros.cmake"
FIRST = ["forgot", "configured"]


def start_two(bench):
    """Start two clones for the first time; returns their trees."""
    for clone, code in (("a", "one"), ("b", "two")):
        bench.make_clone(clone, code)
        assert bench.start(clone) == (FIRST + [code], ""), clone
    return bench.trees()


@case
def two_clones(bench):
    """clones: started in turn, each runs its own code, and nothing is built anew"""
    start_two(bench)
    for clone, code in 2 * (("a", "one"), ("b", "two")):
        assert bench.start(clone) == ([code], ""), clone
    assert len(bench.trees()) == 2, bench.trees()


@case
def no_waiting(bench):
    """clones: one that builds keeps nobody waiting but another start of itself"""
    trees = start_two(bench)
    handle = os.open(trees[0], os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    said = f"bash: waiting for another start that uses {trees[0]}\n"
    assert bench.start("a") == (["one"], said)
    assert bench.start("b") == (["two"], "")
    os.close(handle)


@case
def clone_gone(bench):
    """clones: the tree of one that is gone or has moved goes, and a line says so"""
    trees = start_two(bench)
    os.rename(bench.folder + "/a", bench.folder + "/moved")
    out, err = bench.start("b")
    line = f"bash: there is no clone in {bench.folder}/a any longer: removing {trees[0]}\n"
    assert (out, err) == (["two"], line), (out, err)
    assert bench.trees() == trees[1:], bench.trees()
    assert bench.start("moved") == (FIRST + ["one"], ""), "it has a tree at its new place"
    assert bench.start("b") == (["two"], "")


@case
def clone_elsewhere(bench):
    """clones: a tree that another machine uses stays, though its clone is not to be seen here"""
    trees = start_two(bench)
    shutil.rmtree(bench.folder + "/a")
    with open(trees[0] + "/.workload-replay/machine", "w", encoding="utf-8") as file:
        file.write("elsewhere\n")
    assert bench.start("b") == (["two"], "")
    assert bench.trees() == trees, bench.trees()


@case
def clone_replaced(bench):
    """clones: another one at the same path gets nothing that was built from the one before"""
    start_two(bench)
    os.rename(bench.folder + "/a", bench.folder + "/old")
    bench.make_clone("a", "three")
    assert bench.start("a") == (["forgot", "three"], "")
    assert bench.start("a") == (["three"], "")


@case
def common_tree(bench):
    """clones: the tree of an earlier version, for all clones, goes when the clone it served starts"""
    trees = start_two(bench)
    common = bench.cache + "/ns-3.37-optimized"
    os.makedirs(common + "/contrib")
    os.symlink(bench.folder + "/a", common + "/contrib/workload-replay")
    assert bench.start("b") == (["two"], ""), "it may be in use"
    said = f"bash: this clone has another tree now: removing {common}\n"
    assert bench.start("a") == (["one"], said)
    assert bench.trees() == trees, bench.trees()


@case
def shared_source(bench):
    """clones: trees share the files of the source, and name no path that ccache would tell apart"""
    trees = start_two(bench)
    for tree in trees:
        assert os.path.samefile(tree + "/VERSION", bench.cache + "/ns-3.37-source/VERSION"), tree
        # Of two relative paths to a source, ccache takes the shorter one.
        outside = os.path.relpath("/home/clone", tree + "/cmake-cache")
        assert len(outside) > len("../contrib/workload-replay"), outside
    with open(trees[0] + MODULES, encoding="utf-8") as file:
        assert "/utils/unity.cmake)" in file.read()
    macros = "/build-support/macros-and-definitions.cmake"
    texts = []
    for tree in trees + [bench.cache + "/ns-3.37-source"]:
        with open(tree + macros, encoding="utf-8") as file:
            texts.append(file.read())
    assert texts[0] == texts[1] == 'add(-DPROJECT_SOURCE_PATH=".")\n', texts
    assert "${PROJECT_SOURCE_DIR}" in texts[2], "the source itself is as it was"
