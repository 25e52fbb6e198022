"""The size of the time slots on paper-size workloads: sweeps by `oas.slot_study`, means over the workloads.

    python -m benchmarks.measurements.slot_sizes --output slot_sizes.md

8 jobs on 3 x 4 nodes (`oas.generate.section4`), one thread. What a MIP solver takes at each slot size, and the paper's
three statements, are measured by the campaign ``benchmarks/oas-slots.toml``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, get_args

from benchmarks.measurements.machine import circumstances, write_page
from oas.generate.coallocation.section4 import Bandwidth, section4
from oas.studies.slot_sizes.study import slot_study

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    from oas.studies.slot_sizes.points import SlotPoint
    from oas.studies.slot_sizes.study import SlotStudy

COLUMNS = (
    "η", "proven", "slotted", "executed", "rounding loss", "compaction", "executed", "variables", "s, median",
    "s, worst",
)  # fmt: skip


def mean_table(studies: Sequence[SlotStudy]) -> Iterator[str]:
    """Yield a row for each slot size: means over all workloads, in percent of the continuous optimum."""
    yield f"| {' | '.join(COLUMNS)} |"
    yield "|" + "---|" * len(COLUMNS)
    for percent in [point.percent for point in studies[0].points]:
        pairs = [(_at(study, percent), _at(study, 0)) for study in studies]
        points = [point for point, _ in pairs]
        slotted = fmean(float(point.makespan / free.makespan) - 1 for point, free in pairs)
        executed = fmean(float(point.executed / free.makespan) - 1 for point, free in pairs)
        sizes = [point.sizes.start_indexed.variables for point in points]
        counted = [one for one in sizes if one is not None]
        cells = [
            f"{percent} %",
            f"{sum(point.proven for point in points)} of {len(points)}",
            f"+{_percent(slotted)}",
            f"+{_percent(executed)}",
            _percent(slotted - executed),
            _percent(fmean(float(point.compaction) for point in points)),
            _percent(fmean(float(point.executed_compaction) for point in points)),
            f"{fmean(counted):,.0f}" if len(counted) == len(sizes) else f"{len(sizes) - len(counted)} too large",
            f"{median(point.seconds for point in points):.2f}",
            f"{max(point.seconds for point in points):.2f}",
        ]
        yield f"| {' | '.join(cells)} |"


def _at(study: SlotStudy, percent: Fraction | int) -> SlotPoint:
    return next(point for point in study.points if point.percent == percent)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def report(studies: Sequence[SlotStudy], command: str) -> str:
    """Return the page."""
    points = [point for study in studies for point in study.points]
    lines = [
        "# The size of the time slots",
        "",
        f"    {command}",
        "",
        circumstances(),
        "",
        f"{len(studies)} workloads of 8 jobs on 3 x 4 nodes, one thread. Proven: {sum(one.proven for one in points)} "
        f"of {len(points)} points. Means over the workloads; makespans and losses against the continuous optimum. "
        "Variables: of the start-indexed model, not built. Seconds: wall time of `oas.solve`.",
        "",
        *mean_table(studies),
    ]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Measure and print the page, or write it to a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=8, help="workloads for each bandwidth, of seeds 0, 1, …")
    parser.add_argument("--output", type=Path, help="Markdown file to write; stdout if not given")
    options = parser.parse_args(arguments)
    studies = []
    for bandwidth in get_args(Bandwidth):
        for seed in range(options.seeds):
            studies.append(slot_study(section4(seed=seed, bandwidth=bandwidth)))
            print(f"{bandwidth} {seed}", file=sys.stderr)
    text = report(studies, f"python -m benchmarks.measurements.slot_sizes --seeds {options.seeds}")
    write_page(text, options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
