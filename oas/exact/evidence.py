"""The state of a solve: the best verified schedule, bounds and claims, and the record of its stages."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.core.compiling import waiting
from oas.core.errors import InputError
from oas.core.formats import show_percent
from oas.core.result import Bound, Claim, Proof, ProofKind, Result, Status, Termination
from oas.core.schedule import Schedule
from oas.core.verifier import verify
from oas.exact.options import AUTO, BRUTE_FORCE
from oas.exact.progress import SolveLog, SolveProgress
from oas.solvers.discovery import versions

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.instances import Instance
    from oas.exact.options import Options


class Evidence:
    """The best schedule, bound and claims so far. Schedules must pass the verifier; no claim may exceed a schedule.

    Attributes
    ----------
    schedule
        The shortest verified schedule; None before the first.
    bound
        The certified bound; None before it is known.
    claims
        Bounds on solvers' words.
    enumerated
        Whether every schedule was enumerated: then `schedule` is optimal.
    gap
        How far the schedule may be above the bound, as a ratio to it, for the search to end.
    seconds
        The longest time that it took to verify a schedule: a search leaves as much for its last one.
    """

    def __init__(self, instance: Instance, gap: Fraction | int = 0) -> None:
        self.instance = instance
        self.gap = gap
        self.schedule: Schedule | None = None
        self.bound: Bound | None = None
        self.claims: list[Claim] = []
        self.enumerated = False
        self.seconds = 0.0

    def offer(self, schedule: Schedule, source: str, *, anyway: bool = False) -> str | None:
        """Keep `schedule` if it is feasible and the shortest so far.

        Parameters
        ----------
        schedule
            From any source. A schedule that is not shorter than the incumbent is ignored.
        source
            Name stored with the schedule.
        anyway
            Whether to verify a longer schedule too, if a violated rule is information about its source.

        Returns
        -------
        str or None
            Its first violation; None if it has none, or was not verified.
        """
        shorter = self.schedule is None or schedule.makespan < self.schedule.makespan
        if not shorter and not anyway:
            return None
        began = time.monotonic()
        violations = verify(self.instance, schedule)
        self.seconds = max(self.seconds, time.monotonic() - began)
        if violations:
            return str(violations[0])
        if shorter:
            self.schedule = Schedule(schedule.placements, source)
        return None

    @property
    def makespan(self) -> Fraction | None:
        """Of the best schedule, recomputed from it."""
        return None if self.schedule is None else self.schedule.makespan

    @property
    def lower_bound(self) -> Fraction | None:
        """The best bound there is, whatever it rests on."""
        if self.enumerated:
            return self.makespan
        known = [claim.bound for claim in self.claims]
        return max([*known, self.bound.value]) if self.bound else None

    @property
    def closed(self) -> bool:
        """Whether the schedule meets the bound."""
        return self.makespan is not None and self.makespan == self.lower_bound

    @property
    def enough(self) -> bool:
        """Whether the schedule is as near to the bound as asked for."""
        if self.makespan is None or self.lower_bound is None:
            return False
        return self.makespan <= (1 + self.gap) * self.lower_bound

    def proof(self) -> Proof | None:
        """Return the proof of the lower bound, of the strongest kind that reaches it; None without a bound."""
        lowest = self.lower_bound
        if lowest is None or self.bound is None:
            return None
        claims = tuple(claim for claim in self.claims if claim.bound == lowest)
        if self.bound.value >= lowest:
            return Proof(ProofKind.CERTIFICATE, self.bound, claims)
        if self.enumerated:
            return Proof(ProofKind.BRUTE_FORCE, self.bound)
        return Proof(ProofKind.SOLVER, self.bound, claims)


class SolveRecord:
    """The record of one solve: its evidence, stages, times and messages.

    Attributes
    ----------
    stage
        The stage that runs now, whose loops check the clock; empty between stages.
    seconds
        Wall time of each stage so far.
    termination
        Why the last stage ended.
    messages
        For people; the result joins them.
    """

    def __init__(
        self, instance: Instance, options: Options, on_progress: Callable[[SolveProgress], None] | None
    ) -> None:
        self.instance, self.options, self.on_progress = instance, options, on_progress
        self.log = SolveLog()
        self.evidence = Evidence(instance, options.gap)
        self.began = time.monotonic()
        self.seconds: dict[str, float] = {}
        self.solver_versions: dict[str, str] = {}
        self.termination = Termination.FINISHED
        self.messages: list[str] = []
        self.stage = ""

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
        event = SolveProgress(stage, seconds, max(bounds, default=None), min(makespans, default=None))
        if self.log.enabled:
            self.log.add(event)
        if self.on_progress is not None:
            self.on_progress(event)

    def stop(self, termination: Termination, message: str = "") -> None:
        """Note how a stage ended."""
        self.termination = termination
        if message:
            self.messages.append(message)

    def finished(self, status: Status | None = None, proof: Proof | None = None) -> Result:
        """Return the result; status and proof as the evidence has them unless they are given."""
        evidence = self.evidence
        if status is None:
            status = Status.FEASIBLE if evidence.schedule else Status.NO_SOLUTION
            if evidence.closed and self.termination is not Termination.ERROR:
                status = Status.OPTIMAL
        if evidence.enough and not evidence.closed and self.termination is Termination.FINISHED:
            self.messages.append(f"within the gap asked for, {show_percent(Fraction(self.options.gap))}")
        if self.termination is Termination.TIME_LIMIT and (kernels := waiting()):
            self.messages.append(
                f"no compiled code yet for {', '.join(kernels)}, which made the search slow; "
                "`oas warm-up` compiles it, once per installation"
            )
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
            message="; ".join(self.messages),
            instance=self.instance,
        )


def schedule_in(given: Schedule | Result, field: str) -> Schedule:
    """Return a schedule that is given as one or in a result.

    Raises
    ------
    InputError
        If it is neither, or the result has none.
    """
    schedule = given.schedule if isinstance(given, Result) else given
    if schedule is None:
        raise InputError("the result has no schedule to begin with", field=field)
    if not isinstance(schedule, Schedule):
        reason = "must be a Schedule or a Result; oas.io.load_answer reads one from a file"
        raise InputError(reason, field=field, value=type(schedule).__name__)
    return schedule
