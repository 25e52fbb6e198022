"""Cost and benefit of the slot size: losses, model size, and seconds of the toolkit and of MIP solvers.

python -m benchmarks.measurements.slot_cost --output benchmarks/results/slot_cost.md --pictures benchmarks/results
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.common import circumstances, write_page
from oas.coallocation.generate.section4 import section4
from oas.coallocation.slot_sizes.study import slot_study
from oas.plots import save_figure, slot_size_figure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oas.coallocation.slot_sizes.points import SlotPoint
    from oas.coallocation.slot_sizes.study import SlotStudy

SOLVERS = ("highs", "cbc")


def studies_of(jobs: int, options: argparse.Namespace) -> Iterator[SlotStudy]:
    """Yield the study of each seed; MIP solvers run on instances of at most `model_jobs` jobs."""
    for seed in range(options.seeds):
        yield slot_study(
            section4(seed=seed, jobs=jobs, slot_percent=0),
            options.percents,
            time_limit=options.seconds,
            model_times=SOLVERS if jobs <= options.model_jobs else (),
            model_limit=options.model_seconds,
        )
        print(f"{jobs} jobs, seed {seed}", file=sys.stderr)


def row(jobs: int, points: Sequence[SlotPoint]) -> str:
    """Return the table row of one slot size: medians over the seeds."""
    losses = []
    for name in ("rounding", "scheduling"):
        shares = []
        for point in points:
            assert point.loss is not None
            loss = point.loss.rounding if name == "rounding" else point.loss.scheduling.low
            shares.append(100 * float(loss / (point.makespan - point.loss.total.low)))
        losses.append(f"{median(shares):.1f} %")
    counts = [_median((getattr(point.sizes, name).variables for point in points), ",.0f") for name in KINDS]
    proven = f"{sum(point.proven for point in points)} of {len(points)}"
    runs = [_solver(points, place) for place in range(len(points[0].model_times) or 2 * len(SOLVERS))]
    cells = [proven, *losses, *counts, f"{median(point.seconds for point in points):.2f}", *runs]
    return f"| {jobs} | {float(points[0].percent):g} % | {' | '.join(cells)} |"


KINDS = ("start_indexed", "literal")


def _median(values: Iterable[float | None], spec: str) -> str:
    known = [value for value in values if value is not None]
    return format(median(known), spec) if known else "too large"


def _solver(points: Sequence[SlotPoint], place: int) -> str:
    """Return the median seconds of one solver on one formulation, or the state that holds for most seeds."""
    if not points[0].model_times:
        return "–"
    runs = sorted((point.model_times[place] for point in points), key=lambda run: (run.status != "proven", run.seconds))
    middle = runs[len(runs) // 2]
    proven = sum(run.status == "proven" for run in runs)
    return f"{middle.seconds:.1f} ({proven})" if middle.status == "proven" else f"{middle.status} ({proven})"


def page(studies: dict[int, list[SlotStudy]], options: argparse.Namespace, command: str) -> str:
    """Return the page with the table."""
    names = [f"{solver} {name.replace('_', '-')}, s" for solver in SOLVERS for name in KINDS]
    heads = ["jobs", "η", "proven", "rounding loss", "scheduling loss", "start-indexed variables", "literal variables"]
    lines = [
        "# Cost of the slot size\n",
        "Instances of section 4 (`oas generate section4`) on 3 x 4 nodes: medians over the seeds",
        f"0 to {options.seeds - 1}. Losses are in per cent of the shortest known makespan in continuous time (η = 0).",
        f"The toolkit may use {options.seconds:g} s for all slot sizes of an instance together. HiGHS and CBC may use",
        f"{options.model_seconds:g} s for each model of instances with at most {options.model_jobs} jobs.",
        "They start from the best heuristic schedule and get no combinatorial bound. The number in brackets counts the",
        "seeds with a proven optimum. “limit” means that the median run reached its limit; it is a triangle in the",
        "picture. Where an optimum is not proven, the seconds of the toolkit are its share of the limit.\n",
        f"    {command}\n",
        f"{circumstances()}\n",
        f"| {' | '.join([*heads, 'toolkit, s', *names])} |",
        f"|{'---|' * (len(heads) + 1 + len(names))}",
    ]
    for jobs, own in studies.items():
        lines += [row(jobs, points) for points in zip(*(study.points for study in own), strict=True)]
    lines.append("")
    for jobs in studies if options.pictures else ():
        lines += [f"![Losses, model size and seconds over the slot size, {jobs} jobs](slot_cost_{jobs}.png)", ""]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Measure and print the table, or write it to a file, and draw one picture for each number of jobs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, nargs="+", default=[8, 12, 16, 24], help="numbers of jobs")
    parser.add_argument("--seeds", type=int, default=3, help="so many instances for each, of seeds 0, 1, …")
    parser.add_argument("--percents", nargs="+", default=["25", "50", "100", "150", "200", "250"], help="slot sizes")
    parser.add_argument("--seconds", type=float, default=30.0, help="limit of the toolkit for each instance")
    parser.add_argument("--model-seconds", type=float, default=10.0, help="limit of each solver for each model")
    parser.add_argument("--model-jobs", type=int, default=12, help="largest number of jobs for the MIP solvers")
    parser.add_argument("--output", type=Path, help="Markdown file to write; stdout if not given")
    parser.add_argument("--pictures", type=Path, help="folder for the pictures; none are drawn if not given")
    options = parser.parse_args(arguments)
    measured = {jobs: list(studies_of(jobs, options)) for jobs in options.jobs}
    given = sys.argv[1:] if arguments is None else arguments
    write_page(
        page(measured, options, " ".join(["python -m benchmarks.measurements.slot_cost", *given])), options.output
    )
    for jobs, own in measured.items() if options.pictures else ():
        save_figure(
            slot_size_figure(own, title=f"section4 std, {jobs} jobs on 3x4, seeds 0 to {options.seeds - 1}"),
            options.pictures / f"slot_cost_{jobs}.png",
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
