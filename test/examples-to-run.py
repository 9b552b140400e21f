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
        "wl-replay --transport=ideal --computeScale=0.5 --straggler=100:2 --jitter=0.05"
        " --workload=../../contrib/workload-replay/examples/workloads/"
        "layers-512gpu-tp8-pp4.simai.txt",
        "True",
        "False",
    ),
    (
        "wl-replay --transport=ideal --ep=2 --dp=4"
        " --workload=../../contrib/workload-replay/examples/workloads/"
        "moe-pp4-ep2-dp4-rank0.megatron.txt",
        "True",
        "False",
    ),
    (
        "wl-replay --workload=../../contrib/workload-replay/examples/workloads/"
        "ring-all-reduce-8.goal",
        "True",
        "False",
    ),
    ("wl-collective --ranks=16 --servers=2 --maxBytes=1MiB", "True", "False"),
    (
        "own-strategies --format=three-columns --topology=switch-ring:trunks=2 --cc=aimd"
        " --routing=turns --collective=all-reduce=star"
        " --workload=../../contrib/workload-replay/examples/workloads/three-layers.tsv",
        "True",
        "False",
    ),
    (
        "own-strategies --format=ns3::ThreeColumnFormat --topology=ns3::SwitchRingTopology"
        " --cc=ns3::AimdControl --routing=ns3::TurnsRouting --ns3::AimdControl::Increase=1Gbps"
        " --collective=all-reduce=ns3::StarCollective"
        " --workload=../../contrib/workload-replay/examples/workloads/three-layers.tsv",
        "True",
        "False",
    ),
    ("wl-collective --kind=all-to-all --transport=ideal --ranks=64 --csv", "True", "False"),
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
    ("rdma-by-hand", "True", "False"),
    (
        "replay-routing --world=8 --elementBytes=1"
        " --workload=../../contrib/workload-replay/examples/workloads/gpt2-large-ops.tsv",
        "True",
        "False",
    ),
]

python_examples = []
