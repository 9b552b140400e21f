# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: where ranks stand, and what groups that are not whole cost."""

import json
import re

from program.bench import case
from program.network_facts import replay, write_graph


def write_job(bench, world):
    """Write a forward pass of groups of four tensor parallel ranks, an all-to-all of 4 MB each."""
    return "--workload=" + bench.write(
        "tokens.txt",
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 ep: 1 pp: 1 vpp: 1 ga: 1 "
        f"all_gpus: {world} checkpoints: 0 checkpoint_initiates: 0\n1\n"
        "tokens -1 1 ALLTOALL 4000000 1 NONE 0 1 NONE 0 100\n",
    )


@case
def straddling_groups_told(bench):
    """groups that would fit a server and stand in two are told, and what keeps them whole"""
    # Of ranks 0 to 23 in servers of six, tensor parallel groups of four, two stand across a border.
    # Data parallel groups have a rank in each tensor parallel one, and fit no server.
    arguments = ["--model=llama3-8b", "--world=24", "--tp=4", "--globalBatch=6", "--dryRun"]
    says = "2 of 6 groups of tp (4 ranks) would fit a server of 6 ranks, and stand in several"
    _, out, _ = bench.run(*arguments, "--gpusPerServer=6")
    out = " ".join(out.split())
    assert says in out and "; --gpusPerServer=4 keeps them whole" in out, out
    for size in (4, 8, 24):
        _, out, _ = bench.run(*arguments, f"--gpusPerServer={size}")
        assert "keeps them whole" not in out and "servers" in out, (size, out)


@case
def straddling_bytes_told(bench):
    """groups that straddle servers, leaves or rail groups: what goes through NICs or spines"""
    # Of ranks 0 to 23 by six, tensor parallel groups 4 to 7 and 16 to 19 stand two and two. Of an
    # all-to-all of 4 MB each sends a quarter to each other, and 2 x 2 pairs are apart, both ways:
    # 2 groups x 8 x 1 MB, in one forward pass.
    job = write_job(bench, 24)
    told = "2 of 6 groups of tp (4 ranks) would fit {} of 6 ranks, and stand in several, so that "
    told += "16000000 bytes an iteration go through {}; {} keeps them whole, and saves these"
    pairs = ["--gpusPerServer=2"]
    for arguments, texts in (
        (["--gpusPerServer=6"], ("a server", "NICs", "--gpusPerServer=4")),
        (
            [*pairs, "--topology=clos:hostsPerLeaf=6"],
            ("a leaf switch", "spines", "hostsPerLeaf=4 of --topology"),
        ),
        (
            [*pairs, "--topology=rail:serversPerGroup=3"],
            ("a rail group", "spines", "serversPerGroup=2 of --topology"),
        ),
        ([*pairs, "--topology=clos:hostsPerLeaf=4"], None),
        ([*pairs, "--topology=rail:serversPerGroup=2"], None),
        ([*pairs, "--topology=rail"], None),
        (["--gpusPerServer=4"], None),
    ):
        for dry in (["--dryRun"], ["--transport=ideal"]):
            code, out, err = bench.run(job, *arguments, *dry)
            out = " ".join(out.split())
            assert code == 0, err
            assert (told.format(*texts) in out) if texts else ("would fit" not in out), out


@case
def groups_kept_whole(bench):
    """placement: as many GPUs of a server as keep groups whole, in servers of a named fabric too"""
    # Groups of 16 in domains of 72: 64 of them are four whole groups.
    arguments = ["--model=llama3-8b", "--world=144", "--cp=16", "--globalBatch=9", "--dryRun"]
    told = "servers of 72 GPUs hold 64 ranks each"
    for fabric, size, isWhole in (
        (["--fabric=gb200-nvl72"], 64, True),
        (["--fabric=gb200-nvl72", "--placement=in-order"], 72, False),
        (["--fabric=gb200-nvl72", "--gpusPerServer=72"], 72, False),
        (["--gpusPerServer=72"], 72, False),
        (["--gpusPerServer=72", "--placement=whole"], 64, True),
    ):
        code, out, err = bench.run(*arguments, *fabric)
        out = " ".join(out.split())
        assert code == 0, err
        assert (told in out) == isWhole, (fabric, out)
        assert ("stand in several" in out) != isWhole, (fabric, out)
        assert f"2 servers of {size} hosts" in out, (fabric, out)
    # A list has a host for each rank.
    code, _, err = bench.run(*arguments, "--gpusPerServer=72", "--placement=0-144")
    assert code == 1 and "expected 144 hosts, one for each rank" in err, err


@case
def ranks_listed(bench):
    """placement: hosts that are listed, and others idle"""
    graph = write_graph(bench, "four.json", ["h0", "h1", "h2", "h3"],
                        [("h0", "s0"), ("h1", "s0"), ("h2", "s0"), ("h3", "s0")])
    replay(bench, graph, "--placement=3+1")
    rows = bench.rows("facts", "links.csv")
    sending = {row["from"] for row in rows if row["bytes"] != "0" and row["from"][0] == "h"}
    assert sending == {"h1", "h3"}, rows


def write_servers(bench, name, servers, size):
    """Write a topology of servers at a leaf switch each, and a spine."""
    nodes, links = [], []
    link = lambda a, b: links.append({"a": a, "b": b, "rate": "400Gbps", "delay": "500ns"})
    for server in range(servers):
        for number in range(server * size, server * size + size):
            nodes.append({"name": f"h{number}", "kind": "host", "server": server})
            link(f"h{number}", f"nv{server}")
            link(f"h{number}", f"leaf{server}")
        nodes.append({"name": f"nv{server}", "kind": "nvswitch", "server": server})
        nodes.append({"name": f"leaf{server}", "kind": "switch"})
        link(f"leaf{server}", "spine")
    nodes.append({"name": "spine", "kind": "switch"})
    return bench.write(name, json.dumps({"nodes": nodes, "links": links}))


@case
def placement_remedies(bench):
    """placement: a list of hosts that keeps groups whole, where no other servers or leaves would"""
    interleaved = "--topology=clos:hostsPerLeaf=4,placement=interleaved"
    for name, world, arguments, hosts in (
        # Six GPUs that NVLink joins, of two servers; four of them in use.
        ("nvlink", 24, ["--gpusPerServer=3", "--nvlinkServers=2"],
         "0-3+6-9+12-15+18-21+24-27+30-33"),
        # Servers of a file, with hosts to spare, and without.
        ("file", 16, ["--topology=" + write_servers(bench, "spare.json", 4, 6)],
         "0-3+6-9+12-15+18-21"),
        ("full", 24, ["--topology=" + write_servers(bench, "full.json", 4, 6)], None),
        # Servers go round six leaves of two: 0 and 6 are at the first one.
        ("leaves", 24, [interleaved, "--gpusPerServer=2"],
         "0-1+12-13+2-3+14-15+4-5+16-17+6-7+18-19+8-9+20-21+10-11+22-23"),
        # More of them than a sentence has room for.
        ("many", 48, [interleaved, "--gpusPerServer=2"],
         "0-1+24-25+2-3+26-27+4-5+28-29+6-7+30-31+8-9+32-33+10-11+34-35+12-13+36-37+14-15+38-39+..."),
    ):
        run = [write_job(bench, world), *arguments, "--outputDir=" + bench.path(name)]
        code, out, err = bench.run(*run)
        assert (code, err) == (0, ""), err
        told = [text for text in bench.summary(name)["assumptions"] if "would fit" in text]
        assert len(told) == 1, (name, told)
        remedy = re.search("; --placement=(.+) keeps them whole, and saves these$", told[0])
        assert (remedy and remedy[1]) == hosts, (name, told)
        if not hosts or "..." in hosts:
            continue
        assert count_network_bytes(bench, name) > 0, name
        code, out, err = bench.run(*run, "--placement=" + hosts)
        assert (code, err) == (0, "") and "would fit" not in out, (name, out, err)
        assert count_network_bytes(bench, name) == 0, name


def count_network_bytes(bench, folder):
    """What leaf switches have sent up, or hosts to their NICs where these are all that is there."""
    return sum(int(row["bytes"]) for row in bench.rows(folder, "links.csv")
               if "leaf" in row["from"] and "spine" in row["to"])
