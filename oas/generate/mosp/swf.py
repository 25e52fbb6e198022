"""The workload ``swf`` of the MOCCA paper's section 7: jobs of a realistic model, all released at 0.

The paper takes the model of Lublin and Feitelson (`oas.generate.mosp.lublin_feitelson`) with two changes: the maximum
required number of processors is smaller than m, and all release dates are 0. Chosen here: the system's size in the
model is m, and a size of m or more is drawn again, with the job's kind (serial, power of two, other), so that sizes
below m keep their proportions. Owners and cluster sizes as `oas.generate.mosp.section7` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.numbers import Exact  # noqa: TC001
from oas.generate.mosp.lublin_feitelson import draw_size, draw_time
from oas.generate.mosp.section7 import Policy, section7_instance
from oas.generate.registry import Generator
from oas.problems.mosp.instance import MospInstance  # noqa: TC001  (the command line evaluates annotations)

if TYPE_CHECKING:
    from random import Random


def swf(
    *,
    seed: int = 0,
    jobs: int = 50,
    organizations: int = 5,
    processors: int = 128,
    pareto: Exact | None = None,
    local: Policy = "HF",
) -> MospInstance:
    """Draw an instance of the MOCCA paper's set ``swf``; times in whole seconds.

    Parameters
    ----------
    seed
        At least 0. The same seed gives the same jobs and owners under any `pareto` and `local`.
    jobs
        n: 10, 50, 100, 500 in the paper.
    organizations
        N: 2, 5, 10, 20 in the paper.
    processors
        m, of each cluster, at least 2: 32, 128, 512 in the paper; with `pareto` of the smallest a cluster can be.
        Every job needs fewer.
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
        "swf",
        _shapes,
        seed=seed,
        jobs=jobs,
        organizations=organizations,
        processors=processors,
        pareto=pareto,
        local=local,
        least_processors=2,
    )


def _shapes(rng: Random, jobs: int, processors: int) -> list[tuple[int, int]]:
    shapes = []
    for _ in range(jobs):
        size = _size_below(rng, processors)
        shapes.append((draw_time(rng, size), size))
    return shapes


def _size_below(rng: Random, processors: int) -> int:
    while (size := draw_size(rng, processors)) >= processors:
        pass
    return size


GENERATOR = Generator("swf", swf, "the MOCCA paper's realistic workload (Lublin and Feitelson's model)", rank=50)
