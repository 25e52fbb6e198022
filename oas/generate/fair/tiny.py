"""Tiny random instances of fair sharing with every feature, small enough to be stepped through; seeded.

Organizations of equal or unequal size, one or several; jobs of one or several processors; unit jobs; releases at once,
in bursts and after the horizon; horizons before, within and after the work.
"""

from __future__ import annotations

from random import Random

from oas.problems.fair.instance import FairInstance
from oas.problems.rigid import Organization, RigidJob


def draw_tiny(
    rng: Random,
    *,
    max_organizations: int = 4,
    max_jobs: int = 5,
    max_processors: int = 3,
    max_time: int = 6,
    wide: bool | None = None,
    unit: bool | None = None,
    name: str = "",
) -> FairInstance:
    """Draw an instance; `max_jobs` of each organization. A feature left None is there or not by chance."""
    wide = rng.random() < 0.4 if wide is None else wide
    unit = rng.random() < 0.2 if unit is None else unit
    longest = 1 if unit else max_time
    gaps = rng.choice(((0,), (0, 0, 1), (0, 1, 3), (0, 0, 0, 8)))
    organizations = []
    for k in range(rng.randint(1, max_organizations)):
        size = rng.randint(1, max_processors)
        release = rng.choice((0, 0, rng.randint(0, 6)))
        jobs = []
        for number in range(rng.randint(1, max_jobs)):
            release += rng.choice(gaps) if number else 0
            jobs.append(
                RigidJob(f"J{k}.{number}", rng.randint(1, longest), rng.randint(1, size) if wide else 1, release)
            )
        organizations.append(Organization(f"O{k}", size, jobs))
    earliest = min(int(organization.jobs[0].release) for organization in organizations)
    return FairInstance(organizations, earliest + rng.randint(1, rng.choice((5, 15, 30))), name)


def random_instance(seed: int, **limits: object) -> FairInstance:
    """Return the instance that `draw_tiny` makes from this seed."""
    return draw_tiny(Random(seed), name=f"random, seed {seed}", **limits)  # type: ignore[arg-type]
