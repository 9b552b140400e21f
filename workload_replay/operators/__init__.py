# SPDX-License-Identifier: GPL-2.0-only
"""Fits an accelerator's curves of operators to measured kernels."""
