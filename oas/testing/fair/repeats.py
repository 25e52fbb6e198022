"""A second run in the same process: what a method keeps from run to run shows there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.testing.findings import Finding, Kind

if TYPE_CHECKING:
    from heuristics.method import Method
    from oas.core.schedule import Schedule
    from oas.problems.fair.instance import FairInstance
    from oas.testing.parts import Call


def keeps_state(_method: Method, call: Call, instance: FairInstance, schedule: Schedule, seed: int) -> Finding | None:
    """Run the method once more on `instance`, where it has just been run, and compare the schedules."""
    again = call(instance, seed)
    if again.schedule == schedule:
        return None
    said = again.finding or again.refusal or "another schedule"
    return Finding(Kind.UNSTEADY, f"run again in the same process: {said}; it keeps something from run to run")
