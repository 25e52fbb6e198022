"""Other futures: what has happened by a moment is kept, and everything else may change."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from heuristics.registry import find_method
from oas.core.errors import InputError
from oas.problems.fair.problem import FAIR
from oas.testing.fair.future import Past
from tests.heuristics.fair.test_engine import INSTANCES
from tests.problems.fair.instances import fair

if TYPE_CHECKING:
    from oas.problems.fair.instance import FairInstance

FCFS = find_method("FCFS", FAIR)


@given(INSTANCES, st.integers(0, 30), st.integers(0, 999))
def test_the_past_stays(instance: FairInstance, moment: int, seed: int) -> None:
    past = Past.of(instance, FCFS(instance), moment)
    try:
        changed = past.changed(past.other_future(Random(seed)))
    except InputError:  # an organization may be left without a job, or all may come after the horizon
        return
    after = {job.id: job for job in changed.jobs}
    for k, organization in enumerate(instance.organizations):
        kept = [job.id for job in organization.jobs if job.id in after]
        assert kept == [job.id for job in changed.organizations[k].jobs]
        for job in organization.jobs:
            begun = past.begun.get(job.id)
            if begun is not None and begun + job.time <= moment:
                assert after[job.id] == job
            elif job.release <= moment:
                other = after[job.id]
                assert (other.release, other.processors) == (job.release, job.processors)
                assert begun is None or begun + other.time > moment
            elif job.id in after:
                assert after[job.id].release > moment
    again = Past.of(changed, FCFS(changed), moment)
    assert again.begun == past.begun


def test_everything_else_may_change() -> None:
    """At 4, a1 has ended, a2 to a4 run, a5 waits, and b1 and b2 are to come; over 300 futures each varies."""
    instance = fair((1, [(3,), (9,), (4, 2), (3, 2), (7, 2)]), (2, [(5, 6), (2, 7)]), horizon=20)
    past = Past.of(instance, FCFS(instance), 4)
    assert past.begun == {"a1": 0, "a2": 0, "a3": 2, "a4": 3}
    seen: dict[str, set[Any]] = {}
    for seed in range(300):
        for job, other in past.other_future(Random(seed)).items():
            seen.setdefault(job, set()).add(other)
    assert set(seen) == {"a2", "a3", "a4", "a5", "b1", "b2"}
    ends = {job: {past.begun[job] + one.time for one in seen[job]} for job in ("a2", "a3", "a4")}
    assert all(min(one) == 5 and max(one) > 12 for one in ends.values())
    assert min(one.time for one in seen["a5"]) == 1
    for job in ("b1", "b2"):
        others = seen[job] - {None}
        assert None in seen[job] and {one.processors for one in others} == {1, 2}
        assert min(one.release for one in others) == 5 and max(one.release for one in others) > 12
