# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: several jobs in one network, and background traffic."""

import filecmp
import json
import os

from program.bench import FILES, HEADER, case, expect_width

# Two ranks compute 1 ms, then all-reduce 10 MB: each sends 5 MB twice, one after the other.
ROW = "\nlayer\t1.0\tNone\t0\t0\tALLREDUCE_ASYNC\t2500000\t0\tNone\t0\t0\n"
COMPUTE_NS = 1000000
# Two leaves of two hosts and one link of 80 Gb/s between them: both rings cross it.
NETWORK = [
    "--topology=clos:hostsPerLeaf=2,oversubscription=2",
    "--gpusPerServer=1",
    "--nicRate=80Gbps",
]
# 10 MB at 10 GB/s.
WIRE_NS = 1000000


def jobs(bench, *keys):
    table = bench.write("job.tsv", HEADER + ROW)
    return [f"--job={table}:dp=2" + "".join("," + key for key in given) for given in keys]


def run(bench, *arguments, output="out"):
    code, out, err = bench.run(*arguments, "--outputDir=" + bench.path(output))
    assert (code, err) == (0, ""), (code, err)
    expect_width(out)
    return bench.summary(output), out


def communication(iterations):
    """Time of the only iteration, less what is computed."""
    (iteration,) = iterations
    return iteration["time_ns"] - COMPUTE_NS


@case
def jobs_share_a_link(bench):
    """Jobs: two that cross one link take twice as long, one of a higher class does not"""
    two = jobs(bench, ["name=a", "placement=0+2"], ["name=b", "placement=1+3"])
    summary, out = run(bench, *two, *NETWORK, "--cc=none")
    for job, hosts in zip(summary["jobs"], ([0, 2], [1, 3])):
        assert job["hosts"] == hosts, job
        assert [rank["compute_ns"] for rank in job["ranks"]] == [COMPUTE_NS] * 2, job
        alone = communication(job["iterations_alone"])
        # Headers of 66 bytes to 4096, and less than 10 us a step for the way.
        assert 1.016 * WIRE_NS < alone < 1.017 * WIRE_NS + 20000, alone
        together = communication(job["iterations"])
        assert abs(together / (2 * 1.016 * WIRE_NS) - 1) < 0.02, together
        row = [job["name"], "2", "1", f"{(COMPUTE_NS + together) / 1e6:.3f}"]
        assert any(line.split()[:4] == row for line in out.splitlines()), (row, out)
    classes = "--trafficClass=a:4,b:2"
    first, second = run(bench, *two, *NETWORK, "--cc=none", classes)[0]["jobs"]
    assert communication(first["iterations"]) < 1.01 * communication(first["iterations_alone"])
    assert communication(second["iterations"]) > 1.9 * communication(second["iterations_alone"])
    # What names a job and its dimension wins over what names the job.
    classes = "--trafficClass=a:4,b:2,b.dp:4"
    first, second = run(bench, *two, *NETWORK, "--cc=none", classes)[0]["jobs"]
    assert communication(first["iterations"]) > 1.9 * communication(first["iterations_alone"])


@case
def jobs_apart(bench):
    """Jobs: what does not meet does not change; files and report tell jobs apart"""
    two = jobs(
        bench, ["name=a"], ["name=b", "start=3ms", "iterations=2", "computeScale=2", "straggler=1:3"]
    )
    summary, out = run(bench, *two, *NETWORK)
    first, second = summary["jobs"]
    assert [job["name"] for job in (first, second)] == ["a", "b"], summary
    assert "workload" not in summary and "ranks" not in summary, summary
    for job in (first, second):
        assert job["iterations"] == job["iterations_alone"], job
    assert len(second["iterations"]) == 2, second
    assert [rank["compute_ns"] for rank in first["ranks"]] == [1000000, 1000000], first
    assert [rank["compute_ns"] for rank in second["ranks"]] == [4000000, 12000000], second
    rows = bench.rows("out", "ops.csv")
    assert {(row["job"], row["rank"]) for row in rows} == {
        (job, rank) for job in "ab" for rank in "01"
    }, rows
    assert min(int(row["start_ns"]) for row in rows if row["job"] == "b") == 3000000, rows
    flows = bench.rows("out", "flows.csv")
    ends = {(row["job"], row["src_rank"], row["dst_rank"]) for row in flows}
    assert ends == {("a", "0", "1"), ("a", "1", "0"), ("b", "0", "1"), ("b", "1", "0")}, ends
    collectives = bench.rows("out", "collectives.csv")
    assert sorted(row["job"] for row in collectives) == ["a", "b", "b"], collectives
    assert "\na\niteration time" in out and "\nb\niteration time" in out, out
    # The same from a file, one of them as an object.
    text = two[1].split("=", 1)[1]
    keys = dict(key.split("=") for key in text.split(":", 1)[1].split(","))
    entries = [two[0].split("=", 1)[1], {"workload": bench.path("job.tsv"), **keys}]
    config = bench.write("run.json", json.dumps({"job": entries}))
    assert run(bench, "--config=" + config, *NETWORK)[0]["jobs"] == summary["jobs"]
    config = bench.write("run.json", json.dumps({"job": [{"dp": 2}]}))
    bench.expect_error(
        config + ':/job/0: error: expected a member \'workload\', as in {"workload": "FILE|MODEL"}, '
        "found none",
        "--config=" + config,
    )


@case
def jobs_as_objects(bench):
    """Jobs: objects of a configuration file have commas, colons and lists in their values"""
    table = bench.write("of:one,job.tsv", HEADER + ROW)
    job = {"workload": table, "dp": 2, "communicationShare": "server:0.1,network:0.2"}
    entries = [{**job, "straggler": ["0:2", "1:3"]}, {**job, "placement": "3+2"}]
    flows = bench.write("flows,1.csv", "start_ns,bytes,dst_rank,src_rank\n0,5000000,2,0\n")
    config = {"job": entries, "background": [{"kind": "file", "name": flows}]}
    file = bench.write("run.json", json.dumps(config))
    summary, _ = run(bench, "--config=" + file, *NETWORK, "--transport=ideal", "--alone=off")
    first, second = summary["jobs"]
    # Nothing is computed while the only collective runs: shares take nothing.
    times = [rank["compute_ns"] for rank in first["ranks"]]
    assert times == [2 * COMPUTE_NS, 3 * COMPUTE_NS], times
    assert second["hosts"] == [3, 2], second
    assert summary["background"]["bytes"] == 5000000, summary["background"]


@case
def jobs_as_wrong_objects(bench):
    """Jobs: faults of an object's members have their places"""
    table = bench.write("job.tsv", HEADER + ROW)
    for members, fault in (
        ({"placement": "spred"}, "placement: error: expected packed, spread, random, or hosts "),
        ({"dp": 2, "placement": "0,1"}, "placement: error: expected packed, spread, random, or "),
        ({"dp": 2, "placement": 0}, "placement: error: expected 2 hosts, one for each rank of "),
        ({"start": 1}, "start: error: expected a duration with its unit"),
        ({"name": "dp"}, "name: error: expected a name that no other job, no dimension and no "),
        ({"dp": "1,tp=2"}, "dp: error: expected a whole number from 1 to 1000000, found '1,tp=2'"),
        ({"dp": ""}, "dp: error: expected a value of dp, found ''"),
        ({"straggler": ["0:2", "9:2"]}, "straggler/1: error: expected a rank from 0 to 7, found 9"),
        (
            {"communicationShare": "server:0.1,network:2"},
            "communicationShare: error: expected a share of at least 0 and below 1, such as 0.02, or "
            "shares by reach, such as server:0.15,network:0.02, found 'server:0.1,network:2'",
        ),
        ({"collective": "all-reduce=ring,broadcast=tree"}, "collective: error: expected a key of a "),
        ({"nam/e": 1}, "nam~1e: error: expected a key of a job (name, placement, start, "),
        ({"workload": ""}, "workload: error: expected a name, found ''"),
    ):
        file = bench.write("run.json", json.dumps({"job": [table, {"workload": table, **members}]}))
        code, _, err = bench.run("--config=" + file, *NETWORK, "--transport=ideal")
        assert code == 1 and err.startswith(f"{file}:/job/1/{fault}"), (members, err)


@case
def jobs_placed(bench):
    """Jobs: packed, spread and random placement"""
    network = ["--topology=single-switch", "--gpusPerServer=2", "--transport=ideal", "--seed=1"]
    for placements, hosts in (
        (("packed", "packed"), ([0, 1], [2, 3])),
        (("spread", "packed"), ([0, 2], [1, 3])),
        (("packed", "3+1"), ([0, 2], [3, 1])),
    ):
        keys = [["placement=" + placement] for placement in placements]
        summary, out = run(bench, *jobs(bench, *keys), *network)
        assert tuple(job["hosts"] for job in summary["jobs"]) == hosts, (placements, summary)
        assert [job["name"] for job in summary["jobs"]] == ["job0", "job1"], summary
    found = set()
    for seed in range(1, 9):
        more = jobs(bench, ["placement=random"], [])
        summary, out = run(bench, *more, *network, f"--run={seed}")
        found.add(tuple(summary["jobs"][0]["hosts"]))
    assert len(found) > 2, found


@case
def jobs_wrong(bench):
    """Jobs: wrong keys and hosts"""
    table = bench.write("job.tsv", HEADER + ROW)
    where = f"--job={table}: error: expected "
    for keys, message in (
        ("dp=2,placement=0", f"2 hosts, one for each rank of {table}, found 1 in '0'"),
        ("dp=2,placement=0+9", "hosts from 0 to 1, which the topology has, found 9"),
        ("dp=2,placement=1+1", "each host for one rank, found host 1 twice"),
        ("dp=2,placement=0-", "hosts such as 0-7+16-23, below 1000000, found '0-'"),
        (
            "dp=2,placement=spred",
            "packed, spread, random, or hosts such as 0-7+16-23, found 'spred'; did you mean "
            "spread?",
        ),
        (
            "name=dp",
            "a name that no other job, no dimension and no background has, found 'dp'",
        ),
        ("name=a.b", "a name of letters, digits, - and _, found 'a.b'"),
        (
            "start=1",
            "a duration with its unit (ps, ns, us, ms, s), from 0ns to 1000000s, such as 10us, "
            "found '1'",
        ),
        ("dp", "key=value after '" + table + ":', found 'dp'"),
    ):
        text = where if keys != "dp" and not keys.startswith("start") else where.replace(
            f"={table}", "")
        bench.expect_error(text + message, f"--job={table}:{keys}")
    for key, value, message in (
        ("straggler", "9:2", "a rank from 0 to 7, found 9"),
        ("iterations", "0", "a whole number from 1 to 4294967295, found '0'"),
    ):
        place = f"--job={table}:{key}: error: expected "
        bench.expect_error(place + message, f"--job={table}:{key}={value}")
    code, out, err = bench.run(f"--job={table}:nam=a")
    assert code == 1 and "found 'nam'; did you mean name?" in err, err
    bench.expect_error(
        "--workload: error: expected no workload besides --job, which takes its place, found one",
        "--workload=" + table,
        "--job=" + table,
    )
    bench.expect_error(
        "--trafficClass: error: expected a dimension, background or a job (job0), found 'job1'; "
        "did you mean job0?",
        "--job=" + table,
        "--trafficClass=job1:2",
    )
    code, out, err = bench.run("--job=" + table, "--exportChakra=" + bench.path("x"))
    assert code == 1 and err.startswith("--job: error: expected no job with exportChakra"), err
    bench.expect_error(
        "--alone: error: expected no alone with one job, which has nothing beside it, found one",
        "--workload=" + table,
        "--alone=on",
    )


@case
def jobs_of_schedules(bench):
    """Jobs: GOAL schedules, whose ranks are found on their hosts, tags beyond 32 bits"""
    goal = bench.write(
        "two.goal",
        "num_ranks 2\nrank 0 {\nl1: send 1000000b to 1 tag 99999999999\n}\n"
        "rank 1 {\nl1: recv 1000000b from 0 tag 99999999999\n}\n",
    )
    two = [f"--job={goal}:name=a,placement=3+0", f"--job={goal}:name=b,placement=1+2"]
    summary, out = run(bench, *two, *NETWORK, "--transport=ideal")
    for job in summary["jobs"]:
        # 1 MB at 10 GB/s, and 1 to 2 us of the way.
        assert 101000 <= job["iterations"][0]["time_ns"] <= 102000, job
    rows = bench.rows("out", "flows.csv")
    ends = sorted((row["job"], row["src_rank"], row["dst_rank"]) for row in rows)
    assert ends == [("a", "0", "1"), ("b", "0", "1")], rows
    lost = bench.write("lost.goal", "num_ranks 2\nrank 1 {\nl1: recv 1b from 0 tag 1\n}\n")
    code, out, err = bench.run(two[0], f"--job={lost}:name=c", *NETWORK, "--alone=off")
    assert code == 2 and "rank 1 of c waits in" in err and "for rank 0 of c" in err, err
    code, out, err = bench.run(
        "--workload=" + goal,
        "--transport=ideal",
        "--logGops=1:1:1:1:1:1",
        "--background=poisson:load=1",
    )
    assert code == 1 and "where messages share nothing" in err, err


@case
def background_by_list(bench):
    """Background: flows of a table, two at once over one link, beside a job"""
    flows = "start_ns,bytes,dst_rank,src_rank\n0,5000000,2,0\n0,5000000,2,0\n9000000,1000,1,3\n"
    background = "--background=file:name=" + bench.write("flows.csv", flows)
    table = "--workload=" + bench.write("job.tsv", HEADER + ROW)
    network = ["--topology=single-switch", "--gpusPerServer=1", "--nicRate=80Gbps", "--dp=4"]
    summary, out = run(bench, table, background, *network, "--transport=ideal", "--alone=off")
    # The last flow would begin after the job: 1 ms and 15 MB at 10 GB/s, and little for the way.
    assert 2500000 < summary["jobs"][0]["iterations"][0]["time_ns"] < 2600000, summary
    assert summary["jobs"][0]["iterations_alone"] == [], summary
    rows = [row for row in bench.rows("out", "flows.csv") if row["job"] == "background"]
    assert [(row["src_rank"], row["dst_rank"]) for row in rows] == [("0", "2")] * 2, rows
    assert {row["channel"] for row in rows} == {"0", "1"}, rows
    for row in rows:
        # 10 MB at 10 GB/s, and 1 us of the way.
        assert row["start_ns"] == "0" and 1000000 <= int(row["end_ns"]) <= 1001000, row
    totals = summary["background"]
    assert (totals["flows"], totals["arrived"], totals["bytes"]) == (2, 2, 10000000), totals
    assert totals["median_ns"] == totals["p99_ns"] == int(rows[0]["end_ns"]), totals
    assert abs(totals["mean_slowdown"] - 2) < 0.01, totals
    # What a replay writes is such a table.
    again = bench.write("again.csv", "".join(open(bench.path("out/flows.csv"))))
    bench.expect_error(
        again
        + ":1:76: error: expected a column of flows.csv of one job (src_rank, dst_rank, bytes, start_ns,"
        " communicator, channel, end_ns, ideal_ns, path), found 'job'",
        table,
        "--background=file:name=" + again,
    )
    run(bench, table, *network, "--transport=ideal", output="plain")
    more = "--background=file:name=" + bench.path("plain/flows.csv")
    totals = run(bench, table, more, *network, "--transport=ideal")[0]["background"]
    assert totals["flows"] == len(bench.rows("plain", "flows.csv")), totals
    # Names with commas stand in quotes.
    flows = 'communicator,start_ns,bytes,dst_rank,src_rank\n"dp, b",0,1000,1,3\n'
    more = "--background=file:name=" + bench.write("quoted.csv", flows)
    assert run(bench, table, more, *network, "--transport=ideal")[0]["background"]["flows"] == 1


@case
def background_repeats(bench):
    """Background: equal seeds give equal files, others do not; a low class does not disturb"""
    table = "--workload=" + bench.write("job.tsv", HEADER + ROW)
    more = [table, "--dp=4", *NETWORK, "--background=poisson:load=0.4,sizes=storage", "--run=3"]
    summary, out = run(bench, *more, "--background=incast:load=0.1,bytes=20000", output="a")
    run(bench, *more, "--background=incast:load=0.1,bytes=20000", output="b")
    for name in FILES:
        if name != "summary.json":
            assert filecmp.cmp(bench.path("a/" + name), bench.path("b/" + name), False), name
    job = summary["jobs"][0]
    assert job["name"] == "job", job
    assert communication(job["iterations"]) > 1.1 * communication(job["iterations_alone"]), job
    run(bench, *more, "--run=4", "--background=incast:load=0.1,bytes=20000", output="c")
    assert not filecmp.cmp(bench.path("a/flows.csv"), bench.path("c/flows.csv"), False)
    # A packet that is on the wire is not interrupted.
    job = run(bench, *more, "--trafficClass=background:0")[0]["jobs"][0]
    assert communication(job["iterations"]) < 1.03 * communication(job["iterations_alone"]), job


@case
def background_over_tcp(bench):
    """Background: TCP beside RDMA gives way or goes first, as its priority says"""
    network = ["--topology=single-switch", "--gpusPerServer=1", "--nicRate=80Gbps", "--cc=none"]
    table = "--workload=" + bench.write("job.tsv", HEADER + ROW)
    # 30 MB from host 0 to host 1, which takes 3 ms, while the ring would have their ports for 2 ms.
    flows = bench.write("flows.csv", "start_ns,bytes,dst_rank,src_rank\n900000,30000000,1,0\n")
    tcp = f"--background=file:name={flows},transport=tcp"
    job = run(bench, table, "--dp=4", tcp, *network)[0]["jobs"][0]
    assert communication(job["iterations"]) < 1.01 * communication(job["iterations_alone"]), job
    above = "--ns3::RdmaIpInterface::Priority=4"
    job = run(bench, table, "--dp=4", tcp, above, *network)[0]["jobs"][0]
    assert communication(job["iterations"]) > 1.9 * communication(job["iterations_alone"]), job
    # In turns at the ports that they share: the flow has half of them while the ring is there.
    beside = "--ns3::RdmaIpInterface::Priority=3"
    job = run(bench, table, "--dp=4", tcp, beside, *network)[0]["jobs"][0]
    share = communication(job["iterations"]) / communication(job["iterations_alone"])
    assert 1.3 < share < 2.2, job
    # By itself: 40 bytes of headers in frames that are as long as those of RDMA.
    one = bench.write("one.tsv", HEADER + ROW.replace("1.0", "9.0"))
    flows = bench.write("flows.csv", "start_ns,bytes,dst_rank,src_rank\n0,30000000,1,0\n")
    summary, out = run(bench, "--workload=" + one, "--dp=4", tcp, "--alone=off", *network)
    totals = summary["background"]
    assert (totals["arrived"], totals["bytes"]) == (1, 30000000), totals
    assert 3030000 < totals["mean_ns"] < 3300000, totals
    rows = [row for row in bench.rows("out", "flows.csv") if row["job"] == "background"]
    assert [row["bytes"] for row in rows] == ["30000000"], rows
    bench.expect_error(
        "--background: error: expected transport=same with jobs over ideal; beside rdma it may be "
        "tcp, found tcp",
        table,
        tcp,
        "--transport=ideal",
    )


@case
def background_and_deadlock(bench):
    """Background: it does not keep a deadlock from being told"""
    from program.chakra import RECV, SEND, node, trace

    for rank in (0, 1):
        peer = 1 - rank
        get = node(40, RECV, b"get", comm_src=peer, comm_size=10)
        put = node(41, SEND, b"put", [40], comm_dst=peer, comm_size=10)
        bench.write(f"job.{rank}.et", trace(get, put))
    arguments = ["--topology=single-switch", "--gpusPerServer=1"]
    background = "--background=permutation:load=0.01"
    code, out, err = bench.run("--workload=" + bench.path("job"), *arguments, background)
    assert code == 2, (code, err)
    assert "ranks that wait for each other: 0 -> 1 -> 0" in err, err
    two = [f"--job={bench.path('job')}:name={name}" for name in ("a", "b")]
    code, out, err = bench.run(*two, *arguments)
    assert code == 2, (code, err)
    assert "rank 1 of b waits in get (receive of 10 bytes) for rank 0 of b" in err, err


@case
def background_wrong(bench):
    """Background: wrong kinds, keys and files"""
    where = "--background: error: expected "
    for text, message in (
        (
            "poison:load=1",
            "poisson, permutation, incast, file, or another ns3::BackgroundKind by its TypeId, "
            "found 'poison'; did you mean poisson?",
        ),
        ("poisson", "load, the share of its rate that a host sends, such as load=0.3, found none"),
        ("poisson:load=11", "load to be a share, at most 10, found 11"),
        ("poisson:load=0", "load to be a number above 0, found '0'"),
        (
            "poisson:load=1,bytes=3",
            "a key of poisson (hosts, load, sizes, start, transport, until), found 'bytes'",
        ),
        (
            "poisson:load=1,sizes=web",
            "sizes of flows: data-mining, storage, web-search, a size such as 64KiB, or a file, "
            "found 'web'",
        ),
        ("incast:load=1,senders=8", "at most 7 senders, as many as there are other hosts, found 8"),
        ("incast:load=1,receiver=8", "a receiver that is one of the hosts, found 8"),
        ("incast:load=1,receiver=0-3", "a receiver that is one of the hosts, found 0-3"),
        ("poisson:load=1,hosts=1+1", "each of the hosts once, found '1+1'"),
        ("poisson:load=1,hosts=3", "two hosts at least, found 1"),
        ("poisson:load=1,hosts=7-8", "hosts from 0 to 7, which the topology has, found 8"),
        ("file", "name of the file of flows, such as file:name=flows.csv, found none"),
        ("poisson:load=1,start=2ms,until=1ms", "until to be later than start, found 1ms"),
    ):
        code, out, err = bench.replay("--background=" + text)
        assert (code, err) == (1, where + message + "\n"), (text, err)
    bench.expect_error(
        "--ns3::RdmaIpInterface::Priority: error: expected background traffic over TCP, such as "
        "--background=poisson:load=0.1,transport=tcp, without which ns3::RdmaIpInterface is not "
        "there, found --ns3::RdmaIpInterface::Priority",
        "--workload=" + bench.table,
        "--background=poisson:load=0.1",
        "--ns3::RdmaIpInterface::Priority=1",
    )
    bench.expect_error(
        "--trafficClass: error: expected background traffic (--background), found none",
        "--workload=" + bench.table,
        "--trafficClass=background:1",
    )
    for member, value, message in (
        (
            "kind",
            "poison",
            "poisson, permutation, incast, file, or another ns3::BackgroundKind by its TypeId, "
            "found 'poison'",
        ),
        ("load", 0, "load to be a number above 0, found '0'"),
        ("load", "0.1,hosts=0-1", "load to be a number above 0, found '0.1,hosts=0-1'"),
        ("load", 11, "load to be a share, at most 10, found 11"),
        ("bytes", 3, "a key of poisson (hosts, load, sizes, start, transport, until), found 'bytes'"),
        ("sizes", "web,search", "sizes of flows: data-mining, storage, web-search, a size such as "),
        ("hosts", "3", "two hosts at least, found 1"),
        ("until", "0ns", "until to be later than start, found 0ns"),
        ("transport", "udp", "transport to be one of same, tcp, found 'udp'"),
    ):
        entry = {"kind": "poisson", "load": 0.1, member: value}
        file = bench.write("run.json", json.dumps({"background": [entry]}))
        code, _, err = bench.replay("--config=" + file)
        place = f"{file}:/background/0/{member}: error: expected "
        assert code == 1 and err.startswith(place + message), (member, value, err)
    header = "src_rank,dst_rank,bytes,start_ns\n"
    for content, message in (
        ("src_rank,bytes\n", ":1: error: expected a column 'dst_rank', found a header line"),
        (header + "0,1,5\n", ":2: error: expected 4 fields separated by commas, found 3"),
        (header + "0,0,5,0\n", ":2:3: error: expected another host than the source"),
        (header + "0,8,5,0\n", ":2:3: error: expected a whole number from 0 to 7"),
        (header + "0,1,0,0\n", ":2:5: error: expected a whole number from 1 to "),
        (header + "0,1,1,-1\n", ":2:7: error: expected a whole number from 0 to "),
    ):
        file = bench.write("flows.csv", content)
        code, out, err = bench.replay("--background=file:name=" + file)
        assert code == 1 and err.startswith(file + message), err
    for content, message in (
        ("0 0\n", ":1:1: error: expected shares that end with 1 or 100, found '0 0'"),
        ("0 0\n5 0.5\n", ":2:1: error: expected shares that end with 1 or 100, found '5 0.5'"),
        ("0 1\n", ":1:3: error: expected 0, the share of the first line, found 1"),
        ("0 0\n5\n", ":2:1: error: expected BYTES SHARE, found '5'"),
        ("0 0\n5 2\n4 3\n", ":3:1: error: expected more bytes and a larger share than in the "),
    ):
        file = bench.write("sizes.txt", content)
        code, out, err = bench.replay("--background=poisson:load=1,sizes=" + file)
        assert code == 1 and err.startswith(file + message), err
    assert os.listdir(bench.folder).count("out") == 0
