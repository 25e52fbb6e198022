"""Exact search of a co-allocation instance whose saturated links slow jobs down.

The stages are local search; the bound by shared links, with a search for schedules made of its configurations; and with
slots, searches of two instances without slowdown (`plain`) and a complete search between bound and schedule. Without
slots there is no tick, so everything is compared in Fractions. The bounds come with certificates; a refutation by the
complete search is a claim without a certificate.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from oas.coallocation.bounds.saturated import shared_links_bound
from oas.coallocation.bounds.saturated.options import Options
from oas.coallocation.exact.chronological_search import Verdict
from oas.coallocation.exact.saturated.grid_search import GridSearch, GridWeights
from oas.coallocation.exact.saturated.local import LocalSearch
from oas.coallocation.exact.saturated.plain import PlainSearches
from oas.coallocation.running import StartedRun, schedule_from_starts, starts_from_schedule
from oas.core.errors import InputError, TooLargeError
from oas.solving.search import ExactSearch

if TYPE_CHECKING:
    from oas.coallocation.instance import CoallocationInstance
    from oas.core.schedule import Schedule

BOUND_SHARE = 0.8  # share of the time left for the bound and its schedules without slots
SLOTTED_SHARE, SLOTTED_SECONDS = 0.15, 20.0  # the same with slots, and its limit; a complete search follows
FIRST_STEPS = 400  # steps of local search before the bound
STEPS = 10_000  # steps of local search in a round
FIRST_SHARE, FIRST_SECONDS = 0.1, 8.0  # limits of each search without slowdown before the bound
SECONDS, SHARE = 4.0, 0.3  # the same in the first round after the bound; the seconds double in each further round
DECISIONS = 100_000  # decisions of the complete search between two checks of the time
FIRST_DECISIONS = 200_000  # the same in the first round; doubled in each further round


class SaturatedExactSearch(ExactSearch):
    """The search for an instance under slowdown; parameters as for every `ExactSearch`.

    CP-SAT has no model of slowdown; the search of the unslowed instance uses CP-SAT itself.
    """

    def prepare(self) -> None:
        self.instance: CoallocationInstance = self.evidence.instance  # type: ignore[assignment]
        self.weights: list[GridWeights] = []
        self.searches: dict[int, GridSearch] = {}
        self.plain: PlainSearches | None = None

    def end_stages(self) -> None:
        """End the parallel stages, those of the unslowed instance included."""
        super().end_stages()
        if self.plain is not None and self.plain.unslowed is not None:
            self.plain.unslowed.end_stages()

    def run(self, memory: int | None) -> None:
        """Run local search and bound; with slots, also the searches without slowdown and the complete search."""
        self.options = Options(self.instance)
        self.local = LocalSearch(self.options, self.seed)
        self._search_locally(FIRST_STEPS)
        self._search_plainly(FIRST_SECONDS, FIRST_SHARE, memory)
        self._bound(memory)
        if self.instance.slot:
            self._search_completely(memory)
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
        """Compute the bound by shared links; use its schedule and its weights."""
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
        if outcome.weights is not None:
            weights, whole = outcome.weights
            rows = [[weight] * len(row) for weight, row in zip(weights, self.options.rows, strict=True)]
            self.weights = [GridWeights(rows, whole)]
        self.raise_if_interrupted(outcome.termination)

    def _search_plainly(self, seconds: float, part: float, memory: int | None) -> None:
        """Search without slowdown: up to `seconds` for each search, and at most `part` of the remaining time."""
        if not self.instance.slot or not self.step():
            return
        with self.timed("without slowdown"):
            if self.plain is None:
                self.plain = PlainSearches(self)
            left = self.share(part)
            self.plain.resume(seconds if left is None else min(seconds, left), memory)

    def _search_completely(self, memory: int | None) -> None:
        """Run rounds of growing searches: over grid moments, local, and without slowdown.

        Too many different rates for the grid search are an error only without a time limit.
        """
        too_large = False
        for turn in count():
            try:
                for shorter in (False, True):  # for the lower bound, then for a shorter schedule
                    if not too_large and self.searched < self.upper and self.step():
                        self._decide(self.upper - 1 if shorter else self.searched, FIRST_DECISIONS << min(turn, 12))
            except TooLargeError:
                if self.time_left() is None:
                    raise
                too_large = True
            self._search_locally(STEPS)
            if not self.step() or self.searched >= self.upper:  # then a model may confirm the claim
                return
            self._search_plainly(SECONDS * 2 ** min(turn, 12), SHARE, memory)

    def _decide(self, slots: int, decisions: int) -> None:
        """Refute a makespan of `slots` slots, or find a schedule."""
        with self.timed("grid moments"):
            for key in [key for key in self.searches if not self.lower <= key < self.upper]:
                del self.searches[key]
            if slots not in self.searches:
                self.searches[slots] = GridSearch(self.instance, slots, self.weights)
            search = self.searches[slots]
            verdict = Verdict.UNDECIDED
            while verdict is Verdict.UNDECIDED and decisions > 0:
                verdict = search.resume(min(decisions, DECISIONS))
                decisions -= DECISIONS
                self.step()
        if verdict is Verdict.REFUTED:
            self.claim("grid moments", (slots + 1) * self.instance.slot)
        elif verdict is Verdict.FOUND:
            self.offer(search.runs(), "search over grid moments")
