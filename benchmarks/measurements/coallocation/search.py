"""Local search for co-allocation.

    python -m benchmarks.measurements.coallocation.search [SECONDS [SEEDS [JOBS ...]]]

For each cell of section 4's set-up, after so many seconds of CPU time on each instance (default 2, without
compilation), a line of a Markdown table: how many schedules meet the configuration bound (sought for 8 s at most), the
mean gap to it, the greatest gap in slots, steps a second, and the greatest gap of the best list heuristic.
"""

from __future__ import annotations

import sys
from time import process_time

from heuristics.coallocation.search.annealing import AnnealingSearch
from heuristics.registry import own_methods
from oas.bounds.coallocation.configurations.bound import configuration_bound
from oas.bounds.lower_bound import best_bound
from oas.core.verifier import check
from oas.generate.coallocation.section4 import Bandwidth, section4
from oas.problems.coallocation.problem import COALLOCATION
from oas.problems.coallocation.runs import schedule_from_runs

GRIDS = ((16, 3, 4), (16, 3, 20), (32, 3, 4), (32, 3, 20), (64, 3, 80), (64, 6, 20))
SETTINGS: tuple[Bandwidth, ...] = ("std", "tight")
SLOTS = (50, 25, 10)
BOUND_SECONDS = 8


def cell(jobs: int, clusters: int, nodes: int, bandwidth: Bandwidth, slot: int, seconds: float, seeds: int) -> str:
    """Search the instances of a cell; return its line of the table."""
    gaps, open_slots, lists, tried, spent = [], [], [], 0, 0.0
    for seed in range(seeds):
        instance = section4(
            seed=seed, jobs=jobs, clusters=clusters, nodes=nodes, bandwidth=bandwidth, slot_percent=slot
        )
        scaled = instance.scaled()
        listed = min(method(instance).makespan for method in own_methods(COALLOCATION))
        found = configuration_bound(instance, listed, seconds=BOUND_SECONDS).bound.value
        target = int(max(found, best_bound(instance).value) / scaled.tick)
        search = AnnealingSearch(scaled, seed, compiled=True)
        search.improve(target, 1)
        begun = process_time()
        while process_time() - begun < seconds and search.makespan != target:
            search.improve(target, search.pace)
        tried, spent = tried + search.tried, spent + process_time() - begun
        assert search.best is not None
        schedule = check(instance, schedule_from_runs(instance, scaled, search.best))
        open_slots.append(int(schedule.makespan / scaled.tick) - target)
        gaps.append(open_slots[-1] / target)
        lists.append(float(listed / scaled.tick) / target - 1)
    return (
        f"| {jobs} | {clusters}×{nodes} | {bandwidth} | {slot} | {gaps.count(0)}/{seeds} "
        f"| {_percent(sum(gaps) / seeds)} | {max(open_slots)} | {tried / spent / 1000:.0f} | {_percent(max(lists))} |"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.2f}"


def main(arguments: list[str]) -> None:
    """Print the table, a line for each cell."""
    seconds = float(arguments[0]) if arguments else 2.0
    seeds = int(arguments[1]) if len(arguments) > 1 else 3
    wanted = {int(jobs) for jobs in arguments[2:]} or {grid[0] for grid in GRIDS}
    print("| jobs | grid | bandwidth | η % | at the bound | mean gap % | most slots open | k steps/s | lists' gap % |")
    print("|---|---|---|---|---|---|---|---|---|")
    for grid in GRIDS:
        for bandwidth in SETTINGS if grid[0] in wanted else ():
            for slot in SLOTS:
                print(cell(*grid, bandwidth, slot, seconds, seeds), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
