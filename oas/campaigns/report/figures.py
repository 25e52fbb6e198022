"""The figures of a campaign's report, with performance profiles and time-to-proof curves as steps to be drawn.

Source: Dolan, Moré, *Benchmarking optimization software with performance profiles*, Mathematical Programming 91, 2002.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from oas.campaigns.report.charts import anytime_chart, profile_chart, proof_chart, stage_chart
from oas.campaigns.report.page_parts import groups
from oas.campaigns.report.samples import exact_groups
from oas.campaigns.report.summary import summarise
from oas.plots import gap_chart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from oas.campaigns.report.frame import Run, Runs


Cost = int | float | Fraction
Steps = list[tuple[Cost, Fraction]]
"""A step function: the points at which a share changes, ascending, and the share from each on."""


_COSTS: dict[str, Callable[[Run], Cost | None]] = {
    "makespan": lambda run: run.objective,
    "time to proof": lambda run: run.record.seconds if run.proven else None,
}


def figures(runs: Runs) -> Iterator[tuple[str, Figure]]:
    """Yield each figure that there is something for, with the name of its file."""
    for group in runs.groups:
        own = [run for run in runs.runs if run.group == group]
        for name, figure in _of_group(runs, group, own):
            yield f"{name}-{groups()[group].file}", figure
    exact = exact_groups(runs)
    if any(run.record.progress != "[]" for own in exact.values() for run in own):
        yield "anytime", _figure(anytime_chart(exact, "Mean gap after so many seconds"))
    if any(sum(run.record.seconds for run in own) > 0 for own in exact.values()):
        yield "stages", _figure(stage_chart(exact, "Share of each stage in the time"))


def _of_group(runs: Runs, group: str, own: list[Run]) -> Iterator[tuple[str, Figure]]:
    heading = groups()[group].title
    order = [row.method for row in summarise(runs) if row.group == group]
    exact = [run for run in own if run.record.kind == "exact"]
    heuristics = [run for run in own if run.record.kind != "exact"]
    yield from _gaps(heading, order, own)
    # Without locality: what never promised it was run wherever there are organizations, the others were not.
    alike = [run for run in heuristics if not run.record.keeps_locality] or heuristics
    yield from _profile(alike, "profile-makespan", "makespan", f"{heading}: makespans of heuristics")
    if any(run.proven for run in exact):
        limits = [run.order.method.limits.seconds for run in exact]
        limit = max((float(one) for one in limits if one is not None), default=None)
        chart = proof_chart(
            proof_curves(exact), limit=limit, heading=f"{heading}: time to proof, n = {len(exact)} runs"
        )
        yield "proof", _figure(chart)
        yield from _profile(exact, "profile-time", "time to proof", f"{heading}: time of exact methods")


def _profile(own: list[Run], name: str, ratio: str, heading: str) -> Iterator[tuple[str, Figure]]:
    """Profiles compare: there must be two methods and an instance that both were run on."""
    costs, count = costs_by_method(own, _COSTS[ratio])
    if len(costs) > 1 and any(cost is not None for one in costs.values() for cost in one):
        profiles = performance_profile(costs)
        yield name, _figure(profile_chart(profiles, ratio=ratio, heading=f"{heading}, n = {count} instances"))


def _gaps(heading: str, order: list[str], own: list[Run]) -> Iterator[tuple[str, Figure]]:
    """Relative to proven optima, if there are any; otherwise to bounds, as the axis label states."""
    proven = any(run.gap is not None for run in own)
    gaps = {
        method: [
            float(gap)
            for run in own
            if run.order.method.label == method and (gap := run.gap if proven else run.bound_gap) is not None
        ]
        for method in order
    }
    if any(gaps.values()):
        label = "above the proven optimum" if proven else "above the best proven lower bound, which may be weak"
        told = "gaps to proven optima" if proven else "distance from lower bounds, no optimum proven"
        yield ("gaps", _figure(gap_chart(gaps, label=f"{label}", heading=f"{heading}: {told}")))


def _figure(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure


def performance_profile(costs: Mapping[str, Sequence[Cost | None]]) -> dict[str, Steps]:
    """Return ρ_s of each solver s: the share of problems p with r_{p,s} = t_{p,s} / min_s t_{p,s} ≤ τ, as steps in τ.

    The costs are t_{p,s} > 0 for each solver, problem by problem in the same order for all; None where it failed, and
    its ratio is then beyond every τ (the paper's r_M). ρ_s is 0 before its first step and stays at the last. A problem
    that no solver solves counts in n_p.
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
