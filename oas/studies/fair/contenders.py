"""The policies that are compared, and what they are compared on: an instance of fair sharing or a log shared out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heuristics.fair.engine import PolicyRun, run_policy
from heuristics.fair.rand import SampledRun, random_orderings, sampled_starts
from heuristics.registry import find_method, own_methods
from oas.core.errors import InputError
from oas.core.instances import check_problem
from oas.core.schedule import Schedule
from oas.core.verifier import verify
from oas.io.logs.sharing import SharedLog
from oas.problems.fair.problem import FAIR
from oas.problems.fair.stream_rules import ticks_violations
from oas.problems.fair.ticks import FairTicks, starts_from_schedule

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heuristics.method import Method
    from oas.core.verifier import Violation
    from oas.problems.fair.instance import FairInstance


@dataclass(frozen=True, eq=False)
class Case:
    """Organizations and jobs, with what is needed to name them."""

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
    # ``(seed, on_progress) -> answer``; `on_progress` may be told the moment that is reached
    run: Callable[[int, Callable[[int], None]], Any]
    # ``answer -> (violations, starts)``: the rules that the answer breaks, and, if it breaks none, when each
    # job starts, -1 for not before the horizon
    judge: Callable[[Any], tuple[Sequence[Violation], NDArray[np.int64] | None]]
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
    ticks, policy = case.ticks, method.run
    if isinstance(policy, SampledRun):
        return sampled(case, policy.orderings)
    if isinstance(policy, PolicyRun):
        name, factory = policy.name, policy.factory
        return Contender(
            name,
            lambda seed, on_progress: run_policy(ticks, factory, seed, name=name, on_progress=on_progress),
            lambda starts: (ticks_violations(ticks, starts), starts),
        )
    if case.instance is None:
        reason = "is a function of an instance, and no policy: it cannot run on a log"
        raise InputError(reason, field="policy", value=method.name)
    return _of_method(case.instance, method)


def sampled(case: Case, orderings: int) -> Contender:
    """Return RAND with so many orderings."""
    ticks = case.ticks

    def run(seed: int, on_progress: Callable[[int], None]) -> NDArray[np.int64]:
        drawn = random_orderings(ticks.organization_count, orderings, seed)
        return sampled_starts(ticks, drawn, on_progress=on_progress)

    name = SampledRun(orderings).name
    return Contender(name, run, lambda starts: (ticks_violations(ticks, starts), starts), sampled=True)


def _of_method(instance: FairInstance, method: Method) -> Contender:
    """Return any method of fair sharing, which may look ahead."""

    def run(seed: int, _on_progress: Callable[[int], None]) -> Schedule:
        schedule: Any = method(instance, seed=seed)
        if not isinstance(schedule, Schedule):
            raise InputError(f"returned {type(schedule).__name__}, not a Schedule")
        return schedule

    def judge(schedule: Schedule) -> tuple[Sequence[Violation], NDArray[np.int64] | None]:
        violations = verify(instance, schedule)
        return violations, None if violations else starts_from_schedule(instance, schedule)

    return Contender(method.name, run, judge)
