"""Figures of a campaign's report: performance profiles, proofs and gaps over time, the time of each stage.

Source: Dolan, Moré, *Benchmarking optimization software with performance profiles*, Mathematical Programming 91, 2002.
"""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from statistics import median
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator, PercentFormatter

from oas.campaigns.report import samples
from oas.campaigns.report.frame import groups
from oas.campaigns.report.samples import SECONDS, exact_groups, stages_of
from oas.campaigns.report.summary import summarise
from oas.plots import gap_chart
from oas.plots.axes import FAINT, INK, bare, dark, job_colour, layered_width, luminance, new_figure, title
from oas.plots.labels import NAME_LENGTH, drawable, literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from oas.campaigns.report.frame import Run, Runs


_HEIGHT = 3.4  # inches
MOST_GROUPS = 12
_LINEAR = 4.0  # ratios up to this are on a linear axis
_SMALL = 0.03  # a stage whose share is smaller in all groups is drawn as other
_HUES = 9
_PALE = 0.4  # luminance above which a line on white is hard to see
_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.4, 1.2)), (0, (6, 1.4, 1.4, 1.4)))
_LEGEND_ROWS = 20


@literal
def profile_chart(profiles: Mapping[str, Steps], *, ratio: str, heading: str = "") -> Axes:
    """Draw performance profiles: the share of problems on which a method is within a factor τ of the best one.

    The profiles are those of `performance_profile`; `ratio` describes the factor.
    """
    ax = new_figure(4.2).subplots()
    largest = max((float(steps[-1][0]) for steps in profiles.values() if steps), default=1.0)
    end = 1 + (largest - 1) * 1.03 if largest > 1 else 1.1
    if end > _LINEAR:
        end = largest * 1.05
        _logarithmic(ax, (1.0, 2.0, 5.0))
    else:
        ax.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 2.5, 5, 10]))
    _draw_steps(ax, profiles, 1.0, end)
    ax.set_xlabel(f"τ: {ratio}, at most so many times the best method's", fontsize=9, color=INK)
    _share_axis(ax, "share of instances")
    return _finished(ax, heading)


@literal
def proof_chart(curves: Mapping[str, Steps], *, limit: float | None = None, heading: str = "") -> Axes:
    """Draw the share of runs with a proven optimum over time, on a logarithmic axis.

    The curves are those of `proof_curves`. The axis ends with the last proof, or at the limit in seconds if that is
    later.
    """
    ax = new_figure(_HEIGHT).subplots()
    moments = [float(moment) for steps in curves.values() for moment, _ in steps]
    begin = max(1e-3, min(moments, default=1.0) / 1.5)
    end = max([*(moment * 1.05 for moment in moments), limit or 0.0, 2 * begin])
    _logarithmic(ax, (1.0, 2.0, 5.0) if end / begin < 1000 else (1.0,))
    _draw_steps(ax, curves, begin, end)
    ax.set_xlabel("wall time [s]", fontsize=9, color=INK)
    _share_axis(ax, "share proven optimal")
    return _finished(ax, heading)


@literal
def anytime_chart(groups: Mapping[tuple[str, str], Sequence[Run]], heading: str) -> Axes:
    """Draw the mean gap of exact methods over time, a curve for each sample and method."""
    ax = new_figure(_HEIGHT).subplots()
    longest = max(run.record.solve_seconds for runs in groups.values() for run in runs)
    times = [0.5]
    while times[-1] < longest:
        times.append(times[-1] * 1.15)
    for index, (key, runs) in enumerate(list(groups.items())[:MOST_GROUPS]):
        gaps = [100 * samples.figures(runs, moment).mean for moment in times]
        known = [gap if isfinite(gap) else float("nan") for gap in gaps]
        ax.step(times, known, where="post", lw=1.4, label=f" {_name(key)} ({len(runs)})", **_line_style(index))
    ax.set_xscale("log")
    ax.set_yscale("symlog", linthresh=0.1)
    ax.set_ylim(0, None)
    ax.set_xticks([second for second in SECONDS if second <= times[-1]])
    ax.xaxis.set_minor_locator(NullLocator())
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.set_xlabel("wall time [s]", fontsize=9, color=INK)
    ax.set_ylabel("mean gap [%]", fontsize=9, color=INK)
    return _finished(ax, heading)


@literal
def stage_chart(groups: Mapping[tuple[str, str], Sequence[Run]], heading: str) -> Axes:
    """Draw the share of each stage in the time of exact methods, a bar for each sample and method."""
    ax = new_figure(_HEIGHT).subplots()
    spent = {key: samples.shares(runs) for key, runs in list(groups.items())[:MOST_GROUPS]}
    floor = [0.0] * len(spent)
    largest = {stage: max(stages.get(stage, 0.0) for stages in spent.values()) for stage in stages_of(spent)[:-1]}
    large = sorted((stage for stage in largest if largest[stage] >= _SMALL), key=largest.__getitem__, reverse=True)
    for index, stage in enumerate([*large, "other"]):
        heights = [
            max(0.0, 1.0 - under) if stage == "other" else stages.get(stage, 0.0)
            for under, stages in zip(floor, spent.values(), strict=True)
        ]
        colour = FAINT if stage == "other" else job_colour(index)
        bars = ax.bar(range(len(spent)), heights, bottom=floor, color=colour, label=f" {stage}")
        for bar in bars:
            bar.set(edgecolor=dark(colour), linewidth=0.4)
        floor = [under + height for under, height in zip(floor, heights, strict=True)]
    _share_axis(ax, "share of the time")
    ax.set_axisbelow(True)
    ax.set_xticks(range(len(spent)), [_name(key) for key in spent], rotation=30, ha="right")
    return _finished(ax, heading)


def _name(key: tuple[str, str]) -> str:
    return drawable(", ".join(part for part in key if part), NAME_LENGTH)


def _line_style(index: int) -> dict[str, Any]:
    """Return the style of a line: a colour, and dashes once the colours are used up."""
    colour = job_colour(index % _HUES)
    line_colour = dark(colour) if luminance(colour) > _PALE else colour
    return {"color": line_colour, "linestyle": _DASHES[index // _HUES % len(_DASHES)]}


def _logarithmic(ax: Axes, marks: tuple[float, ...]) -> None:
    """Make the x axis logarithmic, with these marks in each decade."""
    ax.set_xscale("log", base=10)
    ax.xaxis.set_major_locator(LogLocator(10, subs=marks))
    ax.xaxis.set_minor_locator(NullLocator())


def _draw_steps(ax: Axes, curves: Mapping[str, Steps], begin: float, end: float) -> None:
    """Draw each curve from `begin`, with value 0 before its first step, to `end`."""
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    ax.set_xlim(begin, end)
    for index, (name, steps) in enumerate(curves.items()):
        points = [(float(moment), float(share)) for moment, share in steps if moment <= end]
        x = [begin, *(max(begin, moment) for moment, _ in points), end]
        y = [0.0, *(share for _, share in points)]
        label = drawable(name, NAME_LENGTH)
        width = 1.6 + layered_width(index, len(curves))
        ax.step(x, [*y, y[-1]], where="post", linewidth=width, label=f" {label}", **_line_style(index))


def _share_axis(ax: Axes, label: str) -> None:
    """Scale the y axis of `ax` from 0 to 100 % with faint lines."""
    ax.set_ylim(0, 1.02)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
    ax.set_ylabel(label, fontsize=9, color=INK)
    ax.grid(axis="y", color=FAINT, linewidth=0.6, zorder=0)
    ax.tick_params(axis="y", length=0)


def _finished(ax: Axes, heading: str) -> Axes:
    """Add the heading above `ax` and the legend at its right."""
    ax.tick_params(labelsize=8, color=INK, labelcolor=INK)
    bare(ax)
    title(ax, heading)
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return ax
    ax.legend(
        loc="center left",
        bbox_to_anchor=(1.005, 0.5),
        fontsize=8,
        frameon=False,
        labelcolor=INK,
        ncols=-(-len(labels) // _LEGEND_ROWS),
    )
    return ax


Cost = int | float | Fraction
Steps = list[tuple[Cost, Fraction]]
"""A step function: ascending points and the share from each point on."""


def figures(runs: Runs) -> Iterator[tuple[str, Figure]]:
    """Yield each figure that has data, with the name of its file."""
    for name, ax in _charts(runs):
        figure = ax.get_figure(root=True)
        assert figure is not None
        yield name, figure


def _charts(runs: Runs) -> Iterator[tuple[str, Axes]]:
    for group in runs.groups:
        for name, ax in _group_charts(runs, group, [run for run in runs.runs if run.group == group]):
            yield f"{name}-{groups()[group].file}", ax
    exact = exact_groups(runs)
    exact_runs = [run for cell in exact.values() for run in cell]
    if any(run.record.progress != "[]" for run in exact_runs):
        yield "anytime", anytime_chart(exact, "Mean gap after so many seconds")
    if any(run.record.solve_seconds > 0 for run in exact_runs):
        yield "stages", stage_chart(exact, "Share of each stage in the time")


def _group_charts(runs: Runs, group: str, group_runs: list[Run]) -> Iterator[tuple[str, Axes]]:
    heading = groups()[group].title
    order = [row.method for row in summarise(runs) if row.group == group]
    exact = [run for run in group_runs if run.record.kind == "exact"]
    heuristics = [run for run in group_runs if run.record.kind != "exact"]
    yield from _gaps(heading, order, group_runs)
    # In the group without locality, only methods that ignore locality are sure to have run on all instances.
    alike = [run for run in heuristics if not run.record.keeps_locality] or heuristics
    makespans = costs_by_method(alike, lambda run: run.objective)
    yield from _profile(*makespans, "profile-makespan", "makespan", f"{heading}: makespans of heuristics")
    if any(run.proven for run in exact):
        limits = [run.order.method.limits.seconds for run in exact]
        limit = max((float(seconds) for seconds in limits if seconds is not None), default=None)
        proof_heading = f"{heading}: time to proof, n = {len(exact)} runs"
        yield "proof", proof_chart(proof_curves(exact), limit=limit, heading=proof_heading)
        times = costs_by_method(exact, lambda run: run.record.solve_seconds if run.proven else None)
        yield from _profile(*times, "profile-time", "time to proof", f"{heading}: time of exact methods")


def _profile(
    costs: Mapping[str, Sequence[Cost | None]], count: int, name: str, ratio: str, heading: str
) -> Iterator[tuple[str, Axes]]:
    """Yield the performance profile if there are several methods and an instance that one of them solved."""
    if len(costs) > 1 and any(cost is not None for row in costs.values() for cost in row):
        profiles = performance_profile(costs)
        yield name, profile_chart(profiles, ratio=ratio, heading=f"{heading}, n = {count} instances")


def _gaps(heading: str, order: list[str], runs: list[Run]) -> Iterator[tuple[str, Axes]]:
    """Yield the chart of gaps to proven optima; if there are none, of distances from bounds."""
    proven = any(run.gap is not None for run in runs)
    gaps = {
        method: [
            float(gap)
            for run in runs
            if run.order.method.label == method and (gap := run.gap if proven else run.bound_gap) is not None
        ]
        for method in order
    }
    if any(gaps.values()):
        label = "above the proven optimum" if proven else "above the best proven lower bound, which may be weak"
        kind = "gaps to proven optima" if proven else "distance from lower bounds, no optimum proven"
        yield "gaps", gap_chart(gaps, label=label, heading=f"{heading}: {kind}")


def performance_profile(costs: Mapping[str, Sequence[Cost | None]]) -> dict[str, Steps]:
    """Return ρ_s of each solver s: the share of problems p with r_{p,s} = t_{p,s} / min_s t_{p,s} ≤ τ, as steps in τ.

    The costs are t_{p,s} > 0 of each solver, with the problems in the same order. None means that the solver failed:
    its ratio then exceeds every τ (the paper's r_M). A problem that no solver solves counts in n_p.
    """
    problems = list(zip(*costs.values(), strict=True))
    best = [min((cost for cost in row if cost is not None), default=None) for row in problems]
    return {
        solver: shares(
            (Fraction(cost) / Fraction(least) for cost, least in zip(row, best, strict=True) if cost and least),
            len(problems),
        )
        for solver, row in costs.items()
    }


def shares(moments: Iterable[Cost], total: int) -> Steps:
    """Return the cumulative distribution of `moments` as shares of `total`."""
    ordered = sorted(moments)
    last = {moment: count for count, moment in enumerate(ordered, 1)}
    return [(moment, Fraction(count, total)) for moment, count in last.items()]


def costs_by_method(
    runs: Sequence[Run], cost: Callable[[Run], Cost | None]
) -> tuple[dict[str, list[Cost | None]], int]:
    """Return the cost of each method on each instance, and the number of instances.

    Only instances on which every method ran are used. Several runs (seeds, repetitions, localities that the method
    ignores) are represented by their median; a failure is worse than any cost.
    """
    table: dict[str, dict[str, list[Cost]]] = {}
    for run in runs:
        value = cost(run)
        costs = table.setdefault(run.order.method.label, {}).setdefault(run.relaxed, [])
        costs.append(float("inf") if value is None else value)
    digests = dict.fromkeys(run.relaxed for run in runs)
    common = [digest for digest in digests if all(digest in row for row in table.values())]
    return {method: [_median(row[digest]) for digest in common] for method, row in table.items()}, len(common)


def _median(values: Sequence[Cost]) -> Cost | None:
    middle: Cost = median(values)  # type: ignore[type-var]
    return None if middle == float("inf") else middle


def proof_curves(runs: Sequence[Run]) -> dict[str, Steps]:
    """Return for each exact method the share of its runs with a proven optimum as a function of seconds."""
    by_method: dict[str, list[Run]] = {}
    for run in runs:
        if run.record.kind == "exact":
            by_method.setdefault(run.order.method.label, []).append(run)
    return {
        method: shares((run.record.solve_seconds for run in method_runs if run.proven), len(method_runs))
        for method, method_runs in by_method.items()
    }
