"""The plan of the measurements: jobs, thresholds of saturation and slot sizes; no two instances share a seed."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import msgspec

from benchmarks.proof_rates.shared.plans import Plan
from oas.generate.coallocation.section4 import section4
from oas.problems.coallocation.problem import SLOWDOWN
from oas.problems.coallocation.saturation import Saturation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.problems.coallocation.instance import CoallocationInstance

THRESHOLDS = (None, "1/2", "3/4")
PERCENTS = ("0", "25")
SEEDS = 24  # of each cell in the whole plan
SIZES = {"six": 6, "eight": 8, "sixteen": 16}


class Cell(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Instances that differ in their seeds only, and the limit they get.

    Attributes
    ----------
    jobs
        How many, on 3 clusters of 4 nodes with tight bandwidth.
    threshold
        Of the policy ``slowdown``; None for none.
    percent
        η in percent of the mean base time.
    seconds
        Limit of `oas.solve`, wall time.
    """

    jobs: int = 6
    threshold: str | None = None
    percent: str = "0"
    seconds: float = 60.0

    def instance(self, seed: int) -> CoallocationInstance:
        """Draw the instance of this seed."""
        drawn = section4(seed=seed, jobs=self.jobs, bandwidth="tight", slot_percent=self.percent)
        return drawn.with_saturation(Saturation(SLOWDOWN, self.threshold))

    @property
    def first(self) -> int:
        """The first of its seeds; the others follow."""
        place = PERCENTS.index(self.percent) * len(THRESHOLDS) + THRESHOLDS.index(self.threshold)
        return SEEDS * place

    def __str__(self) -> str:
        return f"{self.jobs} jobs, threshold {self.threshold or 'none'}, η {self.percent} %, {self.seconds:g} s"


def plans(seconds: float = 60.0) -> Mapping[str, Plan]:
    """Return a plan for each number of jobs.

    Parameters
    ----------
    seconds
        Limit for each instance.
    """
    return {
        name: Plan(
            f"{name.capitalize()} jobs",
            tuple(
                Cell(jobs=jobs, threshold=threshold, percent=percent, seconds=seconds)
                for threshold, percent in product(THRESHOLDS, PERCENTS)
            ),
            SEEDS,
            lambda cell: cell.first,
        )
        for name, jobs in SIZES.items()
    }


PLANS = plans()
