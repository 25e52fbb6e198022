"""Both workloads of the MOCCA paper's section 7: ``uni``, drawn uniformly, and ``swf``, from a realistic model.

The paper defines: n jobs, N organizations, each job's owner by a Zipf distribution over N elements with exponent 1.4267
(so O1 owns most); in section 7.2 every cluster has m processors, in section 7.4 their numbers follow a Pareto
distribution from 128 to a cutoff of 1024, with a shape from 1 to 10. Choices made here:

- a Pareto number above the cutoff is drawn again, not clipped, and numbers are rounded down;
- clusters are not sorted by size, so the size of an organization is independent of its load;
- jobs are drawn for the smallest possible size of a cluster, so that, as the theory assumes, each fits on every
  cluster.

``uni`` draws p from 1, …, 50 and q from 1, …, m, independently.

``swf`` takes the model of Lublin and Feitelson with two changes: the maximum required number of processors is smaller
than m, and all release dates are 0. Choices made here: the system's size in the model is m; a size of m or more is
drawn again, with the job's kind (serial, power of two, other), so that sizes below m keep their proportions.

The model's source: U. Lublin, D. G. Feitelson, *The workload on parallel supercomputers: modeling the characteristics
of rigid jobs*, J. Parallel and Distributed Computing 63 (2003); parameters as in the authors' program of 1999 in the
Parallel Workloads Archive, those for all jobs together. The program can also draw batch and interactive jobs
separately, with other parameters; the MOCCA paper does not say which, and the single set is used here.

- Size: a job is serial with probability 0.244. Otherwise the logarithm of its size, to base 2, is two-stage uniform:
  with probability 0.86 from [0.8, h − 2.5], else from [h − 2.5, h], where h is the logarithm of the system's size; with
  probability 0.576 (of all jobs) it is then rounded, which makes a power of two. The size is rounded at the end.
- Running time: its natural logarithm is hyper-gamma: Γ(4.2, 0.94) with probability p, else Γ(312, 0.03), where
  p = 0.78 − 0.0054·size, kept within [0, 1]; drawn again above 12, that is beyond 45 hours.

Choices made here: if h − 2.5 < 0.8, the first stage is the single value 0.8; a running time is rounded to whole
seconds. Logarithms and gamma variates are floats, but only rounded values are returned.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp, floor, log2
from random import Random
from typing import TYPE_CHECKING, Literal

from oas.core.errors import InputError
from oas.core.formats import plural
from oas.core.instances import Generator, provenance
from oas.core.numbers import Exact, exact, integer
from oas.core.rigid import Organization, RigidJob
from oas.mosp.instance import MospInstance

if TYPE_CHECKING:
    from collections.abc import Callable

Policy = Literal["HF", "LPT", "SPT", "RND", "FCFS", "SJF", "BJF"]

ZIPF_EXPONENT = 1.4267
CUTOFF = 1024
"""Maximum number of processors of a cluster in section 7.4."""
LONGEST = 50
SERIAL, POWER_OF_TWO = 0.244, 0.576
LOW, BELOW_HIGH, FIRST_STAGE = 0.8, 2.5, 0.86
SHORT, LONG = (4.2, 0.94), (312.0, 0.03)
"""Shape and scale of the two gamma distributions."""
SLOPE, INTERCEPT = -0.0054, 0.78
MOST_LOG_TIME = 12


def zipf_owners(rng: Random, jobs: int, organizations: int) -> list[int]:
    """Draw each job's organization: number k, counted from 1, with probability in proportion to k^−1.4267."""
    weights = [rank**-ZIPF_EXPONENT for rank in range(1, organizations + 1)]
    return rng.choices(range(organizations), weights, k=jobs)


def pareto_sizes(rng: Random, clusters: int, least: int, shape: float) -> list[int]:
    """Draw cluster sizes: Pareto with this shape and minimum `least`, drawn again above the cutoff, rounded down."""
    sizes: list[int] = []
    while len(sizes) < clusters:
        size = least * rng.paretovariate(shape)
        if size <= CUTOFF:
            sizes.append(floor(size))
    return sizes


def _workload(
    name: str,
    draw_shape: Callable[[Random, int], tuple[int, int]],
    least_processors: int,
    seed: int,
    jobs: int,
    organizations: int,
    processors: int,
    pareto: Exact | None,
    local: Policy,
) -> MospInstance:
    """Draw jobs, then owners, then sizes: a seed gives the same jobs and owners for any `pareto`.

    `draw_shape` draws p and q of a job on m processors. Other parameters and errors are those of `oas.generate.uni`.
    """
    seed = integer(seed, "seed", least=0)
    jobs = integer(jobs, "jobs", least=1)
    organizations = integer(organizations, "organizations", least=1)
    processors = integer(processors, "processors", least=least_processors)
    rng = Random(seed)
    shapes = [draw_shape(rng, processors) for _ in range(jobs)]
    owners = zipf_owners(rng, jobs, organizations)
    sizes = [processors] * organizations
    if pareto is not None:
        sizes = pareto_sizes(rng, organizations, processors, _pareto_shape(pareto, processors))
    owned: list[list[RigidJob]] = [[] for _ in range(organizations)]
    for number, (owner, shape) in enumerate(zip(owners, shapes, strict=True), start=1):
        owned[owner].append(RigidJob(f"J{number}", *shape))
    return MospInstance(
        [Organization(f"O{k + 1}", size, own) for k, (size, own) in enumerate(zip(sizes, owned, strict=True))],
        local=local,
        seed=seed,
        name=f"{name}, {jobs} {plural(jobs, 'job')} of {organizations} {plural(organizations, 'organization')}"
        f" with {processors} {plural(processors, 'processor')}, seed {seed}",
        provenance=provenance(
            name,
            seed=seed,
            jobs=jobs,
            organizations=organizations,
            processors=processors,
            pareto="none" if pareto is None else exact(pareto, "pareto"),
            local=local,
        ),
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
    return _workload("uni", _uniform_shape, 1, seed, jobs, organizations, processors, pareto, local)


def _uniform_shape(rng: Random, processors: int) -> tuple[int, int]:
    return rng.randint(1, LONGEST), rng.randint(1, processors)


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
    return _workload("swf", _realistic_shape, 2, seed, jobs, organizations, processors, pareto, local)


def _realistic_shape(rng: Random, processors: int) -> tuple[int, int]:
    while (size := draw_size(rng, processors)) >= processors:
        pass
    return draw_time(rng, size), size


def draw_size(rng: Random, system: int) -> int:
    """Draw the number of processors of a job in a system of `system` processors, at least 2.

    Sometimes it is the whole system; if this is not a power of two, it may be the next power of two.
    """
    kind = rng.random()
    if kind <= SERIAL:
        return 1
    high = log2(system)
    middle = max(LOW, high - BELOW_HIGH)
    first_stage = rng.random() <= FIRST_STAGE
    exponent = rng.uniform(LOW, middle) if first_stage else rng.uniform(middle, max(middle, high))
    if kind <= SERIAL + POWER_OF_TWO:
        exponent = floor(exponent + 0.5)
    return floor(2.0**exponent + 0.5)


def draw_log_time(rng: Random, size: int) -> float:
    """Draw the natural logarithm of a running time: hyper-gamma, before it is cut off."""
    share = min(1.0, max(0.0, SLOPE * size + INTERCEPT))
    return rng.gammavariate(*(SHORT if rng.random() <= share else LONG))


def draw_time(rng: Random, size: int) -> int:
    """Draw a running time in whole seconds, at least 1, for a job of `size` processors."""
    logarithm = draw_log_time(rng, size)
    while logarithm > MOST_LOG_TIME:
        logarithm = draw_log_time(rng, size)
    return max(1, floor(exp(logarithm) + 0.5))


GENERATORS = (
    Generator("uni", uni, "the MOCCA paper's uniform workload for organizations with clusters", rank=40),
    Generator("swf", swf, "the MOCCA paper's realistic workload (Lublin and Feitelson's model)", rank=50),
)
