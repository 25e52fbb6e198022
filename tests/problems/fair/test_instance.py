from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import oas
from oas.core.errors import InputError
from oas.problems.fair.instance import FairInstance
from oas.problems.fair.problem import FAIR
from oas.problems.rigid import Organization, Reservation, RigidJob
from tests.problems.fair.instances import fair

A = Organization("A", 2, [RigidJob("a1", 3, 1), RigidJob("a2", 2, 2, 5)])
B = Organization("B", 1, [RigidJob("b1", 1, 1, 2)])


DIGEST = "e445d1fbe34a13b5ddf9ad910e8245b94dd652242a821eef70e1141115e2720a"


def refusal(organizations: Any, horizon: Any = 14, name: str = "") -> InputError:
    with pytest.raises(InputError) as caught:
        FairInstance(organizations, horizon, name)
    return caught.value


def with_jobs(*jobs: RigidJob) -> list[Organization]:
    return [A, replace(B, jobs=jobs)]


@pytest.mark.parametrize(
    ("organizations", "field", "reason", "value"),
    [
        ([], "organizations", "at least one organization", None),
        ([A, A], "organizations[1].id", "the id is taken", "A"),
        ([A, Organization("B", 1)], "organizations[1].jobs", "at least one job", None),
        (with_jobs(RigidJob("a1", 1, 1)), "organizations[1].jobs[0].id", "the id is taken", "a1"),
        (with_jobs(RigidJob("b", 1, 1), RigidJob("b", 1, 1)), "organizations[1].jobs[1].id", "the id is taken", "b"),
        (with_jobs(RigidJob("b", "5/2", 1)), "organizations[1].jobs[0].time", "a whole number", "5/2"),
        (with_jobs(RigidJob("b", 1, 1, "1/3")), "organizations[1].jobs[0].release", "a whole number", "1/3"),
        (
            with_jobs(RigidJob("b", 1, 1, 3), RigidJob("c", 1, 1, 2)),
            "organizations[1].jobs[1].release",
            "before job b, at 3, which it follows",
            "2",
        ),
        (
            [replace(A, reservations=(Reservation(0, 1, 1),))],
            "organizations[0].reservations",
            "there are none in fair sharing; remove them",
            None,
        ),
    ],
)
def test_organizations_that_are_none(organizations: Any, field: str, reason: str, value: object) -> None:
    error = refusal(organizations)
    assert (error.field, error.value) == (field, value) and reason in error.reason


@pytest.mark.parametrize(
    ("horizon", "reason"),
    [
        (0, "at least 1"),
        (-3, "at least 1"),
        (F(5, 2), "must be an integer"),
        (2.5, "must be an integer"),
        ("7", "must be an integer"),
        (True, "must be an integer"),
        (None, "must be an integer"),
        (10**90, "too long"),
    ],
)
def test_horizons_that_are_none(horizon: Any, reason: str) -> None:
    error = refusal([A, B], horizon)
    assert error.field == "horizon" and reason in error.reason


def test_some_job_is_released_before_the_horizon() -> None:
    late = [Organization("A", 1, [RigidJob("a", 1, 1, 7)]), Organization("B", 1, [RigidJob("b", 1, 1, 6)])]
    error = refusal(late, 6)
    assert (error.field, error.reason, error.value) == ("horizon", "no job is released before it", 6)
    assert FairInstance(late, 7).horizon == 7


def test_jobs_are_no_wider_than_their_organization() -> None:
    with pytest.raises(InputError, match=r"jobs\[0\]\.processors: wider than the organization's own"):
        Organization("A", 1, [RigidJob("a", 1, 2)])
    with pytest.raises(InputError, match="processors: must be at least 1"):
        Organization("A", 0, [])


def test_whole_numbers_of_any_type() -> None:
    other = Organization("A", np.int64(2), [RigidJob("a1", 3.0, 1), RigidJob("a2", np.int32(2), 2, F(5))])
    assert FairInstance([other, B], np.int64(14)) == FairInstance([A, B], 14)


def test_what_it_has() -> None:
    instance = FairInstance([A, B], 14, "two", {"by": "hand"})
    assert instance.problem is FAIR and instance.variant == "" and instance.relaxed() is instance
    assert [job.id for job in instance.jobs] == ["a1", "a2", "b1"]
    assert instance.owner == {"a1": 0, "a2": 0, "b1": 1}
    assert instance.node_count == 3 and instance.cluster_sizes == [("A", 2), ("B", 1)]
    assert instance.scaled() is instance.scaled()
    assert hash(instance) == hash(FairInstance([A, B], 14, "two"))
    assert oas.FairInstance is FairInstance


def test_digest() -> None:
    """Names do not count; what the instance means does."""
    instance = FairInstance([A, B], 14)
    assert instance.digest == DIGEST
    renamed = [replace(A, id="X", jobs=tuple(replace(job, id=f"x{job.id}") for job in A.jobs)), B]
    assert FairInstance(renamed, 14, "named", {"by": "hand"}).digest == instance.digest
    others = [
        instance.with_horizon(15),
        FairInstance([B, A], 14),
        FairInstance([replace(A, processors=3), B], 14),
        FairInstance([replace(A, jobs=A.jobs[::-1][1:]), B], 14),
        FairInstance(with_jobs(RigidJob("b1", 2, 1, 2)), 14),
        FairInstance(with_jobs(RigidJob("b1", 1, 1, 3)), 14),
        fair((2, [(3, 0), (2, 5)]), (1, [(1, 2)]), horizon=14),
    ]
    assert len({instance.digest, *(one.digest for one in others)}) == 1 + len(others)


def test_another_horizon() -> None:
    instance = FairInstance([A, B], 14, "two", {"by": "hand"})
    other = instance.with_horizon(3)
    assert other == FairInstance([A, B], 3, "two") and other.provenance == {"by": "hand"}
    with pytest.raises(InputError, match="horizon"):
        instance.with_horizon(0)


def test_frames() -> None:
    instance = FairInstance([A, B], 4)
    frame = instance.to_frame()
    assert frame.to_dict("list") == {
        "job": ["a1", "a2", "b1"],
        "organization": ["A", "A", "B"],
        "time": [3, 2, 1],
        "processors": [1, 2, 1],
        "release": [0, 5, 2],
    }
    assert instance.clusters_frame().to_dict("list") == {
        "organization": ["A", "B"],
        "processors": [2, 1],
        "jobs": [2, 1],
        "work": [3, 1],
        "load": [3 / 8, 1 / 4],
    }


def test_texts() -> None:
    instance = FairInstance([A, B], 14, "two")
    assert repr(instance).splitlines() == [
        "FairInstance two: 3 jobs of 2 organizations, 3 processors, horizon 14",
        "  A: 2 processors, 2 jobs from 0 on",
        "  B: 1 processor, 1 job from 2 on",
    ]
    html = instance._repr_html_()
    assert "3 jobs of 2 organizations" in html and html.count("<tr>") == 2 + 2 + 3
    many = fair(*[(1, [(1,)])] * 20, horizon=2)
    assert repr(many).endswith("… and 17 more")
