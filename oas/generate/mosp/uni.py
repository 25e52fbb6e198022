"""The workload ``uni`` of the MOCCA paper's section 7: processing times and heights drawn uniformly.

p from 1, …, 50 and q from 1, …, m, independently; owners and cluster sizes as `oas.generate.mosp.section7` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.numbers import Exact  # noqa: TC001
from oas.generate.mosp.section7 import Policy, section7_instance
from oas.generate.registry import Generator
from oas.problems.mosp.instance import MospInstance  # noqa: TC001  (the command line evaluates annotations)

if TYPE_CHECKING:
    from random import Random

LONGEST = 50


def uni(
    *,
    seed: int = 0,
    jobs: int = 50,
    organizations: int = 5,
    processors: int = 128,
    pareto: Exact | None = None,
    local: Policy = "HF",
) -> MospInstance:
    """Draw an instance of the MOCCA paper's set ``uni``.

    Parameters
    ----------
    seed
        At least 0. The same seed gives the same jobs and owners under any `pareto` and `local`.
    jobs
        n: 10, 50, 100, 500 in the paper.
    organizations
        N: 2, 5, 10, 20 in the paper.
    processors
        m, of each cluster: 32, 128, 512 in the paper; with `pareto` of the smallest a cluster can be.
    pareto
        Shape of the Pareto distribution of the cluster sizes, cut off at 1024 processors (section 7.4: 1 to 10);
        without it all clusters have the same size.
    local
        Policy of the local schedules; RND takes `seed`.

    Raises
    ------
    InputError
        Naming the parameter.
    """
    return section7_instance(
        "uni",
        _shapes,
        seed=seed,
        jobs=jobs,
        organizations=organizations,
        processors=processors,
        pareto=pareto,
        local=local,
    )


def _shapes(rng: Random, jobs: int, processors: int) -> list[tuple[int, int]]:
    return [(rng.randint(1, LONGEST), rng.randint(1, processors)) for _ in range(jobs)]


GENERATOR = Generator("uni", uni, "the MOCCA paper's uniform workload for organizations with clusters", rank=40)
