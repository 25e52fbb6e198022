"""The instances of sections 4.1 and 4.2."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, get_args

import msgspec

from benchmarks.proof_rates.shared.plans import Plan
from oas.generate.coallocation.section4 import Bandwidth, section4
from oas.generate.coallocation.workloads import workload

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.problems.coallocation.instance import CoallocationInstance

PERCENTS = ("100", "50", "25", "0")


class Cell(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Instances that differ in their seeds only, and the limit of each solve.

    Attributes
    ----------
    jobs
        How many; of the workloads always 8.
    bandwidth
        As `oas.generate.section4` takes it; None for the workloads of section 4.2, which are numbered by their seeds.
    percent
        η in percent of the mean base time.
    seconds
        Limit of each of the five solves, wall time.
    """

    jobs: int = 8
    bandwidth: Bandwidth | None = None
    percent: str = "50"
    seconds: float = 20.0

    def instance(self, seed: int) -> CoallocationInstance:
        """Draw the instance of this seed, or take the workload of this number; saturation is forbidden."""
        if self.bandwidth is None:
            return workload(seed, slot_percent=self.percent)
        return section4(seed=seed, jobs=self.jobs, bandwidth=self.bandwidth, slot_percent=self.percent)

    def __str__(self) -> str:
        drawn = "workloads" if self.bandwidth is None else f"{self.bandwidth}, {self.jobs} jobs"
        return f"{drawn}, η {self.percent} %, {self.seconds:g} s"


def plans(seconds: float = 20.0, jobs: int = 8) -> Mapping[str, Plan]:
    """Return a plan for each section.

    Parameters
    ----------
    seconds
        Limit of each solve.
    jobs
        Of the instances of section 4.1.
    """
    drawn = tuple(
        Cell(jobs=jobs, bandwidth=bandwidth, percent=percent, seconds=seconds)
        for percent, bandwidth in product(PERCENTS, reversed(get_args(Bandwidth)))
    )
    return {
        "4.1": Plan("Section 4.1: slot sizes", drawn, 10),
        "4.2": Plan("Section 4.2: workloads", (Cell(seconds=seconds),), 6, lambda _: 1),
    }


PLANS = plans()
