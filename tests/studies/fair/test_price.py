"""The price of fairness: against brute force, what is carried, what is said where an optimum is open."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from typing import TYPE_CHECKING

import pytest

from oas.core.errors import InputError
from oas.core.result import Proof, ProofKind, Termination
from oas.exact.fair.brute_force import brute_force
from oas.generate.fair.arrivals import arrivals
from oas.problems.fair.objectives import Objective, ScheduleClass, class_violations, objective_value, open_at_horizon
from oas.problems.fair.runs import schedule_from_starts
from oas.studies.fair import price
from oas.studies.fair.price import price_of_fairness
from oas.studies.slot_sizes.points import Interval
from tests.heuristics.fair.plain import PlainReference
from tests.problems.fair.instances import case, fair
from tests.problems.fair.naive import placed
from tests.slow import mostly_slow

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.exact.progress import SolveProgress
    from oas.problems.fair.instance import FairInstance

# Two processors. Greedy schedules all start a2 beside a1; kept idle at 0, everything ends at 5 instead of 6.
HAND = fair((1, [(3,), (2,)]), (1, [(4, 1)]), horizon=6)
GREEDY = placed(HAND, {"a1": 0, "a2": 0, "b1": 2})


def unit_ref(instance: FairInstance) -> Schedule:
    """REF by unit steps."""
    plain = PlainReference(instance.scaled())
    return schedule_from_starts(instance, plain.runs[plain.everyone].row())


@pytest.mark.parametrize("seed", mostly_slow(range(14), quick=range(5)))
def test_prices_are_ratios_to_the_optima_of_brute_force(seed: int) -> None:
    instance = case(seed)
    schedule = unit_ref(instance)
    assert class_violations(instance, schedule, ScheduleClass.GREEDY) == []
    study = price_of_fairness(instance, "brute-force", schedule=schedule)
    assert [(one.objective, one.wanted) for one in study] == [(o, w) for o in Objective for w in ScheduleClass]
    for one in study:
        if one.objective is Objective.MAKESPAN and open_at_horizon(instance, schedule):
            assert one.optimum is one.price is None and one.note == open_at_horizon(instance, schedule)
            continue
        truth = brute_force(instance, one.objective, one.wanted)
        assert truth is not None and one.optimum is not None and one.price is not None and one.reference is not None
        assert one.optimum.value == one.optimum.bound == truth[0]
        assert one.reference == objective_value(instance, schedule, one.objective)
        ratio = F(truth[0], one.reference)
        assert one.price == Interval(ratio, ratio) if one.objective == "psi_sp" else Interval(1 / ratio, 1 / ratio)
        assert one.price.low >= 1  # the fair schedule is never better than the best greedy one
    for objective in Objective:
        greedy, free = study.row(objective, "greedy").price, study.row(objective, "any").price
        assert (greedy is None) == (free is None)
        assert greedy is None or free is None or greedy.low <= free.low


def test_by_hand() -> None:
    study = price_of_fairness(HAND, schedule=GREEDY)
    prices = [one.price.low for one in study if one.price is not None and one.price.exact]
    assert prices == [1, 1, 1, 1, 1, F(6, 5)]
    assert study.schedule is GREEDY and not study.interrupted


def test_larger_instances_by_a_solver() -> None:
    instance = arrivals(seed=2, processors=4, horizon=22, load="11/10", time=5, widest=2)
    seen: list[SolveProgress] = []
    study = price_of_fairness(
        instance, "highs", 60, schedule=unit_ref(instance), objectives=["flow"], on_progress=seen.append
    )
    assert len(instance.jobs) > 7 and len(study) == 2
    assert all(one.price is not None and one.price.exact for one in study)
    assert {one.part for one in seen} == {"flow, greedy", "flow, any"}
    assert {one.stage for one in seen} == {"bounds", "highs"}


def test_ctrl_c_keeps_what_is_finished() -> None:
    instance = case(5)
    schedule = unit_ref(instance)
    whole = price_of_fairness(instance, "brute-force", schedule=schedule, objectives=["flow", "psi_sp"])

    def stop(seen: SolveProgress) -> None:
        if seen.part == "flow, any":
            raise KeyboardInterrupt

    study = price_of_fairness(
        instance, "brute-force", schedule=schedule, objectives=["flow", "psi_sp"], on_progress=stop
    )
    assert study.interrupted and not whole.interrupted and len(study) == len(whole) == 4
    assert study[0].price == whole[0].price and study[0].price is not None and study[0].price.exact
    for one, truth in zip(study, whole, strict=True):
        assert one.price is not None and truth.price is not None
        assert one.price.low <= truth.price.low <= one.price.high
    ends = [one.optimum.termination for one in study if one.optimum is not None]
    assert ends == [Termination.FINISHED, *3 * [Termination.INTERRUPTED]]


def test_what_any_schedule_proves_holds_for_greedy_ones() -> None:
    study = price_of_fairness(HAND, schedule=GREEDY)
    prices = price._Prices(HAND, GREEDY, None, None)  # type: ignore[arg-type]
    greedy, free = study.row("makespan", "greedy").optimum, study.row("makespan", "any").optimum
    assert greedy is not None and free is not None and (greedy.value, free.value) == (6, 5)
    loose = replace(greedy, bound=4, proof=Proof(ProofKind.SOLVER))
    carried = prices._carried(loose, free)
    assert (carried.value, carried.bound, carried.proof) == (6, 5, free.proof)  # not greedy: its value stays
    poor = replace(free, value=6, bound=6, schedule=GREEDY)
    assert prices._carried(replace(greedy, value=8), poor).value == 6
    psi = study.row("psi_sp", "any").optimum
    assert psi is not None
    carried = prices._carried(replace(psi, bound=50, value=30), psi)
    assert (carried.value, carried.bound) == (36, 36)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"objectives": ["speed"]}, r"objectives: unknown; known: psi_sp, flow, makespan \(got 'speed'\)"),
        ({"time_limit": -1}, "time_limit: must be a finite number"),
        ({"solver": "cpsat"}, "solver: takes no MIP model"),
        ({"schedule": placed(HAND, {"a1": 0, "b1": 1, "a2": 3})}, r"schedule: it is not feasible: \[greedy\]"),
        ({"schedule": "FCFS"}, "schedule"),
    ],
)
def test_bad_input_is_refused_before_anything_is_solved(given: dict[str, object], message: str) -> None:
    seen: list[SolveProgress] = []
    with pytest.raises(InputError, match=message):
        price_of_fairness(HAND, **{"schedule": GREEDY, "on_progress": seen.append, **given})  # type: ignore[arg-type]
    assert not seen
