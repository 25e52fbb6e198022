"""The processors that a process may use: affinity, and CPU quotas of both versions of cgroups."""

import os
import re
import subprocess
import sys
from fractions import Fraction as F
from pathlib import Path

import pytest

from oas.core.processors import cpu_quota, processors

ROOT = Path(__file__).resolve().parents[2]
V2 = "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate"
V1 = "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct"
OTHER_V1 = "34 31 0:31 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory"
DISK = "23 1 8:1 / / rw,relatime - ext4 /dev/root rw"
HYBRID = "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw"


def v1(quota, period=100000):
    return {"cpu.cfs_quota_us": f"{quota}\n", "cpu.cfs_period_us": f"{period}\n"}


CASES = {
    "no limit": ("0::/job", [V2], {"job": {"cpu.max": "max 100000\n"}}, None),
    "limit of its own group": ("0::/job", [V2], {"job": {"cpu.max": "150000 100000\n"}}, F(3, 2)),
    "least along the path": (
        "0::/slice/job/step",
        [V2],
        {
            "slice": {"cpu.max": "200000 100000\n"},
            "slice/job": {"cpu.max": "50000 200000\n"},
            "slice/job/step": {"cpu.max": "max 100000\n"},
        },
        F(1, 4),
    ),
    "limit of another group": ("0::/job", [V2], {"other": {"cpu.max": "100000 100000\n"}}, None),
    "top of a container": ("0::/", [V2], {"": {"cpu.max": "300000 100000\n"}}, F(3)),
    "version 1": ("4:cpu,cpuacct:/a/b\n3:memory:/c", [OTHER_V1, V1], {"cpu,cpuacct/a": v1(250000)}, F(5, 2)),
    "version 1 without limit": ("4:cpu,cpuacct:/a", [V1], {"cpu,cpuacct/a": v1(-1)}, None),
    "version 1 of another controller": ("3:memory:/c", [OTHER_V1], {"memory/c": v1(250000)}, None),
    "container that shows the path of its host": (
        "4:cpu,cpuacct:/docker/1f",
        [V1.replace(" / /sys", " /docker/1f /sys")],
        {"cpu,cpuacct": v1(100000)},
        F(1),
    ),
    "group below that of a container": (
        "4:cpu,cpuacct:/docker/1f/step",
        [V1.replace(" / /sys", " /docker/1f /sys")],
        {"cpu,cpuacct": v1(400000), "cpu,cpuacct/step": v1(200000)},
        F(2),
    ),
    "both versions": (
        "1:name=systemd:/\n4:cpu,cpuacct:/a\n0::/b",
        [V1, HYBRID],
        {"cpu,cpuacct/a": v1(300000), "unified/b": {"cpu.max": "200000 100000"}},
        F(2),
    ),
    "files without sense": (
        "0::/job",
        [V2],
        {"": {"cpu.max": ""}, "job": {"cpu.max": "many 0\n", "cpu.cfs_quota_us": "5"}},
        None,
    ),
    "period 0": ("0::/job", [V2], {"job": {"cpu.max": "100000 0"}}, None),
}


@pytest.mark.parametrize("case", CASES)
def test_the_quota_is_the_least_of_the_cgroups_of_the_process(tmp_path, case):
    membership, mounts, files, quota = CASES[case]
    own = tmp_path / "proc/self"
    own.mkdir(parents=True)
    (own / "cgroup").write_text(f"{membership}\n", encoding="utf-8")
    (own / "mountinfo").write_text("".join(f"{mount}\n" for mount in [DISK, *mounts]), encoding="utf-8")
    for folder, contents in files.items():
        place = tmp_path / "sys/fs/cgroup" / folder
        place.mkdir(parents=True, exist_ok=True)
        for name, text in contents.items():
            (place / name).write_text(text, encoding="utf-8")
    assert cpu_quota(tmp_path) == quota


def test_without_cgroups_there_is_no_quota(tmp_path):
    assert cpu_quota(tmp_path) is None


@pytest.mark.parametrize(("quota", "count"), [(None, 8), (F(1, 4), 1), (F(3, 2), 2), (F(8), 8), (F(40), 8)])
def test_fractions_are_rounded_up_and_affinity_limits_too(monkeypatch, quota, count):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr("oas.core.processors.cpu_quota", lambda: quota)
    assert processors() == count


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no CPU affinity")
def test_a_process_with_one_processor_uses_one():
    code = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
import oas
from oas.campaigns.engines import pool_engine
from oas.core.processors import processors
from oas.solving.options import Options
with pool_engine() as engine:
    print(processors(), engine.slots, Options.of(oas.generate.section4(seed=1), threads=None).threads)
"""
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["1", "1", "1"]


def test_nothing_else_counts_processors():
    """Other counts ignore affinity or quotas."""
    counts = re.compile(r"\b(cpu_count|process_cpu_count|sched_getaffinity)\b")
    folders = ("oas", "heuristics", "benchmarks", "tests", "docs", "notebooks", "examples")
    files = [file for folder in folders for kind in ("py", "ipynb") for file in (ROOT / folder).rglob(f"*.{kind}")]
    users = {file.relative_to(ROOT).as_posix() for file in files if counts.search(file.read_text(encoding="utf-8"))}
    assert users == {"oas/core/processors.py", "tests/core/test_processors.py"}
