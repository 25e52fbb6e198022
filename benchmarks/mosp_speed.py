"""Speed of the MOSP heuristics: ``python -m benchmarks.mosp_speed [pair] [uni] [queues]``.

CPU times without compilation.

pair: MOCCA (section 7) and ILBA at n=500, N=20, m=512. uni: every heuristic on 480 instances as in the MOCCA paper's
section 7.2, with its scores. queues: list scheduling and conservative back-filling of 100,000 jobs on one cluster.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from fractions import Fraction
from random import Random
from time import process_time
from typing import TYPE_CHECKING

from heuristics.method import NotApplicableError, NotPlacedError
from heuristics.mosp.balancing import balanced
from heuristics.mosp.mocca_cuts import section7
from heuristics.mosp.queueing import conservative_runs, easy_runs, empty_profiles, list_runs
from heuristics.mosp.threshold import paper_bound
from heuristics.registry import methods
from oas.core.mosp import MospInstance
from oas.core.scaled_mosp import ScaledMosp
from oas.generate.mosp_uni import uni

if TYPE_CHECKING:
    from collections.abc import Callable

CELLS = [(count, jobs, size) for count in (2, 5, 10, 20) for jobs in (10, 50, 100, 500) for size in (32, 128, 512)]


def pair() -> None:
    """MOCCA and ILBA in ticks, and as a schedule with concrete processors."""
    instance = uni(organizations=20, jobs=500, processors=512)
    scaled = instance.scaled()
    balanced(section7(scaled))
    in_ticks = min(_seconds(lambda: balanced(section7(scaled))) for _ in range(5))
    schedule = balanced(section7(scaled))
    with_nodes = min(_seconds(lambda: schedule.to_schedule(instance, "")) for _ in range(3))
    scaling = min(_seconds(instance.scaled) for _ in range(3))
    print(f"MOCCA + ILBA, n=500, N=20, m=512: {1000 * in_ticks:.1f} ms in ticks (target 20 ms)")
    print(f"  besides: {1000 * scaling:.1f} ms to ticks, {1000 * with_nodes:.1f} ms to concrete processors")


def scores(repetitions: int = 10) -> None:
    """Every heuristic on 48 cells, with mean and greatest score, makespan / LB."""
    found: dict[str, list[Fraction]] = defaultdict(list)
    local_by_count: dict[int, list[Fraction]] = defaultdict(list)
    seconds: dict[str, float] = defaultdict(float)
    for cell, (clusters, jobs, processors) in enumerate(CELLS):
        for seed in range(cell * repetitions, (cell + 1) * repetitions):
            instance = uni(seed=seed, organizations=clusters, jobs=jobs, processors=processors)
            scaled = instance.scaled()
            bound = paper_bound(scaled) * scaled.tick
            for method in methods(MospInstance):
                begun = process_time()
                try:
                    schedule = method(instance)
                except (NotApplicableError, NotPlacedError):
                    continue
                seconds[method.name] += process_time() - begun
                found[method.name].append(schedule.makespan / bound)
            if jobs > 10:
                local_by_count[clusters].append(found["local"][-1])
    for name, values in found.items():
        print(f"{name:13} {len(values):4} instances  mean {_mean(values):6.3f}  max {float(max(values)):6.2f}", end="")
        print(f"  {seconds[name]:6.2f} s")
    print("local, n > 10, by N:", {count: round(_mean(values), 2) for count, values in local_by_count.items()})
    print(f"all: {sum(seconds.values()):.1f} s (target 60 s)")


def queues(jobs: int = 100_000, reservations: int = 5_000) -> None:
    """Jobs a second, released over time at load 0.9 or all at 0, with and without reservations."""
    for load in (0.9, None):
        for held in (0, reservations):
            scaled = _stream(jobs, held, load)
            queue = sorted(range(jobs), key=lambda job: scaled.releases[job])
            where = f"{'all released at 0' if load is None else f'load {load}'}, {held} reservations"
            engines: list[tuple[str, Callable]] = [
                ("list", list_runs),
                ("EASY", easy_runs),
                ("conservative", conservative_runs),
            ]
            for name, engine in engines:
                small = _stream(500, 5, load)
                engine(empty_profiles(small, True), small, [0], range(500))
                profiles = empty_profiles(scaled)
                taken = _seconds(lambda: engine(profiles, scaled, [0], queue))  # noqa: B023
                print(f"{name:13} {where:40} {jobs / taken:12,.0f} jobs/s", flush=True)


def _stream(jobs: int, reservations: int, load: float | None, processors: int = 100) -> ScaledMosp:
    """Jobs like a small machine's trace: mostly narrow, times over four decades; reservations spread over the span."""
    rng = Random(7)
    times = tuple(int(10 ** rng.uniform(0.5, 4.5)) + 1 for _ in range(jobs))
    widths = tuple(min(processors, 2 ** rng.randint(0, 5) + rng.randint(0, 3)) for _ in range(jobs))
    span = sum(time * width for time, width in zip(times, widths, strict=True)) / processors / (load or 1)
    releases = tuple(sorted(int(rng.uniform(0, span)) if load else 0 for _ in range(jobs)))
    held, gap = [], int(span / (reservations + 1)) + 2
    for index in range(reservations):
        start = index * gap + rng.randrange(gap // 2)
        held.append((0, start, start + rng.randint(1, gap // 2), rng.randint(1, processors // 2)))
    return ScaledMosp(Fraction(1), (processors,), times, widths, releases, (0,) * jobs, tuple(held), releases, (None,))


def _seconds(run: Callable[[], object]) -> float:
    begun = process_time()
    run()
    return process_time() - begun


def _mean(values: list[Fraction]) -> float:
    return float(sum(values) / len(values))


if __name__ == "__main__":
    parts = {"pair": pair, "uni": scores, "queues": queues}
    for part in sys.argv[1:] or parts:
        parts[part]()
