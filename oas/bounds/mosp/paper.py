"""The MOSP papers' lower bound, to which they compare every makespan."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from oas.bounds.lower_bound import LowerBound

if TYPE_CHECKING:
    from oas.problems.mosp.instance import MospInstance


def paper_bound(instance: MospInstance) -> Fraction:
    """Return LB = max(Σ p·q / Σ m_k, max p), section 2.2 of the MOCCA paper.

    The papers know neither releases nor reservations; both can only lengthen a schedule, so LB stays a bound.
    """
    work = sum((job.time * job.processors for job in instance.jobs), Fraction(0))
    return max(work / instance.node_count, *(job.time for job in instance.jobs))


BOUND = LowerBound("paper LB", paper_bound)
