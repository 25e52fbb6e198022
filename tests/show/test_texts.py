"""What `print` and the prompt show: a few lines, however large the thing is."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

import heuristics
import oas
from oas.core.result import Bound, Result, Status, Termination

GRID = oas.generate.tiny(seed=4)
SHARED = oas.generate.uni(seed=5, organizations=4, jobs=400, processors=512)
CONTENTS = {
    "grid": GRID,
    "shared": SHARED,
    "organization": SHARED.organizations[0],
    "schedule": heuristics.FCFS(SHARED),
    "placement": heuristics.FCFS(SHARED).placements[-1],
    "scattered": oas.Placement("J", 0, 1, {f"C{k}": range(0, 10_000, 2) for k in range(100)}),
    "result": Result(Status.FEASIBLE, Termination.TIME_LIMIT, heuristics.FCFS(SHARED), F(1, 3), None, "d", "highs"),
    "no schedule": Result(Status.NO_SOLUTION, Termination.KILLED, None, None, None, "d"),
    "empty": oas.Schedule([]),
    "bound": Bound("area", F(1, 3), {"tree": list(range(10_000))}),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_a_few_lines(name: str) -> None:
    text = repr(CONTENTS[name])
    assert text == str(CONTENTS[name])
    assert len(text) < 600 and len(text.splitlines()) <= 6


def test_what_they_say() -> None:
    instance = oas.MospInstance([oas.Organization("O1", 4, [oas.RigidJob("a", "5/2", 3)])], name="one")
    result = oas.solve(instance)
    assert repr(instance).splitlines() == [
        "MospInstance one: 1 job of 1 organization, 4 processors, locality 1",
        "  O1: 4 processors, 1 job, alone done at 2.5",
    ]
    alone = oas.MospInstance(instance.organizations, locality=None, name="one")
    assert repr(alone).splitlines()[1:] == ["  O1: 4 processors, 1 job"]
    assert "makespan 5/2 (about 2.5), lower bound 5/2 (about 2.5), gap 0 %" in repr(result)
    assert repr(result.schedule).endswith("1 job, makespan 5/2 (about 2.5)\n  a: [0, 2.5) on O1 0–2")
    run = oas.Placement("b", 1, 2, {"A": [0, 1, 2, 5, 7, 8], "B": [3]})
    assert repr(run) == "Placement b: [1, 2) on A 0–2, 5, 7–8, B 3"
    many = oas.Schedule([oas.Placement(f"J{k}", 0, 1, {"A": [k]}) for k in range(1003)])
    assert repr(many).splitlines()[-1] == "  … and 1,000 more"


def test_studies() -> None:
    compared = oas.compare(GRID, heuristics=["FCFS"])
    assert repr(compared).splitlines()[0].startswith("Comparison on tiny")
    assert [line.split(":")[0] for line in repr(compared).splitlines()[1:]] == ["  exact", "  FCFS"]
    assert len(repr(compared.rows[1])) < 600
    assert len(repr(oas.slot_study(GRID, [50])).splitlines()) <= 4
    shared = oas.generate.uni(seed=1, organizations=2, jobs=4, processors=4)
    assert repr(oas.price(shared, [1, None])).splitlines()[-1].startswith("  no locality: makespan")
