"""The plan of the measurements: cells of section 7 of the MOCCA paper, and plans that name cells."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Literal

import msgspec

from benchmarks.proof_rates.shared.plans import Plan, round_robin
from oas.generate.mosp.swf import swf
from oas.generate.mosp.uni import uni

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from benchmarks.proof_rates.shared.plans import Case
    from oas.problems.mosp.instance import MospInstance

Workload = Literal["uni", "swf"]
WORKLOADS: tuple[Workload, ...] = ("uni", "swf")
_GENERATORS = {"uni": uni, "swf": swf}


class Cell(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Instances that differ in their seeds only, and the limit they get.

    Attributes
    ----------
    workload
        ``uni`` or ``swf``.
    organizations, jobs, processors, pareto
        As `oas.generate.uni` takes them.
    locality
        A rational as text; None for no such constraint.
    seconds
        Limit of `oas.solve`, wall time.
    rival_seconds
        Limit of CP-SAT; None for the time that `oas.solve` took, but at least a second, and at most `seconds`.
    """

    workload: Workload = "uni"
    organizations: int = 5
    jobs: int = 10
    processors: int = 32
    pareto: int | None = None
    locality: str | None = "1"
    seconds: float = 60.0
    rival_seconds: float | None = None

    def instance(self, seed: int) -> MospInstance:
        """Draw the instance of this seed."""
        drawn = _GENERATORS[self.workload](
            seed=seed,
            jobs=self.jobs,
            organizations=self.organizations,
            processors=self.processors,
            pareto=self.pareto,
        )
        return drawn.with_locality(self.locality)

    def __str__(self) -> str:
        shape = "" if self.pareto is None else f", Pareto {self.pareto}"
        locality = "" if self.locality == "1" else f", locality {self.locality or 'none'}"
        return f"{self.workload}, N = {self.organizations}, n = {self.jobs}, m = {self.processors}{shape}{locality}"


ORGANIZATIONS, JOBS, PROCESSORS = (2, 5, 10, 20), (10, 50, 100, 500), (32, 128, 512)


def first_seed(cell: Cell) -> int:
    """Return the first seed of a cell: m, N and shape stand in it, so that cells share no jobs.

    One seed gives the same jobs for any N, and nearly the same for any m: cells that shared it would be one sample.
    With locality and without, the seeds are the same. Small seeds are left to those who work on bounds and searches.
    """
    return 100_000 * cell.processors + 1000 * cell.organizations + 100 + 10 * (cell.pareto or 0)


def _section72(workload: Workload) -> tuple[Cell, ...]:
    return tuple(
        Cell(workload=workload, organizations=organizations, jobs=jobs, processors=processors)
        for jobs, organizations, processors in product(JOBS, ORGANIZATIONS, PROCESSORS)
    )


PLANS: Mapping[str, Plan] = {
    "uni": Plan("Uniform workload, section 7.2", _section72("uni"), 6, first_seed),
    "swf": Plan("Lublin and Feitelson's workload, section 7.2", _section72("swf"), 6, first_seed),
    "pareto": Plan(
        "Clusters of unequal sizes, section 7.4",
        tuple(
            Cell(workload=workload, organizations=10, jobs=jobs, processors=128, pareto=shape)
            for jobs, workload, shape in product(JOBS, WORKLOADS, range(1, 11))
        ),
        3,
        first_seed,
    ),
    "locality": Plan(
        "What locality costs",
        tuple(
            Cell(organizations=organizations, jobs=jobs, locality=locality)
            for jobs, organizations, locality in product((10, 12, 15, 18, 20), (2, 3, 4, 5), ("1", None))
        ),
        5,
        first_seed,
    ),
    "smoke": Plan(
        "A smoke test",
        (
            Cell(organizations=2, processors=128, seconds=30.0, rival_seconds=60.0),
            Cell(workload="swf", organizations=5, processors=128, seconds=30.0, rival_seconds=60.0),
            Cell(organizations=3, jobs=8, seconds=30.0, rival_seconds=60.0),
            Cell(organizations=3, jobs=8, seconds=30.0, rival_seconds=60.0, locality=None),
        ),
        2,
        first_seed,
    ),
}


def cases(names: Iterable[str], seeds: int | None = None) -> Iterator[Case]:
    """Yield the instances of these plans, round robin over their cells; `seeds` is how many of each cell at most."""
    return round_robin(PLANS, names, seeds)
