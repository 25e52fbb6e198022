"""Parallel stages: places, answers, ends, and searches that only they can close."""

import time
from dataclasses import replace
from fractions import Fraction
from functools import partial

import pytest

from oas.coallocation.exact import search as coallocation
from oas.coallocation.exact.chronological_search import ChronologicalSearch, Verdict
from oas.coallocation.exact.search import CoallocationExactSearch
from oas.coallocation.search.annealing import AnnealingSearch
from oas.core.errors import InputError
from oas.core.result import Bound, ProofKind, Termination
from oas.generate import tiny
from oas.mosp.exact import search as mosp
from oas.mosp.exact.search import MospExactSearch
from oas.mosp.exact.stages.bounds import first_partitions, first_tree
from oas.mosp.runs import local_schedule
from oas.solvers.isolation.client import call
from oas.solvers.task import Limits
from oas.solving import search as base
from oas.solving.brute_force import brute_force as coallocation_optimum
from oas.solving.brute_force import brute_force as mosp_optimum
from oas.solving.evidence import Evidence
from oas.solving.parallel import ParallelStage, StagePool
from oas.solving.recheck import recheck
from tests.coallocation.exact.test_search import one_after_another
from tests.mosp.instances import random_instance

HALF = "tests.solvers.callables:half"
NOTHING = Bound("nothing", Fraction(0), {})


class Call(ParallelStage):
    """A call of a worker that reports a bound and then ends, or goes on until it is killed."""

    def __init__(self, name, kind, times=1):
        self.name, self.kind, self.times = name, kind, times
        self.answers = []
        self.outdated = False

    def begin(self):
        if len(self.answers) == self.times:
            return None
        return partial(call, HALF, (self.kind, None), Limits())

    def is_outdated(self, bound):
        return self.outdated and bound is not None

    def take(self, answer):
        self.answers.append(answer)
        return True


@pytest.fixture
def pool():
    made = StagePool(2)
    yield made
    made.end()


def look(pool, until):
    while not until():
        pool.look()
        time.sleep(0.01)


def test_stages_run_at_the_same_time_as_far_as_there_are_places(pool):
    endless, brief, third = Call("endless", "listen"), Call("brief", "", times=3), Call("third", "")
    assert pool.start(endless) and pool.start(brief) and pool.start(brief)
    assert not pool.start(third)
    look(pool, lambda: "brief" not in pool)
    assert [one.value for one in brief.answers] == ["whole"] * 3
    assert "endless" in pool and pool.start(third)
    look(pool, lambda: third.answers)
    pool.end()
    assert not pool and set(pool.seconds) == {"endless", "brief", "third"} and endless.answers == []


def test_what_is_outdated_is_killed_and_begins_again(pool):
    endless = Call("endless", "listen", times=2)
    pool.start(endless)
    endless.outdated = True
    look(pool, lambda: not pool)
    assert [one.termination for one in endless.answers] == [Termination.INTERRUPTED] * 2
    assert all(one.value["kind"] in ("first", "listen") for one in endless.answers)  # what it had handed over


def test_an_error_reaches_the_search(pool):
    pool.start(Call("refused", "refuse"))
    with pytest.raises(InputError, match="no such thing"):
        look(pool, lambda: False)


def opened(search, instance, schedule, threads):
    evidence = Evidence(instance)
    assert evidence.offer(schedule, "start") is None
    evidence.bound = NOTHING
    return search(evidence, 0, lambda: 600.0, lambda: None, threads)


@pytest.fixture
def quiet(monkeypatch):
    """The search of co-allocation finds nothing by itself; the configuration bound lends its weights."""
    find = coallocation.configuration_bound
    monkeypatch.setattr(
        coallocation, "configuration_bound", lambda *asked, **how: replace(find(*asked, **how), bound=NOTHING)
    )
    monkeypatch.setattr(AnnealingSearch, "improve", lambda *_: None)
    monkeypatch.setattr(ChronologicalSearch, "resume", lambda *_: Verdict.UNDECIDED)


@pytest.mark.usefixtures("quiet")
def test_answers_in_parallel_close_a_co_allocation_instance(monkeypatch):
    monkeypatch.setattr(base, "usable", lambda _: True)
    instance = tiny(seed=300)
    exact = opened(CoallocationExactSearch, instance, one_after_another(instance), threads=2)
    assert exact.close() is Termination.FINISHED
    exact.end_stages()
    evidence = exact.evidence
    assert evidence.makespan == evidence.lower_bound == coallocation_optimum(instance)[0]
    assert evidence.proof().kind is ProofKind.SOLVER
    assert [one for one in exact.seconds if one.startswith("parallel")] == ["parallel decisions"]


@pytest.mark.parametrize("seed", [500, 503, 504, 505])
def test_parallel_bounds_close_an_instance_of_mosp(monkeypatch, seed):
    monkeypatch.setattr(base, "usable", lambda _: False)
    monkeypatch.setattr(mosp, "PLAN", (first_tree, first_partitions))
    instance = random_instance(seed)
    exact = opened(MospExactSearch, instance, local_schedule(instance), threads=3)
    assert exact.close() is Termination.FINISHED
    exact.end_stages()
    evidence = exact.evidence
    assert evidence.makespan == evidence.lower_bound == mosp_optimum(instance)[0]
    assert recheck(instance, evidence.bound)
    assert [one for one in exact.seconds if one.startswith("parallel")]
