"""Performance profiles and time-to-proof curves, as steps to be drawn.

Source: Dolan, Moré, *Benchmarking optimization software with performance profiles*, Mathematical Programming 91, 2002.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from oas.campaigns.report.frame import Run

Cost = int | float | Fraction
Steps = list[tuple[Cost, Fraction]]
"""A step function: the points at which a share changes, ascending, and the share from each on."""


def performance_profile(costs: Mapping[str, Sequence[Cost | None]]) -> dict[str, Steps]:
    """Return ρ_s of each solver s: the share of problems p with r_{p,s} = t_{p,s} / min_s t_{p,s} ≤ τ, as steps in τ.

    Parameters
    ----------
    costs
        t_{p,s} > 0 for each solver, problem by problem in the same order for all; None where it failed, and its ratio
        is then beyond every τ (the paper's r_M).

    Returns
    -------
    dict
        For each solver where ρ_s rises and to what; ρ_s is 0 before the first and stays at the last. A problem that no
        solver solves counts in n_p.
    """
    problems = list(zip(*costs.values(), strict=True))
    best = [min((cost for cost in row if cost is not None), default=None) for row in problems]
    return {
        solver: shares(
            (Fraction(cost) / Fraction(least) for cost, least in zip(own, best, strict=True) if cost and least),
            len(problems),
        )
        for solver, own in costs.items()
    }


def shares(moments: Iterable[Cost], total: int) -> Steps:
    """Return the distribution of `moments` among `total`: at each, the share that is no later."""
    ordered = sorted(moments)
    last = {moment: count for count, moment in enumerate(ordered, 1)}
    return [(moment, Fraction(count, total)) for moment, count in last.items()]


def costs_by_method(
    runs: Sequence[Run], cost: Callable[[Run], Cost | None]
) -> tuple[dict[str, list[Cost | None]], int]:
    """Return the cost of each method on each instance, and the number of instances.

    Only instances count on which every method was run; of several runs (seeds, repetitions, localities where none is
    kept) the median counts, where a failure is worse than any cost.
    """
    table: dict[str, dict[str, list[Cost]]] = {}
    for run in runs:
        value = cost(run)
        own = table.setdefault(run.order.method.label, {}).setdefault(run.relaxed, [])
        own.append(float("inf") if value is None else value)
    common = [
        digest for digest in dict.fromkeys(run.relaxed for run in runs) if all(digest in own for own in table.values())
    ]
    return {method: [_middle(own[digest]) for digest in common] for method, own in table.items()}, len(common)


def _middle(values: Sequence[Cost]) -> Cost | None:
    ordered, half = sorted(values), len(values) // 2
    middle = ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2
    return None if middle == float("inf") else middle


def proof_curves(runs: Sequence[Run]) -> dict[str, Steps]:
    """Return for each exact method the share of its runs that had proved their optimum by each moment, in seconds."""
    by_method: dict[str, list[Run]] = {}
    for run in runs:
        if run.record.kind == "exact":
            by_method.setdefault(run.order.method.label, []).append(run)
    return {
        method: shares((run.record.seconds for run in own if run.proven), len(own)) for method, own in by_method.items()
    }
