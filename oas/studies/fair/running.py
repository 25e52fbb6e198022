"""The policies of a comparison, and their runs within one time limit: verified, measured and timed.

They are compared on an instance of fair sharing or a log with organizations, until the time is up or Ctrl-C.
"""

from __future__ import annotations

import signal
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from heuristics.fair.engine import PolicyRun, run_policy
from heuristics.fair.rand import SampledRun, random_orderings, sampled_starts
from heuristics.registry import find_method, own_methods
from oas.core.errors import InputError, OasError
from oas.core.instances import check_problem
from oas.core.schedule import Schedule
from oas.core.verifier import verify
from oas.io.logs.sharing import SharedLog
from oas.problems.fair.stream_rules import ticks_violations
from oas.problems.fair.ticks import FairTicks, starts_from_schedule
from oas.problems.registry import FAIR
from oas.studies.fair.figures import figures_of, flows_alone
from oas.studies.study import StudyClock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from heuristics.method import Method
    from oas.core.verifier import Violation
    from oas.problems.fair.instance import FairInstance
    from oas.studies.fair.figures import FairFigures

_AGAIN = 1.0  # seconds from one alarm to the next: the first may come where the exception is swallowed


@dataclass(frozen=True, eq=False)
class Case:
    """Organizations and jobs with their names."""

    ticks: FairTicks  # the organizations' processors and jobs; some job is released before the horizon
    names: tuple[str, ...]  # of the organizations
    title: str = ""  # for people; may be empty
    second: int | None = None  # how many ticks a second has; None where the time unit is the instance's own
    instance: FairInstance | None = None  # the instance; None for a log
    log: SharedLog | None = None  # the log; None for an instance

    @property
    def released(self) -> tuple[int, ...]:
        """How many jobs of each organization are released before the horizon."""
        owners = self.ticks.owner[self.ticks.release < self.ticks.horizon]
        return tuple(np.bincount(owners, minlength=len(self.names)).tolist())


def case_of(source: FairInstance | SharedLog | FairTicks) -> Case:
    """Return the case that an instance, a log shared out, or arrays are; some job is released before the horizon."""
    if isinstance(source, SharedLog):
        found = Case(source.ticks, source.names, source.stream.name, source.stream.second, log=source)
    elif isinstance(source, FairTicks):
        found = Case(source, tuple(f"O{number}" for number in range(1, source.organization_count + 1)))
    else:
        check_problem(source, FAIR, "the fairness of policies is for fair sharing")
        names = tuple(organization.id for organization in source.organizations)
        found = Case(source.scaled(), names, source.name, instance=source)
    if not sum(found.released):
        raise InputError("no job is released before it", field="horizon", value=found.ticks.horizon)
    return found


@dataclass(frozen=True)
class Contender:
    """A policy or method on a case."""

    name: str  # as tables show it
    # ``(seed, on_progress) -> starts or schedule``; `on_progress` may be told the moment that is reached
    run: Callable[[int, Callable[[int], None]], Any]
    sampled: bool = False  # whether it is RAND


def contenders(case: Case, policies: Sequence[str | Method] | None, without: Sequence[str] = ()) -> list[Contender]:
    """Return the policies asked for, by name or as methods; None for all of the toolkit that are on line.

    Those named `without` are left out.
    """
    if policies is None:
        chosen = [method for method in own_methods(FAIR) if isinstance(method.run, PolicyRun)]
    else:
        chosen = [find_method(one, FAIR) if isinstance(one, str) else one for one in policies]
    by_name = {method.name: method for method in chosen if method.name not in without}
    return [_contender(case, method) for method in by_name.values()]


def _contender(case: Case, method: Method) -> Contender:
    policy, instance = method.run, case.instance
    if isinstance(policy, SampledRun):
        return sampled(case, policy.orderings)
    if isinstance(policy, PolicyRun):
        name, factory = policy.name, policy.factory
        return Contender(
            name,
            lambda seed, on_progress: run_policy(case.ticks, factory, seed, name=name, on_progress=on_progress),
        )
    if instance is None:
        reason = "is a function of an instance, and no policy: it cannot run on a log"
        raise InputError(reason, field="policy", value=method.name)

    def run(seed: int, _on_progress: Callable[[int], None]) -> Schedule:
        schedule: Any = method(instance, seed=seed)
        if not isinstance(schedule, Schedule):
            raise InputError(f"returned {type(schedule).__name__}, not a Schedule")
        return schedule

    return Contender(method.name, run)


def sampled(case: Case, orderings: int) -> Contender:
    """Return RAND with `orderings` orderings."""

    def run(seed: int, on_progress: Callable[[int], None]) -> NDArray[np.int64]:
        drawn = random_orderings(case.ticks.organization_count, orderings, seed)
        return sampled_starts(case.ticks, drawn, on_progress=on_progress)

    return Contender(SampledRun(orderings).name, run, sampled=True)


def _judged(case: Case, answer: NDArray[np.int64] | Schedule) -> tuple[Sequence[Violation], NDArray[np.int64] | None]:
    """Return the rules that an answer breaks, and, if it breaks none, its starts: -1 for not before the horizon."""
    if not isinstance(answer, Schedule):
        return ticks_violations(case.ticks, answer), answer
    assert case.instance is not None  # only a method of an instance returns a schedule
    violations = verify(case.instance, answer)
    return violations, None if violations else starts_from_schedule(case.instance, answer)


class TimeUp(BaseException):
    """No more time; unlike an Exception no policy takes it for its own."""


@contextmanager
def ended_after(seconds: float | None) -> Iterator[None]:
    """Raise `TimeUp` in the context after `seconds` seconds; None for no limit.

    A signal interrupts Python code, waiting and sleeping; compiled code runs to its end. Without such a signal (in a
    thread other than the main one, or on Windows), there is no interruption.
    """
    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if seconds is None or not usable:
        yield
        return

    def ring(_signal: int, _frame: object) -> NoReturn:
        raise TimeUp

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3), _AGAIN)
        yield
    finally:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
        finally:  # should it ring as the timer is stopped
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


AGREEING = 3  # runs that make the same schedule: there are no lots


@dataclass(frozen=True)
class FairProgress:
    """Progress of a comparison."""

    stage: str  # the running policy, and its seed unless it is the first
    seconds: float  # wall time since the comparison began
    share: float | None = None  # processed share of the horizon, from 0 to 1; None if unknown


@dataclass(frozen=True, eq=False)
class Trial:
    """One run of a policy.

    Attributes
    ----------
    seed
        Of its lots.
    seconds
        Wall time of the run, without its verification.
    starts
        When each job starts, -1 for not before the horizon; None if a rule is broken, or there is no schedule.
    figures
        Of the schedule; None as `starts`.
    violations
        Found by the verifier.
    note
        The reason why there is no schedule.
    unfairness
        Δψ/p_tot against the base of the comparison; None without one.
    cut
        Whether it was ended for want of time, as a policy that hangs is.
    """

    seed: int
    seconds: float
    starts: NDArray[np.int64] | None = None
    figures: FairFigures | None = None
    violations: tuple[Violation, ...] = ()
    note: str = ""
    unfairness: Fraction | None = None
    cut: bool = False


class Runs(StudyClock):
    """Makes the runs of a comparison within one time limit, with several seeds for randomized policies."""

    def __init__(
        self, case: Case, seeds: int, time_limit: float | None, on_progress: Callable[[FairProgress], None] | None
    ) -> None:
        super().__init__(time_limit)
        self._case = case
        self._seeds = seeds
        self._on_progress = on_progress
        self._alone = flows_alone(case.ticks)
        self.left_out: list[str] = []  # policies with runs left out

    def trials(self, contender: Contender, share: float) -> tuple[Trial, ...]:
        """Run a policy with one seed after another, each ended after this share of the time that is left, from 0 to 1.

        The first alone counts where the first three make the same schedule, as without lots they do, and they end where
        one makes none; there are fewer, or none, where the time is up or Ctrl-C comes.
        """
        found: list[Trial] = []
        try:
            for seed in range(self._seeds):
                if self.interrupted or self.left == 0:
                    self.left_out.append(contender.name)
                    break
                trial = self._trial(contender, seed, share)
                if trial.cut:
                    self.left_out.append(contender.name)
                    return tuple(found or [trial])
                found.append(trial)
                if found[-1].starts is None:
                    break
                if len(found) == AGREEING and _agree(found):
                    return (found[0],)
        except KeyboardInterrupt:
            self.interrupted = True
            self.left_out.append(contender.name)
        return tuple(found)

    def measured(self, starts: NDArray[np.int64], seconds: float, seed: int = 0) -> Trial:
        """Return the figures of starts that keep the rules."""
        return Trial(seed, seconds, starts, figures_of(self._case.ticks, starts, self._alone))

    def report(self, stage: str, share: float | None = None) -> None:
        """Report the current run."""
        if self._on_progress is not None:
            self._on_progress(FairProgress(stage, self.seconds, share))

    def reporter(self, stage: str) -> Callable[[int], None]:
        """Return a function that reports the moment reached, and raises `TimeUp` when the time is up."""

        def report(now: int) -> None:
            self.report(stage, now / self._case.ticks.horizon)
            if self.left == 0:
                raise TimeUp

        return report

    def _trial(self, contender: Contender, seed: int, share: float) -> Trial:
        limit = None if self.left is None else share * self.left
        stage = f"{contender.name}, seed {seed}" if seed else contender.name
        horizon = self._case.ticks.horizon
        self.report(stage)
        began = time.monotonic()
        try:
            with ended_after(limit):
                answer = contender.run(seed, lambda now: self.report(stage, now / horizon))
            seconds = time.monotonic() - began
            violations, starts = _judged(self._case, answer)
        except TimeUp:
            return Trial(seed, time.monotonic() - began, note=f"not done after {limit:.3g} s", cut=True)
        except OasError as error:
            return Trial(seed, time.monotonic() - began, note=str(error))
        except (Exception, SystemExit) as error:  # a user's policy may fail in any way; its row reports it
            return Trial(seed, time.monotonic() - began, note=f"failed: {type(error).__name__}: {error}")
        if starts is None or violations:
            return Trial(seed, seconds, violations=tuple(violations), note=f"infeasible: {violations[0]}")
        return self.measured(starts, seconds, seed)


def _agree(trials: Sequence[Trial]) -> bool:
    """Whether all made the same schedule."""
    starts = [trial.starts for trial in trials if trial.starts is not None]
    return all(np.array_equal(starts[0], one) for one in starts)
