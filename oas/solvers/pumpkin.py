"""Pumpkin, a constraint solver that logs proofs, and its models (worker side)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oas.core.errors import InputError
from oas.solvers import pumpkin_child
from oas.solvers.descent import DecisionTask, ProvingSolver, descend
from oas.solvers.drcp import Proof

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oas.solvers.isolation.protocol import Session
    from oas.solvers.task import Outcome

LONGEST_AXIS = 2**30


class Resource(NamedTuple):
    """A number of processors, or less, that some jobs and fixed loads use."""

    jobs: Sequence[int]
    demands: Sequence[int]
    loads: Sequence[tuple[int, int, int]]  # begin, end and demand of each
    capacity: int


class Question(NamedTuple):
    """Whether jobs can start at whole moments, so that they end by `length` and keep to all resources and orders."""

    length: int
    times: Sequence[int]
    resources: Sequence[Resource]
    orders: Sequence[tuple[int, int]]  # the first job of a pair starts no later than the second

    @property
    def row_count(self) -> int:
        """Number of constraints."""
        return len(self.resources) + len(self.orders)

    @property
    def column_count(self) -> int:
        """Number of variables."""
        return len(self.times)

    @property
    def excess(self) -> str:
        """Why the axis is too long; empty if it is not."""
        return f"the axis of time would have {self.length:,} moments" if self.length >= LONGEST_AXIS else ""


class PumpkinTask(DecisionTask):
    """A model for Pumpkin; its answers are lists of starts."""


def check_task(task: object, builder: str) -> PumpkinTask:
    """Return `task`; raises `InputError` unless it is a PumpkinTask."""
    if not isinstance(task, PumpkinTask):
        raise InputError("does not return a PumpkinTask", field="builder", value=builder)
    return task


def solve(task: PumpkinTask, session: Session) -> Outcome:
    """Ask Pumpkin for ever shorter schedules; the outcome has the proof that there is none."""
    return descend(ProvingSolver("pumpkin-solver", pumpkin_child.__file__, _steps), task, session)


def _steps(lines: Iterable[str], question: Question) -> bytes:
    return Proof(lines, len(question.times)).steps()
