"""MOCCA paper, section 7.4: ten clusters of unequal sizes (Pareto, from 128 to 1024 processors)."""

from __future__ import annotations

from itertools import product
from statistics import fmean, pstdev
from typing import TYPE_CHECKING

from benchmarks.papers.mosp_homogeneous import JOBS, METHODS, SWF, WORKLOADS
from benchmarks.papers.scores import Case
from benchmarks.papers.statement import Statement, near

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.papers.scores import Row

# The print says 6,000 instances in all; 2 workloads · 10 shapes · 4 numbers of jobs leave 75 for each cell.
PRINTED_INSTANCES = 75
SHAPES = range(1, 11)


def cases(instances: int, workloads: Sequence[str] = WORKLOADS) -> list[Case]:
    """Return the grid of cases; the numbers of jobs are those of section 7.2."""
    cells = enumerate(product(SHAPES, JOBS))
    return [
        Case(workload, 10, jobs, 128, 1000 * cell + number, METHODS, pareto=shape)
        for cell, (shape, jobs) in cells
        for workload in workloads
        for number in range(instances)
    ]


def statements(rows: Sequence[Row]) -> list[Statement]:
    """Compare what the section states in words and numbers."""
    found = []
    uni = "printed below 7.2's uni scores; the print does not say how wide jobs are where clusters differ"
    for shape, printed in ((1, 1.15), (10, 1.12)):
        values = _ilba(rows, "uni", shape)
        ours, spread = fmean(values), pstdev(values)
        agrees = near(ours, printed) and spread < 0.04
        says = f"uni, shape {shape}: ILBA's mean score and σ"
        found.append(
            Statement("7.4", says, f"{printed}, below .04", f"{ours:.2f}, {spread:.2f}", agrees, "" if agrees else uni)
        )
    swf = [score for shape in SHAPES for score in _ilba(rows, "swf", shape)]
    ours, variance = fmean(swf), pstdev(swf) ** 2
    agrees = ours < 1.0001 and variance < 1e-3
    found.append(
        Statement(
            "7.4",
            "swf: ILBA's mean score and variance",
            "below 1.0001, below .001",
            f"{ours:.4f}, {variance:.4f}",
            agrees,
            "" if agrees else SWF,
        )
    )
    for workload in WORKLOADS:
        means = {
            name: fmean(float(row.score) for row in rows if row.case.workload == workload and row.method == name)
            for name in METHODS
        }
        text = ", ".join(f"{name} {value:.2f}" for name, value in means.items())
        agrees = means["ILBA"] < min(means["local"], means["MOCCA"])
        found.append(Statement("7.4", f"{workload}: local and MOCCA are worse than ILBA", "yes", text, agrees))
    return found


def _ilba(rows: Sequence[Row], workload: str, shape: int) -> list[float]:
    return [
        float(row.score)
        for row in rows
        if (row.method, row.case.workload, row.case.pareto) == ("ILBA", workload, shape)
    ]
