# SPDX-License-Identifier: GPL-2.0-only
"""Cases of mpi-test.py: runs in several processes give what one gives, and end as they should."""

import os
import re
import signal
import subprocess
import time

from program.bench import FILES, HEADER, LAYERS, TABLE, WORKLOADS, case
from program.chakra import COLL, RECV, SEND, node, reduce, trace
from program.processes import ROOT, SCRIPTS, ask_scripts, is_alive
from program.random_jobs import Job

TRACE = [
    "--workload=" + os.path.join(WORKLOADS, "moe-pp4-ep2-dp4-rank0.megatron.txt"),
    "--tp=1",
    "--pp=4",
    "--ep=2",
    "--dp=4",
]

# An all-to-all in each direction, and an all-reduce beside the second one.
ALL_TO_ALL = """
experts\t0.05\tALLTOALL\t{0}\t0.05\tALLTOALL\t{0}\t0\tNone\t0\t0
layer\t0.1\tNone\t0\t0.1\tALLREDUCE_ASYNC\t250000\t0\tNone\t0\t0
"""
LEAVES = ["--gpusPerServer=1", "--topology=clos:hostsPerLeaf=4,oversubscription=2"]

# Processes wait for each other once in a link's delay, so that long replays take little time.
FAR = "--linkDelay=20us"

# A million iterations of the table would take minutes.
ENDLESS = ["--world=4", "--gpusPerServer=1", "--iterations=1000000"]

# Called as mpirun is, with seconds for how many processes: they run first, and are waited for.
MPIRUN_WITHOUT_END = """
import subprocess, sys, time
subprocess.run(["sleep", sys.argv[2]])
time.sleep(600)
"""


def all_to_all(bench, elements=500000):
    return bench.write("mix.tsv", HEADER + ALL_TO_ALL.format(elements))


@case
def trace_in_processes(bench):
    """MPI: a trace of 16 ranks on two servers, with trains and by packets"""
    bench.check_same(*TRACE, "--topology=clos", processes=(1, 2))
    bench.check_same(*TRACE, "--topology=clos", "--maxTrain=1", "--nvlink=ideal", processes=(2,))


@case
def files_of_processes(bench):
    """MPI: files that are chosen, compressed ones and a trace of all or some ranks"""
    # One process would reuse collectives where nobody is told of messages, which moves trains.
    trace = [*TRACE, "--reuse=off"]
    bench.check_same(*trace, "--files=all,ops.csv.gz,-flows.csv", "--traceRanks=all", processes=(2,))
    shown = ["--traceRanks=1,5,8-9", "--traceTime=1ms:20ms"]
    bench.check_same(*trace, "--files=summary.json,trace.json.gz", *shown, processes=(2,))
    bench.check_same(*trace, "--files=summary.json", processes=(2,))


@case
def time_series_in_processes(bench):
    """MPI: time series of tiers, links and queue pairs, with intervals that double, and paths"""
    table = "--workload=" + all_to_all(bench)
    series = ["--timeSeries=100ns", "--timeSeriesRanks=0,15", "--flowPaths=on"]
    fabric = ["--world=16", "--gpusPerServer=1", "--topology=fat-tree:oversubscription=4"]
    bench.check_same(table, *fabric, *series)
    bench.check_same(table, *fabric, *series, "--timeSeriesLinks=all", "--maxTrain=1")
    background = "--background=poisson:load=0.2,sizes=storage"
    bench.check_same(table, *fabric, *series, background, processes=(2,))


@case
def trace_over_the_network(bench):
    """MPI: a trace of 16 ranks on four servers, whose all-reduces cross the network"""
    for topology in ("clos:hostsPerLeaf=8", "fat-tree", "rail:serversPerGroup=2"):
        bench.check_same(*TRACE, FAR, "--gpusPerServer=4", "--topology=" + topology)


@case
def random_jobs_in_processes(bench):
    """MPI: random workloads, with trains and by packets"""
    jobs = [Job(seed) for seed in range(12)]
    for job in [job for job in jobs if not job.isHuge]:
        file = "--workload=" + bench.write(f"random-{job.seed}", job.text)
        for train in ([], ["--maxTrain=1"]):
            # Servers of one rank: what stands in one server cannot be shared out.
            more = [*train, "--reuse=off", "--gpusPerServer=1"]
            summary = bench.check_same(file, *job.options, *more, processes=(2,))
            delivered = summary["network"]["bytes_delivered"]
            assert delivered == job.asked, (job.seed, delivered, job.asked)


@case
def topologies_in_processes(bench):
    """MPI: all topologies, with trains and by packets"""
    layers = "--workload=" + bench.write("layers.txt", LAYERS)
    for topology in (
        "auto",
        "single-switch",
        "clos:hostsPerLeaf=2",
        "fat-tree",
        "rail:serversPerGroup=2",
        "dual-plane",
        "dual-tor",
        "dragonfly",
        "ring",
        "rail:spines=0",
        "rotor:hostsPerTor=2,slotTime=20us,darkTime=2us",
    ):
        for packets in ("64", "1"):
            network = ["--gpusPerServer=2", "--topology=" + topology, "--maxTrain=" + packets]
            bench.check_same(layers, *network)
    bench.check_same(layers, "--topology=torus")


@case
def congestion_in_processes(bench):
    """MPI: a congested all-to-all, by all ways to choose paths and to control congestion"""
    table = "--workload=" + all_to_all(bench, 4000000)
    fabric = ["--world=16", "--gpusPerServer=1", "--topology=fat-tree:oversubscription=2"]
    spray = bench.check_same(table, *fabric, "--routing=spray", "--cc=dcqcn", "--maxTrain=1")
    assert spray["network"]["ecn_marked_packets"] > 1000, spray["network"]
    table = "--workload=" + all_to_all(bench)
    for routing in ("ecmp", "e-ecmp", "flowlet", "spray", "adaptive", "conga", "conweave"):
        bench.check_same(table, *fabric, "--routing=" + routing, processes=(2,))
    for control in ("hpcc", "timely", "swift", "none"):
        bench.check_same(table, *fabric, "--cc=" + control, processes=(2,))
    for control in ("nscc", "rccc"):
        uec = ["--transport=uec", "--cc=" + control]
        summary = bench.check_same(table, *fabric, *uec, processes=(2,))
        assert summary["network"]["retransmitted_packets"] > 0, summary["network"]


@case
def replays_of_one_script(bench):
    """MPI: two replays of one script, whose sinks count in each process what its ranks receive"""
    program = bench.program.replace("wl-replay", "trains-or-packets")
    arguments = ["--workload=" + all_to_all(bench), *LEAVES, "--world=8"]
    code, alone, err = bench.run(*arguments, program=program)
    assert (code, err) == (0, ""), (code, err)
    for count in (2, 4):
        process = bench.start(bench.mpirun, "-np", str(count), program, *arguments)
        code, out, err = bench.finish(process)
        assert (code, err) == (0, ""), (code, err)
        lines = [re.findall(r"^(?:--exact=.*|--reuse=.*|iteration time.*)$", text, re.M) for text in (alone, out)]
        assert len(lines[0]) == 4 and lines[0] == lines[1], lines


@case
def layers_in_processes(bench):
    """MPI: a layer file of 512 ranks, cut to 64"""
    file = os.path.join(WORKLOADS, "layers-512gpu-tp8-pp4.simai.txt")
    summary = bench.check_same("--workload=" + file, "--world=64", FAR, processes=(2,))
    assert summary["workload"]["world"] == 64, summary["workload"]


@case
def failures_in_processes(bench):
    """MPI: links that fail and are mended while packets are on them"""
    table = "--workload=" + all_to_all(bench)
    cuts = ["--linkDown=leaf0-spine0@90us:180us", "--linkDown=host5-leaf1@150us:160us"]
    fabric = ["--world=16", "--gpusPerServer=1", "--topology=clos:hostsPerLeaf=4"]
    for more in ([], ["--maxTrain=1", "--routing=spray"]):
        summary = bench.check_same(table, *fabric, *cuts, *more)
        assert summary["network"]["dropped_packets"] > 10, summary["network"]
        assert summary["network"]["retransmitted_packets"] > 10, summary["network"]


@case
def kinds_of_links_in_processes(bench):
    """MPI: switches that cut through, latencies, links that lose packets, and TCP beside a job"""
    table = "--workload=" + all_to_all(bench)
    fabric = ["--world=16", "--gpusPerServer=1", "--topology=fat-tree"]
    for more in (
        ["--ns3::RdmaSwitch::CutThrough=true"],
        ["--nicLatency=500ns", "--switchLatency=300ns"],
        ["--background=poisson:load=0.1,sizes=storage,transport=tcp"],
    ):
        bench.check_same(table, *fabric, *more, processes=(2,))
    lossy = "".join(f"{host} 16 100Gbps 1us 0.002\n" for host in range(16))
    star = bench.write("lossy.txt", "17 1 16\n16\n" + lossy)
    summary = bench.check_same(table, "--world=16", "--topology=" + star, processes=(2,))
    assert summary["network"]["retransmitted_packets"] > 50, summary["network"]


@case
def jobs_in_processes(bench):
    """MPI: two jobs that share links, in several iterations, with compute times drawn"""
    file = all_to_all(bench)
    two = [
        f"--job={file}:dp=8,name=a,placement=spread",
        f"--job={file}:dp=8,name=b,placement=random,start=50us,straggler=1:2,iterations=2",
    ]
    summary = bench.check_same(*two, *LEAVES, "--jitter=0.05")
    assert [len(job["iterations"]) for job in summary["jobs"]] == [1, 2], summary["jobs"]


@case
def background_in_processes(bench):
    """MPI: background traffic beside a job, until the job has ended"""
    table = "--workload=" + all_to_all(bench)
    traffic = ["poisson:load=0.3,sizes=storage", "incast:load=0.1,bytes=20000"]
    traffic = ["--background=" + kind for kind in traffic]
    summary = bench.check_same(table, "--world=16", *LEAVES, *traffic)
    assert summary["background"]["arrived"] > 1000, summary["background"]


@case
def tcp_in_processes(bench):
    """MPI: a replay over tcp runs to its end in two processes"""
    table = "--workload=" + all_to_all(bench)
    folder = "--outputDir=" + bench.path("out")
    tcp = ["--transport=tcp", "--mtu=1500"]
    code, _, err = bench.run_in(2, table, "--world=8", *LEAVES, *tcp, folder)
    assert (code, err) == (0, ""), (code, err)
    summary = bench.summary("out")
    assert summary["complete"] is True and len(summary["ranks"]) == 8, summary
    # Of 7/8 of 2 MB each rank sends two, and of the ring of 1 MB it sends 14/8.
    assert summary["network"]["bytes_delivered"] == 8 * (2 * 1750000 + 1750000), summary["network"]


@case
def faults_over_uec_in_processes(bench):
    """MPI: a host and a spine cut off in mid-collective over uec"""
    table = "--workload=" + all_to_all(bench)
    cuts = [f"--linkDown=leaf{leaf}-spine0@90us:180us" for leaf in range(4)]
    cuts.append("--linkDown=host5-leaf1@150us:400us")
    fabric = ["--world=16", "--gpusPerServer=1", "--topology=clos:hostsPerLeaf=4"]
    summary = bench.check_same(table, *fabric, "--transport=uec", *cuts, processes=(2,))
    assert summary["network"]["dropped_packets"] > 10, summary["network"]
    assert summary["network"]["retransmitted_packets"] > 10, summary["network"]


@case
def faults_over_tcp_in_processes(bench):
    """MPI: links cut and mended, and packets lost at random, over tcp: all bytes once"""
    table = "--workload=" + all_to_all(bench)
    tcp = ["--world=8", "--transport=tcp", "--mtu=1500"]
    tcp += ["--ns3::TcpMessageTransport::MinRto=1ms", "--outputDir=" + bench.path("out")]
    links = ["leaf0-spine0", "host2-leaf0", "host5-leaf1"]
    cuts = [*LEAVES, *(f"--linkDown={link}@200us:500us" for link in links)]
    lossy = "".join(f"{host} 8 100Gbps 1us 0.002\n" for host in range(8))
    star = ["--topology=" + bench.write("lossy.txt", "9 1 8\n8\n" + lossy)]
    for fault in (cuts, star):
        code, _, err = bench.run_in(2, table, *tcp, *fault)
        assert (code, err) == (0, ""), (fault, code, err)
        network = bench.summary("out")["network"]
        # As without faults: of 7/8 of 2 MB each rank sends two, and of the ring of 1 MB 14/8.
        assert network["bytes_delivered"] == 8 * (2 * 1750000 + 1750000), (fault, network)
        assert network["dropped_packets"] > 0, (fault, network)
        assert network["retransmitted_packets"] > 0, (fault, network)


@case
def rank_dies_in_processes(bench):
    """MPI: a rank whose link never comes back: its name, exit code 2, as in one process"""
    table = "--workload=" + all_to_all(bench)
    dies = ["--world=8", *LEAVES, "--linkDown=host5-leaf1@150us"]
    timeout = "--ns3::RdmaNic::RetransmissionTimeout=100us"
    summary = bench.check_same(table, *dies, timeout, processes=(2,), code=2)
    assert summary["complete"] is False
    for more in ([timeout], ["--transport=tcp", "--mtu=1500"]):
        code, _, err = bench.run_in(2, table, *dies, *more)
        lines = err.splitlines()
        assert code == 2 and lines[0] == "wl-replay: error: the replay could not finish", (code, err)
        assert "rank 5" in lines[1] and ("given up" in lines[1] or "used up" in lines[1]), err


@case
def deadlock_in_processes(bench):
    """MPI: ranks of two processes that wait for each other: told as in one, exit code 2"""
    network = ["--topology=single-switch", "--gpusPerServer=1"]
    for rank in (0, 1):
        get = node(40, RECV, b"get", comm_src=1 - rank, comm_size=10)
        put = node(41, SEND, b"put", [40], comm_dst=1 - rank, comm_size=10)
        bench.write(f"job.{rank}.et", trace(get, put))
    workload = "--workload=" + bench.path("job")
    assert bench.check_same(workload, *network, processes=(2,), code=2)["complete"] is False


@case
def contradiction_in_processes(bench):
    """MPI: ranks of two processes that contradict each other: both named as in one, exit code 2"""
    network = ["--topology=single-switch", "--gpusPerServer=1"]
    put = node(6, SEND, b"put", comm_dst=1, comm_size=1000)
    get = node(6, RECV, b"get", comm_src=0, comm_size=2000)
    other = node(6, COLL, b"reduce", comm_type=2, comm_size=1000)
    for first, second in ((reduce(6, 1000), reduce(6, 1001)), (reduce(6, 1000), other), (put, get)):
        bench.write("job.0.et", trace(first))
        bench.write("job.1.et", trace(second))
        workload = "--workload=" + bench.path("job")
        expected = bench.run_in(0, workload, *network)
        found = bench.run_in(2, workload, *network)
        assert expected[0] == 2 and (expected[0], expected[2]) == (found[0], found[2]), found


@case
def process_killed(bench):
    """MPI: a process that is killed ends the others, and mpirun says which it was"""
    process = bench.start(
        bench.mpirun,
        "-np",
        "2",
        bench.program,
        "--workload=" + bench.table,
        *ENDLESS,
        OMPI_MCA_orte_execute_quiet="0",
    )
    children = bench.running(process, 2)
    killed = children[1]
    time.sleep(1)
    os.kill(killed, signal.SIGKILL)
    since = time.monotonic()
    code, out, err = bench.finish(process, 60)
    assert code != 0 and time.monotonic() - since < 20, (code, time.monotonic() - since)
    # Open MPI tells the rank, MPICH the number of the process in the system.
    assert "process rank 1 " in err or str(killed) in out + err, (out, err)
    assert not any(map(is_alive, children.values())), children


@case
def processes_differ(bench):
    """MPI: processes that were given different options or files: refused at the start"""
    table = ["--workload=" + bench.table, "--gpusPerServer=1"]
    for more in ("--seed=2", "--mtu=1024", "--ns3::RdmaNic::RetransmissionTimeout=1ms"):
        expect_difference(bench, [], table, [*table, more], "process 1 has another command line")
    for name, time, rate in (("a", "1.0", 100), ("b", "1.5", 200)):
        os.mkdir(bench.path(name))
        bench.write(name + "/table.tsv", TABLE.replace("1.0", time))
        links = "".join(f"{host} 4 {rate}Gbps 1us 0\n" for host in range(4))
        bench.write(name + "/star.txt", "5 1 4\n4\n" + links)
    folders = [["-wdir", bench.path(name)] for name in ("a", "b")]
    same = ["--workload=table.tsv", "--gpusPerServer=1"]
    expect_difference(bench, folders, same, same, "process 1 has another workload")
    star = [table[0], "--topology=star.txt"]
    expect_difference(bench, folders, star, star, "process 1 has another topology")


@case
def file_missing_in_one(bench):
    """MPI: a file that only one process does not have: told at the start"""
    folders = []
    for name in ("a", "b"):
        os.mkdir(bench.path(name))
        folders.append(["-wdir", bench.path(name)])
    bench.write("a/table.tsv", TABLE)
    same = ["--workload=table.tsv", "--gpusPerServer=1"]
    expect_difference(bench, folders, same, same, "process 1: table.tsv: error: ")
    expect_difference(bench, folders[::-1], same, same, "table.tsv: error: expected a text file")


def expect_difference(bench, folders, first, second, words):
    """Process 0 and process 1 of two are given arguments of their own, and folders to run in."""
    arguments = []
    for process, own in enumerate((first, second)):
        arguments += [":"] if arguments else []
        arguments += ["-np", "1", *(folders[process] if folders else []), bench.program]
        arguments += ["--world=4", "--outputDir=" + bench.path("out"), *own]
    code, out, err = bench.finish(bench.start(bench.mpirun, *arguments), 120)
    assert (code, out) == (1, ""), (code, out, err)
    assert len(err.splitlines()) == 1 and words in err, err
    assert not os.path.exists(bench.path("out")), os.listdir(bench.path("out"))


@case
def processes_refused(bench):
    """MPI: what cannot be shared among processes is refused, by one of them"""
    table = ["--workload=" + bench.table, "--world=4"]
    servers = "at most {} processes, one for each server"
    bench.expect_refused(2, ["--transport: ", "'ideal'"], *table, "--transport=ideal")
    bench.expect_refused(3, [servers.format(2), "found 3"], *table, "--gpusPerServer=2")
    bench.expect_refused(2, [servers.format(1), "found 2"], *table, "--linkDelay=0ns")
    bench.expect_refused(2, ["--mtu: ", "at most 1500"], *table, *LEAVES, "--transport=tcp")
    for simulator in ("Default", "NullMessage"):
        simulator = f"ns3::{simulator}SimulatorImpl"
        wrong = ["ns3::DistributedSimulatorImpl, with which several", f"found '{simulator}'"]
        bench.expect_refused(2, wrong, *table, "--SimulatorImplementationType=" + simulator)
    code, _, err = bench.run_in(
        0, *table, "--SimulatorImplementationType=ns3::DistributedSimulatorImpl"
    )
    assert code == 1 and "expected a simulator for one process, as there is one" in err, err


@case
def wrong_option_in_processes(bench):
    """MPI: a wrong option is told once, as in one process, exit code 1"""
    for arguments in (["--workload=" + bench.table, "--wrold=4"], ["--workload=/no/such.tsv"]):
        expected = bench.run_in(0, *arguments)
        assert expected[0] == 1 and bench.run_in(2, *arguments) == expected, expected


def interrupt(bench, *command, **more):
    """Start two processes without an end, and Ctrl-C what started them when they write."""
    folder = bench.path("out")
    arguments = ["--workload=" + bench.table, *ENDLESS, "--outputDir=" + folder]
    process = bench.start(*command, "2", bench.program, *arguments, **more)
    children = bench.running(process, 2)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    code, out, err = bench.finish(process, 60)
    assert not any(map(is_alive, children.values())), children
    assert sorted(os.listdir(folder)) == FILES, os.listdir(folder)
    summary = bench.summary("out")
    assert summary["complete"] is False and summary["iterations"], summary
    # Each of the four ranks has a computation and an all-reduce in each iteration.
    assert len(bench.rows("out", "ops.csv")) >= 8 * len(summary["iterations"])
    return code, out, err


@case
def mpirun_interrupted(bench):
    """MPI: Ctrl-C of mpirun: exit code not 0, files marked incomplete"""
    # Open MPI waits for so many seconds before SIGTERM, and again before SIGKILL.
    more = {"OMPI_MCA_odls_base_sigkill_timeout": "3"}
    code, _, _ = interrupt(bench, bench.mpirun, "-np", **more)
    assert code != 0, code


@case
def program_asked_for_processes(bench):
    """MPI: --mpi=N is for the script: the program says what starts it"""
    code, out, err = bench.run("--workload=" + bench.table, "--mpi=2")
    assert (code, out, len(err.splitlines())) == (1, "", 1), (code, out, err)
    assert "mpirun -np 2" in err and "./wl-replay --mpi=2" in err, err


@case
def mpirun_of_another_mpi(bench):
    """MPI: an mpirun whose processes do not find each other is not taken for one that they know"""
    alone = {"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"}
    code, out, err = bench.finish(bench.start(bench.program, "--workload=" + bench.table, **alone))
    assert (code, out, len(err.splitlines())) == (1, "", 1), (code, out, err)
    assert "the mpirun of the MPI that ns-3 is built with" in err and "2 processes" in err, err


@case
def script_interrupted(bench):
    """MPI: Ctrl-C of ./wl-replay: exit code 2, files marked incomplete, told once"""
    script = SCRIPTS + 'run_processes "$@"'
    code, out, err = interrupt(bench, "bash", "-euc", script, "wl-replay", bench.mpirun)
    assert code == 2, (code, err)
    assert len(err.splitlines()) == 1 and "the replay was interrupted at " in err, err
    assert out.count("INCOMPLETE: ") == 1, out


@case
def script_exit_codes(bench):
    """MPI: ./wl-replay exits as its processes do, and says if one was killed"""

    def run(*arguments):
        command = ["bash", "-euc", SCRIPTS + 'run_processes "$@"', "wl-replay", bench.mpirun]
        return bench.start(*command, "2", bench.program, "--workload=" + bench.table, *arguments)

    servers = ["--world=4", "--gpusPerServer=1"]
    code, out, err = bench.finish(run(*servers))
    assert (code, err, out.count("iteration time")) == (0, "", 1), (code, out, err)
    code, out, err = bench.finish(run("--wrold=4"))
    assert (code, out, len(err.splitlines())) == (1, "", 1), (code, out, err)
    process = run(*ENDLESS)
    killed = bench.running(process, 2)[0]
    time.sleep(1)
    os.kill(killed, signal.SIGKILL)
    code, out, err = bench.finish(process, 20)
    assert code > 2 and f"was killed, mpirun exited with {code}\n" in err, (code, err)


@case
def mpirun_that_does_not_end(bench):
    """MPI: ./wl-replay ends an mpirun that goes on without processes, and no other"""
    mpirun = bench.write("mpirun", "#!/usr/bin/env python3\n" + MPIRUN_WITHOUT_END)
    os.chmod(mpirun, 0o755)
    for alone, busy, least in ((4, 0, 4), (4, 6, 10)):
        script = f"LONGEST_ALONE={alone}; {SCRIPTS}"
        since = time.monotonic()
        process = bench.start("bash", "-euc", script + 'run_processes "$@"', "x", mpirun, str(busy), "x")
        code, out, err = bench.finish(process, 60)
        assert (code, out, len(err.splitlines())) == (137, "", 1), (code, out, err)
        assert "error: a process crashed or was killed, mpirun exited with 137" in err, err
        assert time.monotonic() - since >= least, time.monotonic() - since


@case
def script_arguments(bench):
    """MPI: --mpi=N of ./wl-replay stands anywhere, wins over WL_REPLAY_MPI, and is checked"""
    show = 'take_processes "$@"; echo "[$PROCESSES]" "${ARGUMENTS[@]}"'
    for wish, arguments, expected in (
        ("", "--a=1 b", "[] --a=1 b"),
        ("", "--mpi=2 --a=1", "[2] --a=1"),
        ("3", "--a=1 --mpi=1024 b", "[1024] --a=1 b"),
        ("x", "--a=1 --mpi=1", "[1] --a=1"),
        ("16", "--a=1", "[16] --a=1"),
        ("", "--mpi=2 --mpi=4", "[4]"),
    ):
        found = ask_scripts(f"WL_REPLAY_MPI={wish}; " + show, *arguments.split())
        assert found.split() == expected.split(), (wish, arguments, found)
    for name, wrong in [("--mpi", text) for text in ("", "0", "1025", "-1", "2.0", "x")] + [
        ("WL_REPLAY_MPI", "many")
    ]:
        arguments = [f"--mpi={wrong}"] if name == "--mpi" else []
        environment = dict(os.environ, WL_REPLAY_MPI=wrong if name != "--mpi" else "2")
        done = subprocess.run(
            [os.path.join(ROOT, "wl-replay"), "--workload=x", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )
        expected = (
            f"wl-replay: error: {name}: expected how many processes, a whole number from 1 to 1024 "
            f"such as --mpi=4, found '{wrong}'\n"
        )
        assert (done.returncode, done.stdout, done.stderr) == (3, "", expected), done
