# SPDX-License-Identifier: GPL-2.0-only
"""Shows what runs of wl-replay found out: a page to read and figures for a paper.

input/ reads the files, fabric/ gives a network's nodes their places in a drawing, sections/ makes
figures and tables of what was read, one part of the page each. What they share stands here.
"""
