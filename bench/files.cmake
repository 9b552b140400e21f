# SPDX-License-Identifier: GPL-2.0-only

# What the tests use, too; the programs stand in CMakeLists.txt
set(sources
    congestion-reference.cc
    congestion-run.cc
)
