"""Base class of the exact searches: bound, schedule, time budget."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from oas._version import __version__
from oas.core.errors import InputError, SolverError
from oas.core.result import Claim, Termination
from oas.solvers.discovery import usable
from oas.solvers.task import CPSAT, Settings, limits_of_part
from oas.solving.model_run import decide
from oas.solving.parallel import ParallelStage, StagePool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from fractions import Fraction

    from oas.core.result import Bound
    from oas.core.schedule import Schedule
    from oas.solving.evidence import Evidence
    from oas.solving.formulation import Formulation
    from oas.solving.model_run import Decision

POLL = 0.05  # seconds between two checks of the parallel stages
LEAST_SECONDS = 0.001  # minimum of the remaining time, which may have run out since the last check


class StopSearch(Exception):
    """The time is up, or the user has interrupted the search."""

    def __init__(self, termination: Termination) -> None:
        super().__init__(termination)
        self.termination = termination


class Question(NamedTuple):
    """The model and options with which CP-SAT decides an instance."""

    formulation: Formulation  # its model
    unit: int  # every makespan of the instance is a multiple of this number of ticks
    options: Mapping[str, object]  # of CP-SAT
    # Adds constraints to the specification of the model that every schedule satisfies.
    strengthen: Callable[[Any], Any] | None = None
    # Whether to ask for the longest open makespan, whose refutation settles the instance, instead of the shortest.
    from_above: bool = False


class ExactSearch(ABC):
    """The search for one instance.

    Parameters
    ----------
    evidence
        With a schedule and a bound; receives all results, and verifies every schedule.
    seed
        Seed of the local search.
    time_left
        Remaining seconds; None for no limit.
    report
        Called after each step; reports bound and makespan.
    threads
        One is for the search itself. With more, stages run in parallel processes: the second thread is for CP-SAT if it
        is used, the next `STAGE_PLACES` threads are for stages of the problem, and the rest for CP-SAT.

    Attributes
    ----------
    seconds
        Wall time of each part so far.
    notes
        Messages for people: special structure of the instance, bounds that were not checked in time.
    asks
        Whether CP-SAT is asked about the instance: it is installed, and there are at most `ASKED_JOBS` jobs.
    stages
        The parallel stages.
    time_for_stages
        Remaining seconds for these: `time_left`, or the time of the outer search if this search has a slice of it only.
    """

    STAGE_PLACES = 1
    ASKED_JOBS = 0

    def __init__(
        self,
        evidence: Evidence,
        seed: int,
        time_left: Callable[[], float | None],
        report: Callable[[], None],
        threads: int = 1,
    ) -> None:
        assert evidence.schedule is not None
        self.evidence = evidence
        self.seed = seed
        self.time_left = self.time_for_stages = time_left
        self.report = report
        self.tick = evidence.instance.scaled().tick
        self.seconds: dict[str, float] = {}
        self.notes: list[str] = []
        self._withheld: list[Claim] = []
        self.withholds = False  # claims of the parallel question
        self.threads = threads
        self.asks = len(evidence.instance.jobs) <= self.ASKED_JOBS and usable(CPSAT)
        self.prepare()
        places = threads - 1
        self._threads_to_decide = min(places, max(1, places - self.STAGE_PLACES)) if self.asks else 0
        self.stages = StagePool(places - self._threads_to_decide)

    @abstractmethod
    def prepare(self) -> None:
        """Create the data of the stages of the problem."""

    def close(self, memory: int | None = None) -> Termination:
        """Search until bound and makespan are equal or the time is up; return the reason for termination.

        `memory` is the memory limit of child processes in bytes.

        Raises
        ------
        TooLargeError
            If only a model could continue; everything possible without a model has been done.
        """
        try:
            self.run(memory)
        except StopSearch as stop:
            return stop.termination
        return Termination.FINISHED

    @abstractmethod
    def run(self, memory: int | None) -> None:
        """Run the stages of `close`; raise `StopSearch` if the time is up."""

    @abstractmethod
    def to_schedule(self, runs: list[Any]) -> Schedule:
        """Convert runs to a schedule."""

    @property
    def lower(self) -> int:
        """The best bound in ticks."""
        assert self.evidence.lower_bound is not None
        return self._ticks(self.evidence.lower_bound)

    @property
    def upper(self) -> int:
        """The best makespan in ticks."""
        assert self.evidence.makespan is not None
        return self._ticks(self.evidence.makespan)

    def _ticks(self, time: Fraction) -> int:
        return int(time / self.tick)

    def step(self) -> bool:
        """Report progress and return whether work is left; raise `StopSearch` if the time is up."""
        self.stages.look()
        self.report()
        if self.evidence.enough:
            return False
        left = self.time_left()
        if left is not None and left <= 0:
            raise StopSearch(Termination.TIME_LIMIT)
        return True

    @contextmanager
    def timed(self, part: str) -> Iterator[None]:
        """Add the time of the context to this part."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.seconds[part] = self.seconds.get(part, 0.0) + time.monotonic() - began

    def share(self, part: float) -> float | None:
        """Return this fraction of the remaining time in seconds, above 0 even if none remains; None without a limit."""
        left = self.time_left()
        return None if left is None else max(left, LEAST_SECONDS) * part

    def offer(self, runs: list[Any], source: str) -> None:
        """Keep the schedule of these runs if it is the best; raise `SolverError` if it is infeasible."""
        try:
            violation = self.evidence.offer(self.to_schedule(runs), source)
        except InputError as error:  # no processors are left for some job
            violation = str(error)
        if violation:
            raise SolverError(f"{source} made an infeasible schedule: {violation}")

    def accept(self, runs: list[Any], source: str) -> bool:
        """Offer a solver's schedule; return False if it is shorter than the best but breaks a rule."""
        try:
            return self.evidence.offer(self.to_schedule(runs), source) is None
        except InputError:
            return False

    def raise_if_interrupted(self, termination: Termination) -> None:
        """Raise `StopSearch` if the user has interrupted a part of the search."""
        if termination is Termination.INTERRUPTED:
            raise StopSearch(termination)

    def decide(self, question: Question, seconds: float, memory: int | None, *, withhold: bool = False) -> bool:
        """Let CP-SAT decide whether a makespan is feasible; return whether it did. A refutation is a claim.

        With `withhold` the claim counts from `release_claims` on: until then a certified bound may reach it too.
        """
        ticks = self.ticks_to_decide(question)
        if ticks is None:
            return False
        with self.timed("decisions"):
            answer = self.decision(question, ticks, 1, seconds, memory)()
        self.raise_if_interrupted(answer.termination)
        return self.keep_answer(question, ticks, answer, withhold=withhold)

    def decide_in_parallel(self, question: Question, memory: int | None, *, withhold: bool = False) -> bool:
        """Ask CP-SAT in a parallel process until the time is up; return False if there is no thread for it.

        `step` takes the answer, as `decide` would, and asks about the next makespan.
        """
        if not self._threads_to_decide:
            return False
        if QuestionStage.name not in self.stages:
            self.stages.start(QuestionStage(self, question, self._threads_to_decide, memory))
            self.withholds = withhold
        return True

    def decision(
        self, question: Question, ticks: int, threads: int, seconds: float | None, memory: int | None
    ) -> Callable[[], Decision]:
        """Return the call that asks CP-SAT about a makespan."""
        settings = Settings(CPSAT, threads, self.seed, options=question.options)
        limits, instance = limits_of_part(seconds, memory), self.evidence.instance
        return partial(decide, instance, question.formulation, settings, ticks, limits, question.strengthen)

    def seconds_of_stage(self) -> float | None:
        """Return the seconds for a parallel stage that begins now, above 0; None without a limit."""
        left = self.time_for_stages()
        return None if left is None else max(left, LEAST_SECONDS)

    def wait_for_stages(self, share: float = 1.0) -> None:
        """Wait until no parallel stage runs, for at most this fraction of the remaining time."""
        seconds = self.share(share)
        until = None if seconds is None else time.monotonic() + seconds
        while self.stages and self.step() and (until is None or time.monotonic() < until):
            time.sleep(POLL)

    def end_stages(self) -> None:
        """End the parallel stages, and add their times to `seconds`."""
        self.stages.end()
        for part, seconds in self.stages.seconds.items():
            self.seconds[f"parallel {part}"] = seconds

    def ticks_to_decide(self, question: Question) -> int | None:
        """Return the makespan to ask about, in ticks; None if none is left."""
        ticks = -(-self.known // question.unit) * question.unit
        if ticks >= self.upper:
            return None
        return (self.upper - 1) // question.unit * question.unit if question.from_above else ticks

    def keep_answer(self, question: Question, ticks: int, answer: Decision, *, withhold: bool) -> bool:
        """Keep an answer; return whether it decides the question."""
        if not answer.refuted:
            valid = answer.runs is not None and self.accept(answer.runs, f"{CPSAT} on {question.formulation.name}")
            return valid and self.upper <= ticks  # a longer schedule is no answer
        bound = (ticks + question.unit) * self.tick
        claims = self._withheld if withhold else self.evidence.claims
        claims.append(Claim(CPSAT, answer.version, question.formulation.name, bound))
        return True

    def release_claims(self) -> None:
        """Count the withheld claims, and from now on those of the parallel question."""
        self.withholds = False
        self.evidence.claims += self._withheld
        self._withheld = []

    @property
    def settled(self) -> bool:
        """Whether the best bound, including withheld claims, reaches the best makespan."""
        return self.known >= self.upper

    @property
    def known(self) -> int:
        """The best bound in ticks, including withheld claims."""
        return max([self.lower, *(self._ticks(claim.bound) for claim in self._withheld)])

    def claim(self, name: str, bound: Fraction) -> None:
        """Claim a bound that a search of the toolkit proved without a certificate, in place of its last claim."""
        claims = self.evidence.claims
        self.evidence.claims = [claim for claim in claims if (claim.solver, claim.formulation) != ("oas", name)]
        self.evidence.claims.append(Claim("oas", __version__, name, bound))

    def raise_bound(self, bound: Bound) -> None:
        """Keep a certified bound if it is the best."""
        assert self.evidence.bound is not None
        if bound.value > self.evidence.bound.value:
            self.evidence.bound = bound


@dataclass
class QuestionStage(ParallelStage):
    """Questions to CP-SAT as a parallel stage, each until it is answered or no longer useful."""

    name = "decisions"
    places = 0
    search: ExactSearch
    question: Question
    threads: int
    memory: int | None
    ticks: int = 0  # the makespan in question

    def begin(self) -> Callable[[], Decision] | None:
        ticks = self.search.ticks_to_decide(self.question)
        if ticks is None:
            return None
        self.ticks = ticks
        return self.search.decision(self.question, ticks, self.threads, self.search.seconds_of_stage(), self.memory)

    def is_outdated(self, _: float | None) -> bool:
        return not self.search.known <= self.ticks < self.search.upper

    def take(self, answer: Decision) -> bool:
        return self.search.keep_answer(self.question, self.ticks, answer, withhold=self.search.withholds)
