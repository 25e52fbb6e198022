"""HTML page and JSON document of `oas fair`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from oas.cli.output import attributes, ends_of, log_document
from oas.fair.fairness_tables import (
    account_table,
    headline,
    in_order,
    in_time,
    ledger_picture,
    notes,
    policy_table,
    size_of,
    unit_of,
    value_of,
)
from oas.fair.studies.fairness import Fairness, PolicyFairness
from oas.fair.studies.price import FairnessPrice, PriceRow
from oas.fair.studies.running import Trial
from oas.fair.ticks import SharedLog


def fair_document(fairness: Fairness, priced: FairnessPrice | None) -> dict[str, Any]:
    """Return the JSON document of a comparison, with the price of fairness if it was computed."""
    case = fairness.case
    return {
        "name": case.title,
        "instance": None if case.instance is None else case.instance.digest,
        "log": None if case.log is None else _log_document(case.log),
        "jobs": sum(case.released),
        "horizon": case.ticks.horizon,
        "ticks_per_second": case.second,
        "reference": fairness.reference is not None,
        "refused": fairness.refused,
        "second": fairness.recheck_violations,
        **attributes(fairness, "base", "work"),
        "organizations": [
            {"organization": row.name, **attributes(row, "processors", "jobs", "contribution", "utility", "owed")}
            for row in fairness.accounts
        ],
        "policies": [_row_document(row) for row in fairness.rows],
        "left": fairness.skipped,
        "interrupted": fairness.interrupted,
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
    optimum = row.optimum
    return {
        "objective": row.objective,
        "schedules": row.schedule_class,
        "reference": row.reference,
        "best": None if optimum is None else optimum.value,
        **{name: getattr(optimum, name, None) for name in ("bound", "status", "proof")},
        "price": ends_of(row.price),
        "note": row.note,
    }


_EXPLANATION = (
    "ψ: the utility that an organization receives; each completed unit of work counts for the time since its"
    " completion. φ: its contribution, the Shapley value of its processors and jobs in the utilities of all coalitions."
)


def fair_page(fairness: Fairness) -> str:
    """Return one self-contained HTML page with the tables and, with REF, the ledger."""
    from oas.campaigns.report.page import PageSection, page

    table = policy_table(fairness)
    policies = table if fairness.violated else table.without("note")
    introduction = [] if fairness.reference is not None else [headline(fairness)]
    sections = [
        PageSection("policies", "Policies", notes=introduction, table=policies, remarks=notes(fairness)),
        PageSection("organizations", "Organizations", table=account_table(fairness)),
    ]
    if fairness.reference is not None:
        figures = [("φ − ψ of each organization over time", ledger_picture(fairness, heading=False))]
        sections.append(PageSection("ledger", "Amount owed to each organization over time", figures=figures))
    return page(
        "Fairness by contribution",
        fairness.case.title or "Fair sharing",
        f"{size_of(fairness)}. {_EXPLANATION}",
        _tiles(fairness),
        sections,
    )


def _tiles(fairness: Fairness) -> list[tuple[str, str]]:
    rows = [row for row in in_order(fairness) if row.sound and row.policy != fairness.base]
    tiles = [
        (f"{len(fairness.accounts):,}", "organizations"),
        (f"{sum(fairness.case.released):,}", "jobs"),
        (in_time(fairness, Fraction(fairness.case.ticks.horizon)), f"horizon, in {unit_of(fairness)}"),
    ]
    ends = [("fairest", rows[0]), ("least fair", rows[-1])] if fairness.reference is not None and rows else []
    for position, row in ends:
        distance = in_time(fairness, value_of(row.unfairness))
        tiles.append((row.policy, f"the {position} here: {distance} for each unit of work from REF"))
    return tiles
