"""Frequency with which links change the optimum of section 4 instances, compared with unlimited links.

    python -m benchmarks.measurements.tight_links --seeds 40 --output benchmarks/results/tight_links.md

Both optima are proven; instances without a proven optimum at the limit are counted separately and in no share.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from benchmarks.common import circumstances, write_page
from oas.coallocation.generate.section4 import Bandwidth, section4
from oas.core.result import Status
from oas.solving.pipeline import solve

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oas.coallocation.instance import CoallocationInstance

SLOT_PERCENTS = (100, 50)


def without_links(instance: CoallocationInstance) -> CoallocationInstance:
    """Return the instance with links wide enough for all tasks of all jobs simultaneously."""
    most = sum((job.tasks * job.bandwidth for job in instance.jobs), Fraction(0))
    return replace(instance, clusters=tuple(replace(cluster, bandwidth=most) for cluster in instance.clusters))


def optimum(instance: CoallocationInstance, seconds: float) -> Fraction | None:
    """Return the proven optimum; None if it is not proven in time."""
    result = solve(instance, time_limit=seconds)
    return result.objective if result.status is Status.OPTIMAL else None


def links_matter(instance: CoallocationInstance, seconds: float) -> bool | None:
    """Whether links raise the optimum; None if an optimum is not proven in time."""
    free, held = optimum(without_links(instance), seconds), optimum(instance, seconds)
    if free is None or held is None:
        return None
    if free > held:
        raise AssertionError(f"{instance.name}: {held} with links is below {free} without")
    return held > free


def row(setting: Bandwidth, percent: int, seeds: Iterable[int], seconds: float) -> str:
    """Return the table row of one bandwidth setting at one slot size."""
    answers = []
    for seed in seeds:
        answers.append(links_matter(section4(seed=seed, bandwidth=setting, slot_percent=percent), seconds))
        print(f"{setting} {percent} % seed {seed}: {answers[-1]}", file=sys.stderr)
    proven, raised = sum(answer is not None for answer in answers), answers.count(True)
    share = f"{100 * raised / proven:.0f} %" if proven else "–"
    return f"| {setting} | {percent} % | {len(answers)} | {proven} | {raised} | {share} |"


def main(arguments: list[str] | None = None) -> int:
    """Measure and print the table, or write it to a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=40, help="so many instances, of seeds 0, 1, …")
    parser.add_argument("--seconds", type=float, default=60.0, help="limit for each solve")
    parser.add_argument("--output", type=Path, help="Markdown file to write; stdout if not given")
    options = parser.parse_args(arguments)
    lines = [
        "# How often links raise the optimum\n",
        f"8 jobs on 3 x 4 nodes (`oas generate section4`), seeds 0 to {options.seeds - 1}: each instance solved with",
        "its gigabit links and with links that carry anything. Share: of the instances with both optima proven.\n",
        f"    python -m benchmarks.measurements.tight_links --seeds {options.seeds} --seconds {options.seconds:g}\n",
        f"{circumstances()}\n",
        "| bandwidth | slot | instances | both proven | links raise the optimum | share |",
        "|---|---|---|---|---|---|",
    ]
    for setting, percent in product(get_args(Bandwidth), SLOT_PERCENTS):
        lines.append(row(setting, percent, range(options.seeds), options.seconds))
    write_page("\n".join([*lines, ""]), options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
