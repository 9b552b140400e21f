# SPDX-License-Identifier: GPL-2.0-only
"""What pyproject.toml cannot say: the version, which CMakeLists.txt has, and where the clone is."""

import pathlib
import re
import tempfile

import setuptools
from setuptools.command.build_py import build_py

CLONE = pathlib.Path(__file__).resolve().parent


class BuildWithClone(build_py):
    """Notes in the package where the clone is, whose programs it runs."""

    def run(self):
        super().run()
        if not getattr(self, "editable_mode", False):
            note = pathlib.Path(self.build_lib, "workload_replay", "clone.txt")
            note.write_text(f"{CLONE}\n", encoding="utf-8")


CMAKE = (CLONE / "CMakeLists.txt").read_text(encoding="utf-8")
VERSION = re.search(r"set\(WORKLOAD_REPLAY_VERSION ([\d.]+)\)", CMAKE)[1]

# Nothing of a build is left in the clone.
with tempfile.TemporaryDirectory() as folder:
    setuptools.setup(
        version=VERSION,
        cmdclass={"build_py": BuildWithClone},
        options={"build": {"build_base": folder}, "egg_info": {"egg_base": folder}},
    )
