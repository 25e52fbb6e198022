"""The exact optimum beside the heuristics."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from heuristics.registry import find_method, methods
from oas.bounds.lower_bound import best_bound
from oas.core.errors import InfeasibleError
from oas.core.metrics import compaction, executed
from oas.core.result import Status
from oas.core.schedule import Schedule
from oas.core.verifier import verify
from oas.exact.pipeline import SolveProgress, solve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    import pandas

    from heuristics.method import Method
    from oas.core.coallocation import CoallocationInstance
    from oas.core.result import Result
    from oas.core.violation import Violation

EXACT = "exact"


@dataclass(frozen=True)
class Row:
    """One method's schedule and its figures, times in the instance's time unit.

    Attributes
    ----------
    method
        ``exact`` or the heuristic's name.
    schedule
        None if there is none, or none that the verifier accepts.
    makespan, executed
        Of the schedule, and of its execution without the slot grid (`oas.core.metrics.executed`).
    compaction, executed_compaction
        Share of the nodes' time that is held, of both.
    gap
        Makespan / the exact lower bound − 1.
    seconds
        Wall time the method took.
    violations
        What the verifier found wrong; the schedule is then not kept.
    note
        Anything else worth a word, such as why a heuristic failed.
    """

    method: str
    schedule: Schedule | None = None
    makespan: Fraction | None = None
    executed: Fraction | None = None
    compaction: Fraction | None = None
    executed_compaction: Fraction | None = None
    gap: Fraction | None = None
    seconds: float = 0.0
    violations: tuple[Violation, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Comparison:
    """Exact result and heuristics on one instance.

    Attributes
    ----------
    instance
        Every method scheduled it at its own slot size.
    result
        The exact result.
    rows
        The exact one first, then heuristics by makespan; those without a schedule last.
    continuous_bound
        Combinatorial lower bound at η = 0: what the executed makespans are to be held against.
    """

    instance: CoallocationInstance
    result: Result
    rows: tuple[Row, ...]
    continuous_bound: Fraction | None

    @property
    def violated(self) -> bool:
        """Whether the verifier rejected some method's schedule."""
        return any(row.violations for row in self.rows)

    def to_frame(self) -> pandas.DataFrame:
        """Return one row a method; times and ratios as floats, slots as integers (missing at η = 0)."""
        import pandas

        slot = self.instance.slot
        records: list[dict[str, Any]] = []
        for row in self.rows:
            figures = {
                name: None if value is None else float(value)
                for name, value in [
                    ("makespan", row.makespan),
                    ("executed", row.executed),
                    ("compaction", row.compaction),
                    ("executed_compaction", row.executed_compaction),
                    ("gap", row.gap),
                ]
            }
            slots = int(row.makespan / slot) if slot and row.makespan is not None else None
            records.append({"method": row.method, "slots": slots, **figures, "seconds": row.seconds, "note": row.note})
        return pandas.DataFrame(records).astype({"slots": "Int64"})


def compare(
    instance: CoallocationInstance,
    *,
    heuristics: Sequence[str | Method] | None = None,
    extra: Sequence[str | Method] = (),
    seed: int = 0,
    on_progress: Callable[[SolveProgress], None] | None = None,
    **solve_options: Any,
) -> Comparison:
    """Schedule `instance` by every heuristic and solve it exactly, all verified.

    The heuristics come first: one that hangs or fails is found out before a long solve, not after it.

    Parameters
    ----------
    instance
        At any slot size.
    heuristics
        Names, ``package.module:function`` or methods; None for every heuristic known.
    extra
        More of them, beside those.
    seed
        For solver and heuristics.
    on_progress
        As `oas.solve` takes it; the stage is also a heuristic's name.
    **solve_options
        As `oas.solve` takes them.

    Raises
    ------
    InputError
        For an unknown heuristic or option.
    """
    chosen = [_method(one) for one in [*(methods() if heuristics is None else heuristics), *extra]]
    rows = []
    for method in chosen:
        if on_progress is not None:
            on_progress(SolveProgress(method.name, 0.0, None, None))
        rows.append(_heuristic_row(instance, method, seed))
    result = solve(instance, seed=seed, on_progress=on_progress, **solve_options)
    rows.sort(key=lambda row: (row.makespan is None, row.makespan))
    exact_row = replace(_row(instance, EXACT, result.schedule, result.seconds.get("total", 0.0)), note=result.message)
    bound = None
    if result.status is not Status.INFEASIBLE:
        bound = best_bound(instance.with_slot(0)).value
    return Comparison(instance, result, tuple(_with_gap(row, result) for row in (exact_row, *rows)), bound)


def _method(one: str | Method) -> Method:
    return find_method(one) if isinstance(one, str) else one


def _heuristic_row(instance: CoallocationInstance, method: Method, seed: int) -> Row:
    began = time.monotonic()

    def failed(note: str, violations: tuple[Violation, ...] = ()) -> Row:
        return Row(method.name, seconds=time.monotonic() - began, violations=violations, note=note)

    try:
        schedule = method(instance, seed=seed)
        seconds = time.monotonic() - began
        if not isinstance(schedule, Schedule):
            return failed(f"returned {type(schedule).__name__}, not a Schedule")
        violations = tuple(verify(instance, schedule))
        if violations:
            return failed(f"infeasible: {violations[0]}", violations)
        return _row(instance, method.name, schedule, seconds)
    except InfeasibleError as error:
        return failed(str(error))
    except (Exception, SystemExit) as error:  # a user's own may fail in any way; the comparison goes on and says so
        return failed(f"failed: {type(error).__name__}: {error}")


def _row(instance: CoallocationInstance, method: str, schedule: Schedule | None, seconds: float) -> Row:
    if schedule is None:
        return Row(method, seconds=seconds)
    run = executed(instance, schedule)
    return Row(
        method=method,
        schedule=schedule,
        makespan=schedule.makespan,
        executed=run.makespan,
        compaction=compaction(instance, schedule),
        executed_compaction=compaction(instance, run),
        seconds=seconds,
    )


def _with_gap(row: Row, result: Result) -> Row:
    if row.makespan is None or not result.lower_bound:
        return row
    return replace(row, gap=row.makespan / result.lower_bound - 1)
