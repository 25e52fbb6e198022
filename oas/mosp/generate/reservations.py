"""Jobs on one cluster around reservations: the problem RESASCHEDULING of the reservations paper, in its three classes.

Source: Eyraud-Dubois, Mounié, Trystram, *Analysis of Scheduling Algorithms with Reservations*, IPDPS 2007, sections 3,
4.1 and 4.2. The paper defines no workload. Choices made here: p from 1, …, 50; q is a power of two in half of the
cases, as in real logs, otherwise any value permitted by the class; one reservation for every five jobs, at least two.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Literal, get_args

from oas.core.errors import InputError
from oas.core.instances import Generator, provenance
from oas.core.numbers import integer
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.mosp.instance import MospInstance

if TYPE_CHECKING:
    from collections.abc import Iterator

Availability = Literal["alpha", "non-increasing", "general"]

LONGEST = 50


def reservations(
    *,
    seed: int = 0,
    jobs: int = 20,
    processors: int = 16,
    availability: Availability = "alpha",
    releases: bool = False,
) -> MospInstance:
    """Draw an organization alone, without locality, on a cluster with reservations.

    Parameters
    ----------
    seed
        At least 0.
    jobs
        n, at least 1.
    processors
        m, at least 2.
    availability
        ``alpha``: at most half of the processors are reserved at the same time, and no job is wider than the rest
        (α = 1/2, section 4.2). ``non-increasing``: all reservations begin at 0 (section 4.1). ``general``: any, up to
        the whole cluster.
    releases
        Whether every other job is released at a moment drawn from the time that the jobs' work takes; else all at 0.

    Raises
    ------
    InputError
        Naming the parameter.
    """
    seed = integer(seed, "seed", least=0)
    jobs = integer(jobs, "jobs", least=1)
    processors = integer(processors, "processors", least=2)
    known = get_args(Availability)
    if availability not in known:
        raise InputError(f"must be one of {', '.join(known)}", field="availability", value=availability)
    rng = Random(f"{seed} {jobs} {processors} {availability} {releases}")
    widest = processors // 2 if availability == "alpha" else processors
    shapes = [(rng.randint(1, LONGEST), _width(rng, widest)) for _ in range(jobs)]
    span = -(-sum(time * width for time, width in shapes) // processors)
    count = max(2, jobs // 5)
    if availability == "non-increasing":
        blocked = tuple(_non_increasing(rng, count, processors, span))
    else:
        blocked = tuple(_anywhere(rng, count, widest, span))
    dates = [rng.randint(0, span) if releases and index % 2 else 0 for index in range(jobs)]
    name = f"reservations-{availability}-n{jobs}-m{processors}{'-releases' if releases else ''}-{seed}"
    drawn_jobs = [
        RigidJob(f"J{index + 1}", time, width, release)
        for index, ((time, width), release) in enumerate(zip(shapes, dates, strict=True))
    ]
    return MospInstance(
        [Organization("O1", processors, drawn_jobs, blocked)],
        locality=None,
        name=name,
        provenance=provenance(
            "reservations",
            seed=seed,
            jobs=jobs,
            processors=processors,
            availability=availability,
            releases=str(releases).lower(),
        ),
    )


def _width(rng: Random, widest: int) -> int:
    if rng.random() < 1 / 2:
        return int(2 ** rng.randint(0, widest.bit_length() - 1))
    return rng.randint(1, widest)


def _non_increasing(rng: Random, count: int, processors: int, span: int) -> Iterator[Reservation]:
    """Draw reservations from 0 on, of at most three quarters of the processors, with one always free."""
    left = max(1, min(3 * processors // 4, processors - 1))
    for index in range(count):
        if left < 1:
            return
        width = min(left, rng.randint(1, max(1, 2 * left // (count - index))))
        left -= width
        yield Reservation(0, rng.randint(1, max(1, span)), width)


def _anywhere(rng: Random, count: int, most: int, span: int) -> Iterator[Reservation]:
    """Draw starts within the time of the work; a reservation that would exceed `most` in total is drawn again."""
    in_use = [0] * (2 * span + 2)
    drawn = 0
    while drawn < count:
        start, width = rng.randint(0, span), rng.randint(1, most)
        end = start + rng.randint(1, max(1, span // 3))
        if max(in_use[start:end]) + width > most:
            drawn += rng.random() < 1 / 8  # sometimes counted as drawn, so that the loop ends
            continue
        for moment in range(start, end):
            in_use[moment] += width
        drawn += 1
        yield Reservation(start, end, width)


GENERATORS = (
    Generator(
        "reservations", reservations, "jobs on one cluster around reservations, in the paper's three classes", rank=60
    ),
)
