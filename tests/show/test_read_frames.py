"""Instances out of data frames and arrays."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oas
from oas.core.errors import InputError

GRID = oas.generate.section4(seed=3)
SHARED = oas.generate.uni(seed=5, organizations=3, jobs=12, processors=16)
TWO = {"organization": ["A", "B"], "time": [1, 2], "processors": [1, 1]}
SIZES = {"A": 1, "B": 2}


def test_frames_of_an_instance_make_it_again() -> None:
    grid = oas.CoallocationInstance.from_frame(GRID.to_frame(), GRID.clusters_frame(), slot=GRID.slot, name=GRID.name)
    shared = oas.MospInstance.from_frame(SHARED.to_frame(), SHARED.clusters_frame(), name=SHARED.name)
    assert (grid, shared) == (GRID, SHARED)
    assert (grid.digest, shared.digest) == (GRID.digest, SHARED.digest)


def test_releases_reservations_locality_and_local_schedules_come_back() -> None:
    owner = oas.Organization("A", 3, [oas.RigidJob("x", "3/2", 2, "1/4")], [oas.Reservation(5, 6, 1)])
    other = oas.Organization("B", 2, [oas.RigidJob("y", 1, 1)])
    instance = oas.MospInstance([owner, other], locality="5/4", local={"x": 7, "y": 2})
    again = oas.MospInstance.from_frame(
        instance.to_frame(), instance.clusters_frame(), locality="5/4", reservations={"A": owner.reservations}
    )
    assert again == instance


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=5), st.integers(0, 6))
def test_floats_are_rounded_exactly(numbers: list[int], decimals: int) -> None:
    exact = [F(number, 10**decimals) for number in numbers]
    jobs = {"tasks": [1] * len(exact), "base_time": [float(one) for one in exact]}
    made = oas.CoallocationInstance.from_frame(jobs, [oas.Cluster("c", [oas.NodeGroup(1, 1)], 0)], decimals=decimals)
    assert [job.base_time for job in made.jobs] == exact


def test_arrays_and_defaults(tmp_path) -> None:
    jobs = {"tasks": np.array([1, 3]), "base_time": np.array([0.7, 2], dtype=np.float32)}
    clusters = {"cluster": ["c", "c", "d"], "bandwidth": [9.5, 9.5, 1], "nodes": [2, 1, 1], "power": [1, 0.75, 0.5]}
    made = oas.CoallocationInstance.from_frame(jobs, clusters)
    assert made.jobs == (oas.Job("J1", 1, "0.7"), oas.Job("J2", 3, 2))
    assert made.clusters[0] == oas.Cluster("c", [oas.NodeGroup(2, 1), oas.NodeGroup(1, "3/4")], "9.5")
    path = tmp_path / "made.json"
    oas.save(made, path)
    assert oas.load(path) == made


MISTAKES = {
    "jobs[1].time: is missing": {**TWO, "time": [1, float("nan")]},
    "jobs[0].processors: is missing": {**TWO, "processors": [None, 1]},
    "jobs[1].time: is 0 when rounded": {**TWO, "time": [1, 0.0004]},
    "jobs[0].processors: must be an integer": {**TWO, "processors": [1.5, 1]},
    "jobs[1].organization: is not among": {**TWO, "organization": ["A", "C"]},
    "jobs[0].time: must be a finite number": {**TWO, "time": [float("inf"), 1]},
    "jobs[0].time: must be above 0": {**TWO, "time": [-1.5, 1]},
    "jobs: the frame has no column time; it has: organization, processors": {
        key: value for key, value in TWO.items() if key != "time"
    },
    "jobs: must be a data frame": 5,
    "jobs: the frame has two columns": pandas.DataFrame([[1, 2]], columns=["time", "time"]),
    "organizations[0].jobs[1].id: the id is taken": {**TWO, "job": ["x", "x"], "organization": ["A", "A"]},
}


@pytest.mark.parametrize("message", MISTAKES)
def test_mistakes_name_row_and_column(message: str) -> None:
    with pytest.raises(InputError) as caught:
        oas.MospInstance.from_frame(MISTAKES[message], SIZES)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"clusters": 7}, "clusters: must be a data frame"),
        ({"clusters": []}, "clusters: at least one cluster is needed"),
        (
            {"clusters": {"cluster": ["c", "c"], "bandwidth": [1, 2], "nodes": 30}},
            "clusters[1].bandwidth: differs from that of c",
        ),
        ({"decimals": -1}, "decimals: must be at least 0"),
        ({"slot": 0.5}, "slot: a float may be rounded"),
    ],
)
def test_mistakes_about_clusters(arguments: dict, message: str) -> None:
    with pytest.raises(InputError) as caught:
        oas.CoallocationInstance.from_frame(GRID.to_frame(), **{"clusters": GRID.clusters_frame(), **arguments})
    assert str(caught.value).startswith(message)
