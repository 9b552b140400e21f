# SPDX-License-Identifier: GPL-2.0-only
"""Readers of the files that wl-replay and wl-collective write."""
