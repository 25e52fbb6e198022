"""`oas convert --to fair`: an instance of organizations becomes one of fair sharing."""

from __future__ import annotations

import json

import pytest

import oas
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, Reservation, RigidJob


def test_organizations_become_fair_sharing(folder, run_here):
    jobs = [RigidJob("late", 2, 1, 3), RigidJob("wide", 4, 2)]
    oas.save(MospInstance([Organization("A", 2, jobs), Organization("B", 1, [RigidJob("b", 5, 1)])]), folder / "m.json")
    refused = run_here("fair", "m.json")
    assert refused.returncode == 2 and "oas convert m.json --to fair -o fair.json" in refused.stderr
    done = run_here("convert", "m.json", "--to", "fair", "-o", "fair.json")
    assert done.returncode == 0 and "horizon: 6," in done.stderr and "locality: left out" in done.stderr
    fair = oas.load(folder / "fair.json")
    assert [job.id for job in fair.jobs] == ["wide", "late", "b"] and fair.horizon == 6
    assert json.loads(run_here("fair", "fair.json", "--json", "-q").stdout)["policies"]
    assert oas.load(folder / "fair.json").cluster_sizes == [("A", 2), ("B", 1)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("m.json", "--to", "fair", "--count", "3"), "--count: is for job logs"),
        (("m.json", "--horizon", "3"), "--horizon: goes with --to fair"),
        (("m.json", "--to", "fair"), "organizations[0].reservations: there are none in fair sharing"),
        (("m.json",), "is no log in SWF, the format that this command reads without --to fair"),
        (("fine.json", "--to", "fair"), "organizations[0].jobs[0].time: must be a whole number (got '7/2')"),
        (("grid.json", "--to", "fair"), "--to fair is for organizations that share clusters"),
    ],
)
def test_what_cannot_be_converted_is_said(folder, run_here, arguments, words):
    own = Organization("A", 2, [RigidJob("a", 1, 1)], [Reservation(0, 1, 1)])
    oas.save(MospInstance([own], None), folder / "m.json")
    fine = Organization("A", 2, [RigidJob("late", "7/2", 1, 3), RigidJob("a", 1, 1)])
    oas.save(MospInstance([fine]), folder / "fine.json")
    oas.save(oas.load_example("grid"), folder / "grid.json")
    done = run_here("convert", *arguments)
    assert done.returncode == 2 and words in done.stderr
