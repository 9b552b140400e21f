# SPDX-License-Identifier: GPL-2.0-only
"""What the run itself took, and what the network counted."""

from __future__ import annotations

from .. import units
from ..input.run import Run
from ..page import Section, Table


def make_section(run: Run) -> Section:
    """Return what a run cost."""
    details = run.summary["run"]
    network = run.summary["network"]
    rows = [
        ["wall clock", units.seconds(details["wall_s"])],
        ["CPU", units.seconds(details["cpu_s"])],
        ["peak memory", units.size(details["peak_rss_bytes"])],
        ["simulator events", units.number(details["events"])],
    ]
    counters = {
        "packets": "packets",
        "packet_hops": "packet-hops",
        "retransmitted_packets": "retransmitted packets",
        "retransmission_timeouts": "retransmission timeouts",
        "dropped_packets": "dropped packets",
        "ecn_marked_packets": "ECN-marked packets",
        "pfc_pauses": "PFC pauses",
    }
    rows += [[text, units.number(network[key])] for key, text in counters.items() if key in network]
    rows.append(["module", str(details.get("module_version", "not stated"))])
    rows.append(["ns-3", str(details.get("ns3_version", "not stated"))])
    return Section("Run cost", [Table([], rows)])
