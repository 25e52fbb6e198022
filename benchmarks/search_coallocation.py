"""Local search for co-allocation: ``python -m benchmarks.search_coallocation [SECONDS [JOBS ...]]``.

For each cell of section 4's set-up, after so many seconds of CPU time on each instance (default 2, without
compilation): how many schedules reach the best bound known without a solver, the mean and the greatest gap to it (what
the bound lacks is part of that), schedules tried a second, and the greatest gap that the best list heuristic leaves.
"""

from __future__ import annotations

import sys
from time import process_time

from heuristics.registry import own_methods
from heuristics.search.coallocation import CoallocationSearch
from oas.bounds.lower_bound import best_bound
from oas.core.schedule import schedule_from_runs
from oas.core.verifier import check
from oas.generate.paper_section4 import Bandwidth, section4

GRIDS = ((16, 3, 4), (16, 3, 20), (32, 3, 4), (32, 3, 20), (64, 3, 80), (64, 6, 20))
SETTINGS: tuple[Bandwidth, ...] = ("std", "tight")
SLOTS = (50, 25, 10)
SEEDS = range(3)


def cell(jobs: int, clusters: int, nodes: int, bandwidth: Bandwidth, slot: int, seconds: float) -> str:
    """Search the instances of a cell; return its line of the table."""
    gaps, lists, tried, spent = [], [], 0, 0.0
    for seed in SEEDS:
        instance = section4(
            seed=seed, jobs=jobs, clusters=clusters, nodes=nodes, bandwidth=bandwidth, slot_percent=slot
        )
        scaled = instance.scaled()
        bound = best_bound(instance).value
        target = int(bound / scaled.tick)
        search = CoallocationSearch(scaled, seed, compiled=True)
        search.improve(target, 1)
        begun = process_time()
        while process_time() - begun < seconds and search.makespan != target:
            search.improve(target, search.pace)
        tried, spent = tried + search.tried, spent + process_time() - begun
        assert search.best is not None
        schedule = check(instance, schedule_from_runs(instance, scaled, search.best))
        gaps.append(float(schedule.makespan / bound - 1))
        lists.append(float(min(method(instance).makespan for method in own_methods()) / bound - 1))
    closed = sum(gap == 0 for gap in gaps)
    return (
        f"{jobs:4} on {clusters}×{nodes:<3} {bandwidth:5} η {slot:2} %  {closed} of {len(gaps)} at the bound  "
        f"gap {_percent(sum(gaps) / len(gaps))} mean {_percent(max(gaps))} max  "
        f"{tried / spent / 1000:6.0f} k schedules/s  lists {_percent(max(lists))} max"
    )


def _percent(share: float) -> str:
    return f"{100 * share:6.2f} %"


def main(arguments: list[str]) -> None:
    """Print a line for each cell."""
    seconds = float(arguments[0]) if arguments else 2.0
    wanted = {int(jobs) for jobs in arguments[1:]} or {grid[0] for grid in GRIDS}
    for grid in GRIDS:
        for bandwidth in SETTINGS if grid[0] in wanted else ():
            for slot in SLOTS:
                print(cell(*grid, bandwidth, slot, seconds), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
