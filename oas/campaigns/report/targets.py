"""The targets of a campaign, judged by its runs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.campaigns.report.samples import interval_text
from oas.campaigns.report.tables import MISSING, Table
from oas.campaigns.targets import MEASURES, PERCENTAGES, SHARES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.campaigns.report.frame import Run, Runs
    from oas.campaigns.targets import Target

Value = Fraction | float | None


@dataclass(frozen=True)
class Judged:
    """A target and the figure that the runs reach.

    Attributes
    ----------
    target
        The target.
    value
        The figure; None if it is not known, because a run has no bound or no schedule.
    met
        Whether the figure is within the limits; None for a target without limits.
    runs, asked
        Runs that were made and that are asked for.
    interval
        Of a share, its 95 % interval as text.
    """

    target: Target
    value: Value
    met: bool | None
    runs: int
    asked: int
    interval: str = MISSING


def judge(target: Target, runs: Runs) -> Judged | None:
    """Return how far the runs reach a target; None if no run of it was made."""
    own = _runs_of(target, target.method, runs)
    if not own:
        return None
    value = measure(target.measure, own, runs)
    checks = []
    for limit, sign in ((target.at_least, 1), (target.at_most, -1)):
        if isinstance(limit, str):
            others = _runs_of(target, limit, runs)
            reference = measure(target.measure, others, runs) if others else None
        else:
            reference = limit
        if limit is not None:
            checks.append(value is not None and reference is not None and sign * value >= sign * reference)
    return Judged(
        target,
        value,
        all(checks) if checks else None,
        len(own),
        sum(
            number
            for (sample, method), number in runs.asked.items()
            if method == target.method and target.covers(sample)
        ),
        interval_text(_successes(target.measure, own), len(own)) if target.measure in SHARES else MISSING,
    )


def _runs_of(target: Target, method: str, runs: Runs) -> list[Run]:
    return [run for run in runs.runs if run.order.method.label == method and target.covers(run.sample)]


def _successes(name: str, own: Sequence[Run]) -> int:
    return sum(run.proven if name == "proven" else run.certified for run in own)


def measure(name: str, own: Sequence[Run], runs: Runs) -> Value:
    """Return one of `MEASURES` of some runs of a method; None if a run lacks what is measured."""
    if name in SHARES:
        return Fraction(_successes(name, own), len(own))
    if name == "seconds":
        return max(run.record.seconds for run in own)
    if name == "total_seconds":
        return sum(run.record.seconds for run in own)
    if name == "open":
        values = [runs.open_ticks(run) for run in own]
    else:
        values = [run.certified_gap if "certified" in name else run.own_gap for run in own]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    return sum(known, Fraction(0)) / len(known) if name.startswith("mean") else max(known)


def target_table(targets: Sequence[Target], runs: Runs) -> Table | None:
    """Return the table of targets; None if no run of any of them was made."""
    judged = [one for one in (judge(target, runs) for target in targets) if one is not None]
    if not judged:
        return None
    header = ("samples", "method", "measure", "target", "figure", "95 % interval", "met", "runs")
    return Table("Targets", header, [_cells(one) for one in judged])


def _cells(one: Judged) -> tuple[str, ...]:
    target = one.target
    limits = [
        f"{word} {_text(target.measure, limit)}"
        for word, limit in (("at least", target.at_least), ("at most", target.at_most))
        if limit is not None
    ]
    return (
        ", ".join(target.samples) or "all",
        target.method,
        MEASURES[target.measure],
        " and ".join(limits) or MISSING,
        _text(target.measure, one.value),
        one.interval,
        MISSING if one.met is None else "yes" if one.met else "no",
        f"{one.runs} of {one.asked}",
    )


def _text(name: str, value: Value | str) -> str:
    if value is None or isinstance(value, str):
        return MISSING if value is None else f"that of {value}"
    if name in PERCENTAGES:
        return f"{100 * float(value):.2f} %"
    return f"{float(value):.1f} s" if name.endswith("seconds") else f"{float(value):g}"
