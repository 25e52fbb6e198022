"""Runs of policies under one clock: each verified, measured and timed, until the time is up or Ctrl-C comes."""

from __future__ import annotations

import signal
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from oas.core.errors import OasError
from oas.studies.fair.figures import figures_of, flows_alone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from oas.core.verifier import Violation
    from oas.studies.fair.contenders import Case, Contender
    from oas.studies.fair.figures import FairFigures

_AGAIN = 1.0  # seconds from one alarm to the next: the first may come where the exception is swallowed


class TimeUp(BaseException):
    """No more time; unlike an Exception no policy takes it for its own."""


@contextmanager
def ended_after(seconds: float | None) -> Iterator[None]:
    """Raise `TimeUp` in what runs inside, once so many seconds have passed; None for never.

    A signal interrupts Python code, waiting and sleeping alike; compiled code goes on to its end. Where there is no
    such signal, in another thread than the main one or on Windows, nothing is interrupted.
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

    stage: str  # the policy that runs, and its seed where that is not the first
    seconds: float  # wall time since the comparison began
    share: float | None = None  # how much of the horizon it has seen, from 0 to 1; None where that is not known


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
        What the verifier finds.
    note
        Why there is no schedule.
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


class Runs:
    """Makes the runs of a comparison within one time limit, with several seeds for randomized policies."""

    def __init__(
        self, case: Case, seeds: int, time_limit: float | None, on_progress: Callable[[FairProgress], None] | None
    ) -> None:
        self._case = case
        self._seeds = seeds
        self._limit = time_limit
        self._on_progress = on_progress
        self._began = time.monotonic()
        self._alone = flows_alone(case.ticks)
        self.left: list[str] = []  # policies with runs left out
        self.interrupted = False  # by Ctrl-C: nothing runs after that

    @property
    def seconds(self) -> float:
        """Wall time since the beginning."""
        return time.monotonic() - self._began

    @property
    def remaining(self) -> float | None:
        """Seconds that are left, at least 0; None without a limit."""
        return None if self._limit is None else max(0.0, self._limit - self.seconds)

    def trials(self, contender: Contender, share: float) -> tuple[Trial, ...]:
        """Run a policy with one seed after another, each ended after this share of the time that is left, from 0 to 1.

        The first alone counts where the first three make the same schedule, as without lots they do, and they end where
        one makes none; there are fewer, or none, where the time is up or Ctrl-C comes.
        """
        found: list[Trial] = []
        try:
            for seed in range(self._seeds):
                if self.interrupted or self.remaining == 0:
                    self.left.append(contender.name)
                    break
                trial = self._trial(contender, seed, share)
                if trial.cut:
                    self.left.append(contender.name)
                    return tuple(found or [trial])
                found.append(trial)
                if found[-1].starts is None:
                    break
                if len(found) == AGREEING and _agree(found):
                    return (found[0],)
        except KeyboardInterrupt:
            self.interrupted = True
            self.left.append(contender.name)
        return tuple(found)

    def measured(self, starts: NDArray[np.int64], seconds: float, seed: int = 0) -> Trial:
        """Return the figures of starts that keep the rules."""
        return Trial(seed, seconds, starts, figures_of(self._case.ticks, starts, self._alone))

    def report(self, stage: str, share: float | None = None) -> None:
        """Say what runs."""
        if self._on_progress is not None:
            self._on_progress(FairProgress(stage, self.seconds, share))

    def reporter(self, stage: str) -> Callable[[int], None]:
        """Return a function that reports the moment reached, and raises `TimeUp` when the time is up."""

        def report(now: int) -> None:
            self.report(stage, now / self._case.ticks.horizon)
            if self.remaining == 0:
                raise TimeUp

        return report

    def _trial(self, contender: Contender, seed: int, share: float) -> Trial:
        limit = None if self.remaining is None else share * self.remaining
        stage = f"{contender.name}, seed {seed}" if seed else contender.name
        horizon = self._case.ticks.horizon
        self.report(stage)
        began = time.monotonic()
        try:
            with ended_after(limit):
                answer = contender.run(seed, lambda now: self.report(stage, now / horizon))
            seconds = time.monotonic() - began
            violations, starts = contender.judge(answer)
        except TimeUp:
            return Trial(seed, time.monotonic() - began, note=f"not done after {limit:.3g} s", cut=True)
        except OasError as error:
            return Trial(seed, time.monotonic() - began, note=str(error))
        except (Exception, SystemExit) as error:  # a user's own may fail in any way; the comparison goes on and says so
            return Trial(seed, time.monotonic() - began, note=f"failed: {type(error).__name__}: {error}")
        if starts is None or violations:
            return Trial(seed, seconds, violations=tuple(violations), note=f"infeasible: {violations[0]}")
        return self.measured(starts, seconds, seed)


def _agree(trials: Sequence[Trial]) -> bool:
    """Whether all made the same schedule."""
    starts = [trial.starts for trial in trials if trial.starts is not None]
    return all(np.array_equal(starts[0], one) for one in starts)
