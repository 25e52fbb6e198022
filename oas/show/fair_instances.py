"""Instances of fair sharing and the price of fairness as text, as data frames, and in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.formats import MISSING, show_count, show_factor, show_percent, show_time
from oas.problems.fair.objectives import Objective, ScheduleClass
from oas.problems.fair.utilities import released_work
from oas.show.frames import frame_with
from oas.show.tables import Table, first_lines, fragment, short_name, table, text, title

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas

    from oas.problems.fair.instance import FairInstance
    from oas.show.tables import Part
    from oas.studies.fair.price import FairnessPrice, PriceRow
    from oas.studies.study import Interval


def instance_text(instance: FairInstance) -> str:
    """Return the size of an instance, its horizon and its first organizations."""
    organizations = (
        f"{one.id}: {show_count(one.processors, 'processor')}, {show_count(len(one.jobs), 'job')} from"
        f" {show_time(one.jobs[0].release)} on"
        for one in instance.organizations
    )
    count = len(instance.organizations)
    return text(f"{title(instance)}: {size_of(instance)}", first_lines(organizations, count))


def size_of(instance: FairInstance) -> str:
    """Return jobs, organizations, processors and the horizon."""
    jobs = f"{show_count(len(instance.jobs), 'job')} of {show_count(len(instance.organizations), 'organization')}"
    return f"{jobs}, {show_count(instance.node_count, 'processor')}, horizon {instance.horizon:,}"


def jobs_frame(instance: FairInstance) -> pandas.DataFrame:
    """See `FairInstance.to_frame`."""
    rows = (
        (job.id, one.id, int(job.time), job.processors, int(job.release))
        for one in instance.organizations
        for job in one.jobs
    )
    return frame_with(("job", "organization", "time", "processors", "release"), rows)


def organizations_frame(instance: FairInstance) -> pandas.DataFrame:
    """See `FairInstance.clusters_frame`."""
    pairs = zip(instance.organizations, released_work(instance), strict=True)
    rows = ((one.id, one.processors, len(one.jobs), work, load) for one, (work, load) in pairs)
    return frame_with(("organization", "processors", "jobs", "work", "load"), rows)


def instance_html(instance: FairInstance) -> str:
    """Return tables of organizations and jobs."""
    organizations = (
        (one.id, f"{one.processors:,}", f"{len(one.jobs):,}", f"{work:,}", show_percent(load))
        for one, (work, load) in zip(instance.organizations, released_work(instance), strict=True)
    )
    jobs = (
        (
            job.id,
            instance.organizations[instance.owner[job.id]].id,
            show_time(job.release),
            show_time(job.time),
            f"{job.processors:,}",
        )
        for job in instance.jobs
    )
    return fragment(
        f"{short_name(instance)}: {size_of(instance)}",
        table(("organization", "processors", "jobs", "work", "load"), organizations, len(instance.organizations)),
        table(("job", "organization", "release", "time p", "processors q"), jobs, len(instance.jobs)),
    )


PRICE_WORDS = "the price of fairness: the best that greedy schedules, and any, come to, over the fair schedule's value"
_NAMES = {Objective.STRATEGY_PROOF: "Σ ψ_sp", Objective.FLOW: "flow", Objective.MAKESPAN: "makespan"}
_CLASSES = {ScheduleClass.GREEDY: "greedy", ScheduleClass.ANY: "any"}


def price_parts(study: FairnessPrice) -> Iterator[Part]:
    """Yield a row an objective and class of schedules; then why objectives do not apply, and why optima are open."""
    rows: list[tuple[str, ...]] = []
    for one in study:
        name, found = (_NAMES[one.objective], _CLASSES[one.wanted]), one.optimum
        if found is None:
            rows.append((*name, *(MISSING,) * 3, "not applicable", MISSING, MISSING))
        else:
            figures = (f"{value:,}" for value in (one.reference or 0, found.value, found.bound))
            rows.append((*name, *figures, str(found.status), _price(one.price), str(found.proof)))
    headings = ("objective", "schedules", "fair", "best", "bound", "status", "price", "proof")
    yield f"{short_name(study.instance)}, {study.schedule.method or 'a schedule'}"
    yield Table(headings, rows, side=("proof", "status", "bound"), names=("schedules",), texts=("proof",))
    yield from ("", PRICE_WORDS, *dict.fromkeys(filter(None, map(_note, study))))


def _price(price: Interval | None) -> str:
    """Return a ratio, or the two that it lies between."""
    if price is None:
        return MISSING
    return show_factor(price.low) if price.exact else f"{show_factor(price.low)} to {show_factor(price.high)}"


def _note(row: PriceRow) -> str:
    if row.optimum is None:
        return f"{_NAMES[row.objective]} does not apply: {row.note}"
    if row.optimum.proven:
        return ""
    ended = row.optimum.termination.value.replace("_", " ")
    why = f"{ended}: {row.optimum.message}" if row.optimum.message else ended
    return f"{_NAMES[row.objective]}, {_CLASSES[row.wanted]} is open ({why})"
