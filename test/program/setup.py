# SPDX-License-Identifier: GPL-2.0-only
"""Cases of setup-test.py: the functions of the shell, with stand-ins for ns-3's scripts."""

import glob
import os
import subprocess

from program.bench import case

UTILS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../utils")

SWITCHES = ("WORKLOAD_REPLAY_MPI", "WORKLOAD_REPLAY_NATIVE", "WORKLOAD_REPLAY_UNITY")

# Configuring is told and leaves what a build would.
CONFIGURE = """
run_configure() { echo "configured $*"; mkdir -p "$TREE/build"; touch "$TREE/build/program"; }
has_target() { true; }
PROFILE=${PROFILE:-optimized}
choose_tree "$PROFILE"
mkdir -p "$TREE/.$MODULE"
configure "$PROFILE"
"""

# Three sources, of which two define the same names, and what their names become.
UNITY = """
cmake_minimum_required(VERSION 3.10)
project(unity CXX)
include(UTILS/unity.cmake)
set(sources a.cc b.cc main.cc)
unite_sources(sources all ALONE main.cc none.cc OWN VALUE)
message("sources ${sources}")
add_executable(program ${sources})
"""
PART = "namespace { int g_log = 1; int VALUE = %d; }\nint Get%s() { return g_log + VALUE; }\n"
MAIN = "int GetA();\nint GetB();\nint g_log = 5;\nint main() { return 100 * GetA() + GetB() + g_log; }\n"


# A start up to the build, whose outcome is what the module's folder in the tree says. What would wait
# for a lock or have all built anew tells of it instead.
START = """
flock() { [[ $1 != --nonblock ]] || command flock "$@"; }
run_configure() { echo configured; }
has_target() { true; }
provide_packages() { :; }
fetch_source() { :; }
forget_other_clone() { echo forgot; }
build() { cat "$TREE/contrib/$MODULE/code"; }
prepare optimized wl-replay
"""


class SetupBench:
    """A directory to work in."""

    def __init__(self, folder):
        self.folder = folder
        self.cache = folder + "/workload-replay"

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        return path

    def source(self, script, clone="clone/workload-replay", **environment):
        """Run a script that has the functions; returns exit code, standard output and error."""
        start = f"set -euo pipefail\nsource {UTILS}/setup.sh\nsource {UTILS}/testing.sh\n"
        # As a clone that stands in no tree of ns-3.
        start += f"CLONE={self.folder}/{clone}\n"
        own = ("NS3_DIR", *SWITCHES)
        kept = {key: value for key, value in os.environ.items() if key not in own}
        done = subprocess.run(
            ["bash", "-c", start + script],
            env={**kept, "XDG_CACHE_HOME": self.folder, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def configure(self, cpuinfo, **environment):
        """Configure on a CPU; returns what ./ns3 configure is given, or nothing, and messages."""
        code, out, err = self.source(CONFIGURE, CPUINFO=cpuinfo, **environment)
        assert code == 0, (code, out, err)
        return out, err

    def make_clone(self, name, code):
        """Make a clone whose build says something, and a source of ns-3 for its tree."""
        os.makedirs(f"{self.folder}/{name}/utils")
        self.write(name + "/utils/setup.sh", "")
        self.write(name + "/code", code)
        for folder in ("build-support/custom-modules", "contrib"):
            os.makedirs(f"{self.cache}/ns-3.37-source/{folder}", exist_ok=True)
        source = "workload-replay/ns-3.37-source/"
        self.write(source + "VERSION", "3.37")
        macros = 'add(-DPROJECT_SOURCE_PATH="${PROJECT_SOURCE_DIR}")\n'
        self.write(source + "build-support/macros-and-definitions.cmake", macros)
        modules = "# Create object library with sources and headers, that will be used\n"
        self.write(source + "build-support/custom-modules/ns3-module-macros.cmake", modules)

    def start(self, clone, **environment):
        """Start a clone; returns what was done and what was said."""
        code, out, err = self.source(START, clone, **environment)
        assert code == 0, (code, out, err)
        return out.split(), err

    def trees(self):
        """The trees that there are, oldest first."""
        return sorted(glob.glob(self.cache + "/trees/ns-3.37/optimized*"), key=os.path.getctime)

    def cpu(self, name, flags):
        lines = f"processor\t: 0\nvendor_id\t: X\nflags\t\t: {flags}\n\n"
        return self.write(name, 2 * lines)


@case
def other_cpu(bench):
    """build: made anew, and said so, on a CPU with other instructions, and only there"""
    old, new = bench.cpu("old", "fpu sse2"), bench.cpu("new", "fpu sse2 avx512f")
    out, err = bench.configure(old)
    assert "-d optimized" in out and err == "", (out, err)
    assert os.path.exists(bench.trees()[0] + "/build/program")
    assert bench.configure(old) == ("", "")
    assert bench.configure(bench.cpu("same", "sse2 fpu")) == ("", ""), "the order says nothing"
    out, err = bench.configure(new)
    assert "-d optimized" in out and "is for another CPU: building it anew" in err, (out, err)
    assert bench.configure(new) == ("", "")


@case
def unknown_cpu(bench):
    """build: one that does not say for which CPU it is made is made anew"""
    cpu = bench.cpu("cpu", "fpu")
    out, _ = bench.configure(cpu)
    stamp = bench.trees()[0] + "/.workload-replay/configured"
    with open(stamp, encoding="utf-8") as file:
        text = file.read()
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(text.rsplit(" ", 2)[0] + "\n")
    assert bench.configure(cpu)[0] == out != ""


@case
def portable_build(bench):
    """WORKLOAD_REPLAY_NATIVE=off: a build of its own without native code, the same on each CPU"""
    old, new = bench.cpu("old", "fpu"), bench.cpu("new", "fpu avx2")
    bench.configure(old)
    out, _ = bench.configure(old, WORKLOAD_REPLAY_NATIVE="off")
    assert "-d release" in out and "optimized" not in out, out
    assert bench.configure(new, WORKLOAD_REPLAY_NATIVE="off") == ("", "")
    assert bench.configure(old) == ("", ""), "the other one is still there"
    folders = sorted(name.rpartition("-")[0] for name in os.listdir(bench.cache + "/trees/ns-3.37"))
    assert folders == ["optimized", "optimized-portable"], folders


@case
def build_with_mpi(bench):
    """WORKLOAD_REPLAY_MPI=on: what is optimized is built with MPI, and what has assertions is not"""
    stubs = "hold_folder() { :; }; set_build_environment() { :; }; link_module() { :; }; "
    stubs += 'build() { :; }; choose_tree() { echo "tree $1"; TREE=/; OWN_TREE=yes; }; '
    stubs += 'provide_packages() { echo "packages $1"; }; configure() { echo "configure $1"; }; '
    for said, profile, expected in (
        ("off", "optimized", "optimized"),
        ("on", "optimized", "mpi"),
        ("on", "debug", "debug"),
        ("off", "mpi", "mpi"),
    ):
        code, out, err = bench.source(f"{stubs} prepare {profile} x", WORKLOAD_REPLAY_MPI=said)
        steps = [f"{step} {expected}" for step in ("tree", "packages", "configure")]
        assert (code, out.splitlines(), err) == (0, steps, ""), (said, profile, out, err)


@case
def optional_packages(bench):
    """packages: what only Chakra traces need is installed where that can be done, and not demanded"""
    stubs = 'missing_packages() { for p in $MISSING; do echo "$p"; done; }; '
    stubs += 'install_packages() { echo "get $*"; }; '
    protobuf = "libprotobuf-dev protobuf-compiler"
    tried = {
        ("true", protobuf): (f"get {protobuf}\n", ""),
        ("false", protobuf): ("", f"bash: without Chakra traces, which need: {protobuf}\n"),
        ("false", "cmake protobuf-compiler"): ("get cmake protobuf-compiler\n", ""),
        ("false", ""): ("", ""),
    }
    for (may, missing), said in tried.items():
        script = f"{stubs} may_install() {{ {may}; }}; provide_packages optimized"
        code, out, err = bench.source(script, MISSING=missing)
        assert (code, out, err) == (0, *said), (may, missing, code, out, err)


@case
def unity_build(bench):
    """WORKLOAD_REPLAY_UNITY: ns-3's sources are compiled many at a time, the module's unless it is off"""
    cpu = bench.cpu("cpu", "fpu")
    out, _ = bench.configure(cpu)
    assert out.endswith(" -- -DNS3_UNITY=ON -DWORKLOAD_REPLAY_UNITY=ON\n"), out
    out, _ = bench.configure(cpu, WORKLOAD_REPLAY_UNITY="off")
    assert out.endswith(" -- -DNS3_UNITY=ON -DWORKLOAD_REPLAY_UNITY=OFF\n"), out
    out, _ = bench.configure(cpu, PROFILE="debug")
    assert "-d debug" in out and "UNITY" not in out, out


@case
def united_sources(bench):
    """unity build: sources are included by one that names no path of the tree, and keep their own names"""
    bench.write("CMakeLists.txt", UNITY.replace("UTILS", UTILS))
    bench.write("a.cc", PART % (0, "A"))
    bench.write("b.cc", PART % (30, "B"))
    bench.write("main.cc", MAIN)
    build = bench.folder + "/build"
    run = {"capture_output": True, "text": True, "check": True}
    for _ in range(2):
        done = subprocess.run(["cmake", "-S", bench.folder, "-B", build], **run)
        assert f"sources main.cc;{build}/unity/all-0.cc" in done.stderr, done.stderr
        done = subprocess.run(["cmake", "--build", build], **run)
    assert "Building" not in done.stdout, "nothing has changed"
    with open(build + "/unity/all-0.cc", encoding="utf-8") as file:
        text = file.read()
    assert '#include "../../a.cc"' in text and bench.folder not in text, text
    assert subprocess.run([build + "/program"], check=False).returncode == 100 + 31 + 5


@case
def wrong_switches(bench):
    """switches in the environment: on or off, and nothing else"""
    for name in SWITCHES:
        code, out, err = bench.source("prepare optimized x", **{name: "yes"})
        expected = f"bash: error: {name}: expected on or off, found 'yes'\n"
        assert (code, out, err) == (3, "", expected), (code, out, err)


@case
def compiler_cache(bench):
    """compiler cache: one for each CPU, because its keys do not tell them apart"""
    script = 'unset CCACHE_DIR; TREE=/tree; set_build_environment; echo "$CCACHE_DIR"'
    old, new = bench.cpu("old", "fpu"), bench.cpu("new", "fpu avx2")
    found = [bench.source(script, CPUINFO=cpu)[1].strip() for cpu in (old, new, old, new)]
    assert found[0] == bench.folder + "/workload-replay/ccache", found
    assert found[:2] == found[2:] and found[0] != found[1], found


@case
def large_pages(bench):
    """programs are run with large pages, unless the user says otherwise"""
    script = 'prepare() { :; }; release_tree() { :; }; program_path() { echo env; }; become x'
    for said, kept in (("", ""), ("glibc.malloc.hugetlb=0", ":glibc.malloc.hugetlb=0")):
        code, out, err = bench.source(script, GLIBC_TUNABLES=said)
        assert (code, err) == (0, ""), (code, err)
        assert f"GLIBC_TUNABLES=glibc.malloc.hugetlb=1{kept}\n" in out, out


@case
def kept_warnings(bench):
    """warnings of the compiler fail until their file changes, though a later build does not repeat them"""
    clone = "clone/workload-replay/"
    os.makedirs(f"{bench.folder}/{clone}", exist_ok=True)
    for name in ("a.cc", "b.cc"):
        os.utime(bench.write(clone + name, ""), (1e9, 1e9))
    log = "[1/2] x\n../contrib/workload-replay/a.cc:1:2: warning: about a\n/usr/include/c.h:1:2: warning: about c\n"
    log += f"{bench.folder}/{clone}b.cc:3:4: warning: about b\n"
    files = bench.write("first", log), bench.write("later", "ninja: no work to do.\n"), f"{bench.folder}/kept"
    for changed, expected in ((None, "ab"), ("a.cc", "b"), ("b.cc", "")):
        if changed:
            os.utime(f"{bench.folder}/{clone}{changed}")
        code, out, err = bench.source(f"keep_warnings {files[changed is not None]} {files[2]}; cat {files[2]}")
        assert (code, err) == (0, ""), (code, err)
        assert [line[-1] for line in out.splitlines()] == sorted(expected), (changed, out)


@case
def skipped_tests(bench):
    """tests that are skipped count as skipped, never as passed, and are named at the end"""
    lines = 'echo "PASS one"; echo "SKIP two: no tool"; echo "1 passed, 0 failed, 1 skipped"'
    bench.write("tests", lines)
    bench.write("cases.txt", 'PASS: Test Case "a" (0.1)\nPASS: Test Case "b, needs data" (0.0)\n')
    bench.write("cases.skipped", "SKIP b, needs data: no directory /there\n")
    script = f"count_run bash {bench.folder}/tests >/dev/null\n"
    script += f"count_cases {bench.folder}/cases.txt\ncount_skipped_cases {bench.folder}/cases.skipped\n"
    code, out, err = bench.source(script + "close_count")
    assert (code, err) == (0, ""), (code, err)
    assert out.splitlines() == [
        "not tested: two: no tool",
        "not tested: b, needs data: no directory /there",
        "2 passed, 0 failed, 2 skipped",
    ], out


@case
def nothing_passed(bench):
    """a run in which all tests are skipped has failed"""
    bench.write("tests", 'echo "SKIP all: no tool"; echo "0 passed, 0 failed, 1 skipped"')
    code, out, err = bench.source(f"count_run bash {bench.folder}/tests >/dev/null; close_count")
    assert code == 1 and err == "no test ran\n", (code, err)
    assert out == "not tested: all: no tool\n0 passed, 0 failed, 1 skipped\n", out
