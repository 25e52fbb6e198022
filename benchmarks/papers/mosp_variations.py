"""MOCCA paper, sections 7.3 and 7.4: the experiment of 7.2 with other local policies and with unequal clusters.

Section 7.3 has ILBA after MOCCA under different local policies, without section 5.2's rescheduling; section 7.4 has ten
clusters of unequal sizes (Pareto, from 128 to 1024 processors).
"""

from __future__ import annotations

from statistics import fmean, pstdev
from typing import TYPE_CHECKING

from benchmarks.papers.experiment import Statement, near
from benchmarks.papers.mosp_homogeneous import METHODS, SWF, WORKLOADS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.papers.experiment import MospRow

SHAPES = range(1, 11)


def policy(row: MospRow) -> str:
    """Return the paper's name of local policy and cut: HF3 or HF4; LPT, SPT or RND for a cut at 4LB.

    The paper has no cut at 3LB under LPT, SPT and RND; these rows are named with a 3, such as LPT3.
    """
    cut = {"ILBA": 3, "ILBA(4)": 4}[row.method]
    return row.local if row.local != "HF" and cut == 4 else f"{row.local}{cut}"


def scores(rows: Sequence[MospRow]) -> dict[tuple[str, str], list[float]]:
    """Return the scores by workload and name: HF3, HF4, LPT, SPT, RND."""
    found: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if _printed(row) and row.makespan is not None:
            found.setdefault((row.workload, policy(row)), []).append(float(row.score))
    return found


def _printed(row: MospRow) -> bool:
    return row.local == "HF" or row.method == "ILBA(4)"


def _unplaced(rows: Sequence[MospRow]) -> Statement:
    missed = sum(row.makespan is None for row in rows if _printed(row))
    others = [row for row in rows if not _printed(row)]
    remark = (
        f"with a cut at 3LB under LPT, SPT and RND, which the paper leaves open: "
        f"{sum(row.makespan is None for row in others)} of {len(others)}"
    )
    return Statement("7.3", "instances in which not all jobs find a place", "0", str(missed), not missed, remark)


def policy_statements(rows: Sequence[MospRow]) -> Iterator[Statement]:
    """Compare the statements of section 7.3 with the rows."""
    by_name = scores(rows)
    yield _unplaced(rows)
    for workload, low, high in (("swf", 1.01, 1.02), ("uni", 1.24, 1.31)):
        means = {name: fmean(values) for (one, name), values in by_name.items() if one == workload}
        text = ", ".join(f"{name} {value:.3f}" for name, value in means.items())
        agrees = near(min(means.values()), low) and near(max(means.values()), high)
        yield Statement("7.3", f"{workload}: mean scores", f"{low} to {high}", text, agrees)
        apart = abs(means["HF3"] - means["HF4"])
        yield Statement("7.3", f"{workload}: HF3 and HF4 differ by", "about .01", f"{apart:.3f}", apart <= 0.015)
        best = min(means, key=lambda name: means[name])
        yield Statement("7.3", f"{workload}: best local policy", "LPT", best, best == "LPT")
    for workload, mean, deviation in (("swf", 1.0113, 0.0379), ("uni", 1.2422, 0.0808)):
        values = by_name[workload, "LPT"]
        ours, spread = fmean(values), pstdev(values)
        yield Statement(
            "7.3",
            f"{workload}: LPT's mean score and σ",
            f"{mean}, {deviation}",
            f"{ours:.4f}, {spread:.4f}",
            near(ours, mean) and near(spread, deviation, 0.2),
            "σ over all instances; the paper does not say over what" if not near(spread, deviation, 0.2) else "",
        )


def size_statements(rows: Sequence[MospRow]) -> Iterator[Statement]:
    """Compare the statements of section 7.4 with the rows."""
    uni = "printed below 7.2's uni scores; the print does not say how wide jobs are where clusters differ"
    for shape, printed in ((1, 1.15), (10, 1.12)):
        values = _ilba(rows, "uni", shape)
        ours, spread = fmean(values), pstdev(values)
        agrees = near(ours, printed) and spread < 0.04
        says = f"uni, shape {shape}: ILBA's mean score and σ"
        yield Statement(
            "7.4", says, f"{printed}, below .04", f"{ours:.2f}, {spread:.2f}", agrees, "" if agrees else uni
        )
    swf = [score for shape in SHAPES for score in _ilba(rows, "swf", shape)]
    ours, variance = fmean(swf), pstdev(swf) ** 2
    agrees = ours < 1.0001 and variance < 1e-3
    yield Statement(
        "7.4",
        "swf: ILBA's mean score and variance",
        "below 1.0001, below .001",
        f"{ours:.4f}, {variance:.4f}",
        agrees,
        "" if agrees else SWF,
    )
    for workload in WORKLOADS:
        means = {
            name: fmean(float(row.score) for row in rows if row.workload == workload and row.method == name)
            for name in METHODS
        }
        text = ", ".join(f"{name} {value:.2f}" for name, value in means.items())
        agrees = means["ILBA"] < min(means["local"], means["MOCCA"])
        yield Statement("7.4", f"{workload}: local and MOCCA are worse than ILBA", "yes", text, agrees)


def _ilba(rows: Sequence[MospRow], workload: str, shape: int) -> list[float]:
    return [float(row.score) for row in rows if (row.method, row.workload, row.pareto) == ("ILBA", workload, shape)]
