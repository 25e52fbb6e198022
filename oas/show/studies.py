"""Display of studies, each as text and in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.formats import MISSING, show_count, show_percent, show_ratio, show_seconds, show_time
from oas.core.result import Status
from oas.show.views import fragment, remark, short_name, study_lines, table

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.studies.appraisal import Appraisal
    from oas.studies.comparison import Comparison, ComparisonRow
    from oas.studies.cooperation import PriceStudy
    from oas.studies.slot_sizes.study import SlotStudy
    from oas.studies.window_appraisal import Figures

MOST = 50  # rows of a table


def comparison_text(comparison: Comparison) -> str:
    """Return a line a method."""
    proven, free = comparison.result.status is Status.OPTIMAL, comparison.without_locality

    def above(row: ComparisonRow) -> str:
        optimum = free is not None and free.status is Status.OPTIMAL if row.ignores_locality else proven
        what = "optimum" if optimum else "bound"
        return f"{show_percent(row.gap)} above the {what}{' without locality' if row.ignores_locality else ''}"

    rows = [
        f"{row.method}: {show_time(row.makespan)}, {above(row)}"
        if row.makespan is not None
        else f"{row.method}: no schedule"
        for row in comparison.rows
    ]
    bound = show_time(comparison.result.lower_bound)
    return study_lines(f"Comparison on {short_name(comparison.instance)}: lower bound {bound}", rows)


def star_note(comparison: Comparison) -> str:
    """Return what a star in tables of methods means; empty if no row has one."""
    free = comparison.without_locality
    if free is not None:
        what = "optimum" if free.status is Status.OPTIMAL else "best schedule (not proven)"
        found = f"{what} {show_time(free.objective)}, lower bound {show_time(free.lower_bound)}"
        return f"* without locality: {found}; methods that ignore locality are compared with it"
    if any(row.ignores_locality for row in comparison.rows):
        return "* ignores locality; the optimum without locality was not computed"
    return ""


def comparison_html(comparison: Comparison) -> str:
    """Return a table of the methods, and a Gantt chart of the exact schedule."""
    from oas.show.pictures import inline_gantt

    result, limit, references = comparison.result, comparison.continuous, comparison.references
    above = "above optimum" if comparison.proven else "above bound"
    exact, *others = comparison.rows
    rows = [
        (
            f"{row.method} *" if row.ignores_locality else row.method,
            show_time(row.makespan),
            show_percent(row.compaction),
            show_percent(row.gap),
            show_seconds(row.seconds),
            row.note,
        )
        for row in (exact, *references, *others)
    ]
    proof = "" if result.proof is None else f", proof: {result.proof}"
    return fragment(
        f"{comparison.instance.name or 'instance'}: {len(others)} heuristics beside the exact result",
        table(("method", "makespan", "compaction", above, "time", "note"), rows, len(rows), MOST),
        remark(f"lower bound {show_time(result.lower_bound)}{proof}"),
        "" if limit is None else remark(f"η = 0: bound {show_time(limit.lower_bound)}, best {show_time(limit.best)}"),
        remark(star) if (star := star_note(comparison)) else "",
        "" if result.schedule is None else inline_gantt(comparison.instance, result.schedule, result.lower_bound),
    )


def price_text(study: PriceStudy) -> str:
    """Return a line a locality."""
    rows = [
        f"{'no locality' if one.locality is None else f'locality {show_time(one.locality)}'}:"
        f" makespan {show_time(one.result.objective)}, {one.result.status.value.replace('_', ' ')}"
        for one in study
    ]
    return study_lines(f"PriceStudy of {short_name(study.instance)}: {len(rows)} localities", rows)


def price_html(study: PriceStudy) -> str:
    """Return a table of the points."""
    rows = [
        (
            "none" if point.locality is None else show_time(point.locality),
            show_time(point.result.objective),
            show_time(point.result.lower_bound),
            point.result.status.value,
            show_ratio(point.price),
            ", ".join(f"{name} × {show_ratio(ratio)}" for name, ratio in point.losers.items()) or MISSING,
        )
        for point in study
    ]
    headings = ("locality", "makespan", "lower bound", "status", "price", "who ends later than alone")
    title = f"{study.instance.name or 'instance'}: the price of locality"
    return fragment(title, table(headings, rows, len(rows), MOST))


def slots_text(study: SlotStudy) -> str:
    """Return a line a slot size."""
    rows = [
        f"η = {show_percent(one.percent / 100)}: makespan {show_time(one.makespan)},"
        f" {one.status.value.replace('_', ' ')}"
        for one in study.points
    ]
    return study_lines(f"SlotStudy of {short_name(study.instance)}: {len(rows)} slot sizes", rows)


def slots_html(study: SlotStudy) -> str:
    """Return a table of the points, losses in percent of the optimum at η = 0: at least, where that is open."""
    free = study.reference

    def lost(time: Fraction | None) -> str:
        return MISSING if free is None or time is None else show_percent(time / free.makespan)

    rows = [
        (
            show_percent(point.percent / 100),
            show_time(point.makespan),
            show_time(point.lower_bound),
            point.status.value,
            show_time(point.executed),
            lost(None if point.loss is None else point.loss.rounding),
            lost(None if point.loss is None else point.loss.scheduling.low),
        )
        for point in study.points
    ]
    headings = ("η", "makespan", "lower bound", "status", "executed", "rounding", "scheduling")
    return fragment(f"{study.instance.name or 'instance'}: slot sizes", table(headings, rows, len(rows), MOST))


def _makespan(figures: Figures | None) -> str:
    return show_time(None if figures is None else figures.makespan)


def appraisal_text(appraisal: Appraisal) -> str:
    """Return a line a window."""
    rows = [
        f"{row.window.name}: observed {_makespan(row.observed)}, best {_makespan(row.best)}" for row in appraisal.rows
    ]
    left = f", {appraisal.left:,} not looked at" if appraisal.left else ""
    return study_lines(f"Appraisal: {show_count(len(rows), 'window')}{left}", rows)


def appraisal_html(appraisal: Appraisal) -> str:
    """Return a table of the windows: what was observed, the best known, and how far apart they are."""
    rows = [
        (
            row.window.name,
            str(row.window.jobs),
            _makespan(row.observed),
            _makespan(row.best),
            show_time(None if row.result is None else row.result.lower_bound),
            show_percent(None if row.observed is None else row.at_least(row.observed)),
            show_percent(None if row.observed is None else row.at_most(row.observed)),
        )
        for row in appraisal.rows
    ]
    headings = ("window", "jobs", "observed", "best", "lower bound", "above optimum, least", "most")
    left = remark(f"{appraisal.left:,} windows were not looked at") if appraisal.left else ""
    return fragment(f"windows appraised: {len(rows)}", table(headings, rows, len(rows), MOST), left)
