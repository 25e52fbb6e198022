"""The worst cases and examples of the papers for MOSP, each with the claimed and the true values.

The modules of this package define them with `worst_case`; `WORST_CASES` contains all of them by name.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, wraps
from importlib import import_module
from typing import TYPE_CHECKING

from oas.core.instances import Generator, provenance
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.mosp.instance import MospInstance

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from fractions import Fraction

    WORST_CASES: dict[str, WorstCase]


class Quantity(StrEnum):
    """The quantity that a claim is about: a makespan, a bound on it, or a ratio."""

    LOCAL = "makespan of the local schedules"
    OPTIMUM = "optimum"
    FREE_OPTIMUM = "optimum without locality"
    LOWER_BOUND = "the paper's lower bound, LB"
    PRICE = "optimum with locality / optimum without"
    MOCCA4 = "makespan of MOCCA(4)"
    ILBA_LOCAL = "makespan of ILBA on the local schedules"
    KEPT = "least makespan that leaves jobs starting before 2 LB where they are"
    LSRC = "makespan of LSRC(FCFS)"
    LSRC_LONGEST = "makespan of LSRC(LPT)"
    STRICT = "makespan of FCFS-strict"
    CONSERVATIVE = "makespan of conservative back-filling"
    EASY = "makespan of EASY back-filling"


@dataclass(frozen=True)
class WorstCaseClaim:
    """A value of an instance, as printed and as it is."""

    about: Quantity
    # by the paper, for this instance or, if it claims a limit, for the limit; None if it gives no value
    claimed: Fraction | None
    true: Fraction  # exact
    why: str  # why that is the true value, or why it is not the one claimed

    @property
    def holds(self) -> bool:
        """Whether the claimed value, if any, is the true one."""
        return self.claimed in (None, self.true)


Case = tuple[Callable[[], MospInstance], tuple[WorstCaseClaim, ...]]


@dataclass(frozen=True, kw_only=True)
class WorstCase(Generator):
    """An instance of the papers that shows how large a ratio can become; made by `worst_case`."""

    function: Callable[..., MospInstance]
    claims: Callable[..., tuple[WorstCaseClaim, ...]]  # returns the claims for parameters of `function`
    source: str  # place in the papers


def worst_case(source: str, summary: str, rank: int) -> Callable[[Callable[..., Case]], WorstCase]:
    """Return a decorator for functions that return a constructor of the instance and the claims about it."""

    def made(case: Callable[..., Case]) -> WorstCase:
        @wraps(case)
        def function(**parameters: object) -> MospInstance:
            return case(**parameters)[0]()

        @wraps(case)
        def claims(**parameters: object) -> tuple[WorstCaseClaim, ...]:
            return case(**parameters)[1]

        name = case.__name__.replace("_", "-")
        return WorstCase(name, summary=summary, rank=rank, function=function, claims=claims, source=source)

    return made


@cache
def worst_cases() -> tuple[WorstCase, ...]:
    """Return the worst cases of this package, in listing order."""
    modules = (import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__))
    cases = [case for module in modules for case in vars(module).values() if isinstance(case, WorstCase)]
    return tuple(sorted(cases, key=lambda case: (case.rank, case.name)))


def __getattr__(name: str) -> object:
    if name == "WORST_CASES":
        return {case.name: case for case in worst_cases()}
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def build(
    case: str,
    sizes: Sequence[int],
    shapes: Sequence[Iterable[tuple[int | Fraction, int]]],
    local: str = "HF",
    **parameters: object,
) -> MospInstance:
    """Return the instance with these clusters and, for each organization, jobs (p, q), named ``J1.1``, ``J1.2``, …."""
    organizations = [
        Organization(f"O{k}", size, _jobs(f"J{k}.", own))
        for k, (size, own) in enumerate(zip(sizes, shapes, strict=True), start=1)
    ]
    origin = provenance(case, **parameters, local=local)
    return MospInstance(organizations, local=local, name=_name(case, parameters), provenance=origin)


def build_alone(
    case: str,
    size: int,
    shapes: Iterable[tuple[int | Fraction, int]],
    reservations: Iterable[Reservation] = (),
    **parameters: object,
) -> MospInstance:
    """Return one cluster with these jobs (p, q), ``J1``, ``J2``, …, and reservations, without locality."""
    cluster = Organization("cluster", size, _jobs("J", shapes), reservations)
    return MospInstance(
        [cluster], locality=None, name=_name(case, parameters), provenance=provenance(case, **parameters)
    )


def _jobs(prefix: str, shapes: Iterable[tuple[int | Fraction, int]]) -> list[RigidJob]:
    return [RigidJob(f"{prefix}{i}", *shape) for i, shape in enumerate(shapes, start=1)]


def _name(case: str, parameters: Mapping[str, object]) -> str:
    return ", ".join([case, *(f"{name} {value}" for name, value in parameters.items())])
