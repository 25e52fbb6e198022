"""The tables and the page of `oas fair`, and what it prints as JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rich.text import Text

from oas.cli.output import attributes, ends_of
from oas.cli.tables.fitted_table import FittedTable
from oas.cli.tables.tables import log_document
from oas.core.formats import show_count, show_percent
from oas.show.fair_instances import PRICE_HEADINGS, price_cells
from oas.show.fairness import (
    ACCOUNT_HEADINGS,
    POLICY_HEADINGS,
    account_cells,
    gainers,
    headline,
    in_order,
    in_time,
    ledger_picture,
    policy_cells,
    size_of,
    unit_of,
    value_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oas.io.logs.sharing import SharedLog
    from oas.studies.fair.fairness import Fairness, PolicyFairness
    from oas.studies.fair.price import FairnessPrice, PriceRow
    from oas.studies.fair.running import Trial


def policy_table(fairness: Fairness) -> FittedTable:
    """Return a row a policy; red where something went wrong."""
    first, *figures, note = POLICY_HEADINGS
    table = FittedTable(first, side=("time", "runs", "mean flow", "utilisation", "worst ρ", "Jain", "mean wait"))
    table.add_figures(*(heading.replace("mean ", "mean\n") for heading in figures))
    if any(trial.note for row in fairness.rows for trial in row.trials):
        table.add_texts(note)
    for row, cells in zip(in_order(fairness), policy_cells(fairness), strict=True):
        table.add_row(*map(Text, cells[: len(table.columns)]), style=None if row.sound else "red")
    return table


def account_table(fairness: Fairness) -> FittedTable:
    """Return a row an organization: what it owns, brings and gets, and what each policy gives it beyond REF."""
    first, *figures = ACCOUNT_HEADINGS
    names = [row.policy for row in gainers(fairness)]
    table = FittedTable(first, side=[*names, "jobs"])
    table.add_figures(*(heading.replace(", ", ",\n") for heading in figures), *names)
    for cells in account_cells(fairness):
        table.add_row(*map(Text, cells))
    return table


def notes(fairness: Fairness) -> list[str]:
    """Return the lines beneath the tables."""
    found = [f"{row.policy}: {one}" for row in fairness.rows for trial in row.trials for one in trial.violations[:3]]
    found += [headline(fairness), *_second(fairness)]
    if any(len(row.trials) > 1 for row in fairness.rows):
        found.append("several runs, with seeds 0, 1, …: their mean, and Student's 95 % interval of it")
    base = fairness.base or "the first"
    found.append(f"under a policy's name: what it gives the organization beyond {base}, as φ − ψ divided by p_tot")
    found.append(f"times in {unit_of(fairness)}; waits and flows of all jobs released by the horizon, up to it")
    if fairness.left:
        why = "interrupted" if fairness.interrupted else "for want of time"
        found.append(f"not all runs were made ({why}): {', '.join(fairness.left)}")
    return [*found, *_of_log(fairness)]


def _second(fairness: Fairness) -> Iterator[str]:
    """What the second algorithm says of REF."""
    if fairness.second is None or fairness.reference is None:
        return
    certificate = fairness.reference.run.certificate
    values = show_count(len(certificate.values) - 1, "coalition")
    margins = show_count(len(certificate.decisions), "margin")
    if fairness.second:
        yield from (f"a second algorithm contradicts REF: {one}" for one in fairness.second)
    else:
        yield f"REF verified by a second algorithm: all starts, v of {values}, {margins} of decisions"


def _of_log(fairness: Fairness) -> Iterator[str]:
    log = fairness.case.log
    if log is None:
        return
    stream = log.stream
    users = ", ".join(f"{name} {count}" for name, count in zip(log.names, log.users, strict=True))
    yield f"log: {stream.name}, users by organization: {users}; load of the window {show_percent(log.load)}"
    if log.lacking is not None:
        yield f"log: no window of this length has a load of {show_percent(log.lacking)}; this is the busiest"
    for what, counts in (("skipped", stream.skipped), ("window", log.noted), ("kept", stream.noted)):
        if counts:
            yield f"log: {what}: {_counts(counts)}"


def _counts(counts: Mapping[str, int]) -> str:
    return "; ".join(f"{reason}: {number:,}" for reason, number in counts.items())


def fairness_price_table(study: FairnessPrice) -> FittedTable:
    """Return one row for each objective and class of schedules; `price_notes` says what it leaves open."""
    first, schedules, *figures, proof = PRICE_HEADINGS
    table = FittedTable(first, side=(proof, "status", "bound"))
    table.add_names(schedules)
    table.add_figures(*figures)
    table.add_texts(proof)
    for cells in price_cells(study):
        table.add_row(*cells)
    return table


def fair_document(fairness: Fairness, priced: FairnessPrice | None) -> dict[str, Any]:
    """Return a comparison, and the price of fairness where it was asked for, as fields of JSON."""
    case = fairness.case
    return {
        "name": case.title,
        "instance": None if case.instance is None else case.instance.digest,
        "log": None if case.log is None else _log_document(case.log),
        "jobs": sum(case.released),
        "horizon": case.ticks.horizon,
        "ticks_per_second": case.second,
        "reference": fairness.reference is not None,
        **attributes(fairness, "refused", "second", "base", "work"),
        "organizations": [
            {"organization": one.name, **attributes(one, "processors", "jobs", "contribution", "utility", "owed")}
            for one in fairness.accounts
        ],
        "policies": [_row_document(row) for row in fairness.rows],
        **attributes(fairness, "left", "interrupted"),
        **({} if priced is None else {"price": [_price_document(row) for row in priced]}),
        "seconds": fairness.seconds,
    }


def _log_document(log: SharedLog) -> dict[str, Any]:
    stream = log.stream
    return {
        **log_document(stream, len(stream)),
        "noted": {**stream.noted, **log.noted},
        **attributes(log, "since", "load"),
        "lacking_load": log.lacking,
        "users": dict(zip(log.names, log.users, strict=True)),
    }


def _row_document(row: PolicyFairness) -> dict[str, Any]:
    distance = row.unfairness
    return {
        "policy": row.policy,
        "unfairness": None if distance is None else distance.value,
        "margin": None if distance is None else distance.margin,
        "runs": [_trial_document(trial) for trial in row.trials],
    }


def _trial_document(trial: Trial) -> dict[str, Any]:
    document = attributes(trial, "seed", "seconds", "unfairness", "violations", "note")
    if trial.figures is None:
        return document
    figures = ("utilities", "work", "utilisation", "mean_wait", "mean_flow", "jain", "finish_ratio")
    return {**document, **attributes(trial.figures, *figures)}


def _price_document(row: PriceRow) -> dict[str, Any]:
    found = row.optimum
    return {
        "objective": row.objective,
        "schedules": row.wanted,
        "reference": row.reference,
        "best": None if found is None else found.value,
        **{name: None if found is None else getattr(found, name) for name in ("bound", "status", "proof")},
        "price": ends_of(row.price),
        "note": row.note,
    }


_WORDS = """\
ψ: what an organization gets, the utility of its jobs: each unit of work that is over counts for as long as it has been
over. φ: what it contributes, its Shapley value: by how much its processors and jobs change what all coalitions get."""


def fair_page(fairness: Fairness) -> str:
    """Return the tables and, with REF, the ledger as one HTML page that loads nothing."""
    from oas.campaigns.report.page import PageSection, PageTable, still_page

    wrong = [place for place, row in enumerate(in_order(fairness)) if not row.sound]
    shown = len(POLICY_HEADINGS) - (not fairness.violated)  # the last column says what went wrong
    cells = [one[:shown] for one in policy_cells(fairness)]
    policies = PageTable(POLICY_HEADINGS[:shown], cells, words=(0, len(POLICY_HEADINGS) - 1), alarms=wrong)
    headings = (*ACCOUNT_HEADINGS, *(row.policy for row in gainers(fairness)))
    accounts = PageTable(headings, list(account_cells(fairness)))
    told = [] if fairness.reference is not None else [headline(fairness)]
    sections = [
        PageSection("policies", "Policies", notes=told, table=policies, remarks=notes(fairness)),
        PageSection("organizations", "Organizations", table=accounts),
    ]
    if fairness.reference is not None:
        figures = [("φ − ψ of each organization over time", ledger_picture(fairness, heading=False))]
        sections.append(PageSection("ledger", "What each organization is owed, over time", figures=figures))
    return still_page(
        "Fairness by contribution",
        fairness.case.title or "Fair sharing",
        f"{size_of(fairness)}. {_WORDS}".replace("\n", " "),
        _tiles(fairness),
        sections,
    )


def _tiles(fairness: Fairness) -> list[tuple[str, str]]:
    rows = [row for row in in_order(fairness) if row.sound and row.policy != fairness.base]
    found = [
        (f"{len(fairness.accounts):,}", "organizations"),
        (f"{sum(fairness.case.released):,}", "jobs"),
        (in_time(fairness, Fraction(fairness.case.ticks.horizon)), f"horizon, in {unit_of(fairness)}"),
    ]
    ends = [("fairest", rows[0]), ("least fair", rows[-1])] if fairness.reference is not None and rows else []
    for what, row in ends:
        distance = row.unfairness
        shown = in_time(fairness, value_of(distance))
        found.append((row.policy, f"the {what} here: {shown} for each unit of work from REF"))
    return found
