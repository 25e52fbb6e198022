"""Exact search of a co-allocation instance: configuration bound, local search, and a complete search between the two.

Each stage works on the interval left open by the stages before it, and every schedule is verified. The bound has a
certificate. The complete searches advance from moment to moment (`chronological_search`); the certificate of a
refutation is its log, which independent code checks. If the log is too long, the refutation is a claim. If CP-SAT is
installed and there are few jobs, it is asked in between or in parallel about the longest makespan below the incumbent,
with the weights of the configuration bound; its refutation is a claim, which a second run has to confirm.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from oas.coallocation.allocations import runs_from_schedule, schedule_from_runs
from oas.coallocation.bounds.configurations import Weights, configuration_bound
from oas.coallocation.bounds.configurations.packing import Packing
from oas.coallocation.exact.chronological_search import ChronologicalSearch, Verdict
from oas.coallocation.exact.implied import implied
from oas.coallocation.exact.relaxation import Relaxation
from oas.coallocation.models.counts_cpsat import FORMULATION as COUNTS
from oas.coallocation.search.annealing import MANY_JOBS, AnnealingSearch, WidestFirst
from oas.coallocation.search.beam import LEAST_JOBS, BeamSearch
from oas.coallocation.ticks import coarsened
from oas.core.errors import TooLargeError
from oas.core.result import Bound, Termination
from oas.solvers.task import CPSAT, Settings
from oas.solving.formulation import MOST_WEIGHT, SECOND_WEIGHT
from oas.solving.model_run import Question
from oas.solving.search import ExactSearch, StopSearch

if TYPE_CHECKING:
    from oas.coallocation.allocations import Run
    from oas.coallocation.instance import CoallocationInstance
    from oas.coallocation.models.counts_cpsat import CountsSpec
    from oas.core.schedule import Schedule

BOUND_SHARE = 0.25  # share of the time left for the configuration bound
VERY_MANY_JOBS, VERY_MANY_SHARE = 129, 0.5  # the same from this number of jobs on: it takes longer but proves most
FIRST_ORDERS = 40  # orders with the widest jobs first, tried before any search if there are many jobs
ALTERNATIVES = 3  # additional weights for the complete search, each with its own budget
WARM_STEPS = 120  # steps of local search before the complete search, per squared number of jobs
DECISIONS = 100_000  # decisions of a complete search between two checks of the time
RELAXED, PLACED = "relaxed", "placed"  # kinds of complete searches
COMPLETE = (RELAXED, PLACED)  # in this order
FIRST_DECISIONS = 400_000  # decisions of each complete search in the first round; doubled in each further round
# Decisions of the complete search per step of local search, times jobs. With 16 jobs, local search has half of the
# time, with 64 jobs four fifths: the more jobs there are, the more often the schedule is not optimal yet.
DECISIONS_BY_JOBS = 64
LEAST_STEPS = 2_000
FIRST_PLACEMENTS = LEAST_STEPS * 64**2  # the time of a step grows with the squared number of jobs
REST = 20  # calls of local search between two schedules of very many jobs that are verified, a third of a second each
DECIDE_SHARE = 0.5  # share of the time left for an answer of CP-SAT
LEAST_SECONDS, LONGER = 2.0, 3  # for the first answer, and growth factor, because each question starts again
SLOW_STEPS = 10  # without compiled code, one of this number of steps is performed
BOTTOM_UP = 40  # ticks between bound and schedule up to which the bound is raised tick by tick


class CoallocationExactSearch(ExactSearch):
    """The search for a co-allocation instance; parameters as for every `ExactSearch`."""

    STAGE_PLACES, ASKED_JOBS = 0, 24

    def prepare(self) -> None:
        self.instance: CoallocationInstance = self.evidence.instance  # type: ignore[assignment]
        self.scaled = self.instance.scaled()
        self.local = AnnealingSearch(self.scaled, self.seed)
        self.beam: BeamSearch | None = None
        self.packing = Packing(self.scaled)
        self.relaxation: Relaxation | None = None  # made by the first relaxed search
        self.duals: list[Weights] = []
        self.searches: dict[tuple[int, str], ChronologicalSearch] = {}
        self.decisions = 0  # since the last local search
        self._begun = False
        self.turns = count()  # rounds of the complete searches

    def run(self, memory: int | None) -> None:
        """Run bound, local search and complete search; without a time limit, too many jobs for it are an error.

        If the time runs out, the next call continues with the complete search.
        """
        if not self._begun:
            self._begun = True
            self._place_widest_first()
            self._search_locally(min(LEAST_STEPS, FIRST_PLACEMENTS // self.scaled.job_count**2))
            self._bound(memory)
            self._search_locally(WARM_STEPS * self.scaled.job_count**2)
        try:
            self._search_completely(memory)
        except TooLargeError:
            if self.time_left() is None:
                raise
            self._search_locally(sys.maxsize)

    def to_schedule(self, runs: list[Run]) -> Schedule:
        return schedule_from_runs(self.instance, self.scaled, runs)

    # The stages

    def _bound(self, memory: int | None) -> Termination:
        """Compute the configuration bound and weights if time is left; return why the computation ended."""
        if not self.step():
            return Termination.FINISHED
        assert self.evidence.makespan is not None
        with self.timed("configurations"):
            outcome = configuration_bound(
                self.instance,
                self.evidence.makespan,
                seconds=self.share(VERY_MANY_SHARE if self.scaled.job_count >= VERY_MANY_JOBS else BOUND_SHARE),
                memory=memory,
                alternatives=ALTERNATIVES,
            )
        self.raise_bound(outcome.bound)
        if outcome.duals:
            self.duals = list(outcome.duals)
        self.raise_if_interrupted(outcome.termination)
        return outcome.termination

    def _place_widest_first(self) -> None:
        if self.scaled.job_count < MANY_JOBS or not self.step():
            return
        orders = WidestFirst(self.scaled, self.seed)
        best: list[Run] = []
        try:
            for _ in range(FIRST_ORDERS):
                if not self.step():
                    break
                with self.timed("local"):
                    runs = orders.build()
                if not best or max(run.end for run in runs) < max(run.end for run in best):
                    best = runs
        finally:
            self._offer_better(best, "widest first")

    def _search_locally(self, steps: int) -> None:
        """Run `steps` of annealing; once weights are known, a beam search takes as much time."""
        start = runs_from_schedule(self.instance, self.scaled, self.evidence.schedule)  # type: ignore[arg-type]
        if self.duals and self.scaled.job_count >= LEAST_JOBS and self.beam is None:
            duals = [(dual.weights, dual.whole) for dual in self.duals]
            self.beam = BeamSearch(self.scaled, start, duals, self.seed)
        runs: list[Run] = []
        calls = 0
        try:
            while steps > 0 and self.step():
                taken = min(steps, self.local.pace)
                steps -= taken * (SLOW_STEPS if self.local.is_slow else 1)
                with self.timed("local"):
                    runs = self.local.improve(self.lower, taken, start)
                if self.beam is not None and runs:
                    with self.timed("beam"):
                        runs = start = self.beam.improve(self.lower, self.beam.pace, runs)
                calls += 1
                optimal = runs and max(run.end for run in runs) <= self.lower
                if self.scaled.job_count < VERY_MANY_JOBS or calls % REST == 0 or optimal:
                    self._offer_better(runs)
        except StopSearch:
            self._offer_better(runs)
            raise
        self._offer_better(runs)

    def _offer_better(self, runs: list[Run], source: str = "local search") -> None:
        if runs and max(run.end for run in runs) < self.upper:
            self.offer(runs, source)

    def _search_completely(self, memory: int | None) -> None:
        """Run rounds of growing searches: the bound from below, the schedule from above, local search in between."""
        for turn in self.turns:
            if not self.duals and self._bound(memory) is not Termination.TIME_LIMIT and not self.duals:
                return
            before = self._complete_seconds()
            in_parallel = self.asks and self.decide_in_parallel(self._question, memory)
            if self.duals:
                self._close_gap(FIRST_DECISIONS << min(turn, 12))
            if turn > 0 and not in_parallel:
                self._ask(max(LEAST_SECONDS * LONGER**turn, self._complete_seconds() - before), memory)
            if not self.step() or (self.searched >= self.upper and not self.asks):
                return
            decisions_a_step = max(1, DECISIONS_BY_JOBS // self.scaled.job_count)
            steps, self.decisions = max(LEAST_STEPS, self.decisions // decisions_a_step), 0
            self._search_locally(steps)

    def _strengthened(self, spec: CountsSpec, most: int = MOST_WEIGHT) -> CountsSpec:
        return replace(spec, implied=implied(spec, self.duals, self.packing, most))

    def _complete_seconds(self) -> float:
        return sum(self.seconds.get(kind, 0.0) for kind in COMPLETE)

    @property
    def _question(self) -> Question:
        """The question to CP-SAT about the longest open makespan, with constraints from the configuration bound."""
        _, unit = coarsened(self.scaled)
        second = partial(self._strengthened, most=SECOND_WEIGHT)
        return Question(COUNTS, unit, Settings(CPSAT, seed=self.seed), self._strengthened, True, second)

    def _ask(self, seconds: float, memory: int | None) -> None:
        """Ask CP-SAT repeatedly until it gives no answer."""
        while self.asks and self.step():
            left = self.share(DECIDE_SHARE)
            if not self.decide(self._question, seconds if left is None else min(seconds, left), memory):
                return

    def _close_gap(self, decisions: int) -> None:
        """Raise the bound tick by tick if the incumbent is near, then improve the incumbent; stop if undecided."""
        while self.upper - BOTTOM_UP <= self.searched < self.upper and self.step():
            if not self._decide(self.searched, decisions):
                break
        # If only one makespan is open, the first loop has tried it.
        while self.searched < self.upper - 1 and self.step():
            if not self._decide(self.upper - 1, decisions):
                break

    def _decide(self, horizon: int, decisions: int) -> bool:
        """Try to refute a makespan or to find a schedule of it; return whether this has succeeded."""
        for kind in COMPLETE:
            with self.timed(kind):
                search = self._complete(horizon, kind)
                verdict = self._run(search, decisions)
            if verdict is Verdict.REFUTED:
                bound, certificate = self.scaled.to_time(horizon + 1), search.certificate()
                if certificate is None:
                    self.claim(search.name, bound)
                else:
                    self.raise_bound(Bound(search.name, bound, certificate))
                return True
            if verdict is Verdict.FOUND and kind != RELAXED:
                self.offer(search.runs(), f"{kind} search")
                return True
        return False

    def _complete(self, horizon: int, kind: str) -> ChronologicalSearch:
        """Return the search of this kind for this makespan, in its current state."""
        for key in [key for key in self.searches if not self.lower <= key[0] < self.upper]:
            del self.searches[key]
        if kind == RELAXED and self.relaxation is None:
            self.relaxation = Relaxation(self.scaled, self.packing.fits)
        if (horizon, kind) not in self.searches:
            self.searches[horizon, kind] = ChronologicalSearch(
                self.scaled, self.duals, horizon, placed=kind == PLACED, relaxation=self.relaxation
            )
        return self.searches[horizon, kind]

    def _run(self, search: ChronologicalSearch, decisions: int) -> Verdict:
        while decisions > 0:
            self.decisions -= search.decisions
            verdict = search.resume(min(decisions, DECISIONS))
            self.decisions += search.decisions
            if verdict is not Verdict.UNDECIDED:
                return verdict
            decisions -= DECISIONS
            self.step()
        return Verdict.UNDECIDED
