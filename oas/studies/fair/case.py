"""What policies are compared on: an instance of fair sharing, or a log shared out, both as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from oas.core.errors import InputError
from oas.core.instances import check_problem
from oas.io.logs.sharing import SharedLog
from oas.problems.fair.problem import FAIR
from oas.problems.fair.ticks import FairTicks

if TYPE_CHECKING:
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
