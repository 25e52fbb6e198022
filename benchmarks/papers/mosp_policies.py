"""MOCCA paper, section 7.3: ILBA after MOCCA under different local policies, without section 5.2's rescheduling."""

from __future__ import annotations

from itertools import product
from statistics import fmean, pstdev
from typing import TYPE_CHECKING

from benchmarks.papers.mosp_homogeneous import JOBS, ORGANIZATIONS, PROCESSORS, WORKLOADS
from benchmarks.papers.scores import Case
from benchmarks.papers.statement import Statement, near

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.papers.scores import Row
    from oas.generate.mosp_section7 import Policy

PRINTED_INSTANCES = 50
POLICIES: tuple[Policy, ...] = ("HF", "LPT", "SPT", "RND")


def cases(instances: int, workloads: Sequence[str] = WORKLOADS) -> list[Case]:
    """Return the grid of cases of section 7.2 under each policy: HF with both cuts, the others with 4LB."""
    cells = enumerate(product(ORGANIZATIONS, JOBS, PROCESSORS))
    return [
        Case(
            workload,
            count,
            jobs,
            processors,
            1000 * cell + number,
            ("ILBA", "ILBA(4)") if policy == "HF" else ("ILBA(4)",),
            policy,
        )
        for cell, (count, jobs, processors) in cells
        for workload in workloads
        for policy in POLICIES
        for number in range(instances)
    ]


def scores(rows: Sequence[Row]) -> dict[tuple[str, str], list[float]]:
    """Return the scores by workload and name: HF3, HF4, LPT, SPT, RND."""
    found: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        name = {"ILBA": "HF3", "ILBA(4)": "HF4"}[row.method] if row.case.local == "HF" else row.case.local
        found.setdefault((row.case.workload, name), []).append(float(row.score))
    return found


def statements(rows: Sequence[Row]) -> list[Statement]:
    """Compare what the section states in words and numbers."""
    by_name = scores(rows)
    found = [
        Statement("7.3", "instances in which not all jobs find a place", "0", "0", True, "a run would have failed")
    ]
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
