"""The stages of a solve: heuristic start, bounds, exact search, model, second opinions, checks of their answers.

No answer is trusted unchecked. A schedule counts once the verifier has accepted it, the certificate of the best bound
is checked by `oas.checker` at the end, a bound that a solver states is taken less its tolerance and only if no verified
schedule contradicts it, and an optimum is claimed only where the two meet.
"""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from importlib.metadata import version
from typing import TYPE_CHECKING

from oas._version import __version__
from oas.bounds.lower_bound import best_bound
from oas.core.clock import clock
from oas.core.errors import InputError, LongTimesError, SolverError, TooLargeError
from oas.core.formats import show_exact
from oas.core.result import Bound, Claim, Proof, ProofKind, Result, Status, Termination
from oas.exact.evidence import Evidence, SolveRecord, schedule_in
from oas.exact.model_run import ModelRun, run_model
from oas.exact.options import AUTO, BRUTE_FORCE
from oas.exact.parts import exact_parts
from oas.exact.recheck import Verdict, recheck_within
from oas.exact.search import StopSearch
from oas.exact.start import candidates
from oas.solvers.isolation.client import prepare
from oas.solvers.task import Limits, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.exact.options import Options
    from oas.exact.progress import SolveProgress
    from oas.exact.search import ExactSearch
    from oas.models.formulation import Formulation

START, SEARCH = "start", "search"  # stages
START_SHARE = 0.25  # of the time limit, after which no further heuristic begins
MANY_JOBS = 1000  # from which on all heuristics may take longer than that
OVERRUN = 0.3  # seconds beyond the time limit, after which loops that check the clock end: what is short is kept
AUTO_GRACE = 0.5  # seconds beyond the time limit, after which a model of the toolkit's own choice is given up
RECHECK = "re-check"
RECHECK_SECONDS, RECHECK_SHARE = 1.0, 0.1  # for the certificate, the greater of these and this share of the solve
RECHECK_RESERVE = 0.05  # share of the time limit that the search leaves for it, but no more than RECHECK_SECONDS
LATE_RECHECK = 0.3  # seconds for the certificate after the time limit, or after Ctrl-C
# A check whose solver was killed is retried, three attempts in all.
_ATTEMPTS = 3


class Solve(SolveRecord):
    """The stages of one solve."""

    def __init__(
        self,
        instance: Instance,
        options: Options,
        made: Mapping[str, Schedule | None],
        on_progress: Callable[[SolveProgress], None] | None,
        start: Schedule | Result | None = None,
    ) -> None:
        super().__init__(instance, options, on_progress)
        self.parts = exact_parts(instance)
        self.made = made
        if start is not None:
            schedule = schedule_in(start, "start")
            violation = self.evidence.offer(schedule, schedule.method or "start", anyway=True)
            if violation:
                raise InputError(f"the schedule is not feasible: {violation}", field="start")
        self.began = time.monotonic()

    def result(self) -> Result:
        try:
            unplaceable = self.parts.unplaceable(self.instance)
            if unplaceable:
                names = ", ".join(unplaceable)
                self.messages.append(f"no allocation exists for {names}: the links are too narrow")
                return self.finished(Status.INFEASIBLE, Proof(ProofKind.CERTIFICATE))
            with clock(self._look):
                self._work()
        except KeyboardInterrupt:
            self.termination = Termination.INTERRUPTED
        return self.finished()

    def _work(self) -> None:
        """Go through the stages."""
        if self.closes:
            prepare(*self.parts.worker)
        self.run_stage(START, self._start)
        self.run_stage("bounds", self._bounds)
        if not self.evidence.enough and self.closes:
            self.run_stage(SEARCH, self._search)
            self.run_stage(RECHECK, self._recheck)
        if not self.evidence.enough and self.termination is Termination.FINISHED:
            self.run_stage(BRUTE_FORCE if self.options.enumerates else self.options.model_solver, self._exact)
        for solver, formulation in self.options.checks:
            if self.evidence.closed and self.termination is Termination.FINISHED:
                self.run_stage(f"check {solver}", self._check, solver, formulation)

    def _start(self) -> None:
        """The best schedule of all heuristics, or of the first ones where time runs out on the way."""
        try:
            self._offer_heuristics()
        except StopSearch:
            pass
        except LongTimesError:
            if self.evidence.schedule is None:
                raise

    def _offer_heuristics(self) -> None:
        hurried = self.options.time_limit is not None and len(self.instance.jobs) >= MANY_JOBS
        every = candidates(self.instance, self.options.seed, self.made, strongest_first=hurried)
        while not self._start_is_over() and (one := next(every, None)) is not None:
            violation = self.evidence.offer(one.schedule, one.method)
            if violation and one.promised:
                raise SolverError(f"{one.method} made an infeasible schedule: {violation}")

    def _start_is_over(self) -> bool:
        """Whether there is a schedule, and the heuristics have had their share of the time."""
        limit, left = self.options.time_limit, self.left()
        if limit is None or left is None or self.evidence.schedule is None:
            return False
        return left <= limit * (1 - START_SHARE)

    def _bounds(self) -> None:
        self.evidence.bound = best_bound(self.instance)

    def _look(self) -> None:
        """End loops of heuristics and of the search when the time is up; a start without a schedule continues."""
        if self.stage in (SEARCH, BRUTE_FORCE):
            self.report(self.stage)
            left = self.left()
            over = left is not None and left <= -OVERRUN
        else:
            over = self.stage == START and self._start_is_over()
        if over:
            raise StopSearch(Termination.TIME_LIMIT)

    def _search_left(self) -> float | None:
        """Return the seconds left for the current search, whose last schedule and bound have to be checked then."""
        left, limit = self.left(), self.options.time_limit
        if left is None or limit is None:
            return None
        return left - self.evidence.seconds - min(RECHECK_SECONDS, RECHECK_RESERVE * limit)

    def _search(self) -> None:
        """The problem's own bounds and searches; where they cannot take the instance, it is left to a model."""
        assert self.parts.search is not None
        if self.evidence.schedule is None:
            self.stop(Termination.TOO_LARGE, "no heuristic has a schedule to begin with")
            return
        left = self._search_left()
        if left is not None and left <= 0:  # the preparation of the search takes time too
            self.stop(Termination.TIME_LIMIT)
            return
        self.solver_versions["highs"] = version("highspy")
        exact: ExactSearch | None = None
        try:
            exact = self.parts.search(
                self.evidence, self.options.seed, self._search_left, lambda: self.report(SEARCH), self.options.threads
            )
            self.stop(exact.close(self.options.memory_limit))
        except StopSearch as stop:
            self.stop(stop.termination)
        except TooLargeError as error:
            if exact is None:
                raise
            self.messages.append(str(error))
        finally:
            if exact is not None:
                self._end_search(exact)

    def _end_search(self, exact: ExactSearch) -> None:
        """End the parallel stages; take over messages and times, the whole first, which its stage fills in."""
        exact.end_stages()
        self.messages += [note for note in exact.notes if note not in self.messages]
        for part, seconds in {SEARCH: 0.0, **{f"search: {one}": s for one, s in exact.seconds.items()}}.items():
            self.seconds[part] = self.seconds.get(part, 0.0) + seconds

    def _recheck(self) -> None:
        """Check the certificate of the best bound; note it if there is not enough time.

        A bound whose certificate the checker gives up as too costly becomes a claim of the toolkit. A refused one is
        replaced by the combinatorial bound, and the solve ends as an error.
        """
        bound = self.evidence.bound
        if bound is None or not bound.certificate:  # without one, exact arithmetic has computed the bound
            return
        left, seconds = self.left(), max(RECHECK_SECONDS, RECHECK_SHARE * (time.monotonic() - self.began))
        if left is not None:
            seconds = max(LATE_RECHECK, min(seconds, left))
        if self.termination is Termination.INTERRUPTED:
            seconds = LATE_RECHECK
        check = recheck_within(self.instance, bound, seconds, self.options.memory_limit)
        if check.verdict is Verdict.UNDECIDED:
            self.messages.append(
                f"the certificate ({bound.name}) was not checked again, which takes more than {seconds:.1f} s; "
                "`oas verify` checks it"
            )
        elif check.verdict is Verdict.TOO_COSTLY:
            self.evidence.bound = best_bound(self.instance)
            self.evidence.claims.append(Claim("oas", __version__, bound.name, bound.value))
        elif check.verdict is Verdict.REFUSED:
            self.evidence.bound = best_bound(self.instance)
            reason = f"the bound {show_exact(bound.value)} ({bound.name}) is not confirmed: {check.reason}"
            self.stop(Termination.ERROR, reason)

    def _exact(self) -> None:
        if self.options.enumerates:
            self._brute_force()
            return
        if self.options.model is None:
            self.stop(Termination.TOO_LARGE, f"no model takes {self.instance.variant} as it is here")
            return
        left = self.left()
        if left is not None and left <= 0:
            self.stop(Termination.TIME_LIMIT)
            return
        settings = Settings(
            self.options.model_solver, self.options.threads, self.options.seed, options=self.options.solver_options
        )
        run = self._run(self.evidence, self._model(self.options.model), settings, left)
        if run.claim is not None:
            self._take(run.claim)
        self.stop(run.termination, run.message)

    @property
    def closes(self) -> bool:
        """Whether the problem's own search comes before a model."""
        return self.options.closes

    def _model(self, formulation: Formulation) -> Formulation:
        """Return the formulation to hand to the solver."""
        return formulation

    def _take(self, claim: Claim) -> None:
        """Keep what the solver of the model claims."""
        self.evidence.claims.append(claim)

    def _brute_force(self) -> None:
        try:
            _, schedule = self.parts.brute_force(self.instance)
        except StopSearch as stop:
            self.stop(stop.termination)
            return
        except TooLargeError as error:
            self.stop(Termination.TOO_LARGE, str(error))
            return
        violation = self.evidence.offer(schedule, BRUTE_FORCE, anyway=True)
        if violation:
            raise SolverError(f"brute force made an infeasible schedule: {violation}")
        self.evidence.enumerated = True

    def _check(self, solver: str, formulation: Formulation) -> None:
        """Let another solver prove the makespan independently: it receives the schedule but no bound."""
        proven = self.evidence.makespan
        settings = Settings(solver, self.options.threads, self.options.seed)
        for _ in range(_ATTEMPTS):
            evidence = Evidence(self.instance)
            evidence.schedule, evidence.bound = self.evidence.schedule, Bound("none", Fraction(0))
            run = self._run(evidence, formulation, settings, self.options.time_limit)
            if run.termination is not Termination.KILLED:
                break
        who = f"{solver} on {formulation.name}"
        if evidence.makespan != proven:
            # Some claimed bound is wrong: keep the better schedule and no claim at all.
            self.evidence.schedule, self.evidence.claims, self.evidence.enumerated = evidence.schedule, [], False
            self.stop(Termination.ERROR, f"{who} found a schedule shorter than what had been proven")
        elif run.claim is not None and run.claim.bound == proven:
            self.evidence.claims.append(run.claim)
        elif run.termination is Termination.INTERRUPTED:
            self.stop(run.termination, f"{who} was interrupted before it could confirm the optimum")
        elif run.claim is not None and formulation.continuous:
            self.messages.append(f"{who} proves {show_exact(run.claim.bound)}, the optimum less its margin")
        else:
            reason = f": {run.message}" if run.message else ""
            self.messages.append(f"{who} did not confirm the optimum ({run.termination.value}){reason}")

    def _run(self, evidence: Evidence, formulation: Formulation, settings: Settings, seconds: float | None) -> ModelRun:
        limits = Limits(seconds, self.options.memory_limit)
        if self.options.solver == AUTO and seconds is not None:
            limits = replace(limits, grace=AUTO_GRACE)  # a solver that the user has named may take longer to end

        def report(bound: Fraction | None, objective: Fraction | None) -> None:
            self.report(settings.solver, bound, objective)

        run = run_model(evidence, formulation, settings, limits, report)
        self.solver_versions[settings.solver] = run.version
        return run
