"""What reservations leave free, their classes, and metrics: against the definitions of the reservations paper."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oas.core.metrics import compaction
from oas.core.schedule import Placement, Schedule
from oas.problems.mosp.availability import availability
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.metrics import mean_bounded_slowdown, mean_wait, utilisation
from oas.problems.rigid import Organization, Reservation, RigidJob


def organization(*held: tuple[object, object, int], processors: int = 4, widest: int = 1) -> Organization:
    made = [Reservation(start, end, count) for start, end, count in held]  # type: ignore[arg-type]
    return Organization("A", processors, [RigidJob("a", 1, 1), RigidJob("b", 1, widest)], made)


@st.composite
def organizations(draw: st.DrawFn) -> Organization:
    """Up to seven reservations in thirds of a time unit, each of what is left of the cluster, and up to two jobs."""
    size = draw(st.integers(1, 8))
    left = [size] * 24
    held = []
    for _ in range(draw(st.integers(0, 7))):
        start = draw(st.integers(0, 16))
        end = start + draw(st.integers(1, 7))
        room = min(left[start:end])
        if room:
            width = draw(st.integers(1, room))
            left[start:end] = [count - width for count in left[start:end]]
            held.append(Reservation(F(start, 3), F(end, 3), width))
    jobs = [RigidJob(f"J{n}", 1, draw(st.integers(1, size))) for n in range(draw(st.integers(0, 2)))]
    return Organization("A", size, jobs, held)


def used(one: Organization, moment: F) -> int:
    """U(t) of section 3.1."""
    return sum(held.processors for held in one.reservations if held.start <= moment < held.end)


MOMENTS = [F(tick, 6) for tick in range(60)]


@settings(deadline=None, derandomize=True, max_examples=300)
@given(organizations())
def test_it_is_what_the_paper_defines(one: Organization) -> None:
    found, m = availability(one), one.processors
    assert [found.free_at(moment) for moment in MOMENTS] == [m - used(one, moment) for moment in MOMENTS]
    assert found.steps[0][0] == 0 and found.processors == m
    for (moment, free), (later, other) in pairwise(found.steps):
        assert moment < later and free != other
    assert found.least_free == min(m - used(one, moment) for moment in MOMENTS)
    assert found.non_increasing == all(used(one, early) >= used(one, late) for early, late in pairwise(MOMENTS))

    def keeps(alpha: F) -> bool:
        """U(t) ≤ (1 − α)m at all times, and q_j ≤ αm for all jobs, section 4.2."""
        held = all(used(one, moment) <= (1 - alpha) * m for moment in MOMENTS)
        return held and all(job.processors <= alpha * m for job in one.jobs)

    # The first condition falls with α, the second rises: the largest α is a multiple of 1/m, or there is none.
    possible = [F(count, m) for count in range(1, m + 1) if keeps(F(count, m))]
    assert found.alpha == max(possible, default=None)
    assert found.general == (not possible and not found.non_increasing)


@pytest.mark.parametrize(
    ("one", "alpha", "non_increasing", "words"),
    [
        (organization(), 1, True, "none"),
        (organization((1, 2, 2)), F(1, 2), False, "at most 1/2 of the processors at once, {} (α = 1/2)"),
        (organization((1, 2, 2), widest=3), None, False, "general"),
        (organization((1, 2, 4)), None, False, "general"),
        (organization((0, 2, 4)), None, True, "non-increasing"),
        (organization((0, 2, 1), widest=4), None, True, "non-increasing"),
        (organization((0, 2, 1)), F(3, 4), True, "at most 1/4 of the processors at once, {} (α = 3/4); non-increasing"),
        # Fewer begin than end: the number held never grows.
        (organization((0, 2, 3), (2, 4, 2), widest=2), None, True, "non-increasing"),
        (organization((0, 2, 2), (2, 4, 3)), F(1, 4), False, "at most 3/4 of the processors at once, {} (α = 1/4)"),
    ],
)
def test_classes(one: Organization, alpha: F | None, non_increasing: bool, words: str) -> None:
    found = availability(one)
    assert (found.alpha, found.non_increasing) == (alpha, non_increasing)
    assert str(found) == words.format("no job wider than the rest")


JOBS = [RigidJob("short", 2, 1, 5), RigidJob("long", 30, 2, 0)]
# Short waits 25 of 25 + 2; long waits 0.
SCHEDULE = Schedule([Placement("long", 0, 30, {"O": [0, 1]}), Placement("short", 30, 32, {"O": [0]})])


def cluster(*reservations: Reservation) -> MospInstance:
    return MospInstance([Organization("O", 4, JOBS, reservations)], locality=None)


def test_by_hand() -> None:
    assert mean_wait(cluster(), SCHEDULE) == F(25, 2)
    assert mean_bounded_slowdown(cluster(), SCHEDULE) == (F(27, 10) + 1) / 2
    assert mean_bounded_slowdown(cluster(), SCHEDULE, 1) == (F(27, 2) + 1) / 2
    assert mean_bounded_slowdown(cluster(), SCHEDULE, 100) == 1  # never below 1
    assert utilisation(cluster(), SCHEDULE) == compaction(cluster(), SCHEDULE) == F(62, 128)
