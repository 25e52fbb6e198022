"""The engine: its schedules, what it tells policies and in which order, and what it refuses."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heuristics.fair.engine import run_policy
from heuristics.fair.policy import PolicyError, Watcher
from oas.core.verifier import verify
from oas.generate.fair.tiny import random_instance
from oas.problems.fair.runs import schedule_from_starts
from oas.problems.fair.stream_rules import ticks_violations
from oas.problems.fair.utilities import strategy_proof
from tests.heuristics.fair.plain import ByLot, Recorder, stepped, ticks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.problems.fair.instance import FairInstance

INSTANCES = st.integers(0, 2**32).map(random_instance)  # more unlike one another than what Hypothesis draws itself


@given(INSTANCES, st.integers(0, 9))
def test_events_and_starts_are_those_of_stepping_through_time(instance: FairInstance, seed: int) -> None:
    made: list[Recorder] = []

    def recorded(seed: int) -> Recorder:
        made.append(Recorder(ByLot(seed)))
        return made[-1]

    starts = run_policy(instance.scaled(), recorded, seed)
    plain = Recorder(ByLot(seed))
    assert starts.tolist() == stepped(instance.scaled(), plain)
    assert made[0].events == plain.events
    assert starts.dtype == np.int64


@given(INSTANCES, st.integers(0, 9))
def test_whatever_is_picked_keeps_every_rule(instance: FairInstance, seed: int) -> None:
    starts = run_policy(instance.scaled(), ByLot, seed)
    assert ticks_violations(instance.scaled(), starts) == []
    assert verify(instance, schedule_from_starts(instance, starts)) == []


def test_the_paper_s_figure_1() -> None:
    """Nine jobs of the first organization, and one of the second that starts at 9, beside the eighth."""
    nine = [(0, 0, time) for time in (3, 4, 3, 6, 3, 6, 3, 3, 4)]

    class SecondAtNine(Watcher):
        def __init__(self, seed: int) -> None: ...

        def pick(self, now: int, waiting: Sequence[int]) -> int:
            return max(waiting) if now == 9 else min(waiting)

    both = ticks([2, 1], [*nine, (1, 0, 5)], 14)
    starts = run_policy(both, SecondAtNine)
    assert starts.tolist() == [0, 0, 0, 3, 3, 4, 6, 9, 10, 9]
    assert [strategy_proof(both, starts, moment)[0] for moment in (13, 14)] == [262, 297]
    alone = ticks([2, 1], nine, 14)
    without = run_policy(alone, SecondAtNine)
    assert without[8] == 9 and strategy_proof(alone, without)[0] == 297 + 4


def test_only_what_happens_before_the_horizon_is_told() -> None:
    told = ticks([1], [(0, 0, 2), (0, 1, 2), (0, 4, 1)], 4)
    made: list[Recorder] = []

    def recorded(seed: int) -> Recorder:
        made.append(Recorder(ByLot(seed)))
        return made[-1]

    assert run_policy(told, recorded).tolist() == [0, 2, -1]
    assert made[0].events == [
        ("begin", (1,)),
        ("released", 0, 0, 0, 1),
        ("pick", 0, (0,), 0),
        ("started", 0, 0, 0, 1),
        ("released", 1, 0, 1, 1),
        ("ended", 2, 0, 0, 1),
        ("pick", 2, (0,), 0),
        ("started", 2, 0, 1, 1),
    ]


class Picks(Watcher):
    """Returns what it is given to return."""

    def __init__(self, picked: Any) -> None:
        self.picked = picked

    def pick(self, now: int, waiting: Sequence[int]) -> Any:
        return self.picked


@pytest.mark.parametrize(
    ("picked", "words"),
    [
        (7, "at moment 0 it picks organization 7, which does not exist; it may choose from: 0, 1, 2"),
        (-1, "at moment 0 it picks organization -1, which does not exist"),
        (None, "at moment 0 it picks None, which is no number of an organization"),
        (True, "at moment 0 it picks True, which is no number"),
        (0.0, "at moment 0 it picks 0.0, which is no number"),
        ("0", "at moment 0 it picks '0', which is no number"),
        (np.array([0, 1]), "which is no number of an organization"),
    ],
)
def test_what_is_no_organization(picked: object, words: str) -> None:
    with pytest.raises(PolicyError) as caught:
        run_policy(ticks([1, 1, 1], [(0, 0, 1), (1, 0, 1), (2, 0, 1)], 9), lambda seed: Picks(picked), name="mine")
    assert str(caught.value).startswith("policy mine: ") and words in str(caught.value)


def test_an_organization_without_a_waiting_job() -> None:
    one = ticks([1, 1], [(0, 0, 1), (1, 3, 1)], 9)
    with pytest.raises(PolicyError, match=r"Picks: at moment 0 it picks organization 1, of which no job waits.*: 0$"):
        run_policy(one, lambda seed: Picks(1), name="Picks")


def test_an_organization_whose_head_does_not_fit() -> None:
    wide = ticks([1, 2], [(0, 0, 9), (0, 1, 1), (0, 1, 1), (1, 1, 1, 2)], 9)

    class First(Picks):
        def pick(self, now: int, waiting: Sequence[int]) -> int:
            return waiting[0] if now == 0 or len(waiting) > 1 else self.picked

    with pytest.raises(PolicyError) as caught:
        run_policy(wide, lambda seed: First(1))
    assert "at moment 1 it picks organization 1, whose first job needs 2 processors; idle: 1" in str(caught.value)
    assert str(caught.value).endswith("it may choose from: 0")


class Raises(Watcher):
    """Raises in one of its calls."""

    def __init__(self, where: str) -> None:
        setattr(self, where, self.fail)

    def fail(self, *_: object) -> int:
        raise ZeroDivisionError("no idea")

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        return waiting[0]


@pytest.mark.parametrize(
    ("where", "when"),
    [
        ("begin", "as it begins"),
        ("released", "at moment 3"),
        ("pick", "at moment 3"),
        ("started", "at moment 3"),
        ("ended", "at moment 5"),
    ],
)
def test_what_a_policy_raises_is_chained(where: str, when: str) -> None:
    with pytest.raises(PolicyError) as caught:
        run_policy(ticks([1], [(0, 3, 2)], 9), lambda seed: Raises(where), name="mine")
    assert str(caught.value) == f"policy mine: {when} it raises ZeroDivisionError: no idea"
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_ctrl_c_is_not_caught() -> None:
    class Interrupted(Watcher):
        def pick(self, now: int, waiting: Sequence[int]) -> int:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_policy(ticks([1], [(0, 3, 2)], 9), lambda seed: Interrupted())


def test_a_policy_is_made_anew_each_time() -> None:
    kept = ByLot(1)
    with pytest.raises(PolicyError, match="policy the_same: its factory returns the same object at each call"):
        run_policy(ticks([1], [(0, 0, 1)], 9), lambda seed: kept, name="the_same")


def test_what_is_no_policy() -> None:
    one = ticks([1], [(0, 0, 1)], 9)
    with pytest.raises(PolicyError, match="policy no_pick: a Watcher has no pick"):
        run_policy(one, lambda seed: Watcher(), name="no_pick")  # type: ignore[arg-type,return-value]
    with pytest.raises(PolicyError, match="has no begin and no released and no started and no ended and no pick"):
        run_policy(one, lambda seed: [])  # type: ignore[arg-type,return-value]

    def broken(seed: int) -> ByLot:
        raise LookupError("nothing here")

    with pytest.raises(PolicyError, match="policy broken: cannot be made: LookupError: nothing here"):
        run_policy(one, broken)
