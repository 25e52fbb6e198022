"""What `oas fair --json` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.core.verifier import Violation
    from oas.io.logs.sharing import SharedLog
    from oas.studies.fair.fairness import Fairness, PolicyFairness
    from oas.studies.fair.price import FairnessPrice, PriceRow
    from oas.studies.fair.running import Trial


def fair_document(fairness: Fairness, priced: FairnessPrice | None) -> dict[str, Any]:
    """Return a comparison, and the price of fairness where it was asked for, as plain data."""
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
        "second": None if fairness.second is None else [_violation(one) for one in fairness.second],
        "base": fairness.base,
        "work": fairness.work,
        "organizations": [
            {
                "organization": one.name,
                "processors": one.processors,
                "jobs": one.jobs,
                "contribution": _text(one.contribution),
                "utility": one.utility,
                "owed": _text(one.owed),
            }
            for one in fairness.accounts
        ],
        "policies": [_row_document(row) for row in fairness.rows],
        "left": list(fairness.left),
        "interrupted": fairness.interrupted,
        **({} if priced is None else {"price": [_price_document(row) for row in priced]}),
        "seconds": fairness.seconds,
    }


def _log_document(log: SharedLog) -> dict[str, Any]:
    stream = log.stream
    return {
        "name": stream.name,
        "sha256": stream.sha256,
        "format": stream.format,
        "acknowledgement": stream.acknowledgement,
        "jobs": len(stream),
        "skipped": dict(stream.skipped),
        "noted": {**stream.noted, **log.noted},
        "since": log.since,
        "load": str(log.load),
        "lacking_load": None if log.lacking is None else str(log.lacking),
        "users": dict(zip(log.names, log.users, strict=True)),
    }


def _row_document(row: PolicyFairness) -> dict[str, Any]:
    distance = row.unfairness
    return {
        "policy": row.policy,
        "unfairness": None if distance is None else str(distance.value),
        "margin": None if distance is None else distance.margin,
        "runs": [_trial_document(trial) for trial in row.trials],
    }


def _trial_document(trial: Trial) -> dict[str, Any]:
    figures = trial.figures
    document: dict[str, Any] = {
        "seed": trial.seed,
        "seconds": trial.seconds,
        "unfairness": _text(trial.unfairness),
        "violations": [_violation(one) for one in trial.violations],
        "note": trial.note,
    }
    if figures is None:
        return document
    return {
        **document,
        "utilities": list(figures.utilities),
        "work": list(figures.work),
        "utilisation": str(figures.utilisation),
        "mean_wait": str(figures.mean_wait),
        "mean_flow": str(figures.mean_flow),
        "jain": figures.jain,
        "finish_ratio": [_text(one) for one in figures.finish_ratio],
    }


def _violation(one: Violation) -> dict[str, str]:
    return {"rule": one.rule, "message": one.message}


def _price_document(row: PriceRow) -> dict[str, Any]:
    found, price = row.optimum, row.price
    return {
        "objective": str(row.objective),
        "schedules": str(row.wanted),
        "reference": row.reference,
        "best": None if found is None else found.value,
        "bound": None if found is None else found.bound,
        "status": None if found is None else str(found.status),
        "proof": None if found is None else str(found.proof),
        "price": None if price is None else [str(price.low), str(price.high)],
        "note": row.note,
    }


def _text(value: Fraction | None) -> str | None:
    return None if value is None else str(value)
