"""Policies beside REF: what a comparison says is recomputed from starts, moment by moment."""

from __future__ import annotations

import re
import signal
import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import oas
from heuristics.fair.fcfs import FirstPresented
from heuristics.fair.policy import Watcher
from heuristics.fair.policy_method import method_of
from heuristics.method import Method
from heuristics.registry import find_method
from oas.core.errors import InputError
from oas.io.logs.sharing import Sharing, share
from oas.problems.fair.problem import FAIR
from oas.problems.fair.stream_rules import ticks_violations
from oas.studies.fair import references
from oas.studies.fair.fairness import fairness
from oas.studies.fair.ledger import ledger
from tests.problems.fair.instances import fair, random_instance
from tests.streams import stream_of


def pool(seed=0, **changes):
    given = {"organizations": 3, "processors": 5, "horizon": 60, "time": 5, "load": "6/5", **changes}
    return oas.generate.arrivals(seed=seed, **given)


def utilities(ticks, starts, now):
    """ψ of each organization, and units of work, unit by unit."""
    psi, work = [0] * ticks.organization_count, 0
    for job, start in enumerate(starts.tolist()):
        if start >= 0:
            for moment in range(start, min(start + int(ticks.time[job]), now)):
                psi[ticks.owner[job]] += int(ticks.width[job]) * (now - moment)
                work += int(ticks.width[job])
    return psi, work


class Mine(FirstPresented):
    """One's own."""


class Raises(Mine):
    def pick(self, now, waiting):
        raise ZeroDivisionError("not today")


class Sleeps(FirstPresented):
    def pick(self, now, waiting):
        time.sleep(3600)


class Spins(FirstPresented):
    def pick(self, now, waiting):
        while True:
            try:
                waiting[99]
            except Exception:
                continue


class PicksAnyone(Mine):
    def pick(self, now, waiting):
        return 99


class Stopped(Mine):
    def pick(self, now, waiting):
        raise KeyboardInterrupt


class ByLot(Watcher):
    def __init__(self, seed):
        self._draw = np.random.default_rng(seed)

    def pick(self, now, waiting):
        return int(self._draw.choice(waiting))


def fcfs(instance, *, seed=0):
    return find_method("FCFS", FAIR)(instance, seed=seed)


def late(instance, *, seed=0):
    """FCFS, each job one moment late: not greedy."""
    runs = [one for one in fcfs(instance).placements if one.start + 1 < instance.horizon]
    return oas.Schedule([oas.Placement(one.job, one.start + 1, one.end + 1, one.nodes) for one in runs])


def junk(instance, *, seed=0):
    return 42


@pytest.mark.parametrize("seed", range(6))
def test_distances_are_what_the_starts_say(seed):
    instance = pool(seed, widest=1 + seed % 2)
    found = fairness(instance, seeds=4, samples=[3])
    ticks, now = instance.scaled(), instance.horizon
    assert (found.base, found.refused, found.left, found.violated) == ("REF", "", (), False)
    ref = found.rows[0].trials[0]
    due, work = utilities(ticks, ref.starts, now)
    assert found.work == work and [one.utility for one in found.accounts] == due
    assert {row.policy for row in found.rows} >= {"REF", "RAND(3)", "DIRECTCONTR", "ROUNDROBIN", "FCFS", "FAIRSHARE"}
    gains = found.gains()
    for row in found.rows:
        assert len(row.trials) in (1, 4)
        for trial in row.trials:
            assert ticks_violations(ticks, trial.starts) == []
            psi, _ = utilities(ticks, trial.starts, now)
            assert list(trial.figures.utilities) == psi
            distance = sum(abs(one - other) for one, other in zip(psi, due, strict=True))
            assert trial.unfairness == Fraction(distance, work)
        mean = sum((trial.unfairness for trial in row.trials), Fraction(0)) / len(row.trials)
        assert row.unfairness.value == mean and row.unfairness.count == len(row.trials)
        if len(row.trials) == 1:
            assert sum(map(abs, gains[row.policy])) == mean


def test_the_ledger_is_phi_less_psi():
    instance = pool(3)
    found = fairness(instance, ["ROUNDROBIN", "DIRECTCONTR"], seeds=3, samples=[])
    book, ticks = ledger(found), instance.scaled()
    assert list(book.owed) == [
        "REF",
        *sorted(("DIRECTCONTR", "ROUNDROBIN"), key=lambda one: found.row(one).unfairness.value),
    ]
    assert book.moments[0] == 0 and book.moments[-1] == instance.horizon and book.names == found.case.names
    due = found.reference.contributions
    assert list(due[:, -1]) == [one.contribution for one in found.accounts]
    for place in (7, 30, len(book.moments) - 1):
        now = int(book.moments[place])
        whole, _ = utilities(ticks, found.rows[0].trials[0].starts, now)
        assert sum(due[:, place]) == sum(whole)  # all that is got is contributed by someone
        for policy, layers in book.owed.items():
            for layer, trial in zip(layers, found.row(policy).trials, strict=True):
                psi, _ = utilities(ticks, trial.starts, now)
                expected = [float((one - other) / found.work) for one, other in zip(due[:, place], psi, strict=True)]
                assert layer[:, place] == pytest.approx(expected)
    ends = book.owed["ROUNDROBIN"][0][:, -1] - book.owed["REF"][0][:, -1]
    assert abs(ends).sum() == pytest.approx(float(found.row("ROUNDROBIN").unfairness.value))


def test_more_than_20_organizations_are_refused_with_the_cost():
    many = fair(*[(1, [(2,), (3, 1)])] * 21, horizon=9)
    found = fairness(many, ["FCFS"], samples=[])
    assert found.reference is None and found.base == "FCFS"
    assert "at most 20" in found.refused and "2^21" in found.refused


@pytest.mark.parametrize(
    ("policy", "note"),
    [
        (Raises, "policy Raises: at moment .* it raises ZeroDivisionError: not today"),
        (PicksAnyone, "policy PicksAnyone: at moment .* it picks organization 99, which does not exist"),
    ],
)
def test_a_policy_that_misbehaves_has_a_row_and_the_others_go_on(policy, note):
    found = fairness(pool(), [method_of(policy, policy.__name__), "FCFS"], samples=[])
    (trial,) = found.row(policy.__name__).trials
    assert trial.starts is None and trial.unfairness is None and found.violated
    assert re.search(note, trial.note) and trial.note.partition(": ")[2][:20] in repr(found)
    assert found.row("FCFS").sound and found.row(policy.__name__).unfairness is None


@pytest.mark.parametrize("policy", [Sleeps, Spins])
def test_a_policy_that_hangs_is_ended(policy):
    before = signal.getsignal(signal.SIGALRM)
    found = fairness(pool(), [method_of(policy, "hangs")], reference=False, samples=[], time_limit=1)
    (trial,) = found.row("hangs").trials
    assert trial.starts is None and trial.cut and trial.note.startswith("not done after 0.2")
    assert found.left == ("hangs",) and not found.violated and "not done after" in repr(found)
    assert signal.getsignal(signal.SIGALRM) is before and signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_methods_that_are_no_policies_are_verified():
    found = fairness(pool(), [Method("late", late, ""), Method("junk", junk, ""), Method("same", fcfs, "")], samples=[])
    (trial,) = found.row("late").trials
    assert {one.rule for one in trial.violations} == {"greedy"} and trial.note.startswith("infeasible: ")
    assert found.row("junk").trials[0].note == "returned int, not a Schedule"
    assert found.row("same").sound and found.row("same").unfairness.value > 0
    log = share(stream_of((0, 2, 1), (1, 3, 1), machine=2), Sharing(organizations=1))
    with pytest.raises(InputError, match=r"policy: is a function of an instance, and no policy.*got 'junk'"):
        fairness(log, [Method("junk", junk, "")])


def test_ctrl_c_keeps_what_is_finished():
    found = fairness(pool(), ["FCFS", method_of(Stopped, "Stopped"), "ROUNDROBIN"], samples=[2])
    assert found.interrupted and [row.policy for row in found.rows] == ["FCFS"]
    assert found.left == ("Stopped", "ROUNDROBIN", "RAND(2)") and found.refused == "interrupted"


def test_lots_are_drawn_with_every_seed_and_what_draws_none_runs_once():
    found = fairness(pool(), [method_of(ByLot, "by lot"), "FCFS"], seeds=5, samples=[])
    assert [trial.seed for trial in found.row("by lot").trials] == [0, 1, 2, 3, 4]
    assert len(found.row("FCFS").trials) == 1
    distances = [trial.unfairness for trial in found.row("by lot").trials]
    assert len(set(distances)) > 1 and found.row("by lot").unfairness.margin > 0
    assert found.row("FCFS").unfairness.margin is None
    again = fairness(pool(), [method_of(ByLot, "by lot")], seeds=2, samples=[])
    assert [trial.unfairness for trial in again.row("by lot").trials] == distances[:2]


def test_a_second_algorithm_looks_at_ref(monkeypatch):
    found = fairness(pool(2), [], samples=[], verify=True)
    assert found.second == () and not found.violated
    assert fairness(pool(2), [], samples=[]).second is None
    assert fairness(pool(2), ["FCFS"], samples=[], verify=True, reference=False).second is None
    honest = references.reference

    def lies(*arguments, **more):
        run = honest(*arguments, **more)
        return replace(run, values=np.array([*run.values[:-1], run.values[-1] + 1]))

    monkeypatch.setattr(references, "reference", lies)
    caught = fairness(pool(2), [], samples=[], verify=True)
    assert [one.rule for one in caught.second] == ["value"] and caught.violated


def test_rand_is_a_policy_too_and_ref_runs_once():
    found = fairness(pool(), ["ref", "RAND(4)", "rand(3)", "FCFS"], samples=[3], seeds=4)
    assert [row.policy for row in found.rows] == ["REF", "RAND(3)", "RAND(4)", "FCFS"]
    assert found.sampled == ("RAND(3)", "RAND(4)")
    log = share(stream_of((0, 2, 1), (1, 3, 1), machine=2), Sharing(organizations=1))
    assert fairness(log, ["RAND(4)", "REF"], samples=[]).sampled == ("RAND(4)",)
    alone = fairness(pool(), ["REF", "FCFS"], reference=False, samples=[])
    assert (alone.base, alone.reference) == ("REF", None)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"samples": [0]}, r"samples\[0\]: must be at least 1"),
        ({"seeds": 0}, "seeds: must be at least 1"),
        ({"policies": ["FCFSX"]}, "heuristic: unknown; did you mean FCFS"),
        ({"policies": ["no_such_module:policy"]}, "heuristic: cannot be imported"),
    ],
)
def test_bad_input_is_named(changes, message):
    with pytest.raises(InputError, match=f"^{message}"):
        fairness(random_instance(1), **changes)
