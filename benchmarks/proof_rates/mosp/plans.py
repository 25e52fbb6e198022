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
LEAST_SEED = 100  # seeds below are left to those who work on bounds and searches
OLD_FIRST_SEED = 100
HELD_OUT = 5_000


def first_seed(cell: Cell) -> int:
    """Return the first seed of a cell: workload, m, N, n and shape stand in it, so that no two cells share jobs.

    From the left its digits are 1 for uni and 2 for swf, then m, N, n and shape with four, three, four and two digits,
    and four for the number of the instance, from 100 on. One seed gives the same times for any N and m, and what it
    draws first for n = 50 it draws first for n = 100 too: cells that shared one would be one sample. With locality and
    without, the seeds are the same, for there the same instance is to be compared.
    """
    seed = WORKLOADS.index(cell.workload) + 1
    for value, digits in ((cell.processors, 4), (cell.organizations, 3), (cell.jobs, 4), (cell.pareto or 0, 2), (0, 4)):
        seed = seed * 10**digits + value
    return seed + LEAST_SEED


def held_out_seed(cell: Cell) -> int:
    """Return the first seed of a cell in the sample that is kept aside, which `first_seed` never comes to."""
    return first_seed(cell) + HELD_OUT


def old_seed(_: Cell) -> int:
    """Return the first seed of the old sample: one for all cells, so that those of one n share six workloads."""
    return OLD_FIRST_SEED


def former_seed(cell: Cell) -> int:
    """Return the first seed of a cell in the sample before this one: m and N stand in it, n does not.

    Its cells of one n share no jobs; those of one N and m do, whatever their n.
    """
    return 100_000 * cell.processors + 1000 * cell.organizations + 100


def _twelve(cell: Cell) -> int:
    """Twelve instances of a cell at 50 and 100 jobs, where the shares proven are to be told apart; else six."""
    return 12 if cell.jobs in (50, 100) else 6


def _section72(workload: Workload, sizes: Iterable[int] = JOBS) -> tuple[Cell, ...]:
    return tuple(
        Cell(workload=workload, organizations=organizations, jobs=jobs, processors=processors)
        for jobs, organizations, processors in product(sizes, ORGANIZATIONS, PROCESSORS)
    )


PLANS: Mapping[str, Plan] = {
    "uni": Plan("Uniform workload, section 7.2", _section72("uni"), _twelve, first_seed),
    "swf": Plan("Lublin and Feitelson's workload, section 7.2", _section72("swf"), _twelve, first_seed),
    "pareto": Plan(
        "Clusters of unequal sizes, section 7.4",
        tuple(
            Cell(workload=workload, organizations=10, jobs=jobs, processors=128, pareto=shape)
            for jobs, workload, shape in product(JOBS, WORKLOADS, range(1, 11))
        ),
        3,
        first_seed,
    ),
    "uni-old": Plan("Uniform workload, the old sample: six workloads for each n", _section72("uni"), 6, old_seed),
    "uni-former": Plan("Uniform workload, the sample of the figures until now", _section72("uni"), 6, former_seed),
    "held-out": Plan(
        "Kept aside: no tuning looks at these seeds",
        (*_section72("uni", JOBS[1:]), *_section72("swf", JOBS[3:])),
        6,
        held_out_seed,
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
"""The plans by name.

Whoever tunes a bound or a search looks at seeds 0 to 99. The plans uni, swf and pareto are measured whenever there is
something to report. The plan held-out is measured once, when all is done, and nothing is changed after it because of
it: it tells whether what was tuned holds elsewhere. Whoever looks at it before gives `HELD_OUT` another value and says
so.
"""


def cases(names: Iterable[str], seeds: int | None = None) -> Iterator[Case]:
    """Yield the instances of these plans, round robin over their cells; `seeds` is how many of each cell at most."""
    return round_robin(PLANS, names, seeds)
