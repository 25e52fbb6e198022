"""Guarantees beside what is observed, and the price of locality: against the right optimum, marked where it is open."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

import oas
from heuristics.method import Guarantee, Method
from heuristics.registry import find_method
from oas.cli.tables.tables import comparison_notes, comparison_table
from oas.core.result import Status
from oas.generate.mosp.worst_cases.gallery import worst_cases
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import local_schedule
from oas.problems.rigid import Organization, RigidJob
from oas.studies import continuous_limit
from tests.problems.mosp.instances import random_instance


def no_cooperation():
    """Five unit jobs of the first of five organizations with a processor each: alone 5, together 1."""
    return MospInstance(
        [Organization("O0", 1, [RigidJob(f"J{k}", 1, 1) for k in range(5)])]
        + [Organization(f"O{k}", 1, []) for k in range(1, 5)]
    )


def price_of_locality():
    """Locality costs a half: the optimum is 3 with it, 2 without (MOCCA paper, section 2.3)."""
    jobs = [[RigidJob("a", 1, 1)], [RigidJob("b", 1, 1)], [RigidJob("c", 2, 1), RigidJob("d", 2, 1)]]
    return MospInstance([Organization(f"O{k}", 1, own) for k, own in enumerate(jobs)])


def cells(compared, name):
    """The row of a method as the table shows it, by heading."""
    table = comparison_table(compared)
    columns = {str(column.header).replace("\n", " "): [str(cell) for cell in column.cells] for column in table.columns}
    place = columns["method"].index(name)
    return {heading: values[place] for heading, values in columns.items()}


def test_observed_is_the_ratio_to_the_optimum():
    compared = oas.compare(no_cooperation(), heuristics=["MOCCA", "MOCCA(4)", "mocca(9/2)", "MOCCA(7/2)", "local"])
    rows = {row.method: row for row in compared.rows}
    assert compared.result.status is Status.OPTIMAL and compared.result.objective == 1
    for name, ratio in [("MOCCA", 3), ("MOCCA(4)", 4), ("MOCCA(9/2)", F(9, 2))]:
        row = rows[name]
        assert row.guarantee.value == ratio == row.observed and row.observed_exactly
        assert not row.breaks_guarantee
    for name in ("exact", "MOCCA(7/2)", "local"):
        assert rows[name].guarantee is None and rows[name].observed is None
        heading = "optimum" if name == "exact" else name
        assert cells(compared, heading)["guarantee / observed"] == "–"
    assert cells(compared, "MOCCA")["guarantee / observed"] == "3 / 3"
    assert cells(compared, "MOCCA(9/2)")["guarantee / observed"] == "4.5 / 4.5"
    assert any(note.startswith("MOCCA(9/2) ≤ 9/2 (about 4.5) · optimum: ") for note in comparison_notes(compared))
    frame = compared.to_frame().set_index("method")
    assert frame.loc["MOCCA", ["guarantee", "observed"]].to_list() == [3, 3]


def test_without_a_proven_optimum_it_is_at_most_that(monkeypatch):
    solve = continuous_limit.solve

    def unproven(instance, **options):
        result = solve(instance, **options)
        return oas.Result(
            Status.FEASIBLE, oas.Termination.TIME_LIMIT, local_schedule(instance), F(3, 4), None, result.instance_digest
        )

    monkeypatch.setattr(continuous_limit, "solve", unproven)
    compared = oas.compare(no_cooperation(), heuristics=["MOCCA"])
    row = compared.rows[1]
    assert (row.observed, row.observed_exactly) == (4, False)
    assert not row.breaks_guarantee  # 4 is above 3, but the ratio may be less
    assert cells(compared, "MOCCA")["guarantee / observed"] == "3 / ≤ 4"


def test_a_method_blind_to_locality_is_held_against_the_optimum_without():
    def promised(instance):
        return Guarantee(F(2), "for the sake of the test")

    blind = Method(
        "blind", find_method("LPT", MospInstance).run, "", 1, MospInstance, respects_locality=False, guarantee=promised
    )
    heeding = Method("heeding", local_schedule_as_method, "", 1, MospInstance, guarantee=promised)
    compared = oas.compare(price_of_locality(), heuristics=[blind, heeding])
    assert (compared.result.objective, compared.without_locality.objective) == (3, 2)
    rows = {row.method: row for row in compared.rows}
    assert rows["blind"].makespan == rows["blind"].observed * 2
    assert rows["heeding"].makespan == rows["heeding"].observed * 3
    assert rows["blind"].ignores_locality and rows["blind"].gap == rows["blind"].makespan / 2 - 1 == 0
    assert not rows["heeding"].ignores_locality and rows["heeding"].gap == rows["heeding"].makespan / 3 - 1
    (free,) = compared.references
    assert (free.makespan, free.gap, free.ignores_locality) == (2, 0, True) and free.seconds > 0
    assert cells(compared, "optimum *")["above optimum"] == cells(compared, "blind *")["above optimum"] == "0 %"
    assert "blind: 2, 0 % above the optimum without locality" in repr(compared)


def local_schedule_as_method(instance, *, seed=0):
    return local_schedule(instance)


def test_a_broken_promise_is_told():
    def rash(instance):
        return Guarantee(F(2), "nothing")

    method = Method("rash", find_method("MOCCA", MospInstance).run, "", 1, MospInstance, guarantee=rash)
    compared = oas.compare(no_cooperation(), heuristics=[method])
    assert compared.rows[1].breaks_guarantee
    assert any("rash: is above its guarantee" in note for note in comparison_notes(compared))


@pytest.mark.parametrize("seed", range(5))
def test_every_promise_is_kept_against_the_true_optimum(seed):
    compared = oas.compare(random_instance(seed, releases=False, reservations=False), formulation="brute-force")
    for row in compared.rows[1:]:
        assert not row.breaks_guarantee
        if row.guarantee:
            assert row.observed_exactly and 1 <= row.observed <= row.guarantee.value


(LOCALITY_PRICE,) = [case.function for case in worst_cases() if case.name == "locality-price"]


def test_the_papers_worst_case_pays_three_halves() -> None:
    points = {point.locality: point for point in oas.price(LOCALITY_PRICE())}
    assert points[F(1)].result.objective == 3 and points[F(1)].price == F(3, 2) and not points[F(1)].losers
    assert points[F(2)].result.objective == 2 and points[F(2)].price == 1 and points[F(2)].losers
    assert points[None].result.objective == 2
