"""The event-driven engine for on-line policies of fair sharing; policies as methods of the registry."""

from __future__ import annotations

from bisect import insort
from collections import deque
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from operator import index
from typing import TYPE_CHECKING

import numpy as np

from oas.core.errors import OasError, shorten, within
from oas.core.instances import check_problem
from oas.core.registry import FAIR
from oas.fair.search.policy import CALLS, PolicyError
from oas.fair.ticks import NOT_STARTED, schedule_from_starts
from oas.queueing.stream import NEVER
from oas.solving.method import Method

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from oas.core.schedule import Schedule
    from oas.fair.instance import FairInstance
    from oas.fair.search.policy import Policy, PolicyFactory
    from oas.fair.ticks import FairTicks

REPORTED = 1024  # moments between two calls of on_progress


def run_policy(
    ticks: FairTicks,
    factory: PolicyFactory,
    seed: int = 0,
    *,
    name: str = "",
    on_progress: Callable[[int], None] | None = None,
) -> NDArray[np.int64]:
    """Return the start of each job under a policy, -1 for not before the horizon.

    The schedule is greedy, and first in, first out within each organization, for any policy. The policy receives the
    events of `oas.fair.search.policy.Policy`, in the order stated there.

    Parameters
    ----------
    ticks
        Organizations and jobs.
    factory
        Function that makes the policy. It is called twice, to check that it returns different objects.
    seed
        Seed for the factory.
    name
        Name of the policy in errors; empty for the factory's.
    on_progress
        Function that is called regularly with the current moment.

    Raises
    ------
    OasError
        If the policy raises it in `begin`, for example for invalid shares.
    PolicyError
        If the policy raises another error, lacks a method, is the same object at each call of the factory, or selects
        something that is not an organization, has no waiting job, or does not fit. The message names the policy, the
        moment and the organization. The exception of the policy is the cause of the error.
    """
    made_by = getattr(factory, "func", factory)  # of a partial function
    field = f"policy {name or getattr(made_by, '__name__', repr(factory))}"
    policy = _new_policy(factory, seed, field)
    run = _Run(ticks, policy)
    try:
        with within(field):
            policy.begin(tuple(ticks.machines.tolist()))
    except OasError:  # the policy may reject its parameters, such as shares
        raise
    except Exception as error:
        raise PolicyError(f"as it begins it raises {type(error).__name__}: {error}", field=field) from error
    try:
        run.whole(on_progress)
    except _PickError as error:
        raise PolicyError(f"at moment {run.now} it picks {error}", field=field) from None
    except OasError as error:
        raise PolicyError(f"at moment {run.now}: {error}", field=field) from error
    except Exception as error:
        raise PolicyError(f"at moment {run.now} it raises {type(error).__name__}: {error}", field=field) from error
    return np.array(run.starts, dtype=np.int64)


def _new_policy(factory: PolicyFactory, seed: int, field: str) -> Policy:
    try:
        policy, other = factory(seed), factory(seed)
    except Exception as error:
        raise PolicyError(f"cannot be made: {type(error).__name__}: {error}", field=field) from error
    if policy is other:
        raise PolicyError(
            "its factory returns the same object at each call, which would keep what it has seen from run to run",
            field=field,
        )
    missing = [call for call in CALLS if not callable(getattr(policy, call, None))]
    if missing:
        raise PolicyError(f"a {type(policy).__name__} has no {' and no '.join(missing)}", field=field)
    return policy


class _PickError(Exception):
    """A pick that cannot start; the text follows ``it picks``."""


class _Run:
    """State of a run at the moment `now`: waiting jobs, running jobs and idle processors."""

    def __init__(self, ticks: FairTicks, policy: Policy) -> None:
        self.now = -1
        self.starts = [NOT_STARTED] * ticks.job_count
        self._policy = policy
        self._owner = ticks.owner.tolist()
        self._release = [*ticks.release.tolist(), NEVER]
        self._time = ticks.time.tolist()
        self._width = ticks.width.tolist()
        self._horizon = ticks.horizon
        self._idle = ticks.total
        self._presented = 0  # number of jobs released so far
        self._running: list[tuple[int, int]] = []  # a heap of (end, job)
        self._queues: list[deque[int]] = [deque() for _ in ticks.machines]
        self._waiting: list[int] = []  # organizations with a waiting job, ascending
        self._heads = [0] * len(self._queues)  # width of the first waiting job, if any

    def whole(self, on_progress: Callable[[int], None] | None) -> None:
        """Run from the first event to the last before the horizon."""
        moments = 0
        while True:
            release = self._release[self._presented]
            now = min(release, self._running[0][0]) if self._running else release
            if now >= self._horizon:
                return
            self.now = now
            self._end()
            self._release_jobs()
            self._fill()
            moments += 1
            if on_progress is not None and moments % REPORTED == 0:
                on_progress(now)

    def _end(self) -> None:
        now, running, ended = self.now, self._running, self._policy.ended
        while running and running[0][0] == now:
            _, job = heappop(running)
            width = self._width[job]
            self._idle += width
            ended(now, self._owner[job], job, width)

    def _release_jobs(self) -> None:
        now, job, released = self.now, self._presented, self._policy.released
        while self._release[job] == now:
            organization, width = self._owner[job], self._width[job]
            if not self._queues[organization]:
                insort(self._waiting, organization)
                self._heads[organization] = width
            self._queues[organization].append(job)
            job += 1
            self._presented = job
            released(now, organization, job - 1, width)

    def _fill(self) -> None:
        """Start one job after the other until none fits."""
        while self._idle and self._waiting:
            idle, heads = self._idle, self._heads
            fitting = tuple([organization for organization in self._waiting if heads[organization] <= idle])
            if not fitting:
                return
            picked = self._policy.pick(self.now, fitting)
            self._start(picked if picked.__class__ is int and picked in fitting else self._checked(picked, fitting))

    def _start(self, organization: int) -> None:
        queue = self._queues[organization]
        job = queue.popleft()
        if queue:
            self._heads[organization] = self._width[queue[0]]
        else:
            self._waiting.remove(organization)
        width = self._width[job]
        self._idle -= width
        self.starts[job] = self.now
        heappush(self._running, (self.now + self._time[job], job))
        self._policy.started(self.now, organization, job, width)

    def _checked(self, picked: object, fitting: tuple[int, ...]) -> int:
        """Return the selection of a policy as an int; it may be a numpy integer."""
        choice = f"it may choose from: {', '.join(map(str, fitting))}"
        try:
            if isinstance(picked, bool):
                raise TypeError
            organization = index(picked)  # type: ignore[arg-type]
        except TypeError:
            raise _PickError(f"{shorten(picked)}, which is no number of an organization; {choice}") from None
        if organization in fitting:
            return organization
        if not 0 <= organization < len(self._queues):
            raise _PickError(f"organization {organization}, which does not exist; {choice}")
        if organization not in self._waiting:
            raise _PickError(f"organization {organization}, of which no job waits; {choice}")
        needs = f"needs {self._heads[organization]} processors; idle: {self._idle}"
        raise _PickError(f"organization {organization}, whose first job {needs}; {choice}")


@dataclass(frozen=True)
class TicksScheduler:
    """A scheduler ``f(instance, *, seed=0) -> Schedule`` that also runs on the arrays of a log.

    It can be pickled if `starts` can.
    """

    name: str  # of the schedules
    starts: Callable[..., NDArray[np.int64]]  # ``(ticks, *, seed, on_progress=None) -> start of each job``

    def __call__(self, instance: FairInstance, *, seed: int = 0) -> Schedule:
        """Schedule `instance`; raises `InputError` for an instance of another problem, and errors of `starts`."""
        check_problem(instance, FAIR, f"{self.name} is a method of fair sharing: it schedules a FairInstance")
        return schedule_from_starts(instance, self.starts(instance.scaled(), seed=seed), self.name)


def method_of(factory: PolicyFactory, name: str, summary: str = "", rank: int = 1000) -> Method:
    """Return a policy as a method of fair sharing; an empty `summary` is the first line of the factory's docstring."""
    made_by = getattr(factory, "func", factory)  # of a partial function
    text = summary or (getattr(made_by, "__doc__", None) or "").strip().partition("\n")[0]
    return Method(name, TicksScheduler(name, partial(run_policy, factory=factory, name=name)), text, rank, problem=FAIR)
