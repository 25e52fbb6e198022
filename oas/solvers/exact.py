"""Exact, a pseudo-Boolean solver that logs cutting planes, and its models (worker side)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oas.core.errors import InputError
from oas.solvers import exact_child
from oas.solvers.descent import DecisionTask, ProvingSolver, descend
from oas.solvers.veripb import Proof

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from oas.solvers.isolation.protocol import Session
    from oas.solvers.task import Outcome


class Row(NamedTuple):
    """An inequality: the sum of coefficients times variables is at least a number."""

    terms: Sequence[tuple[int, int]]  # coefficient and variable of each
    least: int


def row_of(terms: Mapping[int, int], least: int) -> Row:
    """Return a row; raises `InputError` for a number that is not an integer, since nothing is rounded."""
    for number in (*terms.values(), least):
        if type(number) is not int:
            raise InputError("Exact takes integer rows only", field="coefficient", value=number)
    return Row([(term, variable) for variable, term in terms.items()], least)


class Question(NamedTuple):
    """Whether 0-1 variables, numbered from 0, satisfy all rows."""

    variables: int
    rows: Sequence[Row]

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return len(self.rows)

    @property
    def column_count(self) -> int:
        """Number of variables."""
        return self.variables

    @property
    def excess(self) -> str:
        """Empty: the size is limited before the model is built."""
        return ""


class ExactTask(DecisionTask):
    """A model for Exact; its answers are lists of the variables that are 1."""


def check_task(task: object, builder: str) -> ExactTask:
    """Return `task`; raises `InputError` unless it is an ExactTask."""
    if not isinstance(task, ExactTask):
        raise InputError("does not return an ExactTask", field="builder", value=builder)
    return task


def solve(task: ExactTask, session: Session) -> Outcome:
    """Ask Exact for ever shorter schedules; the outcome has the proof that there is none."""
    return descend(ProvingSolver("exact", exact_child.__file__, _steps), task, session)


def _steps(lines: Iterable[str], question: Question) -> bytes:
    return Proof(lines, len(question.rows)).steps()
