"""Exact search of a co-allocation instance whose saturated links slow jobs down.

The stages are local search; the bound by shared links, with a search for schedules made of its configurations; and with
slots, searches of two instances without slowdown (`plain`). Without slots there is no tick, so everything is compared
in Fractions. The bounds come with certificates. A gap that remains with few jobs is left to a model.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from oas.coallocation.bounds.saturated import shared_links_bound
from oas.coallocation.bounds.saturated.options import Options
from oas.coallocation.exact.saturated.local import LocalSearch
from oas.coallocation.exact.saturated.plain import PlainSearches
from oas.coallocation.running import StartedRun, schedule_from_starts, starts_from_schedule
from oas.core.errors import InputError
from oas.solving.formulation import formulations
from oas.solving.search import ExactSearch

if TYPE_CHECKING:
    from oas.coallocation.instance import CoallocationInstance
    from oas.core.schedule import Schedule

BOUND_SHARE = 0.8  # share of the time left for the bound and its schedules without slots
SLOTTED_SHARE, SLOTTED_SECONDS = 0.15, 20.0  # the same with slots, and its limit; further searches follow
FIRST_STEPS = 400  # steps of local search before the bound
STEPS = 10_000  # steps of local search in a round
FIRST_SHARE, FIRST_SECONDS = 0.1, 8.0  # limits of each search without slowdown before the bound
SECONDS, SHARE = 4.0, 0.3  # the same in the first round after the bound; the seconds double in each further round
MODEL_JOBS = 20  # maximum number of jobs for a model


class SaturatedExactSearch(ExactSearch):
    """The search for an instance under slowdown; parameters as for every `ExactSearch`.

    CP-SAT has no model of slowdown; the search of the unslowed instance uses CP-SAT itself.
    """

    def prepare(self) -> None:
        self.instance: CoallocationInstance = self.evidence.instance  # type: ignore[assignment]
        self.plain: PlainSearches | None = None

    def end_stages(self) -> None:
        """End the parallel stages, those of the unslowed instance included."""
        super().end_stages()
        if self.plain is not None and self.plain.unslowed is not None:
            self.plain.unslowed.end_stages()

    def run(self, memory: int | None) -> None:
        """Run local search and bound; with slots, also the searches without slowdown."""
        self.options = Options(self.instance)
        self.local = LocalSearch(self.options, self.seed)
        self._search_locally(FIRST_STEPS)
        self._search_plainly(FIRST_SECONDS, FIRST_SHARE, memory)
        self._bound(memory)
        if self.instance.slot:
            self._search_in_rounds(memory)
        else:
            self._search_locally(STEPS)

    def to_schedule(self, runs: list[StartedRun]) -> Schedule:
        return schedule_from_starts(self.instance, runs)

    # The stages

    def _search_locally(self, steps: int) -> None:
        """Run simulated annealing; floats may misjudge an event, so the result is verified before it is used."""
        if not self.step():
            return
        with self.timed("local"):
            assert self.evidence.schedule is not None
            self.local.restart(starts_from_schedule(self.instance, self.evidence.schedule))
            try:
                runs = self.local.improve(steps, self._is_late)
            except InputError:
                return
        self.accept(runs, "local search")

    def _is_late(self) -> bool:
        left = self.time_left()
        return left is not None and left <= 0

    def _bound(self, memory: int | None) -> None:
        """Compute the bound by shared links; use its schedule."""
        if not self.step():
            return
        assert self.evidence.makespan is not None
        seconds = self.share(SLOTTED_SHARE if self.instance.slot else BOUND_SHARE)
        if self.instance.slot:
            seconds = SLOTTED_SECONDS if seconds is None else min(seconds, SLOTTED_SECONDS)
        with self.timed("configurations"):
            outcome = shared_links_bound(self.instance, self.evidence.makespan, seconds=seconds, memory=memory)
        if outcome.bound.certificate is not None:
            self.raise_bound(outcome.bound)
        if outcome.runs:
            self.accept(list(outcome.runs), "configurations in order")
        self.raise_if_interrupted(outcome.termination)

    def _search_plainly(self, seconds: float, part: float, memory: int | None) -> bool:
        """Search without slowdown: up to `seconds` for each search, and at most `part` of the remaining time.

        Return whether more time may help.
        """
        if not self.instance.slot or not self.step():
            return False
        with self.timed("without slowdown"):
            if self.plain is None:
                self.plain = PlainSearches(self)
            left = self.share(part)
            return self.plain.resume(seconds if left is None else min(seconds, left), memory)

    def _search_in_rounds(self, memory: int | None) -> None:
        """Run rounds of local search and of growing searches without slowdown.

        When the latter have nothing left to contribute, few jobs are left to a model if one takes the instance. Without
        a time limit, the search then ends in any case.
        """
        few = len(self.instance.jobs) <= MODEL_JOBS
        ends = self.time_left() is None or (few and bool(formulations(self.instance.problem, self.instance)))
        for turn in count():
            self._search_locally(STEPS)
            if not self.step():
                return
            if not self._search_plainly(SECONDS * 2 ** min(turn, 12), SHARE, memory) and ends:
                return
