# SPDX-License-Identifier: GPL-2.0-only
"""Cases of program-test.py: what valgrind sees in replays."""

import shutil
import signal
import unittest

from program.bench import LAYERS, case

VALGRIND = ["--quiet", "--error-exitcode=9", "--leak-check=full"]
VALGRIND += ["--errors-for-leak-kinds=definite,indirect,possible"]


@case
def valgrind(bench):
    """valgrind: no error and no leak in small replays, with trains and by packets"""
    if not shutil.which("valgrind"):
        raise unittest.SkipTest("valgrind is not installed")
    file = bench.write("layers.txt", LAYERS)
    for way in ([], ["--maxTrain=1", "--routing=spray"], ["--transport=tcp"]):
        code, _, err = bench.run(
            *VALGRIND, bench.program, "--workload=" + file, "--gpusPerServer=2", *way,
            "--outputDir=" + bench.path("out"), program="valgrind",
        )  # fmt: skip
        if code == -signal.SIGILL and "Illegal opcode" in err:
            raise unittest.SkipTest("valgrind does not know an instruction of this processor")
        assert (code, err) == (0, ""), (way, code, err)
