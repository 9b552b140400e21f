# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: commands of README and pages run, and print what is shown of them."""

import glob
import os
import re
import shlex

from program.bench import WORKLOADS, case

ROOT = os.path.realpath(os.path.join(WORKLOADS, "../.."))

#: Literal blocks of these pages show what the command before them prints.
SHOWN = {
    "README.md": ["--workload=examples/workloads/gpt2-large-ops.tsv"],
    "doc/collectives/wl-collective.rst": [
        "--kind=all-reduce --ranks=16 --servers=2 --minBytes=1MiB --maxBytes=64MiB --factor=4",
        "--check --kind=all-reduce --ranks=12",
    ],
    "doc/levels.rst": [
        "--model=mixtral-8x7b --world=32 --ep=8 --pp=4 --globalBatch=32 --fabric=h100 --dryRun"
    ],
}

#: What a reader is to put in, or an earlier command leaves.
PLACEHOLDER = re.compile(r"FILE|\$|\bmy-|\.log\b|measured\.csv|\.\.\.")

#: What a machine has its own values of: times of its clock, and memory that it took.
OWN_VALUES = re.compile(r"run cost|million per CPU second|--transport=\w+ +below|--transport=\w+ +\d")


def read_blocks(page):
    """Return the literal blocks of a page, without what they are indented by."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        text = file.read()
    blocks = re.findall(r"(?:^(?: {2,}\S.*| *)$\n?)+", text, re.MULTILINE)
    blocks = [block.strip("\n").splitlines() for block in blocks if block.strip()]
    result = []
    for lines in blocks:
        indent = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
        result.append([line[indent:].rstrip() for line in lines])
    return result


def read_commands(page):
    """Return commands of a page, each as its program, its arguments and what is shown after it:
    in the same block, or in the next one."""
    commands = []
    for block in read_blocks(page):
        lines = "\n".join(block).replace("\\\n", " ").splitlines()
        shown = [line for line in lines if line and not line.startswith("./")]
        if commands and not commands[-1][2]:
            commands[-1][2].extend(shown)
        matches = [re.match(r"\./(wl-replay|wl-collective) (.*)", line) for line in lines]
        found = [(match[1], " ".join(match[2].split())) for match in matches if match]
        commands += [(*command, list(shown)) for command in found]
    return commands


def pages():
    """Return README and the pages, as paths from the folder of the project."""
    found = glob.glob(os.path.join(ROOT, "doc/**/*.rst"), recursive=True)
    return ["README.md", *sorted(os.path.relpath(path, ROOT) for path in found)]


@case
def page_commands(bench):
    """pages: commands of README and pages are accepted"""
    programs = {"wl-replay": bench.program, "wl-collective": bench.collective}
    os.chdir(ROOT)
    tried = 0
    for page in pages():
        for name, text, _ in read_commands(page):
            if PLACEHOLDER.search(text):
                continue
            # One process is enough, and nothing is written to where the project stands.
            text = re.sub("--(mpi=[0-9]+|dryRun|timeSeries\w*=\S+)", "", text).replace("=out", "=" + bench.folder)
            arguments = shlex.split(text, comments=True)
            if "--check" not in arguments:
                arguments.append("--dryRun")
            code, _, err = bench.run(*arguments, program=programs[name])
            assert (code, err) == (0, ""), (page, text, code, err)
            tried += 1
    assert tried >= 15, f"{tried} commands found"


@case
def page_results(bench):
    """pages: what README and pages show of a command is what it prints"""
    programs = {"wl-replay": bench.program, "wl-collective": bench.collective}
    os.chdir(ROOT)
    for page, texts in SHOWN.items():
        for text in texts:
            name, _, shown = next(found for found in read_commands(page) if found[1] == text)
            code, out, err = bench.run(*text.split(), program=programs[name])
            assert (code, err) == (0, ""), (page, text, code, err)
            printed = [line.rstrip() for line in out.splitlines()]
            wanted = [line for line in shown if line != "..." and not OWN_VALUES.search(line)]
            assert len(wanted) >= 2, (page, text, shown)
            for line in wanted:
                assert line in printed, f"{page}: {text}: not printed: {line}"
                printed = printed[printed.index(line) + 1 :]
