"""The figures of a campaign's report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.campaigns.report.anytime import exact_groups
from oas.campaigns.report.charts import anytime_chart, profile_chart, proof_chart, stage_chart
from oas.campaigns.report.page_parts import groups
from oas.campaigns.report.profiles import costs_by_method, performance_profile, proof_curves
from oas.campaigns.report.summary import summarise
from oas.plots import gap_chart

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from oas.campaigns.report.frame import Run, Runs


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
    costs, count = costs_by_method(own, _makespan if ratio == "makespan" else _time_to_proof)
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
        yield (
            "gaps",
            _figure(gap_chart(gaps, label=f"{label}", heading=f"{heading}: {told}")),
        )


def _makespan(run: Run) -> Fraction | None:
    return run.objective


def _time_to_proof(run: Run) -> float | None:
    return run.record.seconds if run.proven else None


def _figure(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure
