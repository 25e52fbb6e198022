"""How many events a second the executor on ticks does, and the one in Fractions.

    python -m benchmarks.measurements.execution --jobs 100000

An event is a start or an end. The plan places random jobs on random nodes of four clusters of 16, so that many are
split and links are often saturated: uneven ones (base times of 100 to 9,999, σ in tenths, slots of 60) and round ones
(base times in tens, σ = 1/2, slots of 1), of which more end exactly where a slot does. Times are the processor's, of
the loops alone; what is made ready for them is told beside. On the first jobs both decide the same: that is checked.
"""

from __future__ import annotations

import argparse
import sys
import time
from fractions import Fraction
from random import Random

from oas.core.schedule import Placement, Schedule
from oas.problems.coallocation.execution import _event_loop
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.plan_order import PlanOrder
from oas.problems.coallocation.tick_execution import tick_execution

CLUSTERS = [Cluster(name, [NodeGroup(16, 1)], 6) for name in "ABCD"]
NODES = [(cluster.id, number) for cluster in CLUSTERS for number in range(cluster.size)]


def drawn(jobs: int, uneven: bool, seed: int = 1) -> tuple[CoallocationInstance, Schedule]:
    """Return an instance under slowdown, and a plan."""
    rng, made, placements = Random(seed), [], []
    for number in range(jobs):
        if uneven:
            tasks, time_, sigma = rng.choice((1, 2, 2, 3, 4, 6, 8)), rng.randint(100, 9999), rng.randint(1, 9)
        else:
            tasks, time_, sigma = rng.choice((1, 2, 2, 3, 4)), 10 * rng.randint(1, 20), 5
        made.append(Job(f"J{number}", tasks, time_, rng.randint(0, 3 if uneven else 2), Fraction(sigma, 10)))
        held: dict[str, list[int]] = {}
        for name, node in rng.sample(NODES, tasks):
            held.setdefault(name, []).append(node)
        placements.append(Placement(made[-1].id, number, number + 1, held))
    return CoallocationInstance(CLUSTERS, made, 60 if uneven else 1, "slowdown"), Schedule(placements)


def measure(jobs: int, exact_jobs: int, uneven: bool) -> str:
    """Return a line: events a second of both loops, ends that were decided exactly, and seconds of preparation."""
    few, few_plan = drawn(exact_jobs, uneven)
    began = time.process_time()
    exact = _event_loop(few, PlanOrder(few, few_plan))
    exact_rate = 2 * exact_jobs / (time.process_time() - began)
    first = tick_execution(few, PlanOrder(few, few_plan))  # compiles too
    assert first is not None
    if first.run() != exact:
        raise SystemExit("the two executors differ")
    instance, plan = drawn(jobs, uneven)
    began = time.process_time()
    ticks = tick_execution(instance, PlanOrder(instance, plan))
    assert ticks is not None
    ready = time.process_time() - began
    began = time.process_time()
    ticks.ticks()
    rate = 2 * jobs / (time.process_time() - began)
    name = "uneven" if uneven else "round"
    return f"{name:<8}{rate:14,.0f}{exact_rate:14,.0f}{ticks.decided:12,}{ready:12.1f}"


def main(arguments: list[str] | None = None) -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=100_000, help="on ticks")
    parser.add_argument("--exact-jobs", type=int, default=2000, help="in Fractions")
    options = parser.parse_args(arguments)
    print(f"{'jobs':<8}{'events/s':>14}{'in Fractions':>14}{'decided':>12}{'ready after':>12}")
    for uneven in (True, False):
        print(measure(options.jobs, options.exact_jobs, uneven))
    return 0


if __name__ == "__main__":
    sys.exit(main())
