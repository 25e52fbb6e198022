"""Local search for MOSP.

    python -m benchmarks.measurements.search_mosp JOBS [-m M] [-N N ...] [-s SEED ...] [-t SECONDS ...]

For each uni instance: the best bound (combinatorial or configurations), the better ILBA, from which the search starts,
and the makespan after given seconds of its CPU time (default 10 and 40, compilation not counted).
"""

from __future__ import annotations

from argparse import ArgumentParser
from contextlib import suppress
from itertools import product
from time import process_time
from typing import TYPE_CHECKING

from heuristics.method import NotApplicableError, NotPlacedError
from heuristics.mosp.search.ruin_recreate import RuinSearch
from heuristics.registry import find_heuristic
from oas.bounds.lower_bound import best_bound
from oas.bounds.mosp.configurations import configuration_bound
from oas.core.verifier import check
from oas.generate.mosp.section7 import uni
from oas.problems.mosp.runs import cluster_runs_from_schedule, schedule_from_cluster_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.core.schedule import Schedule
    from oas.problems.mosp.instance import MospInstance

BOUND_SECONDS = 20
HEAD = "| n | N | m | seed | bound | ILBA | {} | steps/s |\n|---|---|---|---|---|---|{}---|"


def best_ilba(instance: MospInstance) -> Schedule:
    """Return the better of ILBA on MOCCA's schedule and on the local ones."""
    found = [find_heuristic("ILBA-local")(instance)]
    with suppress(NotApplicableError, NotPlacedError):
        found.append(find_heuristic("ILBA")(instance))
    return min(found, key=lambda schedule: schedule.makespan)


def line(jobs: int, organizations: int, processors: int, seed: int, marks: Sequence[float]) -> str:
    """Search an instance; return its line of the table."""
    instance = uni(seed=seed, jobs=jobs, organizations=organizations, processors=processors)
    scaled = instance.scaled()
    start = check(instance, best_ilba(instance))
    bound = best_bound(instance).value
    certified = configuration_bound(instance, bound, start.makespan, seconds=BOUND_SECONDS).bound
    if certified is not None:
        bound = certified.value
    target = int(bound / scaled.tick)
    search = RuinSearch(scaled, seed, compiled=True)
    search.improve(target, 1, cluster_runs_from_schedule(instance, scaled, start))
    reached: list[str] = []
    spent = 0.0
    for mark in marks:
        while spent < mark and search.makespan > target:
            begun = process_time()
            search.improve(target, search.pace)
            spent += process_time() - begun
        makespan = check(instance, schedule_from_cluster_runs(instance, scaled, search.best)).makespan
        reached.append(f"{makespan} ({100 * float(makespan / bound - 1):.2f} %)")
    pace = f"{search.tried / spent / 1000:.0f} k" if spent else "–"
    cells = [jobs, organizations, processors, seed, bound, start.makespan, *reached, pace]
    return "| " + " | ".join(map(str, cells)) + " |"


def main() -> None:
    """Print a line for each instance."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("jobs", type=int, nargs="+")
    parser.add_argument("-m", "--processors", type=int, default=128)
    parser.add_argument("-N", "--organizations", type=int, nargs="+", default=[2, 5, 10, 20])
    parser.add_argument("-s", "--seeds", type=int, nargs="+", default=[0, 1, 2, 3])
    parser.add_argument("-t", "--seconds", type=float, nargs="+", default=[10, 40])
    chosen = parser.parse_args()
    print(HEAD.format(" | ".join(f"after {mark:g} s" for mark in chosen.seconds), "---|" * len(chosen.seconds)))
    for jobs, organizations, seed in product(chosen.jobs, chosen.organizations, chosen.seeds):
        print(line(jobs, organizations, chosen.processors, seed, chosen.seconds), flush=True)


if __name__ == "__main__":
    main()
