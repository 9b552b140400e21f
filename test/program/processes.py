# SPDX-License-Identifier: GPL-2.0-only
"""Runs of wl-replay in several processes by mpirun, beside the same runs in one."""

import glob
import os
import re
import shutil
import signal
import subprocess
import time

from program.bench import Bench

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
SCRIPTS = f"source {ROOT}/utils/setup.sh; source {ROOT}/utils/mpi.sh; "


def ask_scripts(command, *arguments):
    """Standard output of a command after the scripts' functions have been read."""
    bash = ["bash", "-euc", SCRIPTS + command, "test", *arguments]
    return subprocess.run(bash, stdout=subprocess.PIPE, text=True, check=True).stdout


def mpi_environment():
    """The environment that the scripts give to mpirun."""
    lines = ask_scripts("set_mpi_environment; env -0").split("\0")
    return dict(line.split("=", 1) for line in lines if line)


def without_cost(text):
    """The report without its last part, which varies."""
    return text.split("\nrun cost")[0]


def without_run(summary):
    """The text of summary.json without its last object, which varies."""
    head, found, tail = summary.rpartition(b',\n  "run": {\n')
    assert found and tail.endswith(b"\n  }\n}\n") and b'\n  "' not in tail, tail
    return head


def difference(expected, found):
    """The first lines of two texts that differ."""
    expected, found = expected.splitlines(), found.splitlines()
    for number, pair in enumerate(zip(expected, found), 1):
        if pair[0] != pair[1]:
            return f"line {number} is {pair[1]!r}, not {pair[0]!r}"
    return f"{len(found)} lines, not {len(expected)}"


class Outcome:
    """What a run says and leaves behind."""

    def __init__(self, code, out, err, folder):
        self.code = code
        self.parts = {"standard output": without_cost(out), "standard error": err}
        for path in glob.glob(glob.escape(folder) + "/*") + glob.glob(glob.escape(folder) + "/.*"):
            with open(path, "rb") as file:
                content = file.read()
            name = os.path.basename(path)
            self.parts[name] = without_run(content) if name == "summary.json" else content

    def expect_same(self, other, what):
        assert other.code == self.code, f"{what}: exit code {other.code}, not {self.code}"
        assert sorted(other.parts) == sorted(self.parts), f"{what}: {sorted(other.parts)}"
        for name, content in self.parts.items():
            found = other.parts[name]
            assert found == content, f"{what}: {name}: {difference(content, found)}"


class Processes(Bench):
    """A directory to work in, the program, and mpirun."""

    def __init__(self, program, folder):
        super().__init__(program, None, folder)
        self.mpirun = shutil.which("mpirun")
        self.environment = mpi_environment()
        # Otherwise Open MPI would add, to every failure, that there was one.
        self.environment["OMPI_MCA_orte_execute_quiet"] = "1"

    def start(self, *arguments, **more):
        """Start mpirun, or what is given, as a process whose output is captured."""
        return subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**self.environment, **more},
            start_new_session=True,
            # Whoever runs this in the background may have told it to ignore Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def finish(self, process, seconds=600):
        """Exit code, standard output and standard error of a process, which must end in time."""
        try:
            out, err = process.communicate(timeout=seconds)
        finally:
            if process.poll() is None:
                kill_session(process.pid)
                process.communicate()
        return process.returncode, out, err

    def run_in(self, count, *arguments):
        """Run wl-replay in so many processes; returns as run does. 0: without mpirun."""
        if count == 0:
            return self.run(*arguments)
        return self.finish(self.start(self.mpirun, "-np", str(count), self.program, *arguments))

    def outcome(self, count, *arguments):
        folder = self.path("out")
        shutil.rmtree(folder, ignore_errors=True)
        return Outcome(*self.run_in(count, *arguments, "--outputDir=" + folder), folder)

    def check_same(self, *arguments, processes=(2, 4), code=0):
        """Runs in so many processes must be equal to one without MPI; returns its summary."""
        alone = self.outcome(0, *arguments)
        what = " ".join(map(os.path.basename, arguments))
        assert alone.code == code, f"{what}: exit code {alone.code}: {alone.parts}"
        summary = self.summary("out")
        for count in processes:
            alone.expect_same(self.outcome(count, *arguments), f"{count} processes, {what}")
            costs = self.summary("out")["run"].get("processes", ["the only one"])
            assert len(costs) == count, f"{count} processes, {what}: {costs}"
        return summary

    def expect_refused(self, count, words, *arguments):
        """The processes must exit with 1, and one of them say one line with all of the words."""
        code, out, err = self.run_in(count, *arguments)
        assert (code, out) == (1, ""), (code, out, err)
        assert len(err.splitlines()) == 1 and all(word in err for word in words), err

    def running(self, mpirun, count):
        """Wait until the processes run; returns their numbers in the system by rank."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            assert mpirun.poll() is None, mpirun.communicate()
            found = self.children(mpirun.pid)
            if sorted(found) == list(range(count)):
                return found
            time.sleep(0.05)
        raise AssertionError(f"{found} run, not {count}")

    def children(self, ancestor):
        """The processes of wl-replay below another process, by rank."""
        found = {}
        for folder in glob.glob("/proc/[0-9]*"):
            process = int(os.path.basename(folder))
            try:
                if os.readlink(folder + "/exe") == os.path.realpath(self.program):
                    with open(folder + "/environ", "rb") as file:
                        rank = re.search(rb"\0(OMPI_COMM_WORLD|PMI)_RANK=(\d+)", file.read())
                    if rank and is_below(process, ancestor):
                        found[int(rank[2])] = process
            except OSError:  # it has ended
                pass
        return found


def kill_session(leader):
    """Kill a process and all that it has started, which would keep its output open."""
    for folder in glob.glob("/proc/[0-9]*"):
        process = int(os.path.basename(folder))
        try:
            if os.getsid(process) == leader:
                os.kill(process, signal.SIGKILL)
        except OSError:  # it has ended
            pass


def is_alive(process):
    """Whether a process runs, which one that has ended but was not waited for does not."""
    try:
        return bool(os.readlink(f"/proc/{process}/exe"))
    except OSError:
        return False


def is_below(process, ancestor):
    while process > 1:
        with open(f"/proc/{process}/stat", "rb") as file:
            process = int(file.read().rpartition(b")")[2].split()[1])
        if process == ancestor:
            return True
    return False
