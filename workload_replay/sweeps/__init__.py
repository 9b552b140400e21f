# SPDX-License-Identifier: GPL-2.0-only
"""Runs wl-replay over a grid of options and says which of them matter.

description.py reads what is wanted, grid.py lists the combinations, identity.py says which runs are
the same, store.py keeps them, running.py runs them on the cores; results.py, effects.py, tables.py
and text.py say what came out. Reading summaries and statistics are those of the subpackage report.
"""
