"""Runs of the reference and the policies on each case; each run is a line of a file of rows."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from benchmarks.common import Journal
from benchmarks.papers.fair_log_cases import LogCase
from heuristics.fair.fair_share import fair_share
from oas.core.errors import InputError, VerificationError
from oas.core.registry import FAIR
from oas.fair.search.engine import TicksScheduler, run_policy
from oas.fair.search.reference import reference
from oas.fair.search.sampling import random_orderings, sampled_starts
from oas.fair.stream_rules import ticks_violations
from oas.fair.utilities import completed_work, strategy_proof
from oas.solving.methods import find_method

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from benchmarks.papers.fair_log_cases import Log
    from oas.fair.ticks import FairTicks

    Starts = NDArray[np.int64]

REF = "REF"
HALF_LIFE = 86_400  # of FAIRSHARE, in seconds: a day
ORDER = ("RAND(75)", "RAND(15)", "DIRECTCONTR", "ROUNDROBIN")  # the paper's order, the fairest first
BESIDE = ("FAIRSHARE", "FCFS")


def _policy(name: str, ticks: FairTicks, seed: int, second: int) -> Starts:
    run = find_method(name, FAIR).run
    assert isinstance(run, TicksScheduler)
    return run.starts(ticks, seed=seed)


def _sampled(orderings: int, ticks: FairTicks, seed: int, second: int) -> Starts:
    return sampled_starts(ticks, random_orderings(ticks.organization_count, orderings, seed))


CONTESTANTS: dict[str, Callable[[FairTicks, int, int], Starts]] = {
    REF: lambda ticks, seed, second: reference(ticks).starts,
    **{f"RAND({orderings})": partial(_sampled, orderings) for orderings in (75, 15)},
    **{name: partial(_policy, name) for name in ("DIRECTCONTR", "ROUNDROBIN", "FCFS")},
    "FAIRSHARE": lambda ticks, seed, second: run_policy(ticks, fair_share(HALF_LIFE * second), seed, name="FAIRSHARE"),
}
"""Functions of the jobs, a seed and the ticks per second that return starts, by name; the reference comes first."""


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The outcome of a policy on a case."""

    case: LogCase  # policy: its name; `REF` is the reference
    policy: str
    jobs: int  # number of jobs, copies included
    second: int  # ticks per second
    utilities: tuple[int, ...]  # ψ_sp of each organization at the horizon
    work: int  # units of work completed by then
    seconds: float  # wall time of the run


def make_rows(cases: Iterable[tuple[Log, LogCase]], path: Path, report: Callable[[str], None]) -> list[Row]:
    """Make the rows that the file lacks, REF first, until Ctrl-C; return all rows of these cases.

    A window without jobs, or without known owners of jobs, has no rows. InputError if a line of the file is no row.
    """
    cases = list(cases)
    wanted = {(case, name) for _, case in cases for name in CONTESTANTS}
    with Journal(path) as journal:
        rows = [row for row in _rows_of(journal, path) if (row.case, row.policy) in wanted]
        known = {(row.case, row.policy) for row in rows}
        try:
            for log, case in cases:
                missing = [name for name in CONTESTANTS if (case, name) not in known]
                if not missing:
                    continue
                try:
                    ticks = case.ticks(log)
                except InputError as error:
                    report(f"{case}: left out: {error}")
                    continue
                for name in missing:
                    rows.append(_row(case, name, ticks, log.jobs.second))
                    journal.add(msgspec.to_builtins(rows[-1]))
                report(f"{case}: {len(missing)} runs made")
        except KeyboardInterrupt:
            report("interrupted; what is finished is kept")
    return rows


def _rows_of(journal: Journal, path: Path) -> Iterator[Row]:
    for number, row in enumerate(journal.rows, start=1):
        try:
            yield msgspec.convert(row, Row)
        except msgspec.ValidationError as error:
            raise InputError("is no row of this experiment", file=str(path), field=f"line {number}") from error


def _row(case: LogCase, policy: str, ticks: FairTicks, second: int) -> Row:
    began = time.monotonic()
    starts = CONTESTANTS[policy](ticks, case.seed, second)
    seconds = round(time.monotonic() - began, 3)
    if violations := tuple(ticks_violations(ticks, starts)):
        raise VerificationError(f"{policy}'s schedule breaks rules", violations)
    utilities = tuple(strategy_proof(ticks, starts))
    return Row(case, policy, ticks.job_count, second, utilities, sum(completed_work(ticks, starts)), seconds)
