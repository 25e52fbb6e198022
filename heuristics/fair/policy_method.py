"""A policy of fair sharing as a method of the registry: the toolkit's own, and a user's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from heuristics.fair.engine import run_policy
from heuristics.method import Method
from oas.core.instances import check_problem
from oas.problems.fair.problem import FAIR
from oas.problems.fair.runs import schedule_from_starts

if TYPE_CHECKING:
    from heuristics.fair.policy import PolicyFactory
    from oas.core.schedule import Schedule
    from oas.problems.fair.instance import FairInstance


@dataclass(frozen=True)
class PolicyRun:
    """A scheduler ``f(instance, *, seed=0) -> Schedule`` that runs a policy; it can be pickled if its factory can.

    Attributes
    ----------
    factory
        Makes the policy anew for each run.
    name
        Of the schedules, and in errors.
    """

    factory: PolicyFactory
    name: str

    def __call__(self, instance: FairInstance, *, seed: int = 0) -> Schedule:
        """Run the policy on `instance`; errors as `heuristics.fair.engine.run_policy`."""
        check_problem(instance, FAIR, f"{self.name} is a policy of fair sharing: it schedules a FairInstance")
        starts = run_policy(instance.scaled(), self.factory, seed, name=self.name)
        return schedule_from_starts(instance, starts, self.name)


def method_of(factory: PolicyFactory, name: str, summary: str = "", rank: int = 1000) -> Method:
    """Return a policy as a method of fair sharing.

    Parameters
    ----------
    factory
        ``policy(seed) -> Policy``.
    name
        As tables show it.
    summary
        One line; empty for the first line of the factory's docstring.
    rank
        Place in listings.
    """
    made_by = getattr(factory, "func", factory)  # of a partial function
    said = summary or (getattr(made_by, "__doc__", None) or "").strip().partition("\n")[0]
    return Method(name, PolicyRun(factory, name), said, rank, problem=FAIR)
