"""The records of a library's entry: one for each step forward."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.io.library_index import Record
from oas.io.texts import clean, clean_texts, text

if TYPE_CHECKING:
    from oas.core.result import Result
    from oas.io.library_index import Entry, Gain


def record_of(before: Record | None, result: Result, gains: tuple[Gain, ...], by: str, date: str | None) -> Record:
    """Return the record of a step to `result`, a merged and re-checked one, from what was known before.

    Raises
    ------
    InputError
        If `by` says nothing or holds control characters.
    """
    assert result.schedule is not None
    assert result.lower_bound is not None
    assert result.proof is not None
    if not by.strip():
        raise InputError("must say who stands for the result", field="by", value=by)
    schedule_by = result.schedule.method if before is None or "schedule" in gains else before.schedule_by
    return Record(
        date=date or datetime.now(UTC).date().isoformat(),
        by=text(by, "by"),
        gains=list(gains),
        makespan=result.schedule.makespan,
        lower_bound=result.lower_bound,
        proof=result.proof.kind,
        schedule_by=clean(schedule_by, "method"),
        bound_by=clean(str(result.proof), "proof"),
        seconds=round(result.seconds.get("total", 0.0), 3),
        seed=result.seed,
        versions=clean_texts(result.versions, "versions"),
    )


def no_gain(entry: Entry, result: Result, counted: Result) -> str:
    """Return the text why `result`, of which `counted` counts, is no improvement."""
    known = entry.records[-1]
    said = f"adds nothing: its makespan is {counted.objective}, here {known.makespan}"
    said += f"; its lower bound {counted.lower_bound}, here {known.lower_bound} by {known.proof.value}"
    dropped = result.proof is not None and result.proof.claims and counted.lower_bound != result.lower_bound
    return f"{said} (a bound of {result.lower_bound} on a solver's word was not counted)" if dropped else said
