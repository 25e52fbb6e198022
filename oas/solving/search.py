"""Base class of the exact searches: bound, schedule, time budget."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from oas._version import __version__
from oas.core.errors import InputError, SolverError
from oas.core.result import Claim, Termination
from oas.solvers.discovery import usable
from oas.solvers.task import CPSAT, Settings, limits_of_part
from oas.solving.model_run import Question, decide
from oas.solving.parallel import ParallelStage, StagePool
from oas.solving.recheck import Verdict, recheck_within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from fractions import Fraction

    from oas.core.result import Bound
    from oas.core.schedule import Schedule
    from oas.solving.evidence import Evidence
    from oas.solving.formulation import Formulation
    from oas.solving.model_run import Decision

OWN = "oas"  # name of the toolkit in claims
CHECK_SHARE, LONGEST_CHECK = 0.1, 0.2  # for certificates during the search: shares of the time, for all and for one
POLL = 0.05  # seconds between two checks of the parallel stages
UNLIMITED_CHECK = 300.0  # seconds for the certificate of a solver without a time limit
LEAST_SECONDS = 0.001  # minimum of the remaining time, which may have run out since the last check


class StopSearch(Exception):
    """The time is up, or the user has interrupted the search."""

    def __init__(self, termination: Termination) -> None:
        super().__init__(termination)
        self.termination = termination


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
    confirms
        Whether a claim that settles the instance is confirmed by a second, different run now. A problem may delay this,
        because a certificate that reaches as far makes it unnecessary.
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
        self.confirms = True
        self.threads = threads
        self._checked: Bound | None = None  # the last bound that was checked during the search
        self._began, self._check_seconds = time.monotonic(), 0.0
        self._can_ask = len(evidence.instance.jobs) <= self.ASKED_JOBS and usable(CPSAT)
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
        self._check_bound()
        left = self.time_left()
        if left is not None and left <= 0:
            raise StopSearch(Termination.TIME_LIMIT)
        return True

    def _check_bound(self) -> None:
        """Check the certificate of a new best bound, for a small share of a limited time.

        So a bound does not depend on the seconds that are left at the end. Bounds that close the instance are checked
        then.
        """
        bound, left, elapsed = self.evidence.bound, self.time_left(), time.monotonic() - self._began
        if bound is None or bound is self._checked or not bound.certificate or left is None:
            return
        if self._check_seconds > CHECK_SHARE * elapsed:
            return
        began = time.monotonic()
        self._confirms(bound, max(LEAST_SECONDS, LONGEST_CHECK * (elapsed + left)))
        self._check_seconds += time.monotonic() - began

    def _confirms(self, bound: Bound, seconds: float) -> bool:
        """Check the certificate of a bound, and return whether it is confirmed."""
        self._checked = bound
        check = recheck_within(self.evidence.instance, bound, seconds, None)
        self.raise_if_interrupted(check.termination)
        if check.verdict is not Verdict.CONFIRMED:
            return False
        self.evidence.confirmed = bound
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

    @property
    def asks(self) -> bool:
        """Whether CP-SAT is asked: it is installed, no answer exposed it, and there are at most `ASKED_JOBS` jobs."""
        return self._can_ask and CPSAT not in self.evidence.exposed

    def decide(self, question: Question, seconds: float | None, memory: int | None) -> bool:
        """Let CP-SAT decide `next_question`; return whether it did. A refutation is a claim."""
        asked = self.next_question(question)
        if asked is None:
            return False
        with self.timed("decisions"):
            answer = self.decision(*asked, 1, seconds, memory)()
        self.raise_if_interrupted(answer.termination)
        return self.keep_answer(*asked, answer)

    def refute(self, formulation: Formulation, unit: int, share: float, memory: int | None) -> bool:
        """Let a solver that logs its proof refute the longest open makespan; return whether it answers.

        The proof is checked immediately, so that another run can still confirm a claim that it fails to replace.
        `unit`: as in `Question`. `share`: of the remaining time, for proof and check.
        """
        solver = formulation.family
        if not usable(solver) or not self.step():
            return False
        if any(one.solver == solver and self._ticks(one.bound) >= self.upper for one in self.evidence.claims):
            return False  # it has refuted this makespan, and its proof could not be translated
        question = Question(formulation, unit, Settings(solver, seed=self.seed))
        ticks = (self.upper - 1) // unit * unit
        with self.timed(formulation.certified):
            answer = self.decision(question, ticks, 1, self.share(share), memory)()
        self.raise_if_interrupted(answer.termination)
        return self.keep_answer(question, ticks, answer)

    def decide_in_parallel(self, question: Question, memory: int | None) -> bool:
        """Ask CP-SAT in a parallel process until the time is up; return False if there is no thread for it.

        `step` takes the answer, as `decide` would, and asks the next question.
        """
        if not self._threads_to_decide:
            return False
        if QuestionStage.name not in self.stages:
            self.stages.start(QuestionStage(self, question, self._threads_to_decide, memory))
        return True

    def next_question(self, question: Question) -> tuple[Question, int] | None:
        """Return the question to ask and its makespan in ticks; None if none is left.

        While makespans are open, this is `question`. If a claim settles the instance, a second run has to confirm it.
        """
        ticks, last = -(-self.known // question.unit) * question.unit, (self.upper - 1) // question.unit * question.unit
        if not self.asks or self.lower >= self.upper:
            return None
        if ticks < self.upper:
            return question, last if question.from_above else ticks
        return (question.second(), last) if self.confirms else None

    def decision(
        self, question: Question, ticks: int, threads: int, seconds: float | None, memory: int | None
    ) -> Callable[[], Decision]:
        """Return the call that asks CP-SAT about a makespan."""
        question = replace(question, settings=replace(question.settings, threads=threads))
        return partial(decide, self.evidence.instance, question, ticks, self.upper, limits_of_part(seconds, memory))

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

    def keep_answer(self, question: Question, ticks: int, answer: Decision) -> bool:
        """Keep an answer; return whether it decides the question."""
        solver, formulation = question.settings.solver, question.formulation.name
        if answer.certified is not None:
            if not self._confirms(answer.certified, self.share(1.0) or UNLIMITED_CHECK):
                return False
            self.raise_bound(answer.certified)
            return True
        if answer.exposed:
            reason = f"{solver} {answer.version} on {formulation} refutes the makespan of a verified schedule"
            self.evidence.expose(solver, reason)
            return False
        if not answer.refuted:
            valid = answer.runs is not None and self.accept(answer.runs, f"{solver} on {formulation}")
            return valid and self.upper <= ticks  # a longer schedule is no answer
        bound = (ticks + question.unit) * self.tick
        self.evidence.claim(Claim(solver, answer.version, formulation, bound, question.settings.run))
        return solver not in self.evidence.exposed

    @property
    def settled(self) -> bool:
        """Whether the best bound, including claims without confirmation, reaches the best makespan."""
        return self.known >= self.upper

    @property
    def known(self) -> int:
        """The best bound in ticks, including claims without confirmation."""
        assert self.evidence.claimed_bound is not None
        return self._ticks(self.evidence.claimed_bound)

    @property
    def searched(self) -> int:
        """The best bound in ticks that is proven or that a search of the toolkit claims without a certificate."""
        own = [self._ticks(claim.bound) for claim in self.evidence.claims if claim.solver == OWN]
        return max([self.lower, *own])

    def claim(self, name: str, bound: Fraction) -> None:
        """Claim a bound that a search of the toolkit proved without a certificate."""
        self.evidence.claim(Claim(OWN, __version__, name, bound))

    def raise_bound(self, bound: Bound) -> None:
        """Keep a certified bound if it is the best."""
        self.evidence.raise_bound(bound)


@dataclass
class QuestionStage(ParallelStage):
    """Questions to CP-SAT as a parallel stage, each until it is answered or no longer useful."""

    name = "decisions"
    places = 0
    search: ExactSearch
    question: Question
    threads: int
    memory: int | None
    asked: tuple[Question, int] | None = None

    def begin(self) -> Callable[[], Decision] | None:
        self.asked = self.search.next_question(self.question)
        if self.asked is None:
            return None
        return self.search.decision(*self.asked, self.threads, self.search.seconds_of_stage(), self.memory)

    def is_outdated(self, _: float | None) -> bool:
        if self.asked is None:
            return True
        question, ticks = self.asked
        known = self.search.lower if question.settings.run else self.search.known
        return not known <= ticks < self.search.upper

    def take(self, answer: Decision) -> bool:
        return self.asked is not None and self.search.keep_answer(*self.asked, answer)
