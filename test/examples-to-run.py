#! /usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only

# What ns-3's test.py runs as examples, three levels below the top of the tree: each with whether to
# run it, and whether to run it under valgrind too. test.py takes these lists as literals.

cpp_examples = [
    (
        "wl-replay --transport=ideal"
        " --workload=../../contrib/workload-replay/examples/workloads/gpt2-large-ops.tsv",
        "True",
        "False",
    ),
    (
        "wl-replay --elementBytes=1 --world=4 --gpusPerServer=1"
        " --workload=../../contrib/workload-replay/examples/workloads/gpt2-large-ops.tsv",
        "True",
        "False",
    ),
    (
        "replay-on-own-nodes"
        " --workload=../../contrib/workload-replay/examples/workloads/gpt2-large-ops.tsv",
        "True",
        "False",
    ),
    (
        "replay-congestion"
        " --workload=../../contrib/workload-replay/examples/workloads/gpt2-large-ops.tsv",
        "True",
        "False",
    ),
]

python_examples = []
