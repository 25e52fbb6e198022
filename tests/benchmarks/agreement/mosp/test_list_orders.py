"""Every theorem of the reservations paper on thousands of list orders; and that a false one would be noticed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from random import Random

import pytest

from benchmarks.agreement.mosp import list_orders
from benchmarks.agreement.mosp.list_orders import (
    ORDERS,
    THEOREMS,
    Tally,
    Theorem,
    batch_runs,
    draw,
    examine,
    graham,
    lemma1,
    main,
    non_increasing_ratio,
    share_ratio,
)
from heuristics.method import Guarantee
from heuristics.mosp.guarantees import one_cluster_list
from heuristics.mosp.orders import GLOBAL_ORDERS
from heuristics.mosp.queueing import empty_profiles, list_runs
from heuristics.registry import find_method
from oas.exact.mosp.brute_force import brute_force
from oas.problems.mosp.availability import availability
from oas.problems.mosp.instance import MospInstance

INSTANCES = 8  # of each theorem; half of them against their optima


@cache
def tally_of(theorem: Theorem) -> Tally:
    tally = Tally()
    for seed in range(INSTANCES):
        examine(theorem, seed, ORDERS, tally)
    return tally


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda one: one.name)
def test_no_order_breaks_a_theorem(theorem: Theorem) -> None:
    tally = tally_of(theorem)
    assert tally.faults == []
    assert (tally.instances, tally.orders) == (INSTANCES, INSTANCES * ORDERS)
    assert 0 < tally.small <= 1 and 0 < tally.large <= 1
    assert (tally.lemma > 0) is not theorem.releases


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda one: one.name)
def test_the_instances_are_what_the_theorem_speaks_of(theorem: Theorem) -> None:
    made = [draw(theorem, seed) for seed in range(40)]
    held = [availability(one.organizations[0]) for one in made]
    assert {len(one.organizations) for one in made} == {1} and {one.locality for one in made} == {None}
    if "no reservations" in theorem.name or theorem.name == "theorem 2":
        assert not any(one.reserved for one in made)
    elif "α" in theorem.name or theorem.name == "proposition 3":
        assert all(one.alpha is not None for one in held) and sum(one.alpha != 1 for one in held) > 20
        assert sum(not one.non_increasing for one in held) > 10
    else:
        assert all(one.non_increasing for one in held) and sum(len(one.steps) > 1 for one in held) > 20
    released = [any(job.release for job in one.jobs) for one in made]
    assert sum(released) > 20 if theorem.releases else not any(released)


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda one: one.name)
def test_a_false_theorem_is_noticed(theorem: Theorem) -> None:
    def optimal(instance: object, optimum: F) -> F:
        return F(1)

    tally = Tally()
    for seed in (0, 1, 2, 3):
        examine(replace(theorem, ratio=optimal), seed, ORDERS, tally)
    assert any("makespan" in fault for fault in tally.faults)
    tally = Tally()
    for seed in (0, 1, 2, 3):
        examine(replace(theorem, promise=lambda _: Guarantee(F(1), "nothing")), seed, ORDERS, tally)
    assert any("promised 1" in fault for fault in tally.faults)
    tally = Tally()
    examine(replace(theorem, promise=lambda _: None), 0, ORDERS, tally)
    assert tally.faults == [f"{theorem.name}, seed 0: nothing is promised"]


def test_what_is_promised_is_no_less_than_the_theorem_says() -> None:
    """C* is not known to a guarantee: it may promise no less than the theorems that apply do with the true C*."""
    below = 0
    for seed in range(0, 60, 2):
        instance = draw(THEOREMS[1], seed)
        promised = one_cluster_list(instance)
        ratios = [non_increasing_ratio(instance, brute_force(instance)[0])]
        if availability(instance.organizations[0]).alpha is not None:
            ratios.append(share_ratio(instance, F(0)))
        assert promised is not None and min(ratios) <= promised.value <= graham(instance, F(0))
        below += promised.value < graham(instance, F(0))
    assert below > 5


@pytest.mark.parametrize("theorem", THEOREMS[3:], ids=lambda one: one.name)
def test_batches_are_those_of_the_method(theorem: Theorem) -> None:
    for seed in range(20):
        instance = draw(theorem, seed)
        scaled = instance.scaled()
        times = scaled.times
        came = GLOBAL_ORDERS["FCFS"](scaled, 0)  # ties in a batch go by release
        for order, queue in {"FCFS": came, "LPT": sorted(came, key=times.__getitem__, reverse=True)}.items():
            runs = batch_runs(scaled, queue)
            made = find_method(f"BATCH({order})", MospInstance)(instance)
            assert {instance.jobs[run.job].id: scaled.to_time(run.start) for run in runs} == {
                one.job: one.start for one in made.placements
            }


def test_lemma_1_by_its_definition() -> None:
    """Tick by tick; on list schedules, and on ones that leave gaps, of which most break it."""
    theorem, broken = THEOREMS[2], 0
    for seed in range(60):
        instance = draw(theorem, 2 * seed)
        scaled, rng = instance.scaled(), Random(seed)
        free = availability(instance.organizations[0]).least_free
        runs = list_runs(empty_profiles(scaled), scaled, [0], list(range(scaled.job_count)))
        if seed % 2:
            runs = [replace(run, start=run.start + rng.randint(0, 9)) for run in runs]
        end = max(run.start + scaled.times[run.job] for run in runs)
        used = [
            sum(scaled.widths[run.job] for run in runs if run.start <= tick < run.start + scaled.times[run.job])
            for tick in range(end)
        ]
        longest = max(scaled.times)
        holds = all(used[t] + used[later] > free for t in range(end) for later in range(t + longest, end))
        assert lemma1(scaled, runs, free) == holds
        broken += not holds
    assert 5 < broken < 31


def test_the_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--orders", "150"]) == 0
    shown = capsys.readouterr().out
    assert "| proposition 1 | 2 | 150 |" in shown and shown.count("| 0 |\n") >= 3
    wrong = tuple(replace(one, promise=lambda _: None) for one in THEOREMS)
    monkeypatch.setattr(list_orders, "THEOREMS", wrong)
    assert main(["--orders", "150"]) == 1
    assert "nothing is promised" in capsys.readouterr().err
