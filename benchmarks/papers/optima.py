"""The distance of section 7's methods from the optimum, where it is proven; the paper had only lower bounds."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.papers.rows import MospRow


def optima_table(rows: Sequence[MospRow], label: Callable[[MospRow], str] = lambda row: row.method) -> str:
    """Return ratios to the paper's bound and to the proven optimum, by workload and method, as a Markdown table."""
    lines = [
        "Ratios to LB and to the optimum are means over the instances whose optimum is proven.",
        "",
        "| workload | method | instances | optimum proven | makespan / LB | makespan / optimum | worst | optimal |",
        "|---|---|---|---|---|---|---|---|",
    ]
    groups: dict[tuple[str, str], list[MospRow]] = {}
    for row in rows:
        groups.setdefault((row.workload, label(row)), []).append(row)
    for (workload, name), own in groups.items():
        proven = [row for row in own if row.true_ratio is not None]
        cells = [workload, name, str(len(own)), f"{100 * len(proven) / len(own):.0f} %", *_ratios(proven)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _ratios(proven: Sequence[MospRow]) -> list[str]:
    ratios = [row.true_ratio for row in proven if row.true_ratio is not None]
    if not ratios:
        return ["–"] * 4
    return [
        f"{fmean(float(row.score) for row in proven):.3f}",
        f"{fmean(map(float, ratios)):.3f}",
        f"{float(max(ratios)):.3f}",
        f"{100 * sum(ratio == 1 for ratio in ratios) / len(ratios):.0f} %",
    ]
