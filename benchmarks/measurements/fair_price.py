"""Price of fairness on random instances: REF compared with the best greedy schedule and with the optimum.

    python -m benchmarks.measurements.fair_price --count 50 --seed 0 --seconds 60

Three organizations, 12 to 20 jobs, 3 to 6 processors divided by Zipf's law; `oas generate arrivals` with a mean running
time of 8 and an offered load of 11/10. The horizon is the end of arrivals, or the end of REF's schedule. Every second
instance has jobs of up to two processors.
"""

from __future__ import annotations

import argparse
from collections import Counter
from fractions import Fraction
from statistics import mean
from typing import TYPE_CHECKING

from benchmarks.common import circumstances
from oas.core.formats import show_factor, show_seconds
from oas.core.registry import FAIR
from oas.fair.generate import arrivals
from oas.fair.objectives import Objective, ScheduleClass, open_at_horizon
from oas.fair.studies.price import FairnessPrice, price_of_fairness
from oas.solving.methods import find_method

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.fair.instance import FairInstance

JOBS = range(12, 21)


FAMILIES = {"horizon amid the work": False, "all work until the end": True}
"""Whether the horizon is extended until REF has completed every job; otherwise it is the end of arrivals."""


def instances(whole: bool, count: int, seed: int) -> Iterator[FairInstance]:
    """Yield `count` instances with consecutive seeds from `seed` on, skipping those with too few or too many jobs."""
    found = 0
    while found < count:
        processors = 3 + seed % 4
        drawn = arrivals(
            seed=seed,
            organizations=3,
            processors=processors,
            horizon=6 * processors + 12,
            load=Fraction(11, 10),
            time=8,
            widest=1 + seed % 2,
        )
        seed += 1
        if len(drawn.jobs) not in JOBS:
            continue
        found += 1
        yield _whole(drawn) if whole else drawn


def _whole(instance: FairInstance) -> FairInstance:
    """Return the instance with a horizon by which REF has completed every job, found by doubling."""
    longer = instance
    while True:
        schedule = find_method("REF", FAIR)(longer, seed=0)
        if not open_at_horizon(longer, schedule):
            return longer.with_horizon(int(schedule.makespan))
        longer = longer.with_horizon(2 * longer.horizon)


def row(studies: Sequence[FairnessPrice], objective: Objective, schedule_class: ScheduleClass) -> str:
    """Return the row of one objective and class of schedules."""
    rows = [study.row(objective, schedule_class) for study in studies]
    optima = [one.optimum for one in rows if one.optimum is not None]
    prices = [one.price for one in rows if one.price is not None]
    if not prices:
        return f"| {objective} | {schedule_class} | 0 | – | – | – | – | – | – |"
    exact = [one.low for one in prices if one.exact]
    proofs = Counter(one.proof.kind.value.replace("_", " ") for one in optima if one.proven)
    seconds = [one.seconds for one in optima]
    cells = (
        objective,
        schedule_class,
        len(prices),
        len(exact),
        sum(price > 1 for price in exact),
        show_factor(Fraction(mean(exact))) if exact else "–",
        show_factor(max(exact, default=None)),
        ", ".join(f"{kind} {number}" for kind, number in proofs.most_common()) or "–",
        f"{show_seconds(mean(seconds))}, {show_seconds(max(seconds))}",
    )
    return f"| {' | '.join(map(str, cells))} |"


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=50, help="number of instances of each family")
    parser.add_argument("--seed", type=int, default=0, help="of the first; the others follow")
    parser.add_argument("--seconds", type=float, default=60.0, help="limit for each optimum")
    parser.add_argument("--solver", default="auto", help="as price_of_fairness takes it")
    options = parser.parse_args(arguments)
    print(circumstances())
    for name, whole in FAMILIES.items():
        studies = [
            price_of_fairness(one, options.solver, options.seconds)
            for one in instances(whole, options.count, options.seed)
        ]
        sizes = [len(study.instance.jobs) for study in studies]
        print(f"\n{name}: {len(studies)} instances, {min(sizes)} to {max(sizes)} jobs\n")
        print(
            "| objective | schedules | applies | proven | above 1 | mean | greatest | proofs | seconds, mean and most |"
        )
        print("|---|---|---|---|---|---|---|---|---|")
        for objective in Objective:
            for schedule_class in ScheduleClass:
                print(row(studies, objective, schedule_class))


if __name__ == "__main__":
    main()
