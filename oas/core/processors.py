"""The number of processors that this process may use, by its CPU affinity and the CPU quotas of its cgroups."""

from __future__ import annotations

import os
from contextlib import suppress
from fractions import Fraction
from math import ceil
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def processors() -> int:
    """Return the number of processors that this process may use, at least 1."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = cpu_quota()
    return allowed if quota is None else max(1, min(allowed, ceil(quota)))


def cpu_quota(root: Path = Path("/")) -> Fraction | None:
    """Return the CPU time per wall time that the cgroups of this process allow; None without a limit.

    The least quota of the process's cgroup and the cgroups that contain it applies, in version 1 and 2. Missing or
    unreadable files, as on macOS, mean no limit.

    Parameters
    ----------
    root
        Root of the file system with ``proc`` and the mounted cgroups.
    """
    return min((quota for folder in _folders(root) for quota in _quotas(folder)), default=None)


def _folders(root: Path) -> Iterator[Path]:
    """Yield the folders of the visible cgroups that contain this process and may limit its CPU time."""
    own: dict[str, PurePosixPath] = {}  # the process's cgroup by controller; the key of version 2 is empty
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        own |= dict.fromkeys(controllers.split(","), PurePosixPath(path))
    for line in _text(root / "proc/self/mountinfo").splitlines():
        mount, _, system = line.partition(" - ")
        kind, _, options = system.split(" ", 2)
        group = own.get("" if kind == "cgroup2" else "cpu")
        if group is None or not (kind == "cgroup2" or (kind == "cgroup" and "cpu" in options.split(","))):
            continue
        top, point = (PurePosixPath(part.replace(r"\040", " ")) for part in mount.split(" ")[3:5])
        # In a container, only a part of the tree is mounted; its top is then the container's own cgroup.
        below = group.relative_to(top).parts if group.is_relative_to(top) else ()
        folder = root / point.relative_to("/")
        yield folder
        for name in below:
            folder /= name
            yield folder


def _quotas(folder: Path) -> Iterator[Fraction]:
    """Yield the quota of one cgroup, if it has one."""
    quota, period = [*_text(folder / "cpu.max").split(), "", ""][:2]
    if not quota:
        quota, period = _text(folder / "cpu.cfs_quota_us"), _text(folder / "cpu.cfs_period_us")
    with suppress(ValueError, ZeroDivisionError):  # "max" and a negative quota mean no limit
        share = Fraction(int(quota), int(period))
        if share > 0:
            yield share


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
