# SPDX-License-Identifier: GPL-2.0-only
"""Titles of sections and names of figures where a run has several jobs."""

from __future__ import annotations

import re

from ..input.job import Job


def named(name: str, job: Job) -> str:
    """Return a title or the name of a figure with the job's name, if it has one."""
    if not job.name:
        return name
    if " " in name or name[0].isupper():
        return f"{name}: {job.name}"
    return f"{name}-{file_name(job.name)}"


def file_name(text: str) -> str:
    """Return a text as part of a file's name."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-") or "run"
