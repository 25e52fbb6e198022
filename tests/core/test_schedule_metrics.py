"""Waits, slowdowns, utilisation and load over time, by hand and beside the metrics of organizations."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

import heuristics
import oas
from oas.core.errors import InputError
from oas.core.metrics import compaction
from oas.generate.mosp.tiny import random_instance
from oas.problems.mosp.metrics import mean_bounded_slowdown, mean_wait, utilisation
from oas.problems.mosp.runs import local_schedule

JOBS = [oas.RigidJob("a", 4, 2), oas.RigidJob("b", 2, 3, release=1), oas.RigidJob("c", 1, 1, release=3)]
INSTANCE = oas.MospInstance([oas.Organization("O", 4, JOBS, [oas.Reservation(5, 9, 1)])], locality=None)
RUNS = [
    oas.Placement("a", 0, 4, {"O": [0, 1]}),
    oas.Placement("c", 3, 4, {"O": [2]}),
    oas.Placement("b", 4, 6, {"O": [0, 1, 2]}),
]
SCHEDULE = oas.Schedule(RUNS, "hand")


def test_by_hand() -> None:
    found = oas.metrics(INSTANCE, SCHEDULE, threshold=2)
    assert [job.job for job in found.jobs] == ["a", "b", "c"]
    assert found.values("wait") == (0, 3, 0) and found.values("flow") == (4, 5, 1)
    assert found.values("slowdown") == (1, F(5, 2), 1) and found.values("bounded_slowdown") == (1, F(5, 2), 1)
    assert (found.mean("wait"), found.median("wait"), found.largest("wait")) == (1, 0, 3)
    assert found.utilisation == F(8 + 1 + 6 + 1, 4 * 6) and found.makespan == 6
    assert [(one.time, one.queue, one.running, one.nodes) for one in found.load] == [
        (0, 0, 1, 2), (1, 1, 1, 2), (3, 1, 2, 3), (4, 0, 1, 3), (5, 0, 1, 4), (6, 0, 0, 0),
    ]  # fmt: skip
    assert repr(found).startswith("Metrics of a schedule by hand: 3 jobs, makespan 6, utilisation 66.67 %")


def test_frames() -> None:
    found = oas.metrics(INSTANCE, SCHEDULE)
    frame = found.to_frame()
    assert frame.columns.to_list() == [
        "job", "release", "start", "end", "nodes", "wait", "run_time", "flow", "slowdown", "bounded_slowdown",
    ]  # fmt: skip
    assert frame["bounded_slowdown"].to_list() == [1, 1, 1] and frame["slowdown"].to_list() == [1, 2.5, 1]
    assert found.summary().loc["wait"].to_dict() == {"mean": 1, "median": 0, "max": 3}
    load = found.load_frame()
    assert load["queue"].to_list() == [0, 1, 1, 0, 0, 0] and load["utilisation"].max() == 1


@pytest.mark.parametrize("seed", range(30))
def test_the_metrics_of_organizations_are_the_same(seed: int) -> None:
    instance = random_instance(seed, releases=True, reservations=True)
    schedule = local_schedule(instance)
    found = oas.metrics(instance, schedule, threshold="3/2")
    assert found.mean("wait") == mean_wait(instance, schedule)
    assert found.mean("bounded_slowdown") == mean_bounded_slowdown(instance, schedule, "3/2")
    assert found.utilisation == utilisation(instance, schedule)
    assert all(0 <= one.utilisation <= 1 and one.queue >= 0 for one in found.load)
    assert (found.load[-1].queue, found.load[-1].running, found.load[-1].nodes) == (0, 0, 0)


def test_co_allocation_has_no_releases() -> None:
    instance = oas.generate.tiny(seed=4)
    schedule = heuristics.FCFS(instance)
    found = oas.metrics(instance, schedule)
    assert [job.wait for job in found.jobs] == [schedule[job.id].start for job in instance.jobs]
    assert found.utilisation == compaction(instance, schedule)
    assert found.load[0].queue == sum(schedule[job.id].start > 0 for job in instance.jobs)


MISTAKES = {
    "the job has no run": ([SCHEDULE.placements[0]], {}),
    "the job has 2 runs": ([*SCHEDULE.placements, SCHEDULE.placements[0]], {}),
    "does not end after its start": ([*SCHEDULE.placements[1:], oas.Placement("a", 1, 1, {"O": [0]})], {}),
    "threshold: must be above 0": (SCHEDULE.placements, {"threshold": 0}),
    "threshold: a float may be rounded": (SCHEDULE.placements, {"threshold": 0.5}),
}


@pytest.mark.parametrize("message", MISTAKES)
def test_mistakes(message: str) -> None:
    placements, options = MISTAKES[message]
    with pytest.raises(InputError, match=message):
        oas.metrics(INSTANCE, oas.Schedule(placements), **options)


def test_unknown_measures_and_other_types() -> None:
    with pytest.raises(InputError, match="measure: unknown; known: wait"):
        oas.metrics(INSTANCE, SCHEDULE).mean("hope")
    with pytest.raises(InputError, match="a schedule is needed"):
        oas.metrics(INSTANCE, INSTANCE)  # type: ignore[arg-type]
