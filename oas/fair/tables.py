"""Display of instances of fair sharing and of the price of fairness: texts, data frames, HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.formats import MISSING, show_count, show_factor, show_percent, show_time
from oas.fair.objectives import Objective, ScheduleClass
from oas.fair.utilities import released_work
from oas.show.frames import frame_with
from oas.show.tables import Table, fragment, short_name, show_interval, sized_text, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas

    from oas.fair.instance import FairInstance
    from oas.fair.studies.price import FairnessPrice, PriceRow
    from oas.show.tables import Part


def instance_text(instance: FairInstance) -> str:
    """Return the size of an instance and its first organizations."""
    organizations = (
        f"{owner.id}: {show_count(owner.processors, 'processor')}, {show_count(len(owner.jobs), 'job')} from"
        f" {show_time(owner.jobs[0].release)} on"
        for owner in instance.organizations
    )
    return sized_text(instance, size_of(instance), organizations)


def size_of(instance: FairInstance) -> str:
    """Return the numbers of jobs, organizations and processors, and the horizon."""
    jobs = f"{show_count(len(instance.jobs), 'job')} of {show_count(len(instance.organizations), 'organization')}"
    return f"{jobs}, {show_count(instance.node_count, 'processor')}, horizon {instance.horizon:,}"


def jobs_frame(instance: FairInstance) -> pandas.DataFrame:
    """See `FairInstance.to_frame`."""
    rows = (
        (job.id, owner.id, int(job.time), job.processors, int(job.release))
        for owner in instance.organizations
        for job in owner.jobs
    )
    return frame_with(("job", "organization", "time", "processors", "release"), rows)


def organizations_frame(instance: FairInstance) -> pandas.DataFrame:
    """See `FairInstance.clusters_frame`."""
    pairs = zip(instance.organizations, released_work(instance), strict=True)
    rows = ((owner.id, owner.processors, len(owner.jobs), work, load) for owner, (work, load) in pairs)
    return frame_with(("organization", "processors", "jobs", "work", "load"), rows)


def instance_html(instance: FairInstance) -> str:
    """Return tables of organizations and jobs."""
    organizations = (
        (owner.id, f"{owner.processors:,}", f"{len(owner.jobs):,}", f"{work:,}", show_percent(load))
        for owner, (work, load) in zip(instance.organizations, released_work(instance), strict=True)
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


PRICE_NOTE = "price of fairness: optimum among greedy schedules, or among all schedules, over the fair schedule's value"
_NAMES = {Objective.STRATEGY_PROOF: "Σ ψ_sp", Objective.FLOW: "flow", Objective.MAKESPAN: "makespan"}
_CLASSES = {ScheduleClass.GREEDY: "greedy", ScheduleClass.ANY: "any"}


def price_parts(study: FairnessPrice) -> Iterator[Part]:
    """Yield a table with one row per objective and class of schedules, and notes on missing and unproven optima."""
    rows: list[tuple[str, ...]] = []
    for row in study:
        name, optimum = (_NAMES[row.objective], _CLASSES[row.schedule_class]), row.optimum
        if optimum is None:
            rows.append((*name, *(MISSING,) * 3, "not applicable", MISSING, MISSING))
        else:
            figures = (f"{value:,}" for value in (row.reference or 0, optimum.value, optimum.bound))
            price = show_interval(row.price, show_factor)
            rows.append((*name, *figures, str(optimum.status), price, str(optimum.proof)))
    headings = ("objective", "schedules", "fair", "best", "bound", "status", "price", "proof")
    yield f"{short_name(study.instance)}, {study.schedule.method or 'a schedule'}"
    yield Table(headings, rows, side=("proof", "status", "bound"), names=("schedules",), texts=("proof",))
    yield from ("", PRICE_NOTE, *dict.fromkeys(filter(None, map(_note, study))))


def _note(row: PriceRow) -> str:
    if row.optimum is None:
        return f"{_NAMES[row.objective]} does not apply: {row.note}"
    if row.optimum.proven:
        return ""
    reason = row.optimum.termination.value.replace("_", " ")
    if row.optimum.message:
        reason += f": {row.optimum.message}"
    return f"{_NAMES[row.objective]}, {_CLASSES[row.schedule_class]}: not proven ({reason})"
