# SPDX-License-Identifier: GPL-2.0-only
"""What the cases of sweep-test.py share: a stand-in for wl-replay, and a directory to work in."""

import csv
import json
import os
import signal
import subprocess
import sys
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, ROOT)

# Notes each start in a file beside it. A run has two ranks, one iteration and the parts that
# --compute, --bubble and --dp give, ns, plus the run number of compute. What --act says may have
# it fail, crash, stall or take a while.
STAND_IN = '''\
#!/usr/bin/env python3
import json, os, signal, sys, time
given = dict(a[2:].partition("=")[::2] for a in sys.argv[1:])
known = "workload cc routing topology compute bubble dp act run outputDir files progress dryRun"
known += " world exact help"
here = os.path.dirname(os.path.abspath(__file__))
for name in given:
    if name not in known.split() and not name.startswith("ns3::"):
        sys.exit(f"--{name}: error: expected an option (--help lists all), found '--{name}'")
if given.get("cc") == "dcqnc":
    sys.exit("--cc: error: expected dcqcn or none, found 'dcqnc'; did you mean dcqcn?")
if "workload" in given and not os.path.exists(given["workload"]):
    sys.exit(f"{given['workload']}: error: no such file")
if "help" in given:
    print("Usage: stand-in\\n\\nRun:\\n" + "".join(f"  --{name}=WHAT  [none]\\n" for name in known.split()))
    sys.exit(0)
if "dryRun" in given:
    sys.exit(0)
with open(here + "/starts", "a") as file:
    file.write(json.dumps({**given, "pid": os.getpid(), "env": sorted(os.environ)}) + "\\n")
act, folder = given.get("act", ""), given["outputDir"]
if os.path.exists(here + "/slow"):
    with open(here + "/slow") as file:
        time.sleep(float(file.read()))
for name in set(given["files"].split(",")) - {"summary.json"}:
    open(f"{folder}/{name}", "w").close()
if act == "flaky" and not os.path.exists(here + "/mended"):
    sys.exit("stand-in: error: flaky")
if act == "crash":
    os.kill(os.getpid(), signal.SIGSEGV)
compute = int(given.get("compute", 100)) + int(given["run"])
bubble, dp = int(given.get("bubble", 0)), int(given.get("dp", 0))
zero = dict.fromkeys("tp cp ep dp edp pp embedding".split(), 0)
ranks = [{"rank": r, "compute_ns": compute, "exposed_ns": {**zero, "dp": dp, "pp": 2 * r},
          "bubble_ns": bubble + 2 - 2 * r, "idle_ns": 0, "end_ns": compute} for r in (0, 1)]
done = act not in ("stall", "interrupted")
summary = {
    "workload": {"format": "t", "file": "t", "world": 2, "pp": 2, "microbatches": 1},
    "fabric": {"topology": "t", "nodes": 2, "links": 1, "transport": "rdma"},
    "complete": done, "iterations": [{"time_ns": compute + bubble + dp + 2}] if done else [],
    "ranks": ranks, "collectives": [], "network": {"messages": 1, "bytes_delivered": 7},
    "run": {"wall_s": time.time(), "cpu_s": 0.1, "events": 1, "peak_rss_bytes": 1, "seed": 1},
}
if act != "silent":
    with open(folder + "/.summary.json.new", "w") as file:
        json.dump(summary, file)
    os.rename(folder + "/.summary.json.new", folder + "/summary.json")
if not done:
    word = "was interrupted at 1 ms" if act == "interrupted" else "cannot finish"
    print(f"wl-replay: error: the replay {word}", file=sys.stderr)
    sys.exit(2)
'''

TABLES = ["sweep.csv", "summary.csv", "effects.csv"]


class SweepBench:
    """A directory to work in."""

    def __init__(self, program, folder):
        self.real = program
        self.folder = folder
        self.program = self.write("stand-in", STAND_IN)
        os.chmod(self.program, 0o755)
        self.file = self.path("sweep.json")
        self.out = self.path("out")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return self.path(name)

    def describe(self, grid, **keys):
        """Write the file that describes the sweep."""
        return self.write("sweep.json", {"grid": grid, **keys})

    def start(self, *arguments, program=None, stdout=subprocess.PIPE):
        """Start wl-sweep, as a process whose output is captured; stdout=None: it is closed."""

        def prepare():
            # Whoever runs this in the background may have told it to ignore Ctrl-C.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            if stdout is None:
                os.close(1)

        command = [sys.executable, "-B", "-m", "workload_replay.sweeps", f"--program={program or self.program}"]
        return subprocess.Popen(
            [*command, self.file, "--output=" + self.out, *arguments],
            cwd=self.folder,  # where Python looks first
            env={**os.environ, "PYTHONPATH": ROOT, "NS_GLOBAL_VALUE": "RngRun=9"},
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=prepare,
        )

    def run(self, *arguments, program=None):
        """Run wl-sweep; returns exit code, standard output and standard error."""
        process = self.start(*arguments, program=program)
        try:
            out, err = process.communicate(timeout=300)
        finally:
            process.kill()
        return process.returncode, out, err

    def sweep(self, *arguments, program=None):
        """Run wl-sweep, which must succeed; returns the tables."""
        code, out, err = self.run(*arguments, program=program)
        assert code == 0, (code, out, err)
        return self.tables()

    def tables(self):
        """The tables that must not vary, by name."""
        tables = {}
        for name in TABLES:
            with open(os.path.join(self.out, name), "rb") as file:
                tables[name] = file.read()
        return tables

    def rows(self, name="sweep.csv"):
        with open(os.path.join(self.out, name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file, strict=True))

    def starts(self):
        """What the stand-in was started with, start by start."""
        if not os.path.exists(self.path("starts")):
            return []
        with open(self.path("starts"), encoding="utf-8") as file:
            # The last line may be under way.
            return [json.loads(line) for line in file if line.endswith("\n")]

    def wait_for_starts(self, count):
        """Wait until the stand-in was started so often."""
        deadline = time.monotonic() + 60
        while len(self.starts()) < count:
            assert time.monotonic() < deadline, self.starts()
            time.sleep(0.01)

    def runs(self):
        return sorted(os.listdir(os.path.join(self.out, "runs")))

    def expect_error(self, message, *arguments):
        """The program must exit with 1, say this one line and start no run."""
        before = len(self.starts())
        code, out, err = self.run(*arguments)
        assert (code, out) == (1, ""), (code, out, err)
        lines = [line for line in err.splitlines() if " at a time" not in line]
        assert lines == [f"wl-sweep: {message}"], f"standard error {err!r}, not {message!r}"
        assert len(self.starts()) == before, "runs were started"
