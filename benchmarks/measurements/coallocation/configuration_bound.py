r"""The configuration bound on section 4's set-up: root, tree, schedule, where the time goes.

    python -m benchmarks.measurements.coallocation.configuration_bound \
        --output benchmarks/results/configuration_bound.md

The search is given the makespan of the best heuristic schedule to stop at.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from importlib.metadata import version
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from benchmarks.measurements.machine import cpu_model
from oas.bounds.coallocation.configurations import configuration_bound
from oas.bounds.coallocation.configurations.leaves import quotient
from oas.bounds.coallocation.configurations.modes import every_mode, job_modes, longest
from oas.bounds.lower_bound import best_bound
from oas.exact.bound_check import recheck
from oas.exact.start import heuristic_schedules
from oas.exact.versions import versions
from oas.generate.coallocation.section4 import Bandwidth, section4

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.problems.coallocation.instance import CoallocationInstance

SIZES = ((8, 3, 4), (16, 3, 4), (16, 3, 20), (32, 3, 4), (32, 3, 20), (64, 3, 80), (64, 6, 20))
PERCENTS = (50, 10, 0)
COLUMNS = (
    "jobs",
    "grid",
    "bandwidth",
    "η %",
    "trivial",
    "root",
    "tree",
    "met",
    "ended",
    "leaves",
    "mean s",
    "max s",
    "pricing %",
    "re-check s",
)


class Run(NamedTuple):
    """One instance: values in ticks, wall times in seconds."""

    trivial: int
    root: int
    tree: int
    heuristic: int
    ended: bool
    leaves: int
    seconds: float
    pricing: float
    recheck: float


def measure(instance: CoallocationInstance, seconds: float) -> Run:
    """Bound one instance."""
    tick = instance.scaled().tick
    upper = min(schedule.makespan for _, schedule in heuristic_schedules(instance))
    found = configuration_bound(instance, upper, seconds=seconds)
    modes = job_modes(instance.scaled())
    allowed = every_mode(modes)
    rows = [[weights[mode.level] for mode in row] for row, weights in zip(modes, found.weights, strict=True)]
    tree: Any = found.bound.certificate["tree"] if found.bound.certificate else []
    began = time.monotonic()
    assert recheck(instance, found.bound)
    return Run(
        int(best_bound(instance).value / tick),
        max(longest(modes, allowed), ceil(quotient(modes, allowed, rows, found.capacity))),
        int(found.bound.value / tick),
        int(upper / tick),
        found.termination.value == "finished",
        sum("weights" in node for node in tree),
        found.seconds,
        found.pricing_seconds,
        time.monotonic() - began,
    )


def lines(seeds: int, seconds: float, sizes: Sequence[tuple[int, int, int]]) -> Iterator[str]:
    """Yield the table, a line as soon as it is known."""
    yield f"| {' | '.join(COLUMNS)} |"
    yield "|" + "---|" * len(COLUMNS)
    measure(section4(), seconds)  # starts the worker, compiles
    for jobs, clusters, nodes in sizes:
        for bandwidth in get_args(Bandwidth):
            for percent in PERCENTS:
                runs = [
                    measure(
                        section4(
                            seed=seed,
                            jobs=jobs,
                            clusters=clusters,
                            nodes=nodes,
                            bandwidth=bandwidth,
                            slot_percent=percent,
                        ),
                        seconds,
                    )
                    for seed in range(seeds)
                ]
                yield _line((jobs, f"{clusters}×{nodes}", bandwidth, percent), runs)


def _line(cell: tuple[object, ...], runs: Sequence[Run]) -> str:
    spent = sum(run.seconds for run in runs)
    shares = (
        f"{statistics.mean(bound / run.heuristic for bound, run in zip(values, runs, strict=True)):.5f}"
        for values in ([run.trivial for run in runs], [run.root for run in runs], [run.tree for run in runs])
    )
    cells = (
        *cell,
        *shares,
        f"{sum(run.tree == run.heuristic for run in runs)}/{len(runs)}",
        f"{sum(run.ended for run in runs)}/{len(runs)}",
        max(run.leaves for run in runs),
        f"{spent / len(runs):.2f}",
        f"{max(run.seconds for run in runs):.2f}",
        f"{100 * sum(run.pricing for run in runs) / spent:.0f}",
        f"{max(run.recheck for run in runs):.2f}",
    )
    return f"| {' | '.join(map(str, cells))} |"


def head(seeds: int, seconds: float) -> list[str]:
    """Return what stands above the table: the command, the software, the machine."""
    return [
        "# The configuration bound",
        "",
        f"`oas generate section4`, seeds 0 to {seeds - 1}; one thread, limit {seconds:g} s for each search. Trivial",
        "(best of area, longest job, wide jobs), root and tree: mean of the bound over the best heuristic makespan,",
        "where the search may stop. Met: the tree's bound is that makespan. Ended: the search ended by itself. Leaves,",
        "re-check: the most of any instance.",
        "",
        f"    python -m benchmarks.measurements.coallocation.configuration_bound --seeds {seeds} --seconds {seconds:g}",
        "",
        ", ".join(f"{name} {text}" for name, text in versions({"highspy": version("highspy")}).items()),
        "",
        f"{cpu_model()}, {os.cpu_count()} CPUs",
        "",
    ]


def main(arguments: list[str] | None = None) -> int:
    """Measure, print each line as it comes, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5, help="so many instances, of seeds 0, 1, …")
    parser.add_argument("--seconds", type=float, default=10, help="limit of each search")
    parser.add_argument("--jobs", type=int, help="only sizes with so many jobs")
    parser.add_argument("--output", type=Path, help="Markdown file to write")
    options = parser.parse_args(arguments)
    report = head(options.seeds, options.seconds)
    print("\n".join(report))
    sizes = [size for size in SIZES if options.jobs in (None, size[0])]
    for line in lines(options.seeds, options.seconds, sizes):
        print(line, flush=True)
        report.append(line)
    if options.output is not None:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text("\n".join([*report, ""]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
