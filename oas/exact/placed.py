"""A solve with given nodes: every job keeps its nodes, and only starts are chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.formats import show_exact
from oas.exact.evidence import schedule_in
from oas.exact.solving import Solve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oas.core.instances import Instance
    from oas.core.result import Claim, Result
    from oas.core.schedule import Schedule
    from oas.exact.options import Options
    from oas.exact.progress import SolveProgress
    from oas.models.formulation import Formulation


class PlacedSolve(Solve):
    """The same with given nodes: from a schedule on them straight to the model."""

    def __init__(
        self,
        instance: Instance,
        options: Options,
        made: Mapping[str, Schedule | None],
        on_progress: Callable[[SolveProgress], None] | None,
        start: Schedule | Result | None,
        placements: Schedule | Result,
    ) -> None:
        self.plan = schedule_in(placements, "placements")
        model = options.model
        if model is None or model.placed is None:
            who = (
                "brute force" if options.enumerates else f"the formulation {model.name}" if model else "no formulation"
            )
            reason = f"{who} takes no given nodes; under slowdown phases and slots do"
            raise InputError(reason, field="placements")
        for name, given in (("check", options.check), ("start", start is not None)):
            if given:
                raise InputError("does not go with given nodes", field=name)
        self.placed = model.placed(model, instance, self.plan)
        super().__init__(instance, options, made, on_progress)

    @property
    def closes(self) -> bool:
        """Not by the problem's own search, which chooses nodes too."""
        return False

    def _start(self) -> None:
        """The plan itself where it is feasible, else its jobs one after the other."""
        if self.evidence.offer(self.plan, self.plan.method or "plan"):
            violation = self.evidence.offer(self.placed.schedule, "one after the other")
            if violation:
                raise InputError(f"the plan gives no nodes that will do: {violation}", field="placements")

    def _model(self, _: Formulation) -> Formulation:
        return self.placed.formulation

    def _take(self, claim: Claim) -> None:
        """Say what holds on these nodes; of other schedules it says nothing."""
        who = f"{claim.solver} {claim.version} on {claim.formulation}"
        self.messages.append(f"on the nodes given, no schedule is shorter than {show_exact(claim.bound)} ({who})")
