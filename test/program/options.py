# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: options, their faults and the faults of workloads."""

import json
import os
import subprocess

from program.bench import HEADER, LAYERS, TABLE, case


@case
def help_lists_options(bench):
    """--help lists options and exits with 0"""
    code, out, err = bench.run("--help")
    assert (code, err) == (0, "")
    for option in ("workload", "world", "topology", "transport", "channels", "outputDir", "config"):
        assert f"  --{option}=" in out, option
    assert max(map(len, out.splitlines())) <= 100


# As ./ns3 of a tree: it starts what it is told in the tree's root.
NS3 = """\
#!/usr/bin/env python3
import os, subprocess, sys
root = os.path.dirname(os.path.abspath(__file__))
sys.exit(subprocess.run(sys.argv[2:], cwd=root).returncode)
"""


@case
def started_by_ns3(bench):
    """./ns3 run from another folder: relative paths are those of where the user stands"""
    for folder in ("tree", "mine"):
        os.mkdir(bench.path(folder))
    ns3 = bench.write("tree/ns3", NS3)
    os.chmod(ns3, 0o755)
    bench.write("mine/own.tsv", TABLE)
    arguments = ["--workload=own.tsv", "--outputDir=out", "--transport=ideal"]

    def run(*command):
        return subprocess.run(
            [*command, bench.program, *arguments], cwd=bench.path("mine"), check=False,
            env={**os.environ, "PWD": bench.path("mine")}, capture_output=True, text=True,
        )  # fmt: skip

    done = run(ns3, "run")
    assert done.returncode == 0, done.stderr
    assert os.path.exists(bench.path("mine/out/summary.json"))
    done = run(ns3, "run", "env")
    assert done.returncode == 0, done.stderr
    # Others who start it in a folder mean that folder.
    os.rename(ns3, other := bench.path("tree/other"))
    bench.write("tree/ns3", "")
    done = run(other, "run")
    assert done.returncode == 1 and "no file of that name" in done.stderr, done.stderr
    assert os.listdir(bench.path("tree")).count("out") == 0


@case
def no_workload(bench):
    """no workload"""
    bench.expect_error(
        "--workload: error: expected a file or directory to replay, such as "
        "--workload=examples/workloads/gpt2-large-ops.tsv, found none"
    )


@case
def unknown_option(bench):
    """unknown option"""
    bench.expect_error(
        "--wrold: error: expected an option (--help lists all), found '--wrold'; "
        "did you mean --world?",
        "--wrold=8",
    )


@case
def switched_off(bench):
    """options that a transport has not may be off, in a file too; on, they are refused"""
    file = bench.write("settings.json", json.dumps({"reuse": "off", "exact": "off"}))
    plain = ["--workload=" + bench.table, "--gpusPerServer=1"]
    for transport in ("ideal", "fluid", "rdma", "uec", "tcp"):
        job = [*plain, "--transport=" + transport]
        for more in (["--reuse=off", "--exact=off", "--flowPaths=off"], ["--config=" + file]):
            code, _, err = bench.run(*job, *more)
            assert (code, err) == (0, ""), (job, more, err)
    bench.expect_error(
        "--exact: error: expected no exact with the transport fluid, which has no packets, found one",
        *plain, "--transport=fluid", "--config=" + file, "--exact=on",
    )  # fmt: skip


@case
def positional_argument(bench):
    """file without --workload"""
    bench.expect_error(
        "command line: error: expected --NAME=VALUE, found 'table.tsv'; "
        "did you mean --workload=table.tsv?",
        "table.tsv",
    )


@case
def blank_instead_of_equals(bench):
    """blank between option and value"""
    bench.expect_error(
        "--workload: error: expected --workload=FILE, found no value; "
        "did you mean --workload=table.tsv?",
        "--workload",
        "table.tsv",
    )


@case
def unusable_workloads(bench):
    """directory, binary file, empty file, missing file as workload"""
    unusable = [
        bench.folder,
        bench.write("binary", bytes(range(256))),
        bench.write("empty", ""),
        bench.path("missing"),
    ]
    for file in unusable:
        code, out, err = bench.run("--workload=" + file, "--outputDir=" + bench.path("never"))
        assert (code, out) == (1, ""), (file, code, out)
        assert err.startswith(file) and ": error: expected " in err, err
        assert err.count("\n") == 1, err
    assert not os.path.exists(bench.path("never"))


@case
def wrong_cell(bench):
    """wrong cell of the table, with line and column"""
    file = bench.write("wrong.tsv", TABLE.replace("1.0", "fast"))
    code, out, err = bench.run("--workload=" + file)
    assert (code, out) == (1, ""), (code, out)
    assert err.startswith(file + ":2:7: error: expected "), err
    assert err.count("\n") == 1, err


@case
def topology_too_small(bench):
    """topology too small for the world, nothing half-written"""
    code, out, err = bench.replay(
        "--topology=clos:leaves=1,hostsPerLeaf=8", "--world=16", "--outputDir=" + bench.path("none")
    )
    assert (code, out) == (1, ""), (code, out)
    assert err.startswith("--topology: error: expected ") and "16" in err, err
    assert err.count("\n") == 1, err
    assert not os.path.exists(bench.path("none"))


@case
def output_directory_not_writable(bench):
    """output directory that cannot be made"""
    below = os.path.join(bench.table, "out")
    bench.expect_error(
        f"--outputDir: error: expected a directory to write to, found '{below}' (Not a directory)",
        "--workload=" + bench.table,
        "--outputDir=" + below,
    )


@case
def contradictions(bench):
    """options that contradict each other"""
    workload = "--workload=" + bench.table
    bench.expect_error(
        "--dp: error: expected 8, the world, because an op table is data parallel only, found 4",
        workload,
        "--world=8",
        "--dp=4",
    )
    bench.expect_error(
        "--cc: error: expected no cc with the transport ideal, which has no packets, found one",
        workload,
        "--transport=ideal",
        "--cc=TcpCubic",
    )


@case
def options_without_use(bench):
    """options that the workload has no use for, stragglers that are no rank"""
    workload = "--workload=" + bench.table
    bench.expect_error(
        "--schedule: error: expected no schedule with an op table (op-table), which has no use for "
        "it, found one",
        workload,
        "--schedule=gpipe",
    )
    layers = "--workload=" + bench.write("layers.txt", LAYERS)
    bench.expect_error(
        "--backwardScale: error: expected no backwardScale with a layer file (simai), which has no "
        "use for it, found one",
        layers,
        "--backwardScale=2",
    )
    bench.expect_error(
        "--straggler: error: expected a rank from 0 to 7, found 8",
        layers,
        "--straggler=1:2",
        "--straggler=8:2",
    )
    config = bench.write("slow.json", json.dumps({"straggler": ["1:2", "8:2"]}))
    bench.expect_error(
        f"{config}:/straggler/1: error: expected a rank from 0 to 7, found 8",
        layers,
        "--config=" + config,
    )


@case
def unknown_format(bench):
    """file of no known format: its first line, and the formats there are"""
    file = bench.write("notes.txt", "to do: write a workload\n")
    code, out, err = bench.run("--workload=" + file)
    assert (code, out) == (1, ""), (code, out)
    assert err.startswith(file + ":1: error: expected "), err
    for text in ("simai", "megatron", "op-table", "--format", "'to do: write a workload'"):
        assert text in err, err


@case
def config_faults(bench):
    """faults of a configuration file, with line and column or pointer"""
    file = bench.write("syntax.json", '{\n  "world": 8,\n  "dp" 8\n}\n')
    bench.expect_error(
        f"{file}:3:8: error: expected JSON, found '8', which does not fit", "--config=" + file
    )
    file = bench.write("key.json", '{"wrold": 8}')
    bench.expect_error(
        f"{file}:/wrold: error: expected an option (--help lists all), found 'wrold'; "
        "did you mean world?",
        "--config=" + file,
    )


@case
def config_is_used(bench):
    """configuration file, over which the command line wins"""
    config = {"workload": bench.table, "world": 4, "transport": "ideal", "gpusPerServer": 1e0}
    file = bench.write("good.json", json.dumps(config))
    out = bench.path("configured")
    code, _, err = bench.run("--config=" + file, "--world=2", "--outputDir=" + out)
    assert (code, err) == (0, ""), (code, err)
    assert bench.summary("configured")["workload"]["world"] == 2
    assert bench.summary("configured")["fabric"]["transport"] == "ideal"


@case
def ns3_arguments(bench):
    """ns-3's own arguments work, and their faults are told"""
    code, out, err = bench.run("--PrintAttributes=ns3::RingCollective")
    assert (code, err) == (0, "") and "--ns3::RingCollective::Channels=[" in out, (code, out, err)
    code, _, err = bench.replay(
        "--transport=ideal", "--ns3::RingCollective::Channels=2", "--RngRun=3"
    )
    assert (code, err) == (0, ""), (code, err)
    bench.expect_error(
        "--ns3::RingCollective::Chanels: error: expected an attribute that ns3::RingCollective "
        "declares (--PrintAttributes=ns3::RingCollective lists all), found 'Chanels'; "
        "did you mean Channels?",
        "--ns3::RingCollective::Chanels=2",
    )


@case
def simulator_chosen(bench):
    """--SimulatorImplementationType: no simulator of ns-3"""
    bench.expect_error(
        "--SimulatorImplementationType: error: expected a simulator of ns-3 such as "
        "ns3::DefaultSimulatorImpl, found 'ns3::MapScheduler'",
        "--workload=" + bench.table,
        "--SimulatorImplementationType=ns3::MapScheduler",
    )


@case
def traffic_classes(bench):
    """traffic classes: the default by name changes nothing, others are used and told"""
    layers = "--workload=" + bench.write("layers.txt", LAYERS)
    fabric = ["--topology=single-switch", "--gpusPerServer=1"]

    def replay(folder, *arguments):
        code, _, err = bench.run(layers, *fabric, *arguments, "--outputDir=" + bench.path(folder))
        assert (code, err) == (0, ""), (code, err)
        return bench.rows(folder, "ops.csv"), bench.summary(folder)["assumptions"]

    ops, told = replay("plain")
    assert replay("default", "--trafficClass=tp:3,dp:3,pp:3")[0] == ops
    config = bench.write("classes.json", json.dumps({"trafficClass": "dp:1,tp:2"}))
    more = ["messages have traffic classes: dp:1,tp:2 (--trafficClass)"]
    assert replay("config", "--config=" + config)[1] == told + more
    # A fabric may have classes that the job has no use for.
    config = bench.write("fabric.json", json.dumps({"fabric": "h100", "trafficClass": "cp:1"}))
    replay("fabric", "--fabric=" + config)


@case
def traffic_classes_are_lossless(bench):
    """flow control acts on traffic classes, unless the user says otherwise"""
    rows = HEADER + "\nlayer\t0\tALLTOALL\t4194304" + 2 * "\t0\tNONE\t0" + "\t0\n"
    table = bench.write("all-to-all.tsv", rows)
    arguments = ["--workload=" + table, "--world=8", "--gpusPerServer=1", "--cc=none"]
    arguments += ["--topology=clos:leaves=2,hostsPerLeaf=4,oversubscription=4"]
    arguments += ["--ns3::RdmaSwitch::BufferSize=1500000", "--outputDir=" + bench.path("lossless")]

    def replay(*more):
        code, _, err = bench.run(*arguments, *more)
        assert (code, err) == (0, ""), (code, err)
        network = bench.summary("lossless")["network"]
        return network["pfc_pauses"], network["dropped_packets"]

    pauses, drops = replay("--trafficClass=dp:1")
    assert pauses > 0 and drops == 0, (pauses, drops)
    pauses, drops = replay("--trafficClass=dp:1", "--ns3::RdmaSwitch::LosslessPriorities=8")
    assert pauses == 0 and drops > 0, (pauses, drops)


@case
def traffic_classes_without_use(bench):
    """traffic classes of dimensions that the job does not have, or of acknowledgements"""
    layers = "--workload=" + bench.write("layers.txt", LAYERS)
    bench.expect_error(
        "--trafficClass: error: expected a dimension in which ranks of the job communicate: "
        "tp, dp, pp, found 'cp'",
        layers,
        "--trafficClass=dp:1,cp:2",
    )
    bench.expect_error(
        "--trafficClass: error: expected a dimension in which ranks of the job communicate: "
        "world, found 'tp'",
        "--trafficClass=tp:2",
        program=bench.collective,
    )
    bench.expect_error(
        "--trafficClass: error: expected a traffic class other than 5, which acknowledgements and "
        "congestion notifications have (ns3::RdmaNic::AckPriority), found 'tp:5'",
        layers,
        "--ns3::RdmaNic::AckPriority=5",
        "--trafficClass=dp:7,tp:5",
    )


@case
def options_dry_run_of_one(bench):
    """wl-replay --dryRun: collectives of a rank alone send nothing"""
    text = "HYBRID_TRANSFORMER model_parallel_NPU_group: 1 ep: 1 pp: 1 ga: 1 all_gpus: 1\n"
    text += "1\nlayer -1 0 ALLREDUCE 8192 0 NONE 0 0 NONE 0 0\n"
    code, out, err = bench.run("--workload=" + bench.write("one.txt", text), "--dryRun")
    assert (code, err) == (0, ""), (code, err)
    assert "0 messages" in out, out
