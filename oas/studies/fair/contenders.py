"""The policies that are compared, and what they are compared on: an instance of fair sharing or a log shared out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

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
    """Organizations and jobs, with what is needed to name them.

    Attributes
    ----------
    ticks
        The organizations' processors and jobs; some job is released before the horizon.
    names
        Of the organizations.
    title
        For people; may be empty.
    second
        How many ticks a second has; None where the time unit is the instance's own.
    instance
        The instance; None for a log.
    log
        The log; None for an instance.
    """

    ticks: FairTicks
    names: tuple[str, ...]
    title: str = ""
    second: int | None = None
    instance: FairInstance | None = None
    log: SharedLog | None = None

    @property
    def released(self) -> tuple[int, ...]:
        """How many jobs of each organization are released before the horizon."""
        owners = self.ticks.owner[self.ticks.release < self.ticks.horizon]
        return tuple(np.bincount(owners, minlength=len(self.names)).tolist())


def case_of(source: FairInstance | SharedLog | FairTicks) -> Case:
    """Return the case that an instance, a log shared out, or arrays are.

    Raises
    ------
    InputError
        If it is none of these, or no job is released before the horizon.
    """
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


class Contender(Protocol):
    """What runs, and how its answer is judged and read."""

    @property
    def name(self) -> str:
        """As tables show it."""

    def run(self, seed: int, on_progress: Callable[[int], None]) -> Any:
        """Return the answer; `on_progress` may be told the moment that is reached."""

    def violations(self, answer: Any) -> list[Violation]:
        """Return the rules that the answer breaks."""

    def starts(self, answer: Any) -> NDArray[np.int64]:
        """Return when each job starts in an answer that breaks none, -1 for not before the horizon."""


@dataclass(frozen=True)
class OfPolicy:
    """A policy on arrays."""

    ticks: FairTicks
    policy: PolicyRun

    @property
    def name(self) -> str:
        """The policy's."""
        return self.policy.name

    def run(self, seed: int, on_progress: Callable[[int], None]) -> NDArray[np.int64]:
        """Run the policy."""
        return run_policy(self.ticks, self.policy.factory, seed, name=self.name, on_progress=on_progress)

    def violations(self, answer: NDArray[np.int64]) -> list[Violation]:
        """Check the starts."""
        return ticks_violations(self.ticks, answer)

    def starts(self, answer: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the starts."""
        return answer


@dataclass(frozen=True)
class OfSample:
    """RAND on arrays."""

    ticks: FairTicks
    sample: SampledRun

    @property
    def name(self) -> str:
        """``RAND(N)``."""
        return self.sample.name

    def run(self, seed: int, on_progress: Callable[[int], None]) -> NDArray[np.int64]:
        """Draw the orderings, and run all coalitions."""
        drawn = random_orderings(self.ticks.organization_count, self.sample.orderings, seed)
        return sampled_starts(self.ticks, drawn, on_progress=on_progress)

    def violations(self, answer: NDArray[np.int64]) -> list[Violation]:
        """Check the starts."""
        return ticks_violations(self.ticks, answer)

    def starts(self, answer: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the starts."""
        return answer


@dataclass(frozen=True)
class OfMethod:
    """Any method of fair sharing on an instance; it may look ahead."""

    instance: FairInstance
    method: Method

    @property
    def name(self) -> str:
        """The method's."""
        return self.method.name

    def run(self, seed: int, on_progress: Callable[[int], None]) -> Schedule:
        """Run the method."""
        schedule: Any = self.method(self.instance, seed=seed)
        if not isinstance(schedule, Schedule):
            raise InputError(f"returned {type(schedule).__name__}, not a Schedule")
        return schedule

    def violations(self, answer: Schedule) -> list[Violation]:
        """Check the schedule, its processors among it."""
        return verify(self.instance, answer)

    def starts(self, answer: Schedule) -> NDArray[np.int64]:
        """Return the starts."""
        return starts_from_schedule(self.instance, answer)


def contenders(case: Case, policies: Sequence[str | Method] | None, without: Sequence[str] = ()) -> list[Contender]:
    """Return the policies asked for, by name or as methods; None for all of the toolkit that are on line.

    Those named `without` are left out.

    Raises
    ------
    InputError
        If there is none of a name, or it is no policy and there is no instance to schedule, but only a log.
    """
    if policies is None:
        chosen = [method for method in own_methods(FAIR) if isinstance(method.run, PolicyRun)]
    else:
        chosen = [find_method(one, FAIR) if isinstance(one, str) else one for one in policies]
    by_name = {method.name: method for method in chosen if method.name not in without}
    return [_contender(case, method) for method in by_name.values()]


def sampled(case: Case, orderings: int) -> OfSample:
    """Return RAND with so many orderings."""
    return OfSample(case.ticks, SampledRun(orderings))


def _contender(case: Case, method: Method) -> Contender:
    if isinstance(method.run, PolicyRun):
        return OfPolicy(case.ticks, method.run)
    if isinstance(method.run, SampledRun):
        return OfSample(case.ticks, method.run)
    if case.instance is None:
        reason = "is a function of an instance, and no policy: it cannot run on a log"
        raise InputError(reason, field="policy", value=method.name)
    return OfMethod(case.instance, method)
