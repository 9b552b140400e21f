# SPDX-License-Identifier: GPL-2.0-only
"""What belongs to workload-replay in Python.

report/ is the program wl-report, sweeps/ the program wl-sweep.
"""
