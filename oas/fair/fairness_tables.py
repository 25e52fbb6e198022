"""Display of a comparison of fair policies: tables, notes and ledgers."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oas.core.formats import MISSING, show_count, show_percent, show_ratio, show_seconds, show_time
from oas.show.tables import Table, log_counts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from oas.fair.plots.charts import LedgerColumn, LedgerLine
    from oas.fair.studies.fairness import Fairness, PolicyFairness
    from oas.fair.studies.figures import Mean
    from oas.show.tables import Part

LEDGER_EXPLANATION = """\
φ: contribution of an organization, its Shapley value under REF
ψ: its utility; a completed unit of work counts for the time since its completion

left: contributed but not received; REF keeps it as close to zero as possible
right: utility under REF minus utility under the policy;
    the absolute values at the end add up to Δψ

all divided by p_tot, the units of work completed by the horizon"""
UNITS = ((1.0, "s"), (60.0, "min"), (3600.0, "h"), (86400.0, "days"))


def in_order(fairness: Fairness) -> list[PolicyFairness]:
    """Return the base (REF or its substitute), then the sound policies by unfairness, then the failed ones."""

    def key(row: PolicyFairness) -> tuple[bool, bool, Fraction]:
        return row.policy != fairness.base, not row.sound, value_of(row.unfairness) or Fraction(0)

    return sorted(fairness.rows, key=key)


def policy_table(fairness: Fairness) -> Table:
    """Return one row per policy, red for a failed one; times in seconds, or in the instance's unit."""
    rows = []
    for row in in_order(fairness):
        distance = row.unfairness
        margin = None if distance is None or distance.margin is None else Fraction(distance.margin)
        rows.append(
            (
                row.policy,
                in_time(fairness, value_of(distance)),
                in_time(fairness, margin),
                f"{len(row.trials)}",
                show_percent(value_of(row.mean(lambda figures: figures.utilisation))),
                in_time(fairness, value_of(row.mean(lambda figures: figures.mean_wait))),
                in_time(fairness, value_of(row.mean(lambda figures: figures.mean_flow))),
                show_ratio(value_of(row.mean(lambda figures: figures.jain))),
                show_ratio(value_of(row.mean(lambda figures: figures.worst_ratio))),
                show_seconds(row.seconds),
                next((trial.note for trial in row.trials if trial.note), ""),
            )
        )
    table = Table(
        (
            *("policy", "Δψ / p_tot", "± 95 %", "runs", "utilisation", "mean\nwait", "mean\nflow"),
            *("Jain", "worst ρ", "time", "note"),
        ),
        rows,
        side=("time", "runs", "mean flow", "utilisation", "worst ρ", "Jain", "mean wait"),
        texts=("note",),
        styles=["" if row.sound else "red" for row in in_order(fairness)],
    )
    has_notes = any(trial.note for row in fairness.rows for trial in row.trials)
    return table if has_notes else table.without("note")


def account_table(fairness: Fairness) -> Table:
    """Return one row per organization: size, contribution φ, utility ψ, and the gain under each policy over REF.

    Shares are of the sum of all ψ. φ − ψ and the gains are divided by p_tot; the absolute gains add up to Δψ / p_tot of
    the policy.
    """
    gains = fairness.gains()
    names = [row.policy for row in in_order(fairness) if row.sound and row.policy != fairness.base]
    total = sum((account.utility for account in fairness.accounts if account.utility is not None), 0)
    rows = [
        (
            account.name,
            f"{account.processors:,}",
            f"{account.jobs:,}",
            MISSING if account.contribution is None else show_percent(account.contribution / total),
            MISSING if account.utility is None else show_percent(Fraction(account.utility, total)),
            in_time(fairness, None if account.owed is None else account.owed / fairness.work, signed=True),
            *(in_time(fairness, gains[name][index], signed=True) for name in names),
        )
        for index, account in enumerate(fairness.accounts)
    ]
    headings = ("organization", "processors", "jobs", "φ,\nshare", "ψ,\nshare", "φ − ψ", *names)
    return Table(headings, rows, side=[*names, "jobs"])


def fairness_parts(fairness: Fairness) -> Iterator[Part]:
    """Yield the title, the tables of policies and organizations, and the notes."""
    yield from (title_of(fairness), "", policy_table(fairness), "", account_table(fairness), "")
    yield from notes(fairness)


def notes(fairness: Fairness) -> list[str]:
    """Return the notes below the tables."""
    lines = [
        f"{row.policy}: {violation}"
        for row in fairness.rows
        for trial in row.trials
        for violation in trial.violations[:3]
    ]
    lines += [headline(fairness), *_verification_notes(fairness)]
    if any(len(row.trials) > 1 for row in fairness.rows):
        lines.append("several runs, with seeds 0, 1, …: their mean, and Student's 95 % interval of it")
    base = fairness.base or "the first"
    lines.append(f"below a policy's name: gain of the organization over {base}, divided by p_tot like φ − ψ")
    lines.append(f"times in {unit_of(fairness)}; waits and flow times of all jobs released by the horizon, up to it")
    if fairness.skipped:
        reason = "interrupted" if fairness.interrupted else "time limit"
        lines.append(f"some runs are missing ({reason}): {', '.join(fairness.skipped)}")
    return [*lines, *_log_notes(fairness)]


def _verification_notes(fairness: Fairness) -> Iterator[str]:
    if fairness.recheck_violations is None or fairness.reference is None:
        return
    certificate = fairness.reference.run.certificate
    values = show_count(len(certificate.values) - 1, "coalition")
    margins = show_count(len(certificate.decisions), "margin")
    if fairness.recheck_violations:
        yield from (
            f"a second algorithm contradicts REF: {contradiction}" for contradiction in fairness.recheck_violations
        )
    else:
        yield f"REF verified by a second algorithm: all starts, v of {values}, {margins} of decisions"


def _log_notes(fairness: Fairness) -> Iterator[str]:
    log = fairness.case.log
    if log is None:
        return
    stream = log.stream
    users = ", ".join(f"{name} {count}" for name, count in zip(log.names, log.users, strict=True))
    owners = "users" if log.stream.owner_fields == ("user",) else "owners"
    yield f"log: {stream.name}, {owners} by organization: {users}; load of the window {show_percent(log.load)}"
    if log.lacking is not None:
        yield f"log: no window of this length has a load of {show_percent(log.lacking)}; this is the busiest"
    yield from log_counts(skipped=stream.skipped, window=log.noted, kept=stream.noted)


def in_time(fairness: Fairness, ticks: Fraction | None, *, signed: bool = False) -> str:
    """Return a time in seconds, or in the instance's unit, with three significant digits (one below 1/100)."""
    if ticks is None:
        return MISSING
    value = float(ticks / (fairness.case.second or 1))
    if value == 0:
        return "0"
    sign, size = "+" if signed else "", abs(value)
    if size < 0.01:
        return f"{value:{sign}.1g}"
    return f"{value:{sign},.{2 if size < 10 else 1 if size < 100 else 0}f}"


def unit_of(fairness: Fairness) -> str:
    """Return the unit of times."""
    return "the instance's unit" if fairness.case.second is None else "seconds"


def size_of(fairness: Fairness) -> str:
    """Return the numbers of jobs, organizations and processors, and the horizon."""
    case = fairness.case
    jobs = f"{show_count(sum(case.released), 'job')} of {show_count(len(case.names), 'organization')}"
    until = show_time(Fraction(case.ticks.horizon, case.second or 1))
    return f"{jobs}, {show_count(case.ticks.total, 'processor')}, horizon {until}"


def title_of(fairness: Fairness) -> str:
    """Return name and size of the instance or log."""
    return f"{fairness.case.title or 'fair sharing'}: {size_of(fairness)}"


def headline(fairness: Fairness) -> str:
    """Return the definition of the distance Δψ / p_tot."""
    if fairness.reference is not None:
        return "Δψ / p_tot: distance from REF, the exact fair schedule, in time for each unit of work"
    base = fairness.base or MISSING
    return f"no REF: {fairness.refused}; Δψ / p_tot is the distance from {base}, which does not measure fairness"


def value_of(mean: Mean | None) -> Fraction | None:
    """Return the value of a mean; None without a mean."""
    return None if mean is None else mean.value


def ledger_picture(fairness: Fairness, policies: Sequence[str] | None = None, *, heading: bool = True) -> Figure:
    """Draw the ledgers of `policies` (default: those of `oas.fair.studies.references.ledger`).

    The left column shows φ − ψ of each organization, the right one its utility under REF minus that under the policy.
    For several runs, the mean is drawn, with a band from minimum to maximum.
    """
    from oas import plots
    from oas.fair.plots.charts import OWED
    from oas.fair.studies.references import ledger

    ledgers = ledger(fairness, policies)
    base = ledgers.owed[fairness.base]
    losses = {policy: layers - base for policy, layers in ledgers.owed.items() if policy != fairness.base}
    titles = {
        policy: f"{policy}, mean of {len(layers)} runs; shaded: all" if len(layers) > 1 else policy
        for policy, layers in ledgers.owed.items()
    }
    columns = [_column(fairness, OWED, ("is owed", "has had more"), ledgers.names, ledgers.owed, titles)]
    if losses:
        in_seconds = "" if fairness.case.second is None else " s"
        distances = {
            policy: f"from REF: Δψ / p_tot = {in_time(fairness, value_of(fairness.row(policy).unfairness))}{in_seconds}"
            for policy in losses
        }
        sides = ("gets less than under REF", "gets more")
        columns.append(_column(fairness, "ψ of REF − ψ", sides, ledgers.names, losses, distances))
    divisor, unit = _readable_unit(fairness, float(ledgers.moments[-1]))
    return plots.ledger_figure(
        (ledgers.moments / divisor).tolist(),
        columns,
        heading=title_of(fairness) if heading else "",
        unit=unit,
        words=LEDGER_EXPLANATION,
    )


def _column(
    fairness: Fairness,
    label: str,
    sides: tuple[str, str],
    names: Sequence[str],
    ledgers: Mapping[str, NDArray[Any]],
    titles: Mapping[str, str],
) -> LedgerColumn:
    from oas.fair.plots.charts import LedgerColumn, LedgerLine

    divisor, unit = _readable_unit(fairness, max(float(abs(layers).max()) for layers in ledgers.values()))

    def line(values: NDArray[Any]) -> LedgerLine:
        band = (values.min(axis=0).tolist(), values.max(axis=0).tolist()) if len(values) > 1 else ()
        return LedgerLine(values.mean(axis=0).tolist(), band)

    panels = {
        policy: (titles[policy], {name: line(layers[:, row] / divisor) for row, name in enumerate(names)})
        for policy, layers in ledgers.items()
    }
    return LedgerColumn(label, unit, panels, sides)


def _readable_unit(fairness: Fairness, largest: float) -> tuple[float, str]:
    """Return ticks and name of the largest unit that fits twice into `largest`; 1 tick for an instance."""
    if fairness.case.second is None:
        return 1.0, ""
    units = [(seconds * fairness.case.second, name) for seconds, name in UNITS]
    return max((unit for unit in units if largest >= 2 * unit[0]), default=units[0])
