"""The policies of a comparison, and their runs within one time limit: verified, measured and timed.

They are compared on an instance of fair sharing or a log with organizations, until the time is up or Ctrl-C.
"""

from __future__ import annotations

import signal
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from oas.core.errors import InputError, OasError
from oas.core.instances import check_problem
from oas.core.registry import FAIR
from oas.core.schedule import Schedule
from oas.core.verifier import verify
from oas.fair.search.engine import TicksScheduler
from oas.fair.stream_rules import ticks_violations
from oas.fair.studies.figures import figures_of, flows_alone
from oas.fair.ticks import FairTicks, SharedLog, starts_from_schedule
from oas.solving.methods import find_method, toolkit_methods
from oas.solving.study import StudyClock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from oas.core.verifier import Violation
    from oas.fair.instance import FairInstance
    from oas.fair.studies.figures import FairFigures
    from oas.solving.method import Method

_AGAIN = 1.0  # seconds between alarms: code that catches all exceptions may swallow the first one


@dataclass(frozen=True, eq=False)
class Case:
    """Organizations and jobs with their names."""

    ticks: FairTicks  # processors and jobs of the organizations; at least one job is released before the horizon
    names: tuple[str, ...]  # of the organizations
    title: str = ""  # may be empty
    second: int | None = None  # ticks per second; None if the time unit is that of the instance
    instance: FairInstance | None = None  # None for a log
    log: SharedLog | None = None  # None for an instance

    @property
    def released(self) -> tuple[int, ...]:
        """Number of jobs of each organization that are released before the horizon."""
        owners = self.ticks.owner[self.ticks.release < self.ticks.horizon]
        return tuple(np.bincount(owners, minlength=len(self.names)).tolist())


def case_of(source: FairInstance | SharedLog | FairTicks) -> Case:
    """Return an instance, a shared log or arrays as a case; `InputError` if no job is released before the horizon."""
    if isinstance(source, SharedLog):
        case = Case(source.ticks, source.names, source.stream.name, source.stream.second, log=source)
    elif isinstance(source, FairTicks):
        case = Case(source, tuple(f"O{number}" for number in range(1, source.organization_count + 1)))
    else:
        check_problem(source, FAIR, "the fairness of policies is for fair sharing")
        names = tuple(organization.id for organization in source.organizations)
        case = Case(source.scaled(), names, source.name, instance=source)
    if not sum(case.released):
        raise InputError("no job is released before it", field="horizon", value=case.ticks.horizon)
    return case


@dataclass(frozen=True)
class Contender:
    """A policy or method on a case."""

    name: str  # as shown in tables
    # ``(seed, on_progress) -> starts or schedule``; it may call `on_progress` with the current moment
    run: Callable[[int, Callable[[int], None]], Any]
    sampled: bool = False  # whether it is RAND


def contenders(case: Case, policies: Sequence[str | Method] | None, without: Sequence[str] = ()) -> list[Contender]:
    """Return policies given by name or as methods, except those named `without`; None for all on-line policies."""
    if policies is None:
        chosen = [method for method in toolkit_methods(FAIR) if not method.clairvoyant]
    else:
        chosen = [find_method(policy, FAIR) if isinstance(policy, str) else policy for policy in policies]
    by_name = {method.name: method for method in chosen if method.name not in without}
    return [_contender(case, method) for method in by_name.values()]


def _contender(case: Case, method: Method) -> Contender:
    scheduler, instance = method.run, case.instance
    if isinstance(scheduler, TicksScheduler):
        starts = partial(scheduler.starts, case.ticks)
        return Contender(
            scheduler.name,
            lambda seed, on_progress: starts(seed=seed, on_progress=on_progress),
            sampled=method.clairvoyant,
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


def _judged(case: Case, answer: NDArray[np.int64] | Schedule) -> tuple[Sequence[Violation], NDArray[np.int64] | None]:
    """Return the violated rules and, if there are none, the starts: -1 for a job not started before the horizon."""
    if not isinstance(answer, Schedule):
        return ticks_violations(case.ticks, answer), answer
    assert case.instance is not None  # only a method of an instance returns a schedule
    violations = verify(case.instance, answer)
    return violations, None if violations else starts_from_schedule(case.instance, answer)


class TimeUp(BaseException):
    """The time limit was reached; not an Exception, so that policies do not catch it."""


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
        finally:  # in case of an alarm while the timer is stopped
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


AGREEING = 3  # equal schedules after which a policy counts as deterministic


@dataclass(frozen=True)
class FairProgress:
    """Progress of a comparison."""

    stage: str  # the running policy, and its seed unless it is the first
    seconds: float  # wall time since the comparison began
    share: float | None = None  # processed share of the horizon, from 0 to 1; None if unknown


@dataclass(frozen=True, eq=False)
class Trial:
    """One run of a policy."""

    seed: int  #: seed of the random choices
    seconds: float  #: wall time of the run, without its verification
    #: start of each job, -1 if it does not start before the horizon; None without a feasible schedule
    starts: NDArray[np.int64] | None = None
    figures: FairFigures | None = None  #: figures of the schedule; None without a feasible schedule
    violations: tuple[Violation, ...] = ()  #: found by the verifier
    note: str = ""  #: the reason why there is no schedule
    unfairness: Fraction | None = None  #: Δψ/p_tot relative to the base of the comparison; None without a base
    timed_out: bool = False  #: whether the run was ended by the time limit, for example because the policy hangs


class Runs(StudyClock):
    """The runs of a comparison within one time limit, with several seeds for randomized policies."""

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
        """Run a policy with seeds 0, 1, …, each run limited to `share` of the remaining time, from 0 to 1.

        If the first three schedules are equal, only the first run counts. A run without a schedule is the last. After
        the time limit or Ctrl-C there are fewer runs or none.
        """
        trials: list[Trial] = []
        try:
            for seed in range(self._seeds):
                if self.interrupted or self.left == 0:
                    self.left_out.append(contender.name)
                    break
                trial = self._trial(contender, seed, share)
                if trial.timed_out:
                    self.left_out.append(contender.name)
                    return tuple(trials or [trial])
                trials.append(trial)
                if trial.starts is None:
                    break
                equal = [earlier for earlier in trials if np.array_equal(trial.starts, earlier.starts)]  # type: ignore[arg-type]
                if len(equal) == len(trials) == AGREEING:
                    return (trials[0],)
        except KeyboardInterrupt:
            self.interrupted = True
            self.left_out.append(contender.name)
        return tuple(trials)

    def measured(self, starts: NDArray[np.int64], seconds: float, seed: int = 0) -> Trial:
        """Return the run of a feasible schedule with its figures."""
        return Trial(seed, seconds, starts, figures_of(self._case.ticks, starts, self._alone))

    def report(self, stage: str, share: float | None = None) -> None:
        """Report the current run."""
        if self._on_progress is not None:
            self._on_progress(FairProgress(stage, self.seconds, share))

    def reporter(self, stage: str) -> Callable[[int], None]:
        """Return a function that reports the current moment and raises `TimeUp` after the time limit."""

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
            return Trial(seed, time.monotonic() - began, note=f"not done after {limit:.3g} s", timed_out=True)
        except OasError as error:
            return Trial(seed, time.monotonic() - began, note=str(error))
        except (Exception, SystemExit) as error:  # a user's policy may fail in any way; its row reports it
            return Trial(seed, time.monotonic() - began, note=f"failed: {type(error).__name__}: {error}")
        if starts is None or violations:
            return Trial(seed, seconds, violations=tuple(violations), note=f"infeasible: {violations[0]}")
        return self.measured(starts, seconds, seed)
