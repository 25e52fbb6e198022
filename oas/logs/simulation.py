"""Simulation of queueing policies on a job log or any stream of jobs, with reservations; all schedules are verified.

A policy knows a job and its running time from its submission on. Running times are those of the log, not the times
that users requested. Jobs are given as arrays, so that a million of them take seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.core.errors import InputError
from oas.core.formats import attributes
from oas.core.numbers import exact, integer
from oas.logs.csv_rows import read_reservations
from oas.logs.streams import read_stream
from oas.queueing.policies import find_policy
from oas.queueing.promises import broken_promises, stream_violations
from oas.queueing.stream import NEVER, JobStream, checked_reservations, no_reservations
from oas.solving.study import Study, frame_of

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import pandas
    from numpy.typing import ArrayLike, NDArray

    from oas.core.numbers import Exact
    from oas.core.verifier import Violation
    from oas.io.files import Source

MOST_PROCESSORS = 10**9  # of a machine


@dataclass(frozen=True)
class Spread:
    """The distribution of a figure over the jobs."""

    mean: float
    median: float
    percentile95: float  #: the smallest value that is not exceeded by at least 95 % of the jobs
    most: float  #: maximum


@dataclass(frozen=True)
class PolicyRun:
    """The schedule of a policy, and its figures."""

    policy: str
    stream: JobStream  #: the jobs with their starts
    makespan: Fraction  #: from the first submission to the last end, in seconds
    #: the work of the jobs, Σ running time × processors, / the processor time without reservations from the first
    #: submission to the last end
    utilisation: Fraction
    wait: Spread  #: start − submission, in seconds
    bounded_slowdown: Spread  #: max(1, (wait + running time) / max(running time, threshold))
    #: the violated rules or, if there are none, the violated promises of the policy (`oas.queueing.promises`)
    violations: tuple[Violation, ...]


@dataclass(frozen=True, repr=False)
class Simulation(Study):
    """The schedules of several policies for the same jobs."""

    DISPLAY = "oas.logs.tables:simulation_parts"

    rows: tuple[PolicyRun, ...]  #: one per policy, in the given order
    stream: JobStream  #: the jobs as they were submitted
    processors: int  #: of the machine
    reservations: NDArray[np.int64]  #: start, end and processors of each, in ticks: an array of three columns
    threshold: Fraction  #: of the bounded slowdown, in seconds

    @property
    def violated(self) -> bool:
        """Whether some schedule breaks a rule or a promise."""
        return any(row.violations for row in self.rows)

    def to_frame(self) -> pandas.DataFrame:
        """Return a data frame with a row for each policy; numbers as floats.

        Columns: policy, makespan, utilisation; mean, median, percentile95 and most of ``wait`` and of
        ``bounded_slowdown`` (``wait_mean``, …), as in `Spread`; violations, the number of broken rules or promises.
        """
        return frame_of(
            {
                **attributes(row, "policy", "makespan", "utilisation"),
                **{f"wait_{name}": value for name, value in vars(row.wait).items()},
                **{f"bounded_slowdown_{name}": value for name, value in vars(row.bounded_slowdown).items()},
                "violations": len(row.violations),
            }
            for row in self.rows
        )


def simulate(
    source: Source | JobStream,
    policies: str | Sequence[str] = "EASY",
    *,
    reservations: str | os.PathLike[str] | ArrayLike | None = None,
    processors: int | None = None,
    at_once: bool = False,
    threshold: Exact = 10,
    **reading: Any,
) -> Simulation:
    """Simulate policies on the jobs of a log, around reservations, and verify their schedules.

    `Simulation.violated` tells whether a schedule breaks a rule or the promise of its policy.

    Parameters
    ----------
    source
        The path of a log, or jobs as arrays (`oas.logs.stream`).
    policies
        One name or several: ``FCFS``, ``SJF``, ``BJF``, ``SPT`` and ``LPT``, which are list schedules, ``FCFS-strict``,
        ``conservative``, ``EASY``; case does not matter.
    reservations
        The path of a file with columns start, end and processors, in seconds of the log's time; or an array of
        these three columns, in the stream's ticks.
    processors
        Number of processors of the machine; None for the number in the log.
    at_once
        Whether all jobs are submitted together with the first one (off-line).
    threshold
        Threshold of the bounded slowdown, in seconds; shorter jobs count as if they had this running time.
    **reading
        Parameters of `oas.logs.stream`, for a path.

    Raises
    ------
    InputError
        Naming file, line, field and value.
    """
    names = [policies] if isinstance(policies, str) else policies
    chosen = list(dict.fromkeys(find_policy(name) for name in names))
    if not chosen:
        raise InputError("there is no policy", field="policies")
    least = exact(threshold, "threshold")
    if least <= 0:
        raise InputError("must be above 0", field="threshold", value=str(least))
    stream = source if isinstance(source, JobStream) else read_stream(source, processors=processors, **reading)
    size = _size(stream, processors)
    if at_once:
        stream = stream.submitted_together()
    stream, blocks = _reservations(reservations, size, stream)
    _check_times(stream, blocks)
    rows = []
    for policy in chosen:
        ran = stream.started(policy.starts(stream, size, blocks))
        violations = stream_violations(stream, ran, size, blocks) or broken_promises(policy.name, ran, size, blocks)
        rows.append(measured(policy.name, ran, size, blocks, least, violations))
    return Simulation(tuple(rows), stream, size, blocks, least)


def _size(stream: JobStream, processors: int | None) -> int:
    """Return the number of processors of the machine; raises `InputError` if a job is wider."""
    if processors is None and stream.machine is None:
        raise InputError("must be given: the log does not say how many there are", field="processors")
    size = integer(stream.machine if processors is None else processors, "processors", least=1)
    if size > MOST_PROCESSORS:
        raise InputError(f"must be at most {MOST_PROCESSORS}", field="processors", value=size)
    wider = np.flatnonzero(stream.processors > size)
    if wider.size:
        job = int(wider[0])
        reason = f"job {stream.ids[job]} is wider than the machine of {size} processors"
        raise InputError(reason, field=f"processors[{job}]", value=int(stream.processors[job]))
    return size


def _reservations(source: Any, processors: int, stream: JobStream) -> tuple[JobStream, NDArray[np.int64]]:
    """Return the reservations, and the jobs in ticks in which their times are whole."""
    if source is None:
        return stream, no_reservations()
    if isinstance(source, str) or hasattr(source, "__fspath__"):
        blocks, second = read_reservations(source, processors, stream.second)
        return stream if second == stream.second else stream.in_ticks(second), blocks
    return stream, checked_reservations(source, processors)


def _check_times(stream: JobStream, reservations: NDArray[np.int64]) -> None:
    """Refuse times that might exceed 2^62 ticks if all jobs run one after another after the last submission."""
    last = max(int(stream.submit[-1]), int(reservations[:, 1].max(initial=0)))
    total = sum(stream.time.tolist())
    if last + total >= NEVER:
        reason = f"all running times, {total} ticks in all, after {last} reach 2^62 ticks"
        raise InputError(reason, field="time")


def measured(
    policy: str,
    ran: JobStream,
    processors: int,
    reservations: NDArray[np.int64],
    threshold: Fraction,
    violations: Sequence[Violation] = (),
) -> PolicyRun:
    """Return the figures of jobs with starts; arguments as in `simulate`, reservations as an array."""
    first, last = int(ran.submit[0]), int(ran.ends.max())
    begins, ends = np.clip(reservations[:, :2].T, first, last)
    left = processors * (last - first) - _sum_of_products(ends - begins, reservations[:, 2])
    waits = ran.waits / ran.second
    times = ran.time / ran.second
    slowdowns = np.maximum(1.0, (waits + times) / np.maximum(times, float(threshold)))
    return PolicyRun(
        policy,
        ran,
        Fraction(last - first, ran.second),
        Fraction(_sum_of_products(ran.time, ran.processors), left),
        spread(waits),
        spread(slowdowns),
        tuple(violations),
    )


def _sum_of_products(left: NDArray[np.int64], right: NDArray[np.int64]) -> int:
    """Return Σ left × right without overflow."""
    return sum(map(mul, left.tolist(), right.tolist()))


def spread(values: NDArray[Any]) -> Spread:
    """Return mean, median, 95th percentile and maximum of numbers."""
    ordered = np.sort(values)
    place = -(-95 * len(ordered) // 100) - 1
    return Spread(float(ordered.mean()), float(np.median(ordered)), float(ordered[place]), float(ordered[-1]))
