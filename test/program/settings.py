# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: what a run says of its settings is what it has run with.

An option, an attribute on the command line and one in the environment of ns-3 may each set a thing;
the report and summary.json have to tell what came of it.
"""

import os

from program.bench import case

# What sets something (arguments, variables of the environment), and what summary.json says of it.
ATTRIBUTE = "NS_ATTRIBUTE_DEFAULT"
NIC = "ns3::RdmaNic::"
RDMA = {"transport": "rdma", "cc": "dcqcn", "routing": "ecmp", "mtu_bytes": 4096, "max_train": 1024}
TABLE = [
    ([], {}, RDMA),
    (["--cc=timely"], {}, {**RDMA, "cc": "timely"}),
    ([f"--{NIC}CongestionControl=ns3::RdmaTimely"], {}, {**RDMA, "cc": "timely"}),
    ([], {ATTRIBUTE: f"{NIC}CongestionControl=ns3::RdmaSwift"}, {**RDMA, "cc": "swift"}),
    # Packets that carry telemetry go one by one.
    ([f"--{NIC}CongestionControl=ns3::RdmaHpcc"], {}, {**RDMA, "cc": "hpcc", "max_train": 1}),
    (["--mtu=1000"], {}, {**RDMA, "mtu_bytes": 1000}),
    ([f"--{NIC}Mtu=1000"], {}, {**RDMA, "mtu_bytes": 1000}),
    ([], {ATTRIBUTE: f"{NIC}Mtu=1000"}, {**RDMA, "mtu_bytes": 1000}),
    (["--maxTrain=7"], {}, {**RDMA, "max_train": 7}),
    ([f"--{NIC}MaxTrain=7"], {}, {**RDMA, "max_train": 7}),
    ([], {ATTRIBUTE: f"{NIC}MaxTrain=7"}, {**RDMA, "max_train": 7}),
    # Credits are for single packets.
    (["--flowControl=credits"], {}, {**RDMA, "max_train": 1}),
    ([], {ATTRIBUTE: "ns3::RdmaNetDevice::FlowControl=credits"}, {**RDMA, "max_train": 1}),
    (["--routing=spray"], {}, {**RDMA, "routing": "spray"}),
    (
        ["--transport=uec"],
        {},
        {**RDMA, "transport": "uec", "cc": "nscc", "max_train": 1},
    ),
    (
        ["--transport=uec", f"--{NIC}CongestionControl=ns3::RdmaRccc"],
        {},
        {**RDMA, "transport": "uec", "cc": "rccc", "max_train": 1},
    ),
    (
        ["--transport=tcp", "--cc=TcpBic"],
        {},
        {"transport": "tcp", "cc": "ns3::TcpBic", "mtu_bytes": 9000, "max_train": 1},
    ),
    (
        ["--transport=tcp"],
        {ATTRIBUTE: "ns3::TcpMessageTransport::CongestionControl=ns3::TcpBic"},
        {"transport": "tcp", "cc": "ns3::TcpBic", "mtu_bytes": 9000, "max_train": 1},
    ),
]


def replay(bench, arguments, environment):
    """Replay two workers in an environment; returns the report and summary.json."""
    os.environ.update(environment)
    try:
        code, out, err = bench.replay(
            "--world=2",
            "--topology=single-switch",
            "--gpusPerServer=1",
            "--outputDir=" + bench.path("settings"),
            *arguments,
        )
    finally:
        for name in environment:
            del os.environ[name]
    assert (code, err) == (0, ""), (arguments, environment, code, err)
    return out, bench.summary("settings")


@case
def settings_told(bench):
    """settings: whoever sets them, the summary says what has run"""
    for arguments, environment, expected in TABLE:
        out, summary = replay(bench, arguments, environment)
        told = {name: summary["fabric"][name] for name in expected}
        assert told == expected, (arguments, environment, told)
        network = " ".join(out[out.index("network ") : out.index("iteration time")].split())
        named = f"transport {expected['transport']} ({expected['cc']}), routing {summary['fabric']['routing']}, MTU"
        assert named in network, network
    summary = replay(bench, [], {"NS_GLOBAL_VALUE": "RngRun=5"})[1]
    assert summary["run"]["rng_run"] == 5, summary["run"]


@case
def headers_told(bench):
    """settings: what headers leave follows from what packets have, telemetry and small segments too"""
    # 82 bytes beside the payload of RoCEv2, 42 of telemetry; 42 beside that of TCP over PPP.
    for arguments, share in (
        (["--cc=none"], 4096 / 4178),
        (["--cc=hpcc"], 4096 / 4220),
        (["--transport=tcp"], 8960 / 9002),
        (["--transport=tcp", "--ns3::TcpMessageTransport::SegmentSize=1000"], 1000 / 1042),
    ):
        out, _ = replay(bench, arguments, {})
        assert f"headers leave {100 * share:.2f} % of a link's rate" in out, (arguments, share, out)


@case
def compute_times_told(bench):
    """settings: what changes compute times is told, be it an option or an attribute"""
    scaled = "all compute times are 2 times those of the workload (--computeScale)"
    attribute = "ns3::ReplayApplication::ComputeScale=2"
    for arguments, environment in (
        (["--computeScale=2"], {}),
        (["--" + attribute], {}),
        ([], {ATTRIBUTE: attribute}),
    ):
        summary = replay(bench, arguments, environment)[1]
        assert scaled in summary["assumptions"], (arguments, environment, summary["assumptions"])
    assert scaled not in replay(bench, [], {})[1]["assumptions"]
