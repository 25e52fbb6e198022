"""A solve on slots followed by a solve in continuous time, η = 0, within one time limit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from oas.core.errors import SolverError, TooLargeError
from oas.core.result import ProofKind, Termination
from oas.solving.evidence import without_claims
from oas.solving.pipeline import solve
from oas.solving.study import SECOND_SECONDS, StudyClock, report_as

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.solving.progress import SolveProgress

CONTINUOUS = "η = 0"
LATE = 0.5  # seconds beyond the time limit after which the solve at η = 0 is left out


@dataclass(frozen=True)
class ContinuousLimit:
    """A slotted schedule, its execution, and the bounds for η = 0.

    ``lower_bound ≤ optimum for η = 0 ≤ executed ≤ slotted``, in the time unit of the instance. If saturated links slow
    jobs down, the executed schedule may be longer than the slotted one.
    """

    slot: Fraction  # η of the schedule
    slotted: Fraction  # its makespan
    executed: Fraction  # makespan of its execution without the grid (`oas.coallocation.metrics.executed`)
    result: Result  # of the same instance at η = 0: a bound with its proof, and a schedule

    @property
    def slots(self) -> int:
        """Makespan in slots."""
        return int(self.slotted / self.slot)

    @property
    def lower_bound(self) -> Fraction | None:
        """Proven lower bound for every slot size; None if Ctrl-C came before a bound was known."""
        return self.result.lower_bound

    @property
    def best(self) -> Fraction:
        """The shortest known makespan at η = 0; the execution is also a schedule for η = 0."""
        objective = self.result.objective
        return self.executed if objective is None else min(objective, self.executed)

    @property
    def proven(self) -> bool:
        """Whether `best` is the optimum at η = 0."""
        return self.best == self.lower_bound


def solve_with_limit(
    instance: Instance,
    *,
    time_limit: float | None = None,
    on_progress: Callable[[SolveProgress], None] | None = None,
    continuous: bool = True,
    **solve_options: Any,
) -> tuple[Result, ContinuousLimit | None]:
    """Solve `instance` as given, then at η = 0 if `continuous`; options are those of `oas.solve`.

    The time limit includes both solves: the first one leaves a tenth of it, at most 30 s, and η = 0 has the remaining
    time, at most 30 s, also without a limit. At η = 0 `oas.solve` chooses the solver. The continuous limit is None
    without slots, without a schedule, after Ctrl-C, if the first solve ends more than `LATE` after the limit, and if
    times at η = 0 are too fine for ticks.
    """
    slotted: Any = instance
    twice = continuous and instance.problem.has("execution") and bool(slotted.slot)
    clock = StudyClock(time_limit)
    first = clock.first_share if twice else time_limit
    result = solve(instance, time_limit=first, on_progress=on_progress, on_interrupt="return", **solve_options)
    if not twice or result.schedule is None or result.termination is Termination.INTERRUPTED:
        return result, None
    if clock.time_limit is not None and clock.seconds > clock.time_limit + LATE:
        return result, None
    limits = {name: solve_options[name] for name in ("seed", "memory_limit", "gap") if name in solve_options}
    run = instance.problem.part("execution")(instance, result.schedule)
    if run is None:
        return result, None
    left = min(SECOND_SECONDS, clock.second_share or SECOND_SECONDS)
    report = report_as(on_progress, CONTINUOUS, before=clock.seconds, part=CONTINUOUS)
    try:
        free = solve(
            slotted.with_slot(0), time_limit=left, on_progress=report, start=run, on_interrupt="return", **limits
        )
    except TooLargeError:
        return result, None
    limit = ContinuousLimit(slotted.slot, result.schedule.makespan, run.makespan, free)
    if limit.lower_bound is not None and limit.lower_bound > limit.best:
        contradiction = f"the bound {limit.lower_bound} at η = 0 is above an executed schedule: {limit.best}"
        assert free.proof is not None
        if free.proof.kind is not ProofKind.SOLVER:
            raise SolverError(contradiction)
        reason = f"{free.proof} is wrong and does not count: {contradiction}"
        limit = replace(limit, result=without_claims(free, reason))
    return result, limit
