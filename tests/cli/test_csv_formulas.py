"""Names from an instance file that a spreadsheet would run stand as texts in the CSV files that commands write."""

from __future__ import annotations

import csv

import pytest

import oas
from oas.cli.main import app
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.fair.instance import FairInstance
from oas.problems.rigid import Organization, RigidJob

NAMES = ("=1+1", "@SUM(A1)", "+1-cmd", "-2+3", "-4", "-4.5e-3", "+1/3", "plain")
AS_TEXT = {"'=1+1", "'@SUM(A1)", "'+1-cmd", "'-2+3", "-4", "-4.5e-3", "+1/3", "plain"}  # a number is left as it is


@pytest.fixture
def rows(folder, monkeypatch, capfd):
    """Run a command in this process; return the rows of the CSV file that it writes."""
    monkeypatch.chdir(folder)

    def call(name, *arguments):
        assert not app([*arguments, name], standalone_mode=False)
        return list(csv.DictReader((folder / name).read_text().splitlines()))

    return call


def test_jobs_in_the_log_of_an_execution(rows):
    jobs = [Job(name, 1, 2) for name in NAMES]
    oas.save(CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 1)], jobs), "grid.json")
    found = rows("events.csv", "execute", "grid.json", "--order", "FCFS", "-q", "--log")
    assert {row["job"] for row in found} == AS_TEXT
    assert len(found) == 2 * len(NAMES)


def test_organizations_in_the_rows_of_fair(rows):
    organizations = [Organization(name, 1, [RigidJob(f"j{n}", 2, 1, n)]) for n, name in enumerate(NAMES)]
    oas.save(FairInstance(organizations, 12), "pool.json")
    found = rows("fair.csv", "fair", "pool.json", "--policy", "FCFS", "--samples", "0", "-q", "-o")
    assert {row["organization"] for row in found} == AS_TEXT
    assert {row["policy"] for row in found} >= {"FCFS"}
