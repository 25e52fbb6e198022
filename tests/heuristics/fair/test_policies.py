"""The event engine of fair sharing and its simple policies, compared with plain ones; what is refused."""

import pickle
from collections import Counter
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heuristics.fair.coalition_methods import METHOD, sampled_method
from heuristics.fair.online_policies import DirectContribution, FirstPresented, InTurns
from oas.coallocation.generate.tiny import tiny
from oas.core.errors import InputError
from oas.core.registry import FAIR
from oas.core.verifier import verify
from oas.fair.generate import random_instance
from oas.fair.search.engine import method_of, run_policy
from oas.fair.search.policy import PolicyError, Watcher
from oas.solving.methods import as_method, find_method
from tests.heuristics.fair.plain import ByLot, PlainFirst, PlainTurns, Recorder, stepped, ticks

INSTANCES = st.integers(0, 2**32).map(random_instance)  # more diverse than the instances of Hypothesis


@given(INSTANCES, st.integers(0, 9))
def test_events_and_starts_are_those_of_stepping_through_time(instance, seed):
    made = []

    def recorded(seed):
        made.append(Recorder(ByLot(seed)))
        return made[-1]

    starts = run_policy(instance.scaled(), recorded, seed)
    plain = Recorder(ByLot(seed))
    assert starts.tolist() == stepped(instance.scaled(), plain)
    assert made[0].events == plain.events
    assert starts.dtype == np.int64


class Picks(Watcher):
    """Returns what it is given to return."""

    def __init__(self, picked):
        self.picked = picked

    def pick(self, now, waiting):
        return self.picked


@pytest.mark.parametrize(
    ("picked", "words"),
    [
        (7, "at moment 0 it picks organization 7, which does not exist; it may choose from: 0, 1, 2"),
        (-1, "at moment 0 it picks organization -1, which does not exist"),
        (True, "at moment 0 it picks True, which is no number"),
        (0.0, "at moment 0 it picks 0.0, which is no number"),
        (np.array([0, 1]), "which is no number of an organization"),
    ],
)
def test_what_is_no_organization(picked, words):
    with pytest.raises(PolicyError) as caught:
        run_policy(ticks([1, 1, 1], [(0, 0, 1), (1, 0, 1), (2, 0, 1)], 9), lambda seed: Picks(picked), name="mine")
    assert str(caught.value).startswith("policy mine: ") and words in str(caught.value)


def test_an_organization_whose_head_does_not_fit():
    wide = ticks([1, 2], [(0, 0, 9), (0, 1, 1), (0, 1, 1), (1, 1, 1, 2)], 9)

    class First(Picks):
        def pick(self, now, waiting):
            return waiting[0] if now == 0 or len(waiting) > 1 else self.picked

    with pytest.raises(PolicyError) as caught:
        run_policy(wide, lambda seed: First(1))
    assert "at moment 1 it picks organization 1, whose first job needs 2 processors; idle: 1" in str(caught.value)
    assert str(caught.value).endswith("it may choose from: 0")


class Raises(Watcher):
    """Raises in one of its calls."""

    def __init__(self, where):
        setattr(self, where, self.fail)

    def fail(self, *_):
        raise ZeroDivisionError("no idea")

    def pick(self, now, waiting):
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
def test_what_a_policy_raises_is_chained(where, when):
    with pytest.raises(PolicyError) as caught:
        run_policy(ticks([1], [(0, 3, 2)], 9), lambda seed: Raises(where), name="mine")
    assert str(caught.value) == f"policy mine: {when} it raises ZeroDivisionError: no idea"
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_what_is_no_policy():
    one = ticks([1], [(0, 0, 1)], 9)
    with pytest.raises(PolicyError, match="policy no_pick: a Watcher has no pick"):
        run_policy(one, lambda seed: Watcher(), name="no_pick")
    with pytest.raises(PolicyError, match="has no begin and no released and no started and no ended and no pick"):
        run_policy(one, lambda seed: [])

    def broken(seed):
        raise LookupError("nothing here")

    with pytest.raises(PolicyError, match="policy broken: cannot be made: LookupError: nothing here"):
        run_policy(one, broken)


@given(INSTANCES)
def test_fcfs_takes_the_first_presented(instance):
    scaled = instance.scaled()
    assert run_policy(scaled, FirstPresented).tolist() == stepped(scaled, PlainFirst())


@given(INSTANCES)
def test_round_robin_takes_turns(instance):
    scaled = instance.scaled()
    assert run_policy(scaled, InTurns).tolist() == stepped(scaled, PlainTurns())


class Watched(DirectContribution):
    """Notes whose processors serve each job, and recounts contributions and utilities at each pick, unit by unit."""

    def __init__(self, seed):
        super().__init__(seed)
        self.told = Recorder(ByLot())
        self.served = {}
        self.picks = []

    def begin(self, machines):
        super().begin(machines)
        self.told.begin(machines)

    def released(self, now, organization, job, width):
        self.told.released(now, organization, job, width)

    def started(self, now, organization, job, width):
        super().started(now, organization, job, width)
        self.told.started(now, organization, job, width)
        self.served[job] = list(self._serving[job])

    def ended(self, now, organization, job, width):
        super().ended(now, organization, job, width)
        self.told.ended(now, organization, job, width)

    def pick(self, now, waiting):
        picked = super().pick(now, waiting)
        self.picks.append((self.gaps(now + 1), waiting, picked))
        return picked

    def gaps(self, moment):
        """φ̃ − ψ of each organization at `moment`: what is over of each job counts for the owners of its processors."""
        found = [0] * len(self.told.policy.machines)
        for job, (organization, _, start, *end) in self.told.policy.runs.items():
            value = sum(moment - unit for unit in range(start, min(end[0], moment) if end else moment))
            for owner in self.served[job]:
                found[owner] += value
                found[organization] -= value
        return found


def watched(scaled, seed=0):
    made = []

    def policy(seed):
        made.append(Watched(seed))
        return made[-1]

    starts = run_policy(scaled, policy, seed).tolist()
    return made[0], starts


@given(INSTANCES, st.integers(0, 9))
def test_direct_contribution_picks_the_greatest_gap(instance, seed):
    policy, _ = watched(instance.scaled(), seed)
    machines = instance.scaled().machines.tolist()
    for gaps, waiting, picked in policy.picks:
        assert sum(gaps) == 0
        assert gaps[picked] == max(gaps[one] for one in waiting)
        assert picked == min(one for one in waiting if gaps[one] == gaps[picked])
    for job, owners in policy.served.items():
        assert len(owners) == instance.scaled().width[job]
    together = Counter()
    running = set()
    for kind, *event in policy.told.events:
        if kind in ("started", "ended"):
            job = event[2]
            change = 1 if kind == "started" else -1
            running ^= {job}
            for owner in policy.served[job]:
                together[owner] += change
            assert all(0 <= together[owner] <= machines[owner] for owner in together)


def test_what_starts_at_a_moment_counts_at_once():
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

    def __init__(self, seed): ...

    def pick(self, now, waiting):
        return waiting[-1]


def last_first(seed):
    """A function that makes policies."""
    return LastFirst(seed)


def with_options(seed, depth=3, *more, **others):
    return LastFirst(seed)


shared = partial(with_options, depth=4)


def a_function(instance, *, seed=0):
    return find_method("FCFS", FAIR)(instance, seed=seed)


@pytest.mark.parametrize("name", ["LastFirst", "last_first", "with_options", "shared"])
def test_a_users_own_by_dotted_name(name):
    method = find_method(f"{__name__}:{name}", FAIR)
    assert method.name == f"{__name__}:{name}" and method.problem is FAIR
    assert method(INSTANCE) == method_of(LastFirst, method.name)(INSTANCE)
    assert verify(INSTANCE, method(INSTANCE)) == []


def test_a_function_stays_a_function():
    method = find_method(f"{__name__}:a_function", FAIR)
    assert method.run is a_function and method.problem is None
    assert method(INSTANCE) == find_method("FCFS", FAIR)(INSTANCE)


METHODS = ("REF", "rand( 4 )", "DIRECTCONTR", "FCFS", "ROUNDROBIN", "FAIRSHARE", "FAIRSHARE(5)", "FAIRTREE(5; [[0]])")


@pytest.mark.parametrize("name", METHODS)
def test_those_of_the_toolkit(name):
    method = find_method(name, FAIR)
    assert method.problem is FAIR and method.summary and method.clairvoyant is (name in METHODS[:2])
    instance = random_instance(1, max_organizations=1 if "[" in name else 5)
    schedule = method(instance, seed=3)
    assert verify(instance, schedule) == [] and schedule.method == method.name
    assert pickle.loads(pickle.dumps(method.scheduler))(instance, seed=3) == schedule


@pytest.mark.parametrize(
    "run", [METHOD.run, sampled_method(3).run, as_method("mine", last_first)], ids=["REF", "RAND", "mine"]
)
def test_another_problem_is_refused(run):
    with pytest.raises(InputError, match="of fair sharing: it schedules a FairInstance"):
        run(tiny(seed=1))
