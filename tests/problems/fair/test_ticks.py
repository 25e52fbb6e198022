from __future__ import annotations

from fractions import Fraction as F
from random import Random
from typing import Any

import numpy as np
import pytest

from oas.core.errors import InputError, TooLargeError
from oas.core.stream import JobStream
from oas.problems.fair.ticks import FairTicks, row_of_starts, stream_ticks
from tests.problems.fair.instances import fair, random_instance

COLUMNS: dict[str, Any] = {
    "machines": [2, 1],
    "owner": [0, 1, 0],
    "release": [0, 0, 4],
    "time": [3, 2, 1],
    "width": [2, 1, 1],
    "horizon": 9,
}


def test_jobs_are_in_the_order_of_presentation() -> None:
    """By release, then organization, then place in the organization."""
    ticks = fair((3, [(1, 0), (2, 4, 3), (3, 4)]), (1, [(4, 0), (5, 4)]), (2, [(6, 2, 2)]), horizon=9).scaled()
    assert ticks.machines.tolist() == [3, 1, 2]
    assert ticks.owner.tolist() == [0, 1, 2, 0, 0, 1]
    assert ticks.release.tolist() == [0, 0, 2, 4, 4, 4]
    assert ticks.time.tolist() == [1, 4, 6, 2, 3, 5]
    assert ticks.width.tolist() == [1, 1, 2, 3, 1, 1]
    assert ticks.order is not None and ticks.order.tolist() == [0, 3, 5, 1, 2, 4]
    assert (ticks.horizon, ticks.tick, ticks.job_count, ticks.organization_count, ticks.total) == (9, 1, 6, 3, 6)
    assert ticks.to_time(7) == F(7)


@pytest.mark.parametrize("seed", range(20))
def test_order_leads_back_to_the_jobs(seed: int) -> None:
    instance = random_instance(seed)
    ticks = instance.scaled()
    assert ticks.order is not None
    for job, position in enumerate(ticks.order.tolist()):
        one = instance.jobs[position]
        found = (ticks.release[job], ticks.time[job], ticks.width[job], ticks.owner[job])
        assert found == (one.release, one.time, one.processors, instance.owner[one.id])
    for k in range(len(instance.organizations)):
        own = ticks.order[ticks.owner == k]
        assert (np.diff(own) > 0).all()


def test_arrays_cannot_be_written_to() -> None:
    ticks = FairTicks(**COLUMNS)
    for name in ("machines", "owner", "release", "time", "width"):
        column = getattr(ticks, name)
        assert column.dtype == np.int64
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1


@pytest.mark.parametrize(
    ("changes", "field", "value"),
    [
        ({"machines": [2, 0]}, "machines[1]", 0),
        ({"machines": []}, "machines", None),
        ({"machines": [[2, 1]]}, "machines", None),
        ({"owner": [0, 2, 0]}, "owner[1]", 2),
        ({"owner": [0, -1, 0]}, "owner[1]", -1),
        ({"release": [0, 5, 4]}, "release[2]", 4),
        ({"release": [-1, 0, 4]}, "release[0]", -1),
        ({"release": [0, 0]}, "release", None),
        ({"time": [3, 0, 1]}, "time[1]", 0),
        ({"time": [3, 1.5, 1]}, "time", "float64"),
        ({"time": [3, 2**62, 1]}, "time[1]", 2**62),
        ({"width": [2, 2, 1]}, "width[1]", 2),
        ({"width": [0, 1, 1]}, "width[0]", 0),
        ({"horizon": 0}, "horizon", 0),
        ({"horizon": 2.5}, "horizon", 2.5),
        ({"order": [0, 1]}, "order", None),
    ],
)
def test_columns_that_are_none(changes: dict[str, Any], field: str, value: object) -> None:
    with pytest.raises(InputError) as caught:
        FairTicks(**{**COLUMNS, **changes})
    assert (caught.value.field, caught.value.value) == (field, value)


def test_what_is_too_large_to_count() -> None:
    with pytest.raises(TooLargeError, match=r"below 2\^62"):
        FairTicks(**{**COLUMNS, "horizon": 2**62})
    with pytest.raises(TooLargeError, match=r"fewer than 2\^31"):
        FairTicks(**{**COLUMNS, "machines": [2**31 - 1, 1]})
    for instance in (
        fair((1, [(2**62,)]), horizon=1),
        fair((1, [(1, 0), (1, 2**62)]), horizon=1),
        fair((1, [(1,)]), horizon=2**62),
        fair((2**31, [(1,)]), horizon=1),
    ):
        with pytest.raises(TooLargeError):
            instance.scaled()


def test_the_largest_that_can_be_counted() -> None:
    ticks = fair((2**31 - 1, [(1,), (2**62 - 1, 2**62 - 1)]), horizon=2**62 - 1).scaled()
    assert ticks.total == 2**31 - 1 and ticks.time[1] == ticks.release[1] == 2**62 - 1


@pytest.mark.parametrize("seed", range(10))
def test_a_stream_makes_the_same(seed: int) -> None:
    """Jobs of one moment are in any order in a stream; those of one organization keep theirs."""
    instance = random_instance(seed)
    jobs = [(job, k) for k, own in enumerate(instance.organizations) for job in own.jobs]
    queues = [[job for job, k in jobs if k == own] for own in range(len(instance.organizations))]
    rng, mixed = Random(seed), []
    while any(queues):
        earliest = min(queue[0].release for queue in queues if queue)
        k = rng.choice([k for k, queue in enumerate(queues) if queue and queue[0].release == earliest])
        mixed.append((queues[k].pop(0), k))
    stream = JobStream(
        [job.id for job, _ in mixed],
        [int(job.release) for job, _ in mixed],
        [int(job.time) for job, _ in mixed],
        [job.processors for job, _ in mixed],
        [k for _, k in mixed],
    )
    made, own = (
        stream_ticks(stream, [one.processors for one in instance.organizations], instance.horizon),
        instance.scaled(),
    )
    for name in ("machines", "owner", "release", "time", "width"):
        assert (getattr(made, name) == getattr(own, name)).all()
    assert made.order is not None and own.order is not None
    names = [instance.jobs[position].id for position in own.order]
    assert [str(stream.ids[position]) for position in made.order] == names


def test_streams_that_are_refused() -> None:
    stream = JobStream([1, 2], [0, 1], [1, 1], [1, 2], [0, -1])
    with pytest.raises(InputError, match=r"owner\[1\].*from 0 on.*-1"):
        stream_ticks(stream, [4], 9)
    owned = JobStream([1, 2], [0, 1], [1, 1], [1, 2], [0, 0])
    with pytest.raises(InputError, match=r"width\[1\]: wider than the organization's own"):
        stream_ticks(owned, [1], 9)
    with pytest.raises(InputError, match=r"owner\[0\]: there is no such organization"):
        stream_ticks(JobStream([1], [0], [1], [1], [3]), [4], 9)


def test_rows_of_starts() -> None:
    ticks = FairTicks(**COLUMNS)
    assert row_of_starts(ticks, [0, -1, 4]).tolist() == [0, -1, 4]
    for starts in ([0, 1], [[0, 1, 2]], [0, 1, -2], ["a", "b", "c"], [0, 1, 2.0]):
        with pytest.raises(InputError, match="starts"):
            row_of_starts(ticks, starts)
