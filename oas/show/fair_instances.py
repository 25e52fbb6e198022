"""Instances of fair sharing and the price of fairness as text, as data frames, and in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.formats import MISSING, show_count, show_factor, show_percent, show_time
from oas.problems.fair.objectives import Objective, ScheduleClass
from oas.problems.fair.utilities import released_work
from oas.show.frames import frame_with
from oas.show.views import first_lines, fragment, remark, short_name, study_lines, table, text, title

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas

    from oas.problems.fair.instance import FairInstance
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


PRICE_HEADINGS = ("objective", "schedules", "fair", "best", "bound", "status", "price", "proof")
_NAMES = {Objective.STRATEGY_PROOF: "Σ ψ_sp", Objective.FLOW: "flow", Objective.MAKESPAN: "makespan"}
_CLASSES = {ScheduleClass.GREEDY: "greedy", ScheduleClass.ANY: "any"}


def show_price(price: Interval | None) -> str:
    """Return a ratio, or the two that it lies between."""
    if price is None:
        return MISSING
    return show_factor(price.low) if price.exact else f"{show_factor(price.low)} to {show_factor(price.high)}"


def price_cells(study: FairnessPrice) -> Iterator[tuple[str, ...]]:
    """Yield the cells of `PRICE_HEADINGS`, a row an objective and class of schedules."""
    for one in study:
        name, found = (_NAMES[one.objective], _CLASSES[one.wanted]), one.optimum
        if found is None:
            yield *name, *(MISSING,) * 3, "not applicable", MISSING, MISSING
        else:
            figures = (f"{value:,}" for value in (one.reference or 0, found.value, found.bound))
            yield *name, *figures, str(found.status), show_price(one.price), str(found.proof)


def price_notes(study: FairnessPrice) -> list[str]:
    """Return why objectives do not apply, and why optima are open; each once."""
    return list(dict.fromkeys(filter(None, map(_note, study))))


def _note(row: PriceRow) -> str:
    if row.optimum is None:
        return f"{_NAMES[row.objective]} does not apply: {row.note}"
    if row.optimum.proven:
        return ""
    ended = row.optimum.termination.value.replace("_", " ")
    why = f"{ended}: {row.optimum.message}" if row.optimum.message else ended
    return f"{_NAMES[row.objective]}, {_CLASSES[row.wanted]} is open ({why})"


def price_text(study: FairnessPrice) -> str:
    """Return a line an objective and class of schedules."""
    lines = [
        f"{name}, {wanted}: fair {fair}, best {best}, {status}, price {price}, {proof}"
        if best != MISSING
        else f"{name}, {wanted}: {status}"
        for name, wanted, fair, best, _, status, price, proof in price_cells(study)
    ]
    heading = f"FairnessPrice of {short_name(study.instance)}: {study.schedule.method or 'a schedule'}"
    return study_lines(f"{heading} against the best schedules", lines)


def price_html(study: FairnessPrice) -> str:
    """Return a table of the rows, and what is left to say of them."""
    title = f"{short_name(study.instance)}: the price of fairness"
    return fragment(title, table(PRICE_HEADINGS, price_cells(study), len(study)), *map(remark, price_notes(study)))
