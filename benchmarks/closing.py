"""How much of co-allocation is closed, and how: ``python -m benchmarks.closing --jobs 16 --percent 50 25 10``.

Section 4 instances of the OAS paper at any size, in both bandwidth settings, solved by `oas.solve` as it stands.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, get_args

from oas.bounds.lower_bound import best_bound
from oas.core.result import ProofKind, Status
from oas.exact.pipeline import solve
from oas.exact.versions import versions
from oas.generate.paper_section4 import Bandwidth, section4

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

HEADING = (
    "| jobs | grid | bandwidth | η % | proven | by certificate | by search | trivial | largest gap | mean gap | mean s"
    " | worst s |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True)
class Closing:
    """What came of an instance.

    Attributes
    ----------
    kind
        ``certificate``, ``search``, or ``open``.
    trivial
        Whether longest job, area or wide jobs already meet the schedule.
    slots, gap
        Between bound and schedule: slots (ticks at η = 0), and the share of the bound.
    seconds
        Wall time of `oas.solve`.
    """

    kind: str
    trivial: bool
    slots: int
    gap: Fraction
    seconds: float


def closing(
    seed: int, jobs: int, clusters: int, nodes: int, bandwidth: Bandwidth, percent: str, seconds: float
) -> Closing:
    """Solve one instance."""
    instance = section4(seed=seed, jobs=jobs, clusters=clusters, nodes=nodes, bandwidth=bandwidth, slot_percent=percent)
    result = solve(instance, time_limit=seconds)
    assert result.objective is not None and result.lower_bound is not None and result.proof is not None
    kind = "open"
    if result.status is Status.OPTIMAL:
        kind = "certificate" if result.proof.kind is ProofKind.CERTIFICATE else "search"
    return Closing(
        kind,
        best_bound(instance).value == result.objective,
        int((result.objective - result.lower_bound) / instance.scaled().tick),
        result.objective / result.lower_bound - 1,
        result.seconds["total"],
    )


def row(options: argparse.Namespace, bandwidth: Bandwidth, percent: str) -> str:
    """Solve a cell; return its row."""
    found = []
    for seed in range(options.seeds):
        one = closing(seed, options.jobs, options.clusters, options.nodes, bandwidth, percent, options.seconds)
        found.append(one)
        print(
            f"{bandwidth} {percent} % seed {seed}: {one.kind}, {one.slots} open, {one.seconds:.1f} s", file=sys.stderr
        )
    kinds = Counter(one.kind for one in found)
    gap = 100 * fmean(float(one.gap) for one in found)
    cells: Sequence[object] = (
        options.jobs,
        f"{options.clusters}x{options.nodes}",
        bandwidth,
        percent,
        f"{len(found) - kinds['open']} of {len(found)}",
        kinds["certificate"],
        kinds["search"],
        sum(one.trivial for one in found),
        max(one.slots for one in found),
        f"{gap:.2f} %",
        f"{fmean(one.seconds for one in found):.1f}",
        f"{max(one.seconds for one in found):.1f}",
    )
    return f"| {' | '.join(map(str, cells))} |"


def main(arguments: list[str] | None = None) -> int:
    """Print the table, or add its rows to a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--clusters", type=int, default=3)
    parser.add_argument("--nodes", type=int, default=4, help="of each cluster")
    parser.add_argument(
        "--percent", nargs="+", default=["50", "25", "10"], help="slot sizes, in %% of the mean base time"
    )
    parser.add_argument("--seeds", type=int, default=12, help="so many instances of each cell, of seeds 0, 1, ...")
    parser.add_argument("--seconds", type=float, default=60.0, help="limit for each")
    parser.add_argument("--output", type=Path, help="Markdown file to add to; stdout if not given")
    options = parser.parse_args(arguments)
    solve(section4(seed=0, jobs=9, slot_percent=5), time_limit=20)  # whatever has to be compiled is, by now
    rows = [row(options, bandwidth, percent) for bandwidth in get_args(Bandwidth) for percent in options.percent]
    software = ", ".join(f"{name} {text}" for name, text in versions({}).items())
    text = "\n".join([f"Limit {options.seconds:g} s, {options.seeds} seeds; {software}", "", HEADING, *rows, ""])
    if options.output is None:
        print(text)
    else:
        with options.output.open("a", encoding="utf-8") as file:
            file.write(f"{text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
