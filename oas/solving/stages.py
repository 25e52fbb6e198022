"""The stages of a solve: heuristic start, bounds, exact search, model, second opinions, checks of their answers.

No answer is trusted unchecked. A schedule counts once the verifier has accepted it. The certificate of the best bound
is checked by `oas.checker` at the end. A solver's bound is reduced by its tolerance, and used only if no verified
schedule contradicts it. An optimum is claimed only if bound and makespan are equal.
"""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from importlib.metadata import version
from typing import TYPE_CHECKING

from oas._version import __version__
from oas.core.clock import clock
from oas.core.compiling import waiting
from oas.core.errors import InputError, LongTimesError, SolverError, TooLargeError
from oas.core.formats import show_exact, show_percent
from oas.core.result import CHECK, Bound, Claim, Proof, ProofKind, Result, Status, Termination
from oas.core.schedule import Schedule
from oas.solvers.descent import PROOF_FILE
from oas.solvers.discovery import usable, versions
from oas.solvers.isolation.client import prepare
from oas.solvers.task import CPSAT, Limits, Settings, family_of
from oas.solving.evidence import Evidence
from oas.solving.formulation import formulations
from oas.solving.lower_bound import best_bound
from oas.solving.model_run import Decision, ModelRun, Question, decide, run_model, schedule_of
from oas.solving.options import AUTO, BRUTE_FORCE, HIGHS
from oas.solving.parts import LOCAL, exact_parts, improved
from oas.solving.progress import SolveLog, SolveProgress
from oas.solving.recheck import Verdict, recheck_within
from oas.solving.search import OWN, StopSearch
from oas.solving.start import candidates

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oas.core.instances import Instance
    from oas.core.result import ModelReport
    from oas.solving.formulation import Formulation, Placed
    from oas.solving.options import Options
    from oas.solving.search import ExactSearch

START, SEARCH = "start", "search"  # stages
HASTY = "the last resort"  # source of a schedule made when there is no time for a heuristic
JOB_SECONDS = 5e-5  # for each job: with a shorter time limit, this schedule is made first
CONFIRM = "confirm "  # the stage of a run that confirms a claim, before the solver's name
START_SHARE = 0.25  # share of the time limit after which no further heuristic begins
MANY_JOBS = 1000  # number of jobs from which on all heuristics together may exceed this share
OVERRUN = 0.3  # seconds beyond the time limit after which loops that check the clock end; shorter work is completed
AUTO_GRACE = 0.5  # seconds beyond the time limit after which a model that the toolkit chose is given up
RECHECK_RESERVE, RECHECK_SECONDS = 0.05, 1.0  # share of the time limit left for the certificate, and its maximum
RECHECK_SHARE = 0.6  # share of the time left for the certificate of an optimum
RECHECK_UNLIMITED = 300.0  # seconds for the certificate without a time limit
LATE_RECHECK = 0.3  # seconds for the certificate after the time limit, or after Ctrl-C
LOG_SHARE, LOG_SECONDS = 0.25, 5.0  # for a proof log of a claim: share of the time left; seconds without a limit
ATTEMPTS = 3  # maximum number of attempts for a check whose solver is killed


class Solve:
    """The stages of one solve, with their times and messages.

    If `placements` is given, every job keeps the nodes of this plan and only starts are chosen, by a model.

    Attributes
    ----------
    closes
        Whether the problem's own search runs before a model; False for a plan, since it chooses nodes too.
    stage
        The stage that runs now, whose loops check the clock; empty between stages.
    seconds
        Wall time of each stage so far.
    termination
        Why the last stage ended.
    messages
        Messages for the user, which the result joins.
    """

    def __init__(
        self,
        instance: Instance,
        options: Options,
        made: Mapping[str, Schedule | None],
        on_progress: Callable[[SolveProgress], None] | None,
        start: Schedule | Result | None,
        placements: Schedule | Result | None,
    ) -> None:
        self.instance, self.options, self.made, self.on_progress = instance, options, made, on_progress
        self.parts = exact_parts(instance)
        self.closes = options.closes and placements is None
        self.log = SolveLog()
        self.evidence = Evidence(instance, options.gap)
        # The heuristics' schedules; they limit only the horizon of a model that gets neither bound nor schedule
        self.known = self.evidence if options.bounds else Evidence(instance)
        self.model_report: ModelReport | None = None
        self.seconds: dict[str, float] = {}
        self.solver_versions: dict[str, str] = {}
        self.threads_used: dict[str, int] = {}
        self.termination = Termination.FINISHED
        self.messages: list[str] = []
        self.stage = ""
        self.placed: Placed | None = None
        if placements is not None:
            self.plan = _schedule_in(placements, "placements")
            model = options.model
            if model is None or model.placed is None:
                named = f"the formulation {model.name}" if model else "no formulation"
                who = "brute force" if options.enumerates else named
                reason = f"{who} takes no given nodes; under slowdown phases and slots do"
                raise InputError(reason, field="placements")
            if options.check or start is not None:
                raise InputError("does not go with given nodes", field="check" if options.check else "start")
            self.placed = model.placed(model, instance, self.plan)
        elif start is not None:
            if not options.bounds:
                raise InputError("does not go with a model that gets no schedule", field="start")
            schedule = _schedule_in(start, "start")
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
        """Run the stages."""
        if self.closes:
            prepare(*self.parts.worker)
        self.run_stage(START, self._start)
        if self.options.bounds:
            self.run_stage("bounds", self._bound)
            if not self.closes and self.options.model is not None:
                self.run_stage(LOCAL, self._improve)
        if not self.evidence.enough and self.closes:
            self.run_stage(SEARCH, self._search)
            self.run_stage("re-check", self._recheck)
        if not self.evidence.enough and not self.evidence.settled and self.termination is Termination.FINISHED:
            self.run_stage(BRUTE_FORCE if self.options.enumerates else self.options.model_solver, self._exact)
        for solver, formulation in self.options.checks:
            settled = self.evidence.settled and self.evidence.makespan == self.evidence.claimed_bound
            if settled and self.termination is Termination.FINISHED:
                purpose = CHECK if self.evidence.closed else CONFIRM
                self.run_stage(f"{purpose}{solver}", self._check, solver, formulation)
        if self.evidence.settled and not self.evidence.enough and self.termination is Termination.FINISHED:
            self.run_stage(CONFIRM.strip(), self._confirm)

    def _start(self) -> None:
        """Offer the plan, or the schedules of the heuristics until their share of the time is used up."""
        try:
            if self.placed is not None:
                self._offer_plan(self.placed)
            else:
                self._offer_heuristics()
        except StopSearch:
            self._offer_hasty()
        except LongTimesError:
            if self.known.schedule is None:
                raise

    def _offer_hasty(self) -> None:
        """Offer the schedule that takes least time to make, if there is none yet and the problem has one."""
        if self.known.schedule is None and self.parts.hasty is not None:
            violation = self.known.offer(self.parts.hasty(self.instance), HASTY)
            if violation:
                raise SolverError(f"{HASTY} made an infeasible schedule: {violation}")

    def _offer_plan(self, placed: Placed) -> None:
        """Offer the plan, and if it is not feasible, its jobs one after another."""
        if self.known.offer(self.plan, self.plan.method or "plan"):
            violation = self.known.offer(placed.schedule, "one after the other")
            if violation:
                raise InputError(f"the plan gives no nodes that will do: {violation}", field="placements")

    def _offer_heuristics(self) -> None:
        limit, jobs = self.options.time_limit, len(self.instance.jobs)
        hurried = limit is not None and jobs >= MANY_JOBS
        if limit is not None and limit < JOB_SECONDS * jobs:  # a heuristic would hardly end in time
            self._offer_hasty()
        remaining = candidates(self.instance, self.options.seed, self.made, strongest_first=hurried)
        while not self._start_is_over() and (candidate := next(remaining, None)) is not None:
            violation = self.known.offer(candidate.schedule, candidate.method)
            if violation and candidate.promised:
                raise SolverError(f"{candidate.method} made an infeasible schedule: {violation}")

    def _start_is_over(self) -> bool:
        """Return whether there is a schedule, and the heuristics have used up their share of the time."""
        limit, left = self.options.time_limit, self.left()
        if limit is None or left is None or self.known.schedule is None:
            return False
        return left <= limit * (1 - START_SHARE)

    def _bound(self) -> None:
        self.evidence.bound = best_bound(self.instance, self._is_late)

    def _improve(self) -> None:
        """Offer a schedule of a short local search, the incumbent and horizon of a model by a named solver."""
        if self.evidence.schedule is None or self.evidence.enough or self.placed is not None or self._is_late():
            return
        bound = 0 if self.evidence.lower_bound is None else self.evidence.lower_bound
        violation = self.evidence.offer(
            improved(self.instance, self.evidence.schedule, bound, self.options.seed), LOCAL
        )
        if violation:
            raise SolverError(f"{LOCAL} made an infeasible schedule: {violation}")

    def _is_late(self) -> bool:
        """Return whether the time limit has passed by more than `OVERRUN`."""
        left = self.left()
        return left is not None and left <= -OVERRUN

    def _look(self) -> None:
        """End loops of heuristics and of the search when the time is up.

        A start without a schedule continues, unless the problem has a hasty one.
        """
        if self.stage in (SEARCH, BRUTE_FORCE):
            self.report(self.stage)
            over = self._is_late()
        else:
            hasty = self.parts.hasty is not None and self.known.schedule is None and self._is_late()
            over = self.stage == START and (hasty or self._start_is_over())
        if over:
            raise StopSearch(Termination.TIME_LIMIT)

    def _search_left(self) -> float | None:
        """Return the remaining seconds of the search, less a reserve to check its last schedule and bound."""
        left, limit = self.left(), self.options.time_limit
        if left is None or limit is None:
            return None
        return left - self.evidence.seconds - min(RECHECK_SECONDS, RECHECK_RESERVE * limit)

    def _search(self) -> None:
        """Run the problem's own bounds and searches; an instance that is too large for them is left to a model."""
        assert self.parts.search is not None
        if self.evidence.schedule is None:
            self.stop(Termination.TOO_LARGE, "no heuristic has a schedule to begin with")
            return
        left = self._search_left()
        if left is not None and left <= 0:  # the preparation of the search takes time too
            self.stop(Termination.TIME_LIMIT)
            return
        self.solver_versions["highs"] = version("highspy")
        self.threads_used["oas"] = self.options.threads
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
                exact.end_stages()
                self.seconds.setdefault(SEARCH, 0.0)  # before its parts; `run_stage` adds the time
                self.seconds |= {f"search: {part}": seconds for part, seconds in exact.seconds.items()}

    def _recheck(self) -> None:
        """Check the certificate of the best bound, and of weaker ones of other names until one is confirmed.

        The best bound becomes a claim of the toolkit if there is not enough time to check its certificate. A refused
        bound ends the solve as an error.
        """
        best, until = self.evidence.bound, time.monotonic() + self._recheck_seconds()
        while (bound := self.evidence.bound) is not self.evidence.confirmed and bound is not None:
            if not bound.certificate:  # exact arithmetic has computed it
                return
            left = max(LATE_RECHECK, until - time.monotonic())
            check = recheck_within(self.instance, bound, left, self.options.memory_limit)
            if check.verdict is Verdict.CONFIRMED:
                return
            self.evidence.withdraw_bound()
            if check.verdict is Verdict.REFUSED:
                reason = f"the bound {show_exact(bound.value)} ({bound.name}) is not confirmed: {check.reason}"
                self.stop(Termination.ERROR, reason)
            elif bound is best:
                self.evidence.claim(Claim(OWN, __version__, bound.name, bound.value))
                enough = "" if check.verdict is Verdict.TOO_COSTLY else f" within {left:.1f} s"
                self.messages.append(f"the certificate ({bound.name}) was not checked{enough}, so its bound is a claim")

    def _recheck_seconds(self) -> float:
        """Return the seconds for certificates: what is left of the time limit, or some minutes without one.

        If a certificate closes the instance, a part is left for another run that confirms its bound instead.
        """
        left = self.left()
        if self.termination is Termination.INTERRUPTED:
            return LATE_RECHECK
        share = RECHECK_SHARE if self.evidence.closed else 1
        return RECHECK_UNLIMITED if left is None else max(LATE_RECHECK, share * left)

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
        proof = {PROOF_FILE: self.options.proof_file} if self.options.proof_file else {}
        options = {**self.options.solver_options, **proof}
        settings = Settings(self.options.model_solver, self.options.threads, self.options.seed, options=options)
        formulation = self.options.model if self.placed is None else self.placed.formulation
        horizon = None if self.options.bounds else self.known.schedule
        run = self._run(self.evidence, formulation, settings, left, horizon, strengthened=True)
        self.model_report = run.report
        if horizon is not None:
            given = show_exact(horizon.makespan)
            self.messages.append(f"the model has the horizon {given}, by {horizon.method}, and no bound or schedule")
        if run.claim is not None and self.placed is None:
            if run.certified is not None:
                self._take_certified(run.certified)
            self.evidence.claim(run.claim)
        elif run.claim is not None:  # not valid for schedules on other nodes
            bound, who = run.claim.bound, f"{run.claim.solver} {run.claim.version} on {run.claim.formulation}"
            self.messages.append(f"on the nodes given, no schedule is shorter than {show_exact(bound)} ({who})")
        self.stop(run.termination, run.message)

    def _take_certified(self, bound: Bound) -> bool:
        """Raise the bound by a solver's certificate, and return whether the checker confirms it."""
        check = recheck_within(self.instance, bound, self._recheck_seconds(), self.options.memory_limit)
        if check.verdict is Verdict.CONFIRMED:
            if self.evidence.bound is None:
                self.evidence.bound = Bound("none", Fraction(0))
            self.evidence.raise_bound(bound)
            return True
        reason = f": {check.reason}" if check.reason else ""
        self.messages.append(f"the certificate ({bound.name}) is not confirmed{reason}")
        return False

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
        settings = Settings(solver, self.options.threads, self.options.seed)
        if any(claim.source == (solver, formulation.name, "") for claim in self.evidence.claims):
            settings = settings.second_run() or settings
        for _ in range(ATTEMPTS):
            evidence = self._without_bound()
            run = self._run(evidence, formulation, settings, self.options.time_limit)
            if run.termination is not Termination.KILLED:
                break
        self._take_second(evidence, run, f"{solver} on {formulation.name}", formulation)

    def _without_bound(self, gap: Fraction | int = 0) -> Evidence:
        """Return evidence for an independent run: the best schedule, but no bound."""
        evidence = Evidence(self.instance, gap)
        evidence.schedule, evidence.bound = self.evidence.schedule, Bound("none", Fraction(0))
        return evidence

    def _take_second(self, evidence: Evidence, run: ModelRun, who: str, formulation: Formulation) -> None:
        """Take the claim of a second opinion, or its shorter schedule, which refutes what had been claimed."""
        proven = self.evidence.makespan
        if evidence.makespan != proven:
            assert evidence.schedule is not None
            self.evidence.enumerated = False
            self.evidence.offer(evidence.schedule, evidence.schedule.method)
            self.evidence.claims = []
            self.stop(Termination.ERROR, f"{who} found a schedule shorter than what had been proven")
        elif run.claim is not None and run.claim.bound == proven:
            self.evidence.claim(run.claim)
        elif run.termination is Termination.INTERRUPTED:
            self.stop(run.termination, f"{who} was interrupted before it could confirm the optimum")
        elif run.claim is not None and formulation.continuous:
            self.messages.append(f"{who} proves {show_exact(run.claim.bound)}, the optimum less its margin")
        else:
            reason = f": {run.message}" if run.message else ""
            self.messages.append(f"{who} did not confirm the optimum ({run.termination.value}){reason}")

    def _confirm(self) -> None:
        """Ask a second, different run whether a schedule shorter than the claimed optimum is feasible.

        The second run solves the model up to the gap instead if the claim is only within the gap of the makespan, or
        the question is no model, because a job cannot end in time or no attainable makespan is left.
        """
        if self._confirm_by_log():
            return
        left, run = self.left(), self._second_run()
        assert self.evidence.makespan is not None
        if left is not None and left <= 0:
            self.stop(Termination.TIME_LIMIT)
            return
        if run is None:
            self.messages.append("no other solver can confirm the claim")
            return
        settings, formulation = run
        who = f"{settings.solver} on {formulation.name}"
        answer = Decision(False, None, Termination.ERROR)
        if self.evidence.claimed_bound == self.evidence.makespan:
            tick, bound = self.instance.scaled().tick, self.evidence.bound
            known, least = int(self.evidence.makespan / tick), 0 if bound is None else int(bound.value / tick)
            limits = Limits(left, self.options.memory_limit)
            answer = decide(self.instance, Question(formulation, 1, settings), known - 1, known, limits, least)
        if answer.termination is Termination.ERROR:
            evidence = self._without_bound(self.options.gap)
            second = self._run(evidence, formulation, settings, left)
            assert evidence.schedule is not None
            self.evidence.offer(evidence.schedule, evidence.schedule.method)
            if second.claim is not None:
                self.evidence.claim(second.claim)
            answer = Decision(False, None, second.termination, second.version)
        self._record_run(settings, answer.version)
        if answer.exposed:
            self.evidence.expose(settings.solver, f"{who} refutes the makespan of a verified schedule")
        elif answer.refuted:
            claim = Claim(settings.solver, answer.version, formulation.name, self.evidence.makespan, settings.run)
            self.evidence.claim(claim)
        elif answer.runs is not None:
            self.evidence.offer(schedule_of(formulation, self.instance, answer.runs), who)
        elif answer.termination is Termination.TIME_LIMIT:
            self.stop(answer.termination)
        elif answer.termination is Termination.INTERRUPTED:
            self.stop(answer.termination, f"{who} was interrupted before it could confirm the optimum")
        elif not self.evidence.enough:
            self.messages.append(f"{who} did not confirm the optimum ({answer.termination.value})")

    def _confirm_by_log(self) -> bool:
        """Let a solver that logs its proof refute schedules shorter than the claimed optimum; return whether it did."""
        left, makespan = self.left(), self.evidence.makespan
        assert makespan is not None
        if self.evidence.claimed_bound != makespan or (left is not None and left <= 0):
            return False
        limits = Limits(LOG_SECONDS if left is None else LOG_SHARE * left, self.options.memory_limit)
        known = int(makespan / self.instance.scaled().tick)
        for formulation in formulations(self.instance.problem, self.instance).values():
            solver = formulation.family
            if formulation.certified and usable(solver) and all(one.solver != solver for one in self.evidence.claims):
                question = Question(formulation, 1, Settings(solver, seed=self.options.seed))
                answer = decide(self.instance, question, known - 1, known, limits)
                self._record_run(question.settings, answer.version)
                if answer.certified is not None and self._take_certified(answer.certified):
                    return True
        return False

    def _second_run(self) -> tuple[Settings, Formulation] | None:
        """Return a run that differs from those of all claims, by CP-SAT if possible because it is the fastest."""
        sources = {claim.source for claim in self.evidence.claims}
        for solver in (CPSAT, HIGHS):
            if solver in self.evidence.exposed or not usable(solver):
                continue
            for formulation in formulations(self.instance.problem, self.instance).values():
                if formulation.family != family_of(solver) or formulation.continuous:
                    continue
                usual: Settings | None = Settings(solver, self.options.threads, self.options.seed)
                while usual is not None and (solver, formulation.name, usual.run) in sources:
                    usual = None if usual.run else usual.second_run()
                if usual is not None:
                    return usual, formulation
        return None

    def _run(
        self,
        evidence: Evidence,
        formulation: Formulation,
        settings: Settings,
        seconds: float | None,
        horizon: Schedule | None = None,
        *,
        strengthened: bool = False,
    ) -> ModelRun:
        """Run a model; only the first opinion has rows that rest on the code of the toolkit's bounds."""
        limits = Limits(seconds, self.options.memory_limit)
        if self.options.solver == AUTO and seconds is not None:
            limits = replace(limits, grace=AUTO_GRACE)  # a solver that the user has named may take longer to end

        def report(bound: Fraction | None, objective: Fraction | None) -> None:
            self.report(settings.solver, bound, objective)

        run = run_model(evidence, formulation, settings, limits, report, horizon, strengthened=strengthened)
        self._record_run(settings, run.version)
        return run

    def _record_run(self, settings: Settings, version: str) -> None:
        """Record version and threads of a solver; the version is empty if the solver did not run."""
        self.solver_versions[settings.solver] = version
        if version and settings.threads_used:
            self.threads_used[settings.solver] = settings.threads_used

    def left(self) -> float | None:
        """Return the seconds until the time limit; None without one."""
        if self.options.time_limit is None:
            return None
        return self.options.time_limit - (time.monotonic() - self.began)

    def run_stage(self, name: str, work: Callable[..., None], *arguments: object) -> None:
        """Call `work` as a stage of this name, and count its time."""
        began = time.monotonic()
        self.report(name)
        self.stage = name
        try:
            work(*arguments)
        finally:
            self.stage = ""
            self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - began
        self.report(name)

    def report(self, stage: str, bound: Fraction | None = None, objective: Fraction | None = None) -> None:
        """Report the progress to the log and to `on_progress`; `bound` and `objective` as a solver states them."""
        if self.on_progress is None and not self.log.enabled:
            return
        bounds = [value for value in (bound, self.evidence.lower_bound) if value is not None]
        makespans = [value for value in (objective, self.evidence.makespan) if value is not None]
        seconds = time.monotonic() - self.began
        running = self.stage or stage
        part = running if running.startswith(CHECK) else ""
        event = SolveProgress(stage, seconds, max(bounds, default=None), min(makespans, default=None), part)
        if self.log.enabled:
            self.log.add(event)
        if self.on_progress is not None:
            self.on_progress(event)

    def stop(self, termination: Termination, message: str = "") -> None:
        """Record how a stage ended."""
        self.termination = termination
        if message:
            self.messages.append(message)

    def finished(self, status: Status | None = None, proof: Proof | None = None) -> Result:
        """Return the result; status and proof are those of the evidence unless they are given."""
        evidence = self.evidence
        if status is None:
            status = Status.FEASIBLE if evidence.schedule else Status.NO_SOLUTION
            if evidence.closed and self.termination is not Termination.ERROR:
                status = Status.OPTIMAL
        if self.options.gap and not evidence.closed and self.termination is Termination.FINISHED:
            within = "within" if evidence.enough else "not proven to be within"
            self.messages.append(f"{within} the gap asked for, {show_percent(Fraction(self.options.gap))}")
        if self.termination is Termination.TIME_LIMIT and (kernels := waiting()):
            self.messages.append(
                f"no compiled code yet for {', '.join(kernels)}, which made the search slow; "
                "`oas warm-up` compiles it, once per installation"
            )
        self.messages += evidence.exposed.values()
        self.seconds["total"] = time.monotonic() - self.began
        if self.log.enabled:
            self.log.add(SolveProgress("end", self.seconds["total"], evidence.lower_bound, evidence.makespan))
        model = self.options.model
        return Result(
            status=status,
            termination=self.termination,
            schedule=evidence.schedule,
            lower_bound=evidence.lower_bound,
            proof=proof or evidence.proof(),
            instance_digest=self.instance.digest,
            solver="" if self.options.enumerates else self.options.solver,
            formulation=AUTO if self.options.closes else model.name if model else BRUTE_FORCE,
            seconds=dict(self.seconds),
            versions=versions(self.solver_versions),
            seed=self.options.seed,
            threads=self.options.threads,
            options=self.options.recorded,
            threads_used=dict(self.threads_used),
            message="; ".join(self.messages),
            model=self.model_report,
            instance=self.instance,
        )


def _schedule_in(given: Schedule | Result, field: str) -> Schedule:
    """Return a given schedule, or that of a given result; `InputError` if it is neither, or there is none."""
    schedule = given.schedule if isinstance(given, Result) else given
    if schedule is None:
        raise InputError("the result has no schedule to begin with", field=field)
    if not isinstance(schedule, Schedule):
        reason = "must be a Schedule or a Result; oas.io.load_answer reads one from a file"
        raise InputError(reason, field=field, value=type(schedule).__name__)
    return schedule
