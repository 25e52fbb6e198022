"""The part of a problem that comparisons use: figures of a schedule beside its makespan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from oas.core.instances import Instance
    from oas.core.schedule import Schedule


class Figures(Protocol):
    """Figures of a verified schedule, as fields of `oas.studies.comparison.ComparisonRow`."""

    def __call__(self, instance: Any, schedule: Schedule, *, keeps_promises: bool) -> dict[str, Any]: ...


def figures_of(instance: Instance, schedule: Schedule, *, keeps_promises: bool) -> dict[str, Any]:
    """Return the figures of the problem's own; none where it names none.

    Parameters
    ----------
    instance
        What the schedule is of.
    schedule
        Verified, at least for the instance without the promises that a heuristic need not make.
    keeps_promises
        Whether it keeps those too.
    """
    if not instance.problem.has("figures"):
        return {}
    found: dict[str, Any] = instance.problem.part("figures")(instance, schedule, keeps_promises=keeps_promises)
    return found
