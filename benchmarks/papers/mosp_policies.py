"""MOCCA paper, section 7.3: ILBA after MOCCA under different local policies, without section 5.2's rescheduling."""

from __future__ import annotations

from statistics import fmean, pstdev
from typing import TYPE_CHECKING

from benchmarks.papers.statement import Statement, near

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.papers.mosp_rows import MospRow


def policy(row: MospRow) -> str:
    """Return the paper's name: HF3 and HF4 by the cut, otherwise the local policy, with a 3 if the paper lacks it.

    It cut at 4LB under LPT, SPT and RND.
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


def statements(rows: Sequence[MospRow]) -> list[Statement]:
    """Compare what the section states in words and numbers."""
    by_name = scores(rows)
    found = [_unplaced(rows)]
    for workload, low, high in (("swf", 1.01, 1.02), ("uni", 1.24, 1.31)):
        means = {name: fmean(values) for (one, name), values in by_name.items() if one == workload}
        text = ", ".join(f"{name} {value:.3f}" for name, value in means.items())
        agrees = near(min(means.values()), low) and near(max(means.values()), high)
        found.append(Statement("7.3", f"{workload}: mean scores", f"{low} to {high}", text, agrees))
        apart = abs(means["HF3"] - means["HF4"])
        found.append(
            Statement("7.3", f"{workload}: HF3 and HF4 differ by", "about .01", f"{apart:.3f}", apart <= 0.015)
        )
        best = min(means, key=lambda name: means[name])
        found.append(Statement("7.3", f"{workload}: best local policy", "LPT", best, best == "LPT"))
    for workload, mean, deviation in (("swf", 1.0113, 0.0379), ("uni", 1.2422, 0.0808)):
        values = by_name[workload, "LPT"]
        ours, spread = fmean(values), pstdev(values)
        found.append(
            Statement(
                "7.3",
                f"{workload}: LPT's mean score and σ",
                f"{mean}, {deviation}",
                f"{ours:.4f}, {spread:.4f}",
                near(ours, mean) and near(spread, deviation, 0.2),
                "σ over all instances; the paper does not say over what" if not near(spread, deviation, 0.2) else "",
            )
        )
    return found
