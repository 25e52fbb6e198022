"""CP-SAT's answers about single makespans against brute force, with the constraints that the exact search adds.

    python -m benchmarks.measurements.decisions [--instances 2000] [--seed 7]

Instances of 4 to 6 jobs: MOSP, one cluster with reservations, and locality in turn. Each is asked for the makespan a
tick below the optimum, for the optimum, and for one above it, with budgets and lengths drawn at random. The exit code
is 1 if an answer contradicts the optimum.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections import Counter
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from oas.core.errors import TooLargeError
from oas.exact.decision import decide
from oas.exact.mosp.brute_force import brute_force
from oas.exact.mosp.implied import implied
from oas.exact.mosp.stages.bounds import OPTIONS
from oas.generate.mosp.reservations import reservations
from oas.generate.mosp.section7 import uni
from oas.models.mosp.cumulative_cpsat import FORMULATION
from oas.solvers.task import CPSAT, Settings, limits_of_part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.generate.mosp.reservations import Availability
    from oas.problems.mosp.instance import MospInstance

AVAILABILITIES: tuple[Availability, ...] = ("alpha", "non-increasing", "general")
SECONDS = 10.0  # for an answer
MOST_PLACEMENTS = 500_000  # of brute force; instances that need more are left out
GREATEST_WEIGHT = 9


def draw(random: Random, kind: int) -> MospInstance:
    """Return an instance without locality, with reservations, or with locality, by `kind` modulo 3."""
    seed, jobs, processors = random.randrange(10**9), random.randint(4, 6), random.choice((4, 8))
    if kind % 3 == 1:
        availability: Availability = random.choice(AVAILABILITIES)
        releases = random.random() < 0.5
        return reservations(seed=seed, jobs=jobs, processors=processors, availability=availability, releases=releases)
    organizations = 2 if kind % 3 == 2 else random.randint(1, 3)
    instance = uni(seed=seed, jobs=jobs, organizations=organizations, processors=processors)
    return instance.with_locality(random.choice(("1", "1.2")) if kind % 3 == 2 else None)


def answers(instance: MospInstance, random: Random) -> Counter[str]:
    """Return how often CP-SAT answers yes, no and not at all, and how often it is wrong."""
    optimum, _ = brute_force(instance, MOST_PLACEMENTS)
    scaled = instance.scaled()
    ticks, count = int(optimum / scaled.tick), scaled.job_count
    drawn = [tuple(random.randint(0, GREATEST_WEIGHT) for _ in range(count)) for _ in range(3)]
    heights, times = [*drawn[:2], tuple(scaled.widths)], drawn[2:]

    def strengthened(spec: Any) -> Any:
        return replace(spec, implied=implied(spec, heights, times))

    found: Counter[str] = Counter()
    for asked in (ticks - 1, ticks, ticks + random.randint(1, 3)):
        settings = Settings(CPSAT, seed=0, options=OPTIONS)
        answer = decide(instance, FORMULATION, settings, asked, limits_of_part(SECONDS, None), strengthened)
        found["no" if answer.refuted else "yes" if answer.runs else "undecided"] += 1
        found["wrong"] += bool(answer.refuted and asked >= ticks) or bool(answer.runs and asked < ticks)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the counts; return the exit code."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=7)
    chosen = parser.parse_args(arguments)
    random, found, made, kind = Random(chosen.seed), Counter[str](), 0, 0
    while made < chosen.instances:
        kind += 1
        try:
            found += answers(draw(random, kind), random)
        except TooLargeError:
            continue
        made += 1
    print(f"{made} instances: {', '.join(f'{found[name]} {name}' for name in ('yes', 'no', 'undecided', 'wrong'))}")
    return int(found["wrong"] > 0)


if __name__ == "__main__":
    raise SystemExit(main())
