"""Display of studies in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.formats import MISSING, show_percent, show_ratio, show_seconds, show_time
from oas.show.html import fragment, remark, table
from oas.show.svg import inline_gantt
from oas.show.texts import star_note

if TYPE_CHECKING:
    from oas.studies.appraisal import Appraisal
    from oas.studies.comparison import Comparison
    from oas.studies.cooperation import PriceStudy
    from oas.studies.slot_sizes.study import SlotStudy


def comparison_html(comparison: Comparison) -> str:
    """Return a table of the methods, and a Gantt chart of the exact schedule."""
    result, limit, references = comparison.result, comparison.continuous, comparison.references
    above = "above optimum" if comparison.proven else "above bound"
    headings = ("method", "makespan", "compaction", above, "time", "note")
    exact, *others = comparison.rows
    rows = (
        (
            f"{row.method} *" if row.ignores_locality else row.method,
            show_time(row.makespan),
            show_percent(row.compaction),
            show_percent(row.gap),
            show_seconds(row.seconds),
            row.note,
        )
        for row in (exact, *references, *others)
    )
    proof = "" if result.proof is None else f", proof: {result.proof}"
    schedule = result.schedule
    return fragment(
        f"{comparison.instance.name or 'instance'}: {len(others)} heuristics beside the exact result",
        table(headings, rows, len(comparison.rows) + len(references), most=50),
        remark(f"lower bound {show_time(result.lower_bound)}{proof}"),
        "" if limit is None else remark(f"η = 0: bound {show_time(limit.lower_bound)}, best {show_time(limit.best)}"),
        remark(star) if (star := star_note(comparison)) else "",
        "" if schedule is None else inline_gantt(comparison.instance, schedule, result.lower_bound),
    )


def price_html(study: PriceStudy) -> str:
    """Return a table of the points."""
    rows = (
        (
            "none" if point.locality is None else show_time(point.locality),
            show_time(point.result.objective),
            show_time(point.result.lower_bound),
            point.result.status.value,
            show_ratio(point.price),
            ", ".join(f"{name} × {show_ratio(ratio)}" for name, ratio in point.losers.items()) or MISSING,
        )
        for point in study
    )
    headings = ("locality", "makespan", "lower bound", "status", "price", "who ends later than alone")
    return fragment(
        f"{study.instance.name or 'instance'}: the price of locality", table(headings, rows, len(study), most=50)
    )


def slots_html(study: SlotStudy) -> str:
    """Return a table of the points, losses in percent of the optimum at η = 0: at least, where that is open."""
    free = study.reference
    rows = (
        (
            show_percent(point.percent / 100),
            show_time(point.makespan),
            show_time(point.lower_bound),
            point.status.value,
            show_time(point.executed),
            *(
                (MISSING, MISSING)
                if free is None or point.loss is None
                else (
                    show_percent(point.loss.rounding / free.makespan),
                    show_percent(point.loss.scheduling.low / free.makespan),
                )
            ),
        )
        for point in study.points
    )
    headings = ("η", "makespan", "lower bound", "status", "executed", "rounding", "scheduling")
    return fragment(
        f"{study.instance.name or 'instance'}: slot sizes", table(headings, rows, len(study.points), most=50)
    )


def appraisal_html(appraisal: Appraisal) -> str:
    """Return a table of the windows: what was observed, the best known, and how far apart they are."""
    rows = (
        (
            row.window.name,
            str(row.window.jobs),
            show_time(None if row.observed is None else row.observed.makespan),
            show_time(None if row.best is None else row.best.makespan),
            show_time(None if row.result is None else row.result.lower_bound),
            show_percent(None if row.observed is None else row.at_least(row.observed)),
            show_percent(None if row.observed is None else row.at_most(row.observed)),
        )
        for row in appraisal.rows
    )
    count = len(appraisal.rows)
    headings = ("window", "jobs", "observed", "best", "lower bound", "above optimum, least", "most")
    left = remark(f"{appraisal.left:,} windows were not looked at") if appraisal.left else ""
    return fragment(f"windows appraised: {count}", table(headings, rows, count, most=50), left)
