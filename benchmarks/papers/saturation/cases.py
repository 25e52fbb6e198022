"""The instances of sections 4.1 and 4.2."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, get_args

import msgspec

from benchmarks.proof_rates.shared.plans import Plan
from oas.generate.coallocation.section4 import LINK, Bandwidth, most_task_bandwidth, section4
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
    narrow
        Whether links are as narrow as they can be for every job to have an allocation under ``forbid``, instead of
        gigabit links.
    percent
        η in percent of the mean base time.
    seconds
        Limit of each of the five solves, wall time.
    """

    jobs: int = 8
    bandwidth: Bandwidth | None = None
    narrow: bool = False
    percent: str = "50"
    seconds: float = 20.0

    def instance(self, seed: int) -> CoallocationInstance:
        """Draw the instance of this seed, or take the workload of this number; saturation is forbidden."""
        if self.bandwidth is None:
            instance = workload(seed, slot_percent=self.percent)
        else:
            instance = section4(seed=seed, jobs=self.jobs, bandwidth=self.bandwidth, slot_percent=self.percent)
        return narrowed(instance) if self.narrow else instance

    @property
    def setting(self) -> str:
        """How wide links are beside what jobs ask of them."""
        return "narrow links" if self.narrow else f"{self.bandwidth} bandwidth" if self.bandwidth else "gigabit links"

    def __str__(self) -> str:
        drawn = "workloads" if self.bandwidth is None else f"{self.jobs} jobs"
        return f"{drawn}, {self.setting}, η {self.percent} %, {self.seconds:g} s"


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
    workloads = (Cell(seconds=seconds), Cell(narrow=True, seconds=seconds))
    return {
        "4.1": Plan("Section 4.1: slot sizes", drawn, 10),
        "4.2": Plan("Section 4.2: workloads", workloads, 6, lambda _: 1),
    }


def narrowed(instance: CoallocationInstance) -> CoallocationInstance:
    """Return the instance on the least link bandwidth at which each job, alone, has an allocation under ``forbid``."""
    clusters, nodes = len(instance.clusters), instance.clusters[0].size
    least = max(
        (
            job.bandwidth * LINK / most_task_bandwidth(job.tasks, clusters, nodes)
            for job in instance.jobs
            if job.tasks > nodes
        ),
        default=Fraction(0),
    )
    return replace(instance, clusters=tuple(replace(cluster, bandwidth=least) for cluster in instance.clusters))


PLANS = plans()
