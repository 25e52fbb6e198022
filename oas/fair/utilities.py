"""Utilities of organizations at any moment, as exact integers.

Source: Skowron, Rzadca, SPAA 2013, sections 4 and 6.3. Theorem 4.1 as printed swaps two constants: K₁ = t and K₂ = 1
give its equation (3), which `strategy_proof` implements. A job of q processors counts as q parallel jobs of one.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.core.numbers import integer
from oas.fair.ticks import NOT_STARTED, row_of_starts
from oas.queueing.stream import whole_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from oas.fair.instance import FairInstance
    from oas.fair.ticks import FairTicks

    Numbers = NDArray[np.int64]

LARGEST = 2**62
_HALF = 31  # bits: sums of the lower and the higher half of fewer than 2^31 numbers stay within 64


def strategy_proof(ticks: FairTicks, starts: ArrayLike, moment: int | None = None) -> list[int]:
    """Return ψ_sp of each organization: each unit [i, i + 1) of its jobs that is complete at the moment t counts t − i.

    Equation (3) of the paper: Σ q·(T(t − s) − T(t − min(e, t))) over its jobs that start at s < t and end at e, with
    T(d) = d(d + 1)/2. Up to constants, it is the only utility for which splitting, merging or delaying jobs never pays
    (theorem 4.1).

    `starts`: start of each job, -1 for none before the horizon, as from `oas.fair.ticks.starts_from_schedule`.
    `moment`: t ≥ 0; None for the horizon.

    Raises `InputError` if `starts` is not a row of whole numbers ≥ -1, one for each job, or the moment is not a whole
    number ≥ 0.
    """
    start, end, width, owner, now = _started(ticks, starts, moment)
    if max(now, now * (now + 1) * int(width.max(initial=1))) >= LARGEST:
        start, end, width = start.astype(object), end.astype(object), width.astype(object)
    since_start, since_end = now - start, now - np.minimum(end, now)
    values = width * (since_start * (since_start + 1) // 2 - since_end * (since_end + 1) // 2)
    return _sums(values, owner, ticks.organization_count)


def completed_work(ticks: FairTicks, starts: ArrayLike, moment: int | None = None) -> list[int]:
    """Return the work of each organization's jobs that is complete at the moment, in processors × time.

    The sum over all organizations is p_tot of the paper's section 6.3. Parameters and errors as `strategy_proof`.
    """
    start, end, width, owner, now = _started(ticks, starts, moment)
    if now * int(width.max(initial=1)) >= LARGEST:
        start, end, width = start.astype(object), end.astype(object), width.astype(object)
    return _sums(width * (np.minimum(end, now) - start), owner, ticks.organization_count)


def flow_time(ticks: FairTicks, starts: ArrayLike, moment: int | None = None) -> list[int]:
    """Return the total flow time, Σ end − release, of each organization's jobs that have ended at the moment.

    Unlike the utilities it should be small; waiting and running jobs do not count. Parameters and errors as
    `strategy_proof`.
    """
    begins, now = row_of_starts(ticks, starts), _moment(ticks, moment)
    ends = begins + ticks.time
    over = (begins != NOT_STARTED) & (ends <= now)
    return _sums((ends - ticks.release)[over], ticks.owner[over], ticks.organization_count)


def strategy_proof_over_time(ticks: FairTicks, starts: ArrayLike, moments: ArrayLike) -> NDArray[Any]:
    """Return ψ_sp at many moments: between events it is a quadratic in t, given by three sums over starts and ends.

    The result has Python integers: a row for each organization, a column for each moment.

    `ticks`, `starts`: as in `strategy_proof`. `moments`: moments ≥ 0, in any order.
    """
    begins = row_of_starts(ticks, starts)
    checked = whole_numbers(moments, "moments", 0)
    times = checked.astype(object)
    utilities = np.empty((ticks.organization_count, checked.size), dtype=object)
    for k in range(ticks.organization_count):
        ran = np.flatnonzero((ticks.owner == k) & (begins != NOT_STARTED))
        events = np.concatenate([begins[ran], begins[ran] + ticks.time[ran]])
        order = np.argsort(events, kind="stable")
        before = np.searchsorted(events[order], checked, side="left")
        moment = events[order].astype(object)
        weight = np.concatenate([ticks.width[ran], -ticks.width[ran]])[order].astype(object)
        # 2 T(t − e) = t² + t − 2te + e² − e
        columns = (weight, weight * moment, weight * (moment * moment - moment))
        count, first, second = (np.concatenate([[0], np.cumsum(column)])[before] for column in columns)
        utilities[k] = (count * (times * times + times) - 2 * times * first + second) // 2
    return utilities


def _moment(ticks: FairTicks, moment: int | None) -> int:
    return ticks.horizon if moment is None else integer(moment, "moment", least=0)


def _started(
    ticks: FairTicks, starts: ArrayLike, moment: int | None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], Numbers, int]:
    """Return the start, end, width and owner of each job that starts before the moment, and the moment."""
    begins, now = row_of_starts(ticks, starts), _moment(ticks, moment)
    ran = np.flatnonzero((begins != NOT_STARTED) & (begins < now))
    return begins[ran], begins[ran] + ticks.time[ran], ticks.width[ran], ticks.owner[ran], now


def _sums(values: NDArray[Any], owner: Numbers, count: int) -> list[int]:
    """Return the sum of the values of each owner; int64 values are added in two halves, which cannot overflow."""
    if values.dtype == object:
        return _added(values, owner, count)
    low, high = _added(values & (2**_HALF - 1), owner, count), _added(values >> _HALF, owner, count)
    return [(upper << _HALF) + lower for upper, lower in zip(high, low, strict=True)]


def _added(values: NDArray[Any], owner: Numbers, count: int) -> list[int]:
    sums = np.zeros(count, dtype=values.dtype)
    np.add.at(sums, owner, values)
    return list(map(int, sums))


def released_work(instance: FairInstance) -> list[tuple[int, Fraction]]:
    """Return for each organization the work Σ q·p of the jobs released before the horizon, and its load.

    The load is the work divided by processors × horizon of the organization.
    """
    rows = []
    for one in instance.organizations:
        work = sum(int(job.time) * job.processors for job in one.jobs if job.release < instance.horizon)
        rows.append((work, Fraction(work, one.processors * instance.horizon)))
    return rows


def distance(utilities: Sequence[int], reference: Sequence[int]) -> int:
    """Return Δψ = ‖ψ − ψ*‖ in the Manhattan metric: the sum of the differences of all organizations."""
    return sum(abs(value - ideal) for value, ideal in zip(utilities, reference, strict=True))
