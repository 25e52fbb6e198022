"""Figures of schedules, held against what is counted moment by moment."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from oas.problems.fair.ticks import FairTicks
from oas.studies.fair.figures import figures_of, flows_alone, jain_index
from tests.problems.fair.instances import array_of, fair, random_instance, random_starts


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
    assert found.utilisation == Fraction(sum(found.work), now * instance.node_count)
    assert found.mean_wait == Fraction(sum(row[2] for row in rows), count)
    assert found.mean_flow == Fraction(sum(row[3] for row in rows), count)
    assert found.finish_ratio == tuple(
        Fraction(row[3], own) if own else None for row, own in zip(rows, flows, strict=True)
    )
    assert found.worst_ratio == max(one for one in found.finish_ratio if one is not None)
    shares = [row[0] / own.processors for row, own in zip(rows, instance.organizations, strict=True) if row[4]]
    assert found.jain == pytest.approx(sum(shares) ** 2 / len(shares) / sum(one * one for one in shares))


def test_who_has_no_job_before_the_horizon_is_left_out():
    instance = fair((1, [(2,)]), (3, [(1, 5)]), horizon=4)
    found = figures_of(instance.scaled(), np.array([0, -1]), flows_alone(instance.scaled()))
    assert (found.jain, found.finish_ratio, found.mean_flow) == (1.0, (Fraction(1), None), 2)


def test_jains_index():
    assert jain_index([Fraction(1, 3)] * 4) == 1 and jain_index([Fraction(0)] * 3) == 1
    assert jain_index([Fraction(7), Fraction(0), Fraction(0), Fraction(0)]) == 0.25


def test_numbers_near_the_end_of_64_bits():
    far = 2**61
    ticks = FairTicks([1, 1], [0, 1], [0, 0], [far, far], [1, 1], far)
    found = figures_of(ticks, np.array([0, 0]), [far, far])
    assert found.utilities == (far * (far + 1) // 2,) * 2 and found.mean_flow == far and found.utilisation == 1
