"""The optimum or the bounds in continuous time (η = 0), with which schedules on the slot grid are compared."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.core.errors import SolverError, TooLargeError
from oas.core.result import Termination
from oas.exact.pipeline import solve
from oas.problems.coallocation.metrics import executed_if_short
from oas.studies.study import report_as

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.exact.progress import SolveProgress

RESERVED = 0.1  # share of a time limit that a solve leaves to the second one,
SECONDS = 30.0  # but never more than η = 0 is given at all
LEAST_SECONDS = 0.1  # for a second solve, even if the first one has used up the time

STAGE = "η = 0"


@dataclass(frozen=True)
class ContinuousLimit:
    """A slotted schedule, its execution, and what is proven of η = 0.

    ``lower_bound ≤ optimum at η = 0 ≤ executed ≤ slotted``, in the instance's time unit; where saturated links slow
    jobs down, the executed schedule may be longer than the slotted one.
    """

    slot: Fraction  # η of the schedule
    slotted: Fraction  # its makespan
    executed: Fraction  # makespan of its execution without the grid (`oas.problems.coallocation.metrics.executed`)
    result: Result  # of the same instance at η = 0: a bound with its proof, and a schedule

    @property
    def slots(self) -> int:
        """Makespan in slots."""
        return int(self.slotted / self.slot)

    @property
    def lower_bound(self) -> Fraction | None:
        """Proven: no schedule ends earlier, on whatever grid. None if Ctrl-C came before there was one."""
        return self.result.lower_bound

    @property
    def best(self) -> Fraction:
        """The shortest makespan known at η = 0: the execution is a schedule there too."""
        found = self.result.objective
        return self.executed if found is None else min(found, self.executed)

    @property
    def proven(self) -> bool:
        """Whether that is the optimum at η = 0."""
        return self.best == self.lower_bound


def first_share(time_limit: float | None) -> float | None:
    """Return the seconds of a time limit that the first of two solves may take."""
    return None if time_limit is None else time_limit - min(SECONDS, RESERVED * time_limit)


def solve_with_limit(
    instance: Instance,
    *,
    time_limit: float | None = None,
    on_progress: Callable[[SolveProgress], None] | None = None,
    **solve_options: Any,
) -> tuple[Result, ContinuousLimit | None]:
    """Solve `instance` as it is, then at η = 0; options are those of `oas.solve`.

    Both within the time limit: the first solve leaves a tenth of it, at most 30 s, and η = 0 has what is left, at most
    30 s, which is also what it has without a limit. At η = 0 `oas.solve` chooses the solver. The limit is None without
    slots, without a schedule, after Ctrl-C, and where times at η = 0 are too fine to be counted.
    """
    if not getattr(instance, "slot", 0):
        return solve(
            instance, time_limit=time_limit, on_progress=on_progress, on_interrupt="return", **solve_options
        ), None
    slotted: Any = instance
    began = time.monotonic()
    result = solve(
        instance, time_limit=first_share(time_limit), on_progress=on_progress, on_interrupt="return", **solve_options
    )
    if result.schedule is None or result.termination is Termination.INTERRUPTED:
        return result, None
    kept = {name: solve_options[name] for name in ("seed", "memory_limit", "gap") if name in solve_options}
    run = executed_if_short(slotted, result.schedule)
    if run is None:
        return result, None
    before = time.monotonic() - began
    left = SECONDS if time_limit is None else min(SECONDS, max(LEAST_SECONDS, time_limit - before))
    report = report_as(on_progress, STAGE, before=before, part=STAGE)
    try:
        free = solve(
            slotted.with_slot(0), time_limit=left, on_progress=report, start=run, on_interrupt="return", **kept
        )
    except TooLargeError:
        return result, None
    limit = ContinuousLimit(slotted.slot, result.schedule.makespan, run.makespan, free)
    if limit.lower_bound is not None and limit.lower_bound > limit.best:
        raise SolverError(f"the bound {limit.lower_bound} at η = 0 is above an executed schedule: {limit.best}")
    return result, limit
