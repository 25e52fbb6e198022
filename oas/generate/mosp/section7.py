"""Both workloads of the MOCCA paper's section 7: ``uni``, drawn uniformly, and ``swf``, from a realistic model.

The print fixes: n jobs, N organizations, each job's owner by a Zipf distribution over N elements with exponent 1.4267
(so O1 owns most); in section 7.2 every cluster has m processors, in section 7.4 their numbers follow a Pareto
distribution from 128 to a cutoff of 1024, of a shape from 1 to 10. Chosen here:

- above the cutoff a Pareto number is drawn again, not clipped, and numbers are rounded down;
- clusters are not sorted by size, so an organization's size says nothing of its load;
- jobs are drawn for the smallest size a cluster can have, so that, as the theory assumes, each fits on every cluster.

``uni`` draws p from 1, …, 50 and q from 1, …, m, independently.

``swf`` takes the model of Lublin and Feitelson (`oas.generate.mosp.lublin_feitelson`) with two changes: the maximum
required number of processors is smaller than m, and all release dates are 0. Chosen here: the system's size in the
model is m, and a size of m or more is drawn again, with the job's kind (serial, power of two, other), so that sizes
below m keep their proportions.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor
from random import Random
from typing import TYPE_CHECKING, Literal

from oas.core.errors import InputError
from oas.core.formats import plural
from oas.core.numbers import Exact, exact, integer
from oas.generate.mosp.lublin_feitelson import draw_size, draw_time
from oas.generate.registry import Generator
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, RigidJob

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Policy = Literal["HF", "LPT", "SPT", "RND", "FCFS", "SJF", "BJF"]

ZIPF_EXPONENT = 1.4267
CUTOFF = 1024
"""Most processors of a cluster in section 7.4."""
LONGEST = 50


def zipf_owners(rng: Random, jobs: int, organizations: int) -> list[int]:
    """Draw each job's organization: number k, counted from 1, with probability in proportion to k^−1.4267."""
    weights = [rank**-ZIPF_EXPONENT for rank in range(1, organizations + 1)]
    return rng.choices(range(organizations), weights, k=jobs)


def pareto_sizes(rng: Random, clusters: int, least: int, shape: float) -> list[int]:
    """Draw processors of clusters: Pareto of this shape from `least` on, again where above the cutoff, rounded down."""
    sizes: list[int] = []
    while len(sizes) < clusters:
        size = least * rng.paretovariate(shape)
        if size <= CUTOFF:
            sizes.append(floor(size))
    return sizes


def section7_instance(
    generator: str,
    shapes: Callable[[Random, int, int], Iterable[tuple[int, int]]],
    *,
    seed: int,
    jobs: int,
    organizations: int,
    processors: int,
    pareto: Exact | None,
    local: Policy,
    least_processors: int = 1,
) -> MospInstance:
    """Draw jobs by `shapes`, then owners, then sizes: one seed gives one set of jobs and owners under any `pareto`.

    Parameters
    ----------
    generator
        Its name, for name and provenance.
    shapes
        Random numbers, number of jobs and of processors in; p and q of each job out.
    seed, jobs, organizations, processors, pareto, local
        As `oas.generate.uni` has them.
    least_processors
        How many `shapes` needs.

    Raises
    ------
    InputError
        Naming the parameter.
    """
    seed = integer(seed, "seed", least=0)
    jobs = integer(jobs, "jobs", least=1)
    organizations = integer(organizations, "organizations", least=1)
    processors = integer(processors, "processors", least=least_processors)
    rng = Random(seed)
    drawn = list(shapes(rng, jobs, processors))
    owners = zipf_owners(rng, jobs, organizations)
    shape = None if pareto is None else _pareto_shape(pareto, processors)
    sizes = [processors] * organizations
    if shape is not None:
        sizes = pareto_sizes(rng, organizations, processors, shape)
    owned: list[list[RigidJob]] = [[] for _ in range(organizations)]
    for number, (owner, (time, width)) in enumerate(zip(owners, drawn, strict=True), start=1):
        owned[owner].append(RigidJob(f"J{number}", time, width))
    return MospInstance(
        [Organization(f"O{k + 1}", size, own) for k, (size, own) in enumerate(zip(sizes, owned, strict=True))],
        local=local,
        seed=seed,
        name=f"{generator}, {jobs} {plural(jobs, 'job')} of {organizations} {plural(organizations, 'organization')}"
        f" with {processors} {plural(processors, 'processor')}, seed {seed}",
        provenance={
            "generator": generator,
            "version": "1",
            "seed": str(seed),
            "jobs": str(jobs),
            "organizations": str(organizations),
            "processors": str(processors),
            "pareto": "none" if pareto is None else str(exact(pareto, "pareto")),
            "local": local,
        },
    )


def _pareto_shape(pareto: Exact, processors: int) -> float:
    shape = exact(pareto, "pareto")
    if not Fraction(1, 100) <= shape <= 1000:
        raise InputError("must be from 0.01 to 1000", field="pareto", value=str(shape))
    if processors > CUTOFF // 2:
        reason = f"must be at most {CUTOFF // 2} where sizes follow a Pareto distribution, cut off at {CUTOFF}"
        raise InputError(reason, field="processors", value=processors)
    return float(shape)


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
        _uniform_shapes,
        seed=seed,
        jobs=jobs,
        organizations=organizations,
        processors=processors,
        pareto=pareto,
        local=local,
    )


def _uniform_shapes(rng: Random, jobs: int, processors: int) -> list[tuple[int, int]]:
    return [(rng.randint(1, LONGEST), rng.randint(1, processors)) for _ in range(jobs)]


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
        _realistic_shapes,
        seed=seed,
        jobs=jobs,
        organizations=organizations,
        processors=processors,
        pareto=pareto,
        local=local,
        least_processors=2,
    )


def _realistic_shapes(rng: Random, jobs: int, processors: int) -> list[tuple[int, int]]:
    shapes = []
    for _ in range(jobs):
        size = _size_below(rng, processors)
        shapes.append((draw_time(rng, size), size))
    return shapes


def _size_below(rng: Random, processors: int) -> int:
    while (size := draw_size(rng, processors)) >= processors:
        pass
    return size


GENERATORS = (
    Generator("uni", uni, "the MOCCA paper's uniform workload for organizations with clusters", rank=40),
    Generator("swf", swf, "the MOCCA paper's realistic workload (Lublin and Feitelson's model)", rank=50),
)
