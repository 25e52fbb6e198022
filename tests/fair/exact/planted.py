"""Models of fair sharing that lie in a stated way; a real solver does the lying, in its worker."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from oas.core.errors import SolverError
from oas.solving.formulation import Formulation


@dataclass(frozen=True)
class Lie:
    """What a lie is made of: the objective that the solver proves, and the starts that its answer is read as."""

    objective: int
    starts: tuple[int, ...]


def planted(builder, cost, starts):
    """Return a model that is said to cost so much, and to start jobs so; no starts at all are nonsense."""
    return Formulation(
        name="planted",
        builder=f"tests.solving.planted:{builder}",
        prepare=partial(_prepare, Lie(cost, tuple(starts))),
        read=_read,
        start_values=_no_start,
        ticks_of=_cost,
        summary="lies",
    )


def _prepare(lie, *_):
    return lie


def _read(lie, _):
    if not lie.starts:
        raise SolverError("it makes no sense")
    return list(lie.starts)


def _cost(_, objective):
    return objective


def _no_start(*_):
    return None
