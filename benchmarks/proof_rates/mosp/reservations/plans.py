"""The plan of the measurements: the three classes of the reservations paper, and 3-PARTITION without a solution."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Literal

import msgspec

from benchmarks.proof_rates.shared.plans import Plan
from oas.generate.mosp.reservations import reservations
from oas.generate.mosp.worst_cases.reservations_theorem1 import three_partition

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oas.generate.mosp.reservations import Availability
    from oas.problems.mosp.instance import MospInstance

Class = Literal["alpha", "non-increasing", "general", "three-partition"]
CLASSES: tuple[Availability, ...] = ("alpha", "non-increasing", "general")
JOBS = (10, 20, 50, 100)
GROUPS = (3, 4)
PROCESSORS = (16, 128)  # of even seeds, of odd ones


class Cell(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Instances that differ in their seeds, and the limit that both get.

    Attributes
    ----------
    availability
        As `oas.generate.reservations` takes it; or ``three-partition``, the worst case without a solution, of theorem
        1, on one processor.
    jobs, releases
        As `oas.generate.reservations` takes them; of 3-PARTITION, three for each group, and no releases.
    seconds
        Limit of `oas.solve`, and of CP-SAT, wall time.
    rival
        Whether CP-SAT runs.
    """

    availability: Class = "alpha"
    jobs: int = 10
    releases: bool = False
    seconds: float = 60.0
    rival: bool = True

    def instance(self, seed: int) -> MospInstance:
        """Draw the instance of this seed."""
        if self.availability == "three-partition":
            return three_partition(groups=self.jobs // 3, solvable=False, seed=seed)
        return reservations(
            seed=seed,
            jobs=self.jobs,
            processors=PROCESSORS[seed % len(PROCESSORS)],
            availability=self.availability,
            releases=self.releases,
        )

    def __str__(self) -> str:
        return f"{self.availability}, n = {self.jobs}{', releases' if self.releases else ''}, {self.seconds:g} s"


def plans(jobs: Iterable[int] | None = None, seconds: float = 60.0, rival: bool = True) -> Mapping[str, Plan]:
    """Return both plans: 192 instances drawn by seed, and eight of 3-PARTITION.

    Parameters
    ----------
    jobs
        Keep cells with so many jobs; None for those of `JOBS`, and all of 3-PARTITION.
    seconds
        Limit for each instance.
    rival
        Whether CP-SAT runs too.
    """
    chosen = JOBS if jobs is None else tuple(jobs)
    random = tuple(
        Cell(availability=one, jobs=count, releases=releases, seconds=seconds, rival=rival)
        for count, one, releases in product(chosen, CLASSES, (False, True))
    )
    partition = tuple(
        Cell(availability="three-partition", jobs=3 * groups, seconds=seconds, rival=rival)
        for groups in GROUPS
        if jobs is None or 3 * groups in chosen
    )
    return {
        "random": Plan("The three classes of the reservations paper", random, 8),
        "three-partition": Plan("3-PARTITION without a solution", partition, 4),
    }


PLANS = plans()
