"""The part of a problem that Gantt charts use: what they show. Nothing here imports matplotlib, for charts in text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.core.problem import check_variant

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule


def _no_boxes(_instance: Any, _schedule: Schedule) -> list[Any]:
    return []


@dataclass(frozen=True)
class ChartStyle:
    """The style of the Gantt charts of one problem.

    Attributes
    ----------
    look
        ``package.module:function`` of ``instance -> Look``.
    figure
        The same of ``(instance, schedule, arguments of gantt) -> Figure``, which shows the schedule in full; empty for
        the Gantt chart alone.
    reserved
        ``(instance, schedule) -> boxes`` that no job may have, each with cluster, first, count, start and end.
    variants
        Those of `Problem.variants` that it draws; none for the plain one alone.
    """

    look: str = "oas.plots.plain_look:plain_look"
    figure: str = ""
    reserved: Callable[[Any, Schedule], Sequence[Any]] = _no_boxes
    variants: tuple[str, ...] = ()


def chart_style(instance: Instance) -> ChartStyle:
    """Return how charts of `instance` look; plain where its problem does not say."""
    found: ChartStyle = instance.problem.part("chart") if instance.problem.has("chart") else ChartStyle()
    check_variant(instance, "the Gantt chart", found.variants)
    return found
