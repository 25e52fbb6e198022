"""Methods by a name with a cut: MOCCA(α) at any from 3 on, with its guarantee from 4 on; MOLBA at 2 and 3."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from heuristics.method import NotApplicableError, NotPlacedError
from heuristics.mosp.conditions import all_fit, is_static
from heuristics.mosp.mocca import method_at_cut
from heuristics.mosp.threshold import paper_bound
from heuristics.registry import find_method
from oas.core.errors import InputError
from oas.core.verifier import verify
from oas.problems.coallocation.instance import CoallocationInstance
from oas.problems.mosp.instance import MospInstance
from tests.heuristics.mosp.test_methods import METHODS
from tests.problems.mosp.grids import grid, random_grid
from tests.slow import every_fourth_quick

CUTS = ("3", "10/3", "3.5", "4", "9/2", "5", "100")


def test_printed_cuts_are_the_methods_themselves() -> None:
    for name, printed in [
        ("MOCCA(4)", "MOCCA(4)"),
        ("mocca(8/2)", "MOCCA(4)"),
        ("MOCCA (4.0)", "MOCCA(4)"),
        ("MOCCA-7(4)", "MOCCA-7(4)"),
        ("MOLBA(2)", "MOLBA(2)"),
        ("molba(6/2)", "MOLBA(3)"),
    ]:
        assert find_method(name, MospInstance) == METHODS[printed]


def test_names_are_in_lowest_terms() -> None:
    assert find_method("mocca(3.50)", MospInstance).name == "MOCCA(7/2)"
    assert find_method("MOCCA-7( 10/2 )", MospInstance).name == "MOCCA-7(5)"
    assert method_at_cut("MOCCA") is None and method_at_cut("MOCCA-7") is None


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("MOCCA(5/2)", "at least 3"),
        ("MOCCA-7(2.999)", "at least 3"),
        ("MOCCA(-3)", "at least 3"),
        ("MOCCA(x)", "not a number"),
        ("MOCCA()", "not a number"),
        ("MOCCA(1/0)", "denominator is zero"),
        ("MOLBA(5/2)", "the cuts 2 and 3 only"),
        ("ILBA(3)", "MOCCA-7(α) at any cut α ≥ 3"),
    ],
)
def test_other_cuts_are_refused(name: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        find_method(name, MospInstance)
    assert reason in str(caught.value) and str(caught.value).startswith("heuristic: ")


def test_cuts_are_for_organizations_only() -> None:
    for name in ("MOCCA(7/2)", "molba(2)"):
        with pytest.raises(InputError, match="is for organizations only; for co-allocation there are: FCFS, SJF"):
            find_method(name, CoallocationInstance)


@pytest.mark.parametrize("block", every_fourth_quick(range(8)))
def test_schedules_are_verified_and_guarantees_hold(block: int) -> None:
    for seed in range(25 * block, 25 * block + 25):
        instance = random_grid(seed, static=seed % 7 > 0)
        scaled = instance.scaled()
        bound = paper_bound(scaled) * scaled.tick
        for cut in CUTS:
            for family in ("MOCCA", "MOCCA-7"):
                method = find_method(f"{family}({cut})", MospInstance)
                guarantee = method.guarantee(instance) if method.guarantee else None
                promised = family == "MOCCA" and F(cut) >= 4 and is_static(scaled) and all_fit(scaled)
                assert (guarantee is not None) == promised
                try:
                    schedule = method(instance, seed=seed)
                except NotApplicableError:
                    assert not is_static(scaled) or not all_fit(scaled)
                    continue
                except NotPlacedError:
                    assert not promised
                    continue
                assert schedule.method == method.name
                assert not verify(instance, schedule), (seed, method.name)
                assert guarantee is None or guarantee.value == F(cut)
                # By construction, theorem or not: nothing is left to end after α · LB.
                assert schedule.makespan <= F(cut) * bound


def test_the_cut_decides_what_stays() -> None:
    # LB = 1 on five clusters: no cooperation leaves all five jobs at home from the cut 5 on.
    instance = grid((1, [(1, 1)] * 5), *[(1, [])] * 4)
    ends = {cut: find_method(f"MOCCA({cut})", MospInstance)(instance).makespan for cut in ("3", "7/2", "4", "5")}
    assert ends == {"3": 3, "7/2": F(7, 2), "4": 4, "5": 5}
    assert find_method("MOCCA-7(3)", MospInstance)(instance).placements == METHODS["MOCCA-7"](instance).placements


def test_the_proof_is_said_to_carry_over() -> None:
    instance = grid((2, [(1, 1), (2, 2)]), (2, [(1, 1)]))
    at_four, at_five = (find_method(f"MOCCA({cut})", MospInstance).guarantee for cut in (4, 5))
    assert at_four and at_five
    four, five = at_four(instance), at_five(instance)
    assert four and five
    assert four.hypothesis.endswith("Proposition 10)") and "from 4 on" in five.hypothesis
