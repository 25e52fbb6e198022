"""How many small instances are proven in a minute: ``python -m benchmarks.measurements.small_instances SAMPLE``.

Instances of 12 to 50 jobs are solved one after the other by `oas.solve`, or by a named solver for comparison. A line
for each as it ends, then the share that is proven, and how: by a certificate, or claimed by a solver.

With ``--again 3600`` the open instances are solved once more for an hour each. This shows what was missing: a better
schedule, or a better bound.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from itertools import product
from typing import TYPE_CHECKING, Literal

import oas
from benchmarks.measurements.machine import cpu_model
from oas import generate
from oas.core.result import ProofKind, Status
from oas.exact.versions import versions

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.generate.mosp.reservations import Availability
    from oas.problems.coallocation.instance import CoallocationInstance

BANDWIDTHS: tuple[Literal["tight", "std"], ...] = ("tight", "std")
SECTION4 = tuple(product(("10", "25", "50"), BANDWIDTHS, (4, 20)))  # slot, bandwidth, nodes of a cluster
UNIFORM = tuple(product((32, 128, 512), (2, 5, 10, 20)))  # processors, organizations
AVAILABILITY: tuple[Availability, ...] = ("alpha", "non-increasing", "general")
CLASSES = tuple(product((16, 128), (False, True), AVAILABILITY))


def coallocation(jobs: int, seed: int, number: int) -> CoallocationInstance:
    """Return an instance of section 4 of the OAS paper; `number` chooses the cell."""
    slot, bandwidth, nodes = SECTION4[number % len(SECTION4)]
    return generate.section4(seed=seed, jobs=jobs, nodes=nodes, bandwidth=bandwidth, slot_percent=slot)


def slowdown(jobs: int, seed: int, number: int) -> Instance:
    """Return the same with links that saturate and slow jobs down."""
    return coallocation(jobs, seed, number).with_saturation("slowdown")


def uniform(jobs: int, seed: int, number: int) -> Instance:
    """Return an instance of organizations with uniform jobs, under locality."""
    processors, organizations = UNIFORM[number % len(UNIFORM)]
    return generate.uni(seed=seed, jobs=jobs, organizations=organizations, processors=processors).with_locality("1")


def reservations(jobs: int, seed: int, number: int) -> Instance:
    """Return an instance of one cluster with reservations."""
    processors, releases, availability = CLASSES[number % len(CLASSES)]
    return generate.reservations(
        seed=seed, jobs=jobs, processors=processors, availability=availability, releases=releases
    )


# For each sample: how it is drawn, jobs, instances, and the first seed, kept aside from tuning.
SAMPLES: dict[str, tuple[Callable[[int, int, int], Instance], int, int, int]] = {
    "coallocation-12": (coallocation, 12, 36, 7_120_000),
    "coallocation-16": (coallocation, 16, 36, 7_160_000),
    "coallocation-20": (coallocation, 20, 36, 7_200_000),
    "coallocation-32": (coallocation, 32, 36, 7_320_000),
    "uniform-20": (uniform, 20, 24, 7_700_000),
    "uniform-30": (uniform, 30, 24, 7_800_000),
    "uniform-50": (uniform, 50, 24, 8_000_000),
    "reservations-20": (reservations, 20, 48, 7_600_000),
    "slowdown-8": (slowdown, 8, 12, 7_708_000),
    "slowdown-16": (slowdown, 16, 12, 7_716_000),
}


def outcome(result: Result) -> str:
    """Return how far the result is proven."""
    if result.status is not Status.OPTIMAL or result.proof is None:
        return "open"
    return "certificate" if result.proof.kind is ProofKind.CERTIFICATE else "claim"


def fault(first: Result, again: Result) -> str:
    """Return what kept the first attempt from a proof, judged by a longer one."""
    shorter = again.objective is not None and (first.objective is None or again.objective < first.objective)
    if outcome(again) == "open":
        return "still open, with a shorter schedule" if shorter else "still open"
    if not shorter:
        return "the bound was too weak, the schedule was optimal"
    if first.lower_bound == again.objective:
        return "the schedule was too long, the bound was tight"
    return "the bound was too weak and the schedule too long"


def main() -> None:
    """Solve a sample and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sample", choices=SAMPLES)
    parser.add_argument("--seconds", type=float, default=60.0, help="limit for each instance")
    parser.add_argument("--count", type=int, help="instances; all of the sample by default")
    parser.add_argument("--solver", default="auto")
    parser.add_argument("--threads", type=int, default=1, help="0 for every core")
    parser.add_argument("--again", type=float, help="seconds for a second attempt at each open instance")
    given = parser.parse_args()
    draw, jobs, count, first = SAMPLES[given.sample]
    software = ", ".join(f"{name} {text}" for name, text in versions({}).items())
    print(f"{cpu_model()}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}, {software}")

    def solve(number: int, seconds: float) -> Result:
        began = time.monotonic()
        instance = draw(jobs, first + number, number)
        result = oas.solve(instance, solver=given.solver, threads=given.threads or None, time_limit=seconds)
        bounds = f"{result.lower_bound} to {result.objective}"
        taken = time.monotonic() - began
        print(f"{first + number}: {outcome(result)}, {bounds}, {taken:.1f} s, {result.proof}", flush=True)
        return result

    results = [solve(number, given.seconds) for number in range(given.count or count)]
    seen = Counter(map(outcome, results))
    total = seen.total()
    print(f"{given.sample}: {total - seen['open']} of {total} proven, {seen['certificate']} by a certificate")
    for number, result in enumerate(results):
        if given.again and outcome(result) == "open":
            print(f"{first + number}: {fault(result, solve(number, given.again))}", flush=True)


if __name__ == "__main__":
    main()
