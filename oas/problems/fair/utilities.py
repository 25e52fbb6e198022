"""Utilities of organizations at any moment, as exact integers, and figures of fair sharing that follow from them.

Source: Skowron, Rzadca, SPAA 2013, section 4. Theorem 4.1 of the print swaps two constants: K₁ = t and K₂ = 1 give its
equation (3), which `strategy_proof` is. A job of q processors counts as q jobs of one that run side by side.

Source of the distance: Skowron, Rzadca, SPAA 2013, section 6.3.
"""

from __future__ import annotations

from fractions import Fraction
from numbers import Integral
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from oas.core.errors import InputError
from oas.core.numbers import integer
from oas.core.stream import whole_numbers
from oas.problems.fair.ticks import NOT_STARTED, row_of_starts

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from oas.problems.fair.ticks import FairTicks

    Numbers = NDArray[np.int64]
    from collections.abc import Sequence

    from oas.problems.fair.instance import FairInstance

LARGEST = 2**62
_HALF = 31  # bits: sums of the lower and the higher half of fewer than 2^31 numbers stay within 64


class JobUtility(Protocol):
    """A utility of a user's own: what each job gives its organization at the moment `now`, to be added up.

    It is asked for the jobs that start before `now` alone. An on-line utility does not look beyond `now`: what it says
    of a job that still runs follows from its start and its processors.
    """

    def __call__(
        self, start: NDArray[Any], end: NDArray[Any], width: NDArray[Any], now: int, /
    ) -> NDArray[Any] | int: ...


def strategy_proof(ticks: FairTicks, starts: ArrayLike, moment: int | None = None) -> list[int]:
    """Return ψ_sp of each organization: each unit [i, i + 1) of its jobs that is over at the moment t counts t − i.

    Equation (3) of the paper: Σ q·(T(t − s) − T(t − min(e, t))) over its jobs that start at s < t and end at e, with
    T(d) = d(d + 1)/2. The only utility, up to constants, that pays neither splitting nor merging nor delaying jobs
    (theorem 4.1).

    Parameters
    ----------
    ticks
        The jobs.
    starts
        When each starts, -1 for not before the horizon: as `oas.problems.fair.ticks.starts_from_schedule` returns.
    moment
        t ≥ 0; None for the horizon.

    Raises
    ------
    InputError
        If `starts` is not a row of whole numbers from -1 on, one for each job, or the moment no whole number from 0 on.
    """

    def values(start: NDArray[Any], end: NDArray[Any], width: NDArray[Any], now: int) -> NDArray[Any]:
        since_start, since_end = now - start, now - np.minimum(end, now)
        found: NDArray[Any] = width * (_triangle(since_start) - _triangle(since_end))
        return found

    return _summed(ticks, starts, values, moment, lambda now, width: now * (now + 1) * width)


def completed_work(ticks: FairTicks, starts: ArrayLike, moment: int | None = None) -> list[int]:
    """Return how many units of each organization's jobs are over at the moment, each on every processor that it holds.

    Of all organizations together this is p_tot of the paper's section 6.3. Parameters and errors as `strategy_proof`.
    """

    def values(start: NDArray[Any], end: NDArray[Any], width: NDArray[Any], now: int) -> NDArray[Any]:
        found: NDArray[Any] = width * (np.minimum(end, now) - start)
        return found

    return _summed(ticks, starts, values, moment, lambda now, width: now * width)


def flow_time(ticks: FairTicks, starts: ArrayLike, moment: int | None = None) -> list[int]:
    """Return the sum over each organization's jobs that have ended at the moment of end − release.

    It is to be small, unlike the others, and says nothing of jobs that wait or run. Parameters and errors as
    `strategy_proof`.
    """
    begins, now = row_of_starts(ticks, starts), _moment(ticks, moment)
    ends = begins + ticks.time
    over = (begins != NOT_STARTED) & (ends <= now)
    return _sums((ends - ticks.release)[over], ticks.owner[over], ticks.organization_count)


def own_utility(ticks: FairTicks, starts: ArrayLike, utility: JobUtility, moment: int | None = None) -> list[int]:
    """Return a utility of a user's own of each organization: the sum of what it says of its jobs.

    Parameters
    ----------
    ticks, starts, moment
        As in `strategy_proof`.
    utility
        ``(start, end, width, now) -> values``: arrays of Python integers (dtype object), which grow as they need to, so
        that nothing is rounded or wraps; returns one whole number for each job, or one for all.

    Raises
    ------
    InputError
        As `strategy_proof`, and if a value is no whole number.
    """

    def values(start: NDArray[Any], end: NDArray[Any], width: NDArray[Any], now: int) -> NDArray[Any]:
        given = np.asarray(utility(start, end, width, now), dtype=object)
        if given.shape not in ((), start.shape):
            raise InputError(f"must return one number a job, {start.size}", field="utility", value=given.shape)
        for value in given.flat:
            if not isinstance(value, Integral) or isinstance(value, bool):
                raise InputError("must return whole numbers", field="utility", value=value)
        return np.broadcast_to(given, start.shape)

    return _summed(ticks, starts, values, moment, lambda *_: LARGEST)


def strategy_proof_over_time(ticks: FairTicks, starts: ArrayLike, moments: ArrayLike) -> NDArray[Any]:
    """Return ψ_sp at many moments: between events it is a quadratic in t, given by three sums over starts and ends.

    Parameters
    ----------
    ticks, starts
        As in `strategy_proof`.
    moments
        ≥ 0, in any order.

    Returns
    -------
    numpy.ndarray
        Python integers: a row for each organization, a column for each moment.
    """
    begins = row_of_starts(ticks, starts)
    asked = whole_numbers(moments, "moments", 0)
    times = asked.astype(object)
    found = np.empty((ticks.organization_count, asked.size), dtype=object)
    for k in range(ticks.organization_count):
        own = np.flatnonzero((ticks.owner == k) & (begins != NOT_STARTED))
        events = np.concatenate([begins[own], begins[own] + ticks.time[own]])
        order = np.argsort(events, kind="stable")
        moment = events[order].astype(object)
        weight = np.concatenate([ticks.width[own], -ticks.width[own]])[order].astype(object)
        # 2 T(t − e) = t² + t − 2te + e² − e
        columns = (weight, weight * moment, weight * (moment * moment - moment))
        count, first, second = (
            np.concatenate([[0], np.cumsum(column)])[_before(events[order], asked)] for column in columns
        )
        found[k] = (count * (times * times + times) - 2 * times * first + second) // 2
    return found


def _before(events: Numbers, moments: Numbers) -> NDArray[np.intp]:
    return np.searchsorted(events, moments, side="left")


def _triangle(number: NDArray[Any]) -> NDArray[Any]:
    found: NDArray[Any] = number * (number + 1) // 2
    return found


def _moment(ticks: FairTicks, moment: int | None) -> int:
    return ticks.horizon if moment is None else integer(moment, "moment", least=0)


def _summed(
    ticks: FairTicks,
    starts: ArrayLike,
    values: Callable[[NDArray[Any], NDArray[Any], NDArray[Any], int], NDArray[Any]],
    moment: int | None,
    bound: Callable[[int, int], int],
) -> list[int]:
    """Add up by organization what `values` says of jobs that start before the moment.

    `bound` is of what appears on the way, from the moment and the widest job: from 2^62 on, Python integers are used.
    """
    begins, now = row_of_starts(ticks, starts), _moment(ticks, moment)
    ran = np.flatnonzero((begins != NOT_STARTED) & (begins < now))
    start, end, width = begins[ran], begins[ran] + ticks.time[ran], ticks.width[ran]
    if max(bound(now, int(width.max(initial=1))), now) >= LARGEST:
        start, end, width = start.astype(object), end.astype(object), width.astype(object)
    return _sums(values(start, end, width, now), ticks.owner[ran], ticks.organization_count)


def _sums(values: NDArray[Any], owner: Numbers, count: int) -> list[int]:
    """Return the sum of the values of each owner; of int64 in two halves, neither of which can wrap."""
    if values.dtype == object:
        return _added(values, owner, count)
    low, high = values & (2**_HALF - 1), values >> _HALF
    return [
        (more << _HALF) + rest for more, rest in zip(_added(high, owner, count), _added(low, owner, count), strict=True)
    ]


def _added(values: NDArray[Any], owner: Numbers, count: int) -> list[int]:
    found = np.zeros(count, dtype=values.dtype)
    np.add.at(found, owner, values)
    return [int(value) for value in found]


def released_work(instance: FairInstance) -> list[tuple[int, Fraction]]:
    """Return of each organization Σ q·p of the jobs released before the horizon, and its load.

    The load is the work over what the organization's processors can do until the horizon.
    """
    found = []
    for own in instance.organizations:
        work = sum(int(job.time) * job.processors for job in own.jobs if job.release < instance.horizon)
        found.append((work, Fraction(work, own.processors * instance.horizon)))
    return found


def utilisation(ticks: FairTicks, starts: ArrayLike) -> Fraction:
    """Return the share of processors × horizon that jobs hold before the horizon.

    Parameters
    ----------
    ticks
        The jobs.
    starts
        When each starts, -1 for not before the horizon.

    Raises
    ------
    InputError
        If `starts` is not a row of whole numbers from -1 on, one for each job.
    """
    return Fraction(sum(completed_work(ticks, starts)), ticks.total * ticks.horizon)


def mean_wait(ticks: FairTicks, starts: ArrayLike) -> Fraction | None:
    """Return the mean over the jobs that start of start − release; None if none does. Parameters as `utilisation`."""
    begins = row_of_starts(ticks, starts)
    waits = (begins - ticks.release)[begins != NOT_STARTED].tolist()
    return Fraction(sum(waits), len(waits)) if waits else None


def distance(utilities: Sequence[int], reference: Sequence[int]) -> int:
    """Return Δψ = ‖ψ − ψ*‖ in the Manhattan metric: by how much the utilities differ, over all organizations."""
    return sum(abs(value - ideal) for value, ideal in zip(utilities, reference, strict=True))


def unjustified_delay(
    ticks: FairTicks, utilities: Sequence[int], reference: Sequence[int], reference_starts: ArrayLike
) -> Fraction:
    """Return Δψ / p_tot: by how many moments a unit of work is delayed, or sped up, on the average for unfairness.

    Parameters
    ----------
    ticks
        The jobs.
    utilities, reference
        ψ_sp of each organization at the horizon in a schedule, and in the ideally fair one.
    reference_starts
        The fair schedule; p_tot is what of its jobs is over at the horizon, in units, not in jobs.

    Raises
    ------
    InputError
        If nothing of it is.
    """
    total = sum(completed_work(ticks, reference_starts))
    if not total:
        raise InputError("no job has run before the horizon", field="reference_starts")
    return Fraction(distance(utilities, reference), total)
