"""MOCCA paper, section 7.4: ten clusters of unequal sizes (Pareto, from 128 to 1024 processors)."""

from __future__ import annotations

from statistics import fmean, pstdev
from typing import TYPE_CHECKING

from benchmarks.papers.mosp_homogeneous import METHODS, SWF, WORKLOADS
from benchmarks.papers.statement import Statement, near

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.papers.mosp_rows import MospRow

SHAPES = range(1, 11)


def statements(rows: Sequence[MospRow]) -> list[Statement]:
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
            name: fmean(float(row.score) for row in rows if row.workload == workload and row.method == name)
            for name in METHODS
        }
        text = ", ".join(f"{name} {value:.2f}" for name, value in means.items())
        agrees = means["ILBA"] < min(means["local"], means["MOCCA"])
        found.append(Statement("7.4", f"{workload}: local and MOCCA are worse than ILBA", "yes", text, agrees))
    return found


def _ilba(rows: Sequence[MospRow], workload: str, shape: int) -> list[float]:
    return [float(row.score) for row in rows if (row.method, row.workload, row.pareto) == ("ILBA", workload, shape)]
