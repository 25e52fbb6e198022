"""A study of slot sizes as a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.studies.slot_sizes.points import Interval, SlotPoint

_COUNTS = ("start_indexed_variables", "start_indexed_constraints", "literal_variables", "literal_constraints")


def frame_of(points: Sequence[SlotPoint], *, model_sizes: bool = False) -> pandas.DataFrame:
    """Return one row a point; see `SlotStudy.to_frame`."""
    frame = pandas.DataFrame([_record(point) | (_sizes(point) if model_sizes else {}) for point in points])
    counts = ["slots", *(_COUNTS if model_sizes else ())]
    return frame.astype(dict.fromkeys(counts, "Int64")) if points else frame


def _record(point: SlotPoint) -> dict[str, Any]:
    loss = point.loss
    intervals: dict[str, Interval | None] = {
        "scheduling_loss": None if loss is None else loss.scheduling,
        "total_loss": None if loss is None else loss.total,
        "loss_of_the_size": None if loss is None else loss.of_the_size,
    }
    ends = {
        f"{name}_{end}": None if one is None else float(getattr(one, end))
        for name, one in intervals.items()
        for end in ("low", "high")
    }
    return {
        "percent": float(point.percent),
        "slot": float(point.slot),
        "slots": point.slots,
        "makespan": float(point.makespan),
        "lower_bound": float(point.lower_bound),
        "status": point.status.value,
        "executed": float(point.executed),
        "compaction": float(point.compaction),
        "executed_compaction": float(point.executed_compaction),
        "rounding_loss": None if loss is None else float(loss.rounding),
        **ends,
        "seconds": point.seconds,
        "cached": point.cached,
    }


def _sizes(point: SlotPoint) -> dict[str, int | None]:
    start_indexed, literal = point.sizes.start_indexed, point.sizes.literal
    counts = (start_indexed.variables, start_indexed.constraints, literal.variables, literal.constraints)
    return dict(zip(_COUNTS, counts, strict=True))
