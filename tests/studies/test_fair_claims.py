"""The fair paper's claims, by other ways than `oas.studies.claims.fair` finds them."""

from __future__ import annotations

from fractions import Fraction as F
from math import exp

import pytest

from oas.studies.claims import fair


@pytest.mark.parametrize("samples", [15, 75, 11_513])
def test_epsilon_fills_the_bound_of_the_proof(samples: int) -> None:
    """exp(−ε²N/k²) = (1 − λ)/k."""
    assert exp(-(fair.epsilon(samples) ** 2) * samples / 25) == pytest.approx(0.05 / 5)
    assert fair.epsilon(15) > 1 and fair.epsilon(75) > 1
    assert fair.epsilon(11_512) > 0.1 >= fair.epsilon(11_513)


@pytest.mark.parametrize(("organizations", "time"), [(2, 1), (3, 1), (4, 3), (5, 2), (10, 7)])
def test_opposite_orders_by_the_closed_form(organizations: int, time: int) -> None:
    m, p = organizations, time
    closed = F(m * p, m * p + 1) if m % 2 == 0 else F((m * m - 1) * p, m * (m * p + 1))
    assert fair.opposite_orders(m, 1, p) == fair.opposite_orders(m, 4, p) == closed


def test_figure_1_by_the_sums_in_its_caption() -> None:
    """Each job as start and time: p · (t − (s + e)/2), e its last unit."""
    tasks = [(0, 3), (0, 4), (0, 3), (3, 6), (3, 3), (4, 6), (6, 3), (9, 3), (10, 4)]
    at = {t: sum((min(p, t - s) * (t - F(s + min(s + p, t) - 1, 2)) for s, p in tasks), F(0)) for t in (13, 14)}
    assert [int(at[13]), int(at[14]), sum(s + p for s, p in tasks)] == [262, 297, 70]
    assert fair.figure1_values() == "262, 297; flow 70"


def test_the_print_of_axiom_1_fails_for_a_job_that_still_runs() -> None:
    """By hand at t = 3: (0, 2) counts 3 + 2, (1, 2) counts 2 + 1, (2, 2) counts 1: gains of 2 and 2; then (3, 2): 1."""
    counts = [fair._sp([(start, 2)], 3) for start in range(4)]
    assert counts == [5, 3, 1, 0]
    assert "as printed on 0 of" not in fair.axioms()


def test_table_1_as_printed() -> None:
    assert [sum(column) for column in zip(*fair.TABLE_1.values(), strict=True)] == [1034, 1922, 11900]
    assert fair.round_robin().startswith("11.51 ") and fair.direct_contribution().startswith("1.86 ")
    assert "PIK-IPLEX: DIRECTCONTR < RAND" in fair.orders()


def test_differences_of_table_1_in_standard_errors() -> None:
    """PIK-IPLEX: (7 − 10)/√((69² + 44²)/100)."""
    ratio = -3 / ((69**2 + 44**2) / 100) ** 0.5
    assert ratio == pytest.approx(-0.367, abs=0.001)
    assert fair.spread().split(", ")[1] == "−0.37"
