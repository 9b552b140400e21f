# SPDX-License-Identifier: GPL-2.0-only
"""What the cases of report-test.py share: directories of runs made by hand."""

import copy
import json
import os
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, ROOT)

NONE = {"tp": 0, "cp": 0, "ep": 0, "dp": 0, "edp": 0, "pp": 0, "embedding": 0}

# Two stages of one rank each, one iteration of 1000 ns. Rank 0: 100 + 300 of compute, 200 exposed
# pp, 300 bubble, 100 idle. Rank 1: 400 of compute, 500 bubble, 100 exposed dp.
SUMMARY = {
    "workload": {
        "format": "test", "file": "/folder/work.txt", "world": 2,
        "tp": 1, "cp": 1, "ep": 1, "dp": 1, "pp": 2, "microbatches": 2, "schedule": "1f1b",
    },
    "fabric": {
        "topology": "single-switch", "nodes": 3, "links": 2, "transport": "rdma",
        "cc": "dcqcn", "routing": "ecmp", "mtu_bytes": 4096, "max_train": 64,
    },
    "complete": True,
    "assumptions": ["<b>nothing</b> & more"],
    "iterations": [{"time_ns": 1000}],
    "ranks": [
        {"rank": 0, "compute_ns": 400, "exposed_ns": {**NONE, "pp": 200}, "bubble_ns": 300,
         "idle_ns": 100, "end_ns": 900},
        {"rank": 1, "compute_ns": 400, "exposed_ns": {**NONE, "dp": 100}, "bubble_ns": 500,
         "idle_ns": 0, "end_ns": 1000},
    ],
    "collectives": [
        {"dimension": "dp", "kind": "all-reduce", "algorithm": "ring", "ranks": 2, "count": 2,
         "bytes": 1024, "mean_ns": 50, "max_ns": 60, "busbw_bytes_per_s": 40000000000},
    ],
    "network": {"messages": 200, "bytes_delivered": 204800, "packets": 300, "packet_hops": 600,
                "retransmitted_packets": 0, "dropped_packets": 0, "ecn_marked_packets": 0,
                "pfc_pauses": 0},
    "run": {"wall_s": 1.5, "cpu_s": 1.25, "events": 12345, "peak_rss_bytes": 1048576, "seed": 1,
            "rng_run": 1, "module_version": "0.1.0", "ns3_version": "3.37"},
}  # fmt: skip

OPS = """\
rank,stream,op,phase,layer,microbatch,origin,start_ns,end_ns
0,compute,f0,forward,,0,/folder/work.txt:1,0,100
0,pp-send-forward,s0,forward,,0,/folder/work.txt:2,50,150
0,pp-recv-backward,r0,backward-input,,0,/folder/work.txt:3,100,600
0,compute,b0,backward-input,,0,/folder/work.txt:4,600,900
1,pp-recv-forward,r1,forward,,0,/folder/work.txt:3,0,500
1,compute,f1,forward,,0,/folder/work.txt:1,500,700
1,dp,g1,grad-sync,,,/folder/work.txt:5,650,800
1,compute,b1,optimizer,,,/folder/work.txt:6,800,1000
"""

COLLECTIVES = """\
communicator,dimension,sequence,kind,algorithm,channels,bytes,ranks,first_arrival_ns,\
last_arrival_ns,end_ns,busbw_bytes_per_s
dp0,dp,0,all-reduce,ring,1,1024,2,650,660,700,30000000000
dp0,dp,1,all-reduce,ring,1,1024,2,700,700,760,50000000000
"""

# 100 messages of 1024 bytes: 90 take their ideal time, 9 twice that and one eight times.
FLOWS = (
    "src_rank,dst_rank,communicator,channel,bytes,start_ns,end_ns,ideal_ns,path\n"
    + "0,1,dp0,0,1024,0,100,100,\n" * 90
    + "1,0,dp0,0,1024,0,200,100,\n" * 9
    + "1,0,dp0,0,1024,0,800,100,\n"
)

LINKS = """\
link,from,to,rate_bps,bytes,utilisation,max_queue_bytes,ecn_marked,pfc_pause_ns,dropped
0,host0,switch0,400000000000,1000,0.250000,10,1,0,0
0,switch0,host0,400000000000,2000,0.500000,2048,0,0,0
1,host1,switch0,400000000000,3000,0.750000,0,0,0,0
1,switch0,host1,400000000000,0,0.000000,0,0,0,0
"""

FABRIC = {
    "name": "single-switch",
    "nodes": [
        {"name": "host0", "kind": "host"},
        {"name": "host1", "kind": "host"},
        {"name": "switch0", "kind": "switch"},
    ],
    "links": [
        {"a": "host0", "b": "switch0", "rate": "400Gbps", "delay": "500ns", "nvlink": False},
        {"a": "host1", "b": "switch0", "rate": "400Gbps", "delay": "500ns", "nvlink": False},
    ],
}

FILES = {"ops.csv": OPS, "collectives.csv": COLLECTIVES, "flows.csv": FLOWS, "links.csv": LINKS}


class ReportBench:
    """A directory to work in."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        if not isinstance(content, (bytes, str)):
            content = json.dumps(content)
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)

    def make_run(self, name, change=None, without=()):
        """Write the files of a run; change() may change its summary. Returns its directory."""
        summary = copy.deepcopy(SUMMARY)
        if change:
            change(summary)
        self.write(name + "/summary.json", summary)
        for file, content in FILES.items():
            if file not in without:
                self.write(f"{name}/{file}", content)
        return self.path(name)

    def report(self, *arguments):
        """Run the program; returns exit code, standard output and standard error."""
        done = subprocess.run(
            [sys.executable, "-B", "-m", "workload_replay.report", *arguments],
            env={**os.environ, "PYTHONPATH": ROOT},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def lose(self, output, *arguments):
        """Run the program with this standard output, None = closed; exit code, standard error."""
        done = subprocess.run(
            [sys.executable, "-B", "-m", "workload_replay.report", *arguments],
            env={**os.environ, "PYTHONPATH": ROOT},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            timeout=300,
            check=False,
            preexec_fn=None if output else lambda: os.close(1),
        )
        return done.returncode, done.stderr

    def page(self, *arguments):
        """Run the program, which must succeed and say nothing else; returns the page."""
        page = self.path("page.html")
        code, out, err = self.report(*arguments, "--output=" + page)
        assert (code, err) == (0, ""), (code, err)
        assert out.startswith(f"wrote {page}\n"), out
        with open(page, encoding="utf-8") as file:
            return file.read()

    def expect_error(self, message, *arguments):
        """The program must exit with 1, say this one line and write nothing."""
        code, out, err = self.report(*arguments)
        assert (code, out) == (1, ""), (code, out, err)
        assert err == f"wl-report: {message}\n", f"standard error {err!r}, not {message!r}"
