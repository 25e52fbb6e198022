"""Figures of fair schedules counted moment by moment, confidence intervals, and the claims of the fair paper."""

from __future__ import annotations

from fractions import Fraction as F
from math import exp
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import t as student

from oas.core.errors import InputError
from oas.problems.fair.ticks import FairTicks
from oas.studies.claims import fair as claims
from oas.studies.fair.figures import figures_of, flows_alone, jain_index
from oas.studies.fair.interval import mean_of, student_quantile, within_student
from tests.problems.fair.instances import array_of, random_instance, random_starts


def counted(instance, starts, now):
    """By organization: units of work over, ψ, moments waited and moments in the system, of one schedule."""
    found = []
    for organization in instance.organizations:
        work = psi = wait = flow = count = 0
        for job in organization.jobs:
            release, time, start = int(job.release), int(job.time), starts.get(job.id)
            if release >= now:
                continue
            count += 1
            for moment in range(release, now):
                runs = start is not None and start <= moment < start + time
                wait += start is None or moment < start
                flow += start is None or moment < start + time
                work += runs * job.processors
                psi += runs * job.processors * (now - moment)
        found.append((work, psi, wait, flow, count))
    return found


def alone(instance, k):
    """Organization k on its own processors, moment by moment: its jobs in their order, as soon as they fit."""
    organization = instance.organizations[k]
    starts, queue, ends = {}, list(organization.jobs), []
    for now in range(instance.horizon):
        ends = [one for one in ends if one[0] > now]
        idle = organization.processors - sum(width for _, width in ends)
        while queue and queue[0].release <= now and queue[0].processors <= idle:
            job = queue.pop(0)
            starts[job.id] = now
            ends.append((now + int(job.time), job.processors))
            idle -= job.processors
    return starts


@pytest.mark.parametrize("seed", range(30))
def test_figures_are_what_is_counted(seed):
    instance = random_instance(seed)
    starts, ticks, now = random_starts(instance, seed), instance.scaled(), instance.horizon
    flows = [counted(instance, alone(instance, k), now)[k][3] for k in range(len(instance.organizations))]
    assert flows_alone(ticks) == flows
    found, rows = figures_of(ticks, array_of(instance, starts), flows), counted(instance, starts, now)
    count = sum(row[4] for row in rows)
    assert found.work == tuple(row[0] for row in rows) and found.utilities == tuple(row[1] for row in rows)
    assert found.utilisation == F(sum(found.work), now * instance.node_count)
    assert found.mean_wait == F(sum(row[2] for row in rows), count)
    assert found.mean_flow == F(sum(row[3] for row in rows), count)
    assert found.finish_ratio == tuple(F(row[3], own) if own else None for row, own in zip(rows, flows, strict=True))
    assert found.worst_ratio == max(one for one in found.finish_ratio if one is not None)
    shares = [row[0] / own.processors for row, own in zip(rows, instance.organizations, strict=True) if row[4]]
    assert found.jain == pytest.approx(sum(shares) ** 2 / len(shares) / sum(one * one for one in shares))


def test_jains_index():
    assert jain_index([F(1, 3)] * 4) == 1 and jain_index([F(0)] * 3) == 1
    assert jain_index([F(7), F(0), F(0), F(0)]) == 0.25


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_quantiles(confidence):
    for degrees in [*range(1, 31), 99, 1000]:
        expected = student.ppf((1 + confidence) / 2, degrees)
        assert student_quantile(degrees, confidence) == pytest.approx(expected, rel=1e-10)
        assert within_student(expected, degrees) == pytest.approx(confidence, rel=1e-10)
    assert student_quantile(10**5, confidence) == pytest.approx(NormalDist().inv_cdf((1 + confidence) / 2), rel=1e-4)


def test_the_mean_is_exact_and_its_interval_students():
    found = mean_of([1, 2, 4, F(1, 3)])
    assert (found.value, found.count, found.least, found.most) == (F(11, 6), 4, F(1, 3), 4)
    spread = (sum((float(one) - 11 / 6) ** 2 for one in (1, 2, 4, 1 / 3)) / 3 / 4) ** 0.5
    assert found.margin == pytest.approx(3.182446305 * spread)
    assert mean_of([5, 5]).margin == 0 and mean_of([5]).margin is None
    with pytest.raises(InputError, match="sample"):
        mean_of([])


@pytest.mark.parametrize("samples", [15, 75, 11_513])
def test_epsilon_fills_the_bound_of_the_proof(samples: int) -> None:
    """exp(−ε²N/k²) = (1 − λ)/k."""
    assert exp(-(claims.epsilon(samples) ** 2) * samples / 25) == pytest.approx(0.05 / 5)
    assert claims.epsilon(15) > 1 and claims.epsilon(75) > 1
    assert claims.epsilon(11_512) > 0.1 >= claims.epsilon(11_513)


@pytest.mark.parametrize(("organizations", "time"), [(2, 1), (3, 1), (4, 3), (5, 2), (10, 7)])
def test_opposite_orders_by_the_closed_form(organizations: int, time: int) -> None:
    m, p = organizations, time
    closed = F(m * p, m * p + 1) if m % 2 == 0 else F((m * m - 1) * p, m * (m * p + 1))
    assert claims.opposite_orders(m, 1, p) == claims.opposite_orders(m, 4, p) == closed


def test_figure_1_by_the_sums_in_its_caption() -> None:
    """Each job as start and time: p · (t − (s + e)/2), e its last unit."""
    tasks = [(0, 3), (0, 4), (0, 3), (3, 6), (3, 3), (4, 6), (6, 3), (9, 3), (10, 4)]
    at = {t: sum((min(p, t - s) * (t - F(s + min(s + p, t) - 1, 2)) for s, p in tasks), F(0)) for t in (13, 14)}
    assert [int(at[13]), int(at[14]), sum(s + p for s, p in tasks)] == [262, 297, 70]
    assert claims.figure1_values() == "262, 297; flow 70"


def test_the_print_of_axiom_1_fails_for_a_job_that_still_runs() -> None:
    """By hand at t = 3: (0, 2) counts 3 + 2, (1, 2) counts 2 + 1, (2, 2) counts 1: gains of 2 and 2; then (3, 2): 1."""
    counts = [claims._sp([(start, 2)], 3) for start in range(4)]
    assert counts == [5, 3, 1, 0]
    assert "as printed on 0 of" not in claims.axioms()


def test_table_1_as_printed() -> None:
    assert [sum(column) for column in zip(*claims.TABLE_1.values(), strict=True)] == [1034, 1922, 11900]
    assert claims.round_robin().startswith("11.51 ") and claims.direct_contribution().startswith("1.86 ")
    assert "PIK-IPLEX: DIRECTCONTR < RAND" in claims.orders()


def test_differences_of_table_1_in_standard_errors() -> None:
    """PIK-IPLEX: (7 − 10)/√((69² + 44²)/100)."""
    ratio = -3 / ((69**2 + 44**2) / 100) ** 0.5
    assert ratio == pytest.approx(-0.367, abs=0.001)
    assert claims.spread().split(", ")[1] == "−0.37"


def test_numbers_near_the_end_of_64_bits():
    far = 2**61
    ticks = FairTicks([1, 1], [0, 1], [0, 0], [far, far], [1, 1], far)
    found = figures_of(ticks, np.array([0, 0]), [far, far])
    assert found.utilities == (far * (far + 1) // 2,) * 2 and found.mean_flow == far and found.utilisation == 1
