"""Targets of a campaign: limits on a measure of a method's runs on some samples, and whether the runs meet them."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.campaigns.report.samples import interval_text
from oas.core.errors import InputError, unknown_name
from oas.core.numbers import exact
from oas.show.text_tables import MISSING, Table

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from oas.campaigns.declaration import TargetsTable
    from oas.campaigns.report.frame import Run, Runs

MEASURES = {
    "proven": "share proven optimal",
    "certified": "share proven by a certificate",
    "gap": "largest gap",
    "mean_gap": "mean gap",
    "certified_gap": "largest gap to the certified bound",
    "mean_certified_gap": "mean gap to the certified bound",
    "open": "most ticks between bound and schedule",
    "seconds": "longest time",
    "total_seconds": "total time",
}
"""Measures of a method's runs and their names in reports. A gap is makespan / lower bound − 1 of the same run."""
SHARES = ("proven", "certified")
PERCENTAGES = (*SHARES, "gap", "mean_gap", "certified_gap", "mean_certified_gap")


@dataclass(frozen=True)
class Target:
    """A requirement on a measure of a method's runs."""

    measure: str  # one of `MEASURES`
    method: str  # label of the method
    samples: tuple[str, ...] = ()  # patterns of names of samples, such as ``uni, n = *``; all samples if empty
    # at_least, at_most: a number, or the label of a method whose measure on the same samples is the limit
    at_least: Fraction | str | None = None
    at_most: Fraction | str | None = None

    def covers(self, sample: str) -> bool:
        """Return whether the target includes this sample."""
        return not self.samples or any(fnmatchcase(sample, pattern) for pattern in self.samples)


def target_of(table: TargetsTable, labels: Sequence[str], samples: Collection[str]) -> Target:
    """Return the target that a table declares.

    Raises `InputError` for an unknown measure or method, a pattern that matches no sample, or an invalid limit.
    """
    if table.measure not in MEASURES:
        raise unknown_name(table.measure, MEASURES, "measure")
    method = labels[0] if table.method is None else table.method
    if method not in labels:
        raise unknown_name(method, labels, "method", reason="there is no such method")
    patterns = [table.samples] if isinstance(table.samples, str) else table.samples
    for pattern in patterns:
        if not any(fnmatchcase(sample, pattern) for sample in samples):
            raise InputError("no sample has such a name", field="samples", value=pattern)
    limits = {name: _limit(getattr(table, name), labels, name) for name in ("at_least", "at_most")}
    return Target(table.measure, method, tuple(patterns), **limits)


def _limit(value: int | str | None, labels: Sequence[str], field: str) -> Fraction | str | None:
    """Read a limit: a number, a percentage such as ``92 %``, or the label of a method."""
    if value is None or value in labels:
        return value  # type: ignore[return-value] # an integer is no label
    text = str(value)
    number = exact(text.removesuffix("%").strip(), field)
    return number / 100 if text.endswith("%") else number


Value = Fraction | float | None


@dataclass(frozen=True)
class Judged:
    """A target and the measured value."""

    target: Target
    value: Value  # None if it is unknown, because a run has no bound or no schedule
    met: bool | None  # whether the value is within the limits; None for a target without limits
    runs: int  # number of finished runs
    planned: int  # number of planned runs
    interval: str = MISSING  # 95 % interval of a share, as text


def judge(target: Target, runs: Runs) -> Judged | None:
    """Evaluate a target; None if it has no finished run."""
    method_runs = _runs_of(target, target.method, runs)
    if not method_runs:
        return None
    value = measure(target.measure, method_runs, runs)
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
        len(method_runs),
        sum(
            number
            for (sample, method), number in runs.planned.items()
            if method == target.method and target.covers(sample)
        ),
        interval_text(_successes(target.measure, method_runs), len(method_runs))
        if target.measure in SHARES
        else MISSING,
    )


def _runs_of(target: Target, method: str, runs: Runs) -> list[Run]:
    return [run for run in runs.runs if run.order.method.label == method and target.covers(run.sample)]


def _successes(name: str, method_runs: Sequence[Run]) -> int:
    return sum(run.proven if name == "proven" else run.certified for run in method_runs)


def measure(name: str, method_runs: Sequence[Run], runs: Runs) -> Value:
    """Return one of `MEASURES` of some runs of a method; None if it is unknown for one of them."""
    if name in SHARES:
        return Fraction(_successes(name, method_runs), len(method_runs))
    if name == "seconds":
        return max(run.record.solve_seconds for run in method_runs)
    if name == "total_seconds":
        return sum(run.record.solve_seconds for run in method_runs)
    if name == "open":
        values = [runs.open_ticks(run) for run in method_runs]
    else:
        values = [run.certified_gap if "certified" in name else run.own_gap for run in method_runs]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    return sum(known, Fraction(0)) / len(known) if name.startswith("mean") else max(known)


def target_table(targets: Sequence[Target], runs: Runs) -> Table | None:
    """Return the table of targets; None if they have no finished runs."""
    judged = [row for row in (judge(target, runs) for target in targets) if row is not None]
    if not judged:
        return None
    header = ("samples", "method", "measure", "target", "figure", "95 % interval", "met", "runs")
    return Table("Targets", header, [_cells(row) for row in judged])


def _cells(row: Judged) -> tuple[str, ...]:
    target = row.target
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
        _text(target.measure, row.value),
        row.interval,
        MISSING if row.met is None else "yes" if row.met else "no",
        f"{row.runs} of {row.planned}",
    )


def _text(name: str, value: Value | str) -> str:
    if value is None or isinstance(value, str):
        return MISSING if value is None else f"that of {value}"
    if name in PERCENTAGES:
        return f"{100 * float(value):.2f} %"
    return f"{float(value):.1f} s" if name.endswith("seconds") else f"{float(value):g}"
