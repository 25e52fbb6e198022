"""FCFS, ROUNDROBIN and DIRECTCONTR by hand and against plain ones; policies as methods, a user's own too."""

from __future__ import annotations

import pickle
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heuristics.fair.direct_contribution import DirectContribution
from heuristics.fair.engine import run_policy
from heuristics.fair.fcfs import FirstPresented
from heuristics.fair.policy import Watcher
from heuristics.fair.policy_method import method_of
from heuristics.fair.round_robin import InTurns
from heuristics.registry import as_method, find_method, own_methods
from oas.core.errors import InputError
from oas.core.verifier import verify
from oas.generate.coallocation.tiny import tiny
from oas.generate.fair.tiny import random_instance
from oas.problems.fair.problem import FAIR
from tests.heuristics.fair.plain import ByLot, PlainFirst, PlainTurns, Recorder, stepped, ticks
from tests.heuristics.fair.test_engine import INSTANCES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heuristics.fair.policy import Policy
    from oas.problems.fair.instance import FairInstance
    from oas.problems.fair.ticks import FairTicks


@given(INSTANCES)
def test_fcfs_takes_the_first_presented(instance: FairInstance) -> None:
    scaled = instance.scaled()
    assert run_policy(scaled, FirstPresented).tolist() == stepped(scaled, PlainFirst())


@given(INSTANCES)
def test_round_robin_takes_turns(instance: FairInstance) -> None:
    scaled = instance.scaled()
    assert run_policy(scaled, InTurns).tolist() == stepped(scaled, PlainTurns())


class Watched(DirectContribution):
    """Notes whose processors serve each job, and recounts contributions and utilities at each pick, unit by unit."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.told = Recorder(ByLot())
        self.served: dict[int, list[int]] = {}
        self.picks: list[tuple[list[int], Sequence[int], int]] = []

    def begin(self, machines: Sequence[int]) -> None:
        super().begin(machines)
        self.told.begin(machines)

    def released(self, now: int, organization: int, job: int, width: int) -> None:
        self.told.released(now, organization, job, width)

    def started(self, now: int, organization: int, job: int, width: int) -> None:
        super().started(now, organization, job, width)
        self.told.started(now, organization, job, width)
        self.served[job] = list(self._serving[job])

    def ended(self, now: int, organization: int, job: int, width: int) -> None:
        super().ended(now, organization, job, width)
        self.told.ended(now, organization, job, width)

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        picked = super().pick(now, waiting)
        self.picks.append((self.gaps(now + 1), waiting, picked))
        return picked

    def gaps(self, moment: int) -> list[int]:
        """φ̃ − ψ of each organization at `moment`: what is over of each job counts for the owners of its processors."""
        found = [0] * len(self.told.policy.machines)
        for job, (organization, _, start, *end) in self.told.policy.runs.items():
            value = sum(moment - unit for unit in range(start, min(end[0], moment) if end else moment))
            for owner in self.served[job]:
                found[owner] += value
                found[organization] -= value
        return found


def watched(scaled: FairTicks, seed: int = 0) -> tuple[Watched, list[int]]:
    made: list[Watched] = []

    def policy(seed: int) -> Watched:
        made.append(Watched(seed))
        return made[-1]

    starts: list[int] = run_policy(scaled, policy, seed).tolist()
    return made[0], starts


@given(INSTANCES, st.integers(0, 9))
def test_direct_contribution_picks_the_greatest_gap(instance: FairInstance, seed: int) -> None:
    policy, _ = watched(instance.scaled(), seed)
    machines = instance.scaled().machines.tolist()
    for gaps, waiting, picked in policy.picks:
        assert sum(gaps) == 0
        assert gaps[picked] == max(gaps[one] for one in waiting)
        assert picked == min(one for one in waiting if gaps[one] == gaps[picked])
    for job, owners in policy.served.items():
        assert len(owners) == instance.scaled().width[job]
    together: Counter[int] = Counter()
    running: set[int] = set()
    for kind, *event in policy.told.events:
        if kind in ("started", "ended"):
            job = event[2]
            change = 1 if kind == "started" else -1
            running ^= {job}
            for owner in policy.served[job]:
                together[owner] += change
            assert all(0 <= together[owner] <= machines[owner] for owner in together)


def test_what_starts_at_a_moment_counts_at_once() -> None:
    """Algorithm 4 as printed would give the first organization both processors, whatever is drawn."""
    jobs = [(0, 0, 5), (0, 0, 5), (1, 0, 5), (1, 0, 5)]
    seen = set()
    for seed in range(20):
        policy, starts = watched(ticks([1, 1], jobs, 40), seed)
        seen.add(tuple(starts[:4]))
        served_elsewhere = policy.served[0] == [1]
        assert starts == ([0, 5, 0, 5] if served_elsewhere else [0, 0, 5, 5])
    assert len(seen) == 2


INSTANCE = random_instance(5)


class LastFirst(Watcher):
    """The last organization first.

    More about it.
    """

    def __init__(self, seed: int) -> None: ...

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        return waiting[-1]


def last_first(seed: int) -> Policy:
    """A function that makes policies."""
    return LastFirst(seed)


def with_options(seed: int, depth: int = 3, *more: int, **others: int) -> Policy:
    return LastFirst(seed)


shared = partial(with_options, depth=4)


def a_function(instance: Any, *, seed: int = 0) -> Any:
    return find_method("FCFS", FAIR)(instance, seed=seed)


def test_those_of_the_toolkit() -> None:
    names = [method.name for method in own_methods(FAIR)]
    assert [one for one in names if one in {"DIRECTCONTR", "FCFS", "ROUNDROBIN", "FAIRSHARE"}] == [
        "DIRECTCONTR",
        "FCFS",
        "ROUNDROBIN",
        "FAIRSHARE",
    ]
    for name in ("DIRECTCONTR", "FCFS", "ROUNDROBIN", "FAIRSHARE", "FAIRSHARE(5)", "FAIRTREE", "FAIRTREE(5; [[0]])"):
        method = find_method(name, FAIR)
        assert method.problem is FAIR and method.summary and not method.clairvoyant
        one = random_instance(1, max_organizations=1)
        assert verify(one, method(one, seed=3)) == []
        assert method(one, seed=3).method == method.name
        assert pickle.loads(pickle.dumps(method.scheduler))(one, seed=3) == method(one, seed=3)


@pytest.mark.parametrize("name", ["LastFirst", "last_first", "with_options", "shared"])
def test_a_users_own_by_dotted_name(name: str) -> None:
    method = find_method(f"{__name__}:{name}", FAIR)
    assert method.name == f"{__name__}:{name}" and method.problem is FAIR
    assert method(INSTANCE) == method_of(LastFirst, method.name)(INSTANCE)
    assert verify(INSTANCE, method(INSTANCE)) == []


def test_a_function_stays_a_function() -> None:
    method = find_method(f"{__name__}:a_function", FAIR)
    assert method.run is a_function and method.problem is None
    assert method(INSTANCE) == find_method("FCFS", FAIR)(INSTANCE)


def test_it_schedules_nothing_else() -> None:
    with pytest.raises(InputError, match="mine is a policy of fair sharing: it schedules a FairInstance"):
        as_method("mine", last_first)(tiny(seed=1))
