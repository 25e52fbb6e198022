"""Exact search of a MOSP instance: stages that bound and search in turns, in `PLAN`'s order.

The bounds have certificates; each is stronger and slower than the one before. If CP-SAT is installed and there are few
jobs, it is asked whether open makespans are feasible. Its refutation is a claim: if no certificate reaches as far, a
second, different run has to confirm it. Up to 7 jobs, all schedules are enumerated; this is the proof if no certificate
follows within a second. Instances with very few jobs that remain open are passed to a model, with their bound and
schedule.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from oas.core.result import Termination
from oas.mosp.bounds.two_dimensional import BOUND as TWO_DIMENSIONAL
from oas.mosp.exact.implied import implied
from oas.mosp.exact.stages.bounds import (
    configurations,
    confirmation,
    decisions,
    early_decisions,
    early_proof_log,
    first_partitions,
    first_tree,
    last_tree,
    partitions,
    proof_log,
    two_dimensional,
)
from oas.mosp.exact.stages.local import LocalSearch, more, rest, warm
from oas.mosp.exact.stages.special_cases import enumeration, machines
from oas.mosp.runs import cluster_runs_from_schedule, hasty_schedule, schedule_from_cluster_runs
from oas.mosp.search.ruin_recreate import RuinSearch
from oas.solving.brute_force import brute_force
from oas.solving.formulation import MOST_WEIGHT
from oas.solving.parallel import ParallelStage
from oas.solving.parts import ExactParts
from oas.solving.search import ExactSearch, StopSearch

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.schedule import Schedule
    from oas.mosp.bounds.searched import Settlement
    from oas.mosp.instance import MospInstance
    from oas.mosp.models.cumulative_cpsat import CumulativeSpec
    from oas.mosp.runs import ClusterRun

    Stage = Callable[["MospExactSearch", int | None], None]
    Refutation = Callable[..., Settlement]

CERTIFICATE_SECONDS = 1.0  # for bounds with certificates after a complete enumeration

PLAN: tuple[Stage, ...] = (
    machines,
    warm,
    configurations,
    enumeration,
    warm,
    first_partitions,
    early_proof_log,
    first_tree,
    early_decisions,
    proof_log,
    two_dimensional,
    more,
    partitions,
    last_tree,
    decisions,
    proof_log,
    confirmation,
    rest,
)


class MospExactSearch(ExactSearch):
    """The search for an instance of MOSP; parameters as for every `ExactSearch`.

    Attributes
    ----------
    heights
        The job weights in the certificate of the configuration bound; empty before it is known.
    local
        The local searches.
    """

    STAGE_PLACES, ASKED_JOBS = 2, 120

    def prepare(self) -> None:
        self.instance: MospInstance = self.evidence.instance  # type: ignore[assignment]
        self.scaled = self.instance.scaled()
        self.heights: tuple[int, ...] = ()
        self.local = LocalSearch(self)
        self._enumerated = False
        self.confirms = False  # until the bounds with certificates have had their time

    def run(self, memory: int | None) -> None:
        """Go through the stages until bound and schedule meet."""
        try:
            for stage in PLAN:
                stage(self, memory)
            self.wait_for_stages()
        except StopSearch as stop:
            if not self._enumerated or stop.termination is Termination.INTERRUPTED:
                raise
        finally:
            self.evidence.enumerated |= self._enumerated

    def withhold_enumeration(self) -> None:
        """Note that the best schedule is optimal by enumeration, and leave a second for bounds with certificates."""
        self._enumerated = True
        until, given = time.monotonic() + CERTIFICATE_SECONDS, self.time_left

        def time_left() -> float:
            left = given()
            return min(until - time.monotonic(), inf if left is None else left)

        self.time_left = time_left

    def strengthened(self, spec: CumulativeSpec, scale: int = MOST_WEIGHT) -> CumulativeSpec:
        """Return the specification of a question to CP-SAT, with constraints implied by the weights of the bounds."""
        bound = self.evidence.bound
        assert bound is not None
        heights = [self.heights]
        times: list[tuple[int, ...]] = []
        if bound.name == TWO_DIMENSIONAL.name and bound.certificate is not None:
            heights.append(tuple(bound.certificate["heights"]))  # type: ignore[arg-type]
            times.append(tuple(bound.certificate["times"]))  # type: ignore[arg-type]
        return replace(spec, implied=implied(spec, heights, times, scale))

    @property
    def known(self) -> int:
        """The best bound in ticks, including claims without confirmation and a withheld enumeration."""
        return self.upper if self._enumerated else super().known

    def to_schedule(self, runs: list[ClusterRun]) -> Schedule:
        return schedule_from_cluster_runs(self.instance, self.scaled, runs)

    def settle(self, part: str, bound: Refutation, share: float) -> bool:
        """Let a bound refute makespans from the best bound on; return whether it found a shorter schedule instead.

        `part`: name to which the time is added. `bound`: called with the instance, bound and makespan, and the keyword
        ``seconds``. `share`: of the remaining time, for this call.

        Raises `StopSearch` if no time is left, or after Ctrl-C.
        """
        if not self.step():
            return False
        lower, makespan = self.evidence.lower_bound, self.evidence.makespan
        with self.timed(part):
            found = bound(self.instance, lower, makespan, seconds=self.share(share))
        better = self.keep(found, part)
        self.raise_if_interrupted(found.termination)
        return better

    def settle_while_better(self, part: str, bound: Refutation, share: float) -> None:
        """Call `settle` as long as it finds shorter schedules; as a parallel stage if a thread is available."""
        if self.step() and self.stages.start(BoundStage(part, self, bound)):
            return
        while self.settle(part, bound, share):
            pass

    def keep(self, settlement: Settlement, source: str = "") -> bool:
        """Keep the results of a bound; return whether the schedule, found by `source`, improves on the incumbent."""
        before, runs = self.upper, settlement.runs
        better = runs is not None and self.accept(runs, source) and self.upper < before
        if settlement.bound is not None:
            self.raise_bound(settlement.bound)
        return better


@dataclass
class BoundStage(ParallelStage):
    """A bound that refutes makespans as a parallel stage, and begins again if it finds a shorter schedule instead."""

    name: str
    search: MospExactSearch
    bound: Refutation

    def begin(self) -> Callable[[], Settlement] | None:
        """Start from the best bound."""
        search, evidence = self.search, self.search.evidence
        if evidence.enough:
            return None
        seconds = search.seconds_of_stage()
        return partial(self.bound, search.instance, evidence.lower_bound, evidence.makespan, seconds=seconds)

    def is_outdated(self, bound: float | None) -> bool:
        """Return whether the bound has reached a schedule that was found meanwhile."""
        return self.search.evidence.enough or (bound is not None and bound >= self.search.upper)

    def take(self, answer: Settlement) -> bool:
        return self.search.keep(answer, self.name)


# Local schedules are feasible, so an instance always is.
PARTS = (
    ExactParts(
        lambda _: [],
        cluster_runs_from_schedule,
        schedule_from_cluster_runs,
        brute_force,
        MospExactSearch,
        RuinSearch,
        worker=("oas.mosp.bounds.configurations", "oas.lp.program", "highspy"),
        hasty=hasty_schedule,
    ),
)
