# SPDX-License-Identifier: GPL-2.0-only
"""A network as it is drawn: boxes, lines, and where they are."""
