"""Display of a comparison of fair policies: the cells of its tables, in a terminal, a notebook or on a page."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oas.core.formats import MISSING, show_count, show_percent, show_ratio, show_seconds, show_time
from oas.show.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from oas.plots.fair.charts import LedgerColumn, LedgerLine
    from oas.show.tables import Part
    from oas.studies.fair.fairness import Fairness, PolicyFairness
    from oas.studies.fair.figures import Mean

LEDGER_WORDS = """\
φ: what an organization contributes, its Shapley value under REF
ψ: what it gets, a unit of work counting for as long as it has been over

left: contributed but not received; REF keeps it as near to zero as it can
right: how much less than under REF it gets;
    without signs the ends add up to Δψ

all divided by p_tot, the units of work that are over at the horizon"""
UNITS = ((1.0, "s"), (60.0, "min"), (3600.0, "h"), (86400.0, "days"))


def in_order(fairness: Fairness) -> list[PolicyFairness]:
    """Return the rows: REF or what stands for it, then the fairest first, then those that went wrong."""

    def key(row: PolicyFairness) -> tuple[bool, bool, Fraction]:
        found = row.unfairness
        return row.policy != fairness.base, not row.sound, Fraction(0) if found is None else found.value

    return sorted(fairness.rows, key=key)


def policy_table(fairness: Fairness) -> Table:
    """Return a row a policy, red where something went wrong; times in seconds, or the instance's unit."""
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
                show_percent(value_of(row.mean(lambda one: one.utilisation))),
                in_time(fairness, value_of(row.mean(lambda one: one.mean_wait))),
                in_time(fairness, value_of(row.mean(lambda one: one.mean_flow))),
                show_ratio(value_of(row.mean(lambda one: one.jain))),
                show_ratio(value_of(row.mean(lambda one: one.worst_ratio))),
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
    noted = any(trial.note for row in fairness.rows for trial in row.trials)
    return table if noted else table.without("note")


def account_table(fairness: Fairness) -> Table:
    """Return a row an organization: what it owns, brings and gets, and what each policy gives it beyond REF.

    Shares are of all ψ together. φ − ψ and what is given are divided by p_tot; without their signs the latter add up to
    Δψ / p_tot of the policy.
    """
    accounts, gains = fairness.accounts, fairness.gains()
    names = [row.policy for row in in_order(fairness) if row.sound and row.policy != fairness.base]
    whole = sum((one.utility for one in accounts if one.utility is not None), 0)
    rows = [
        (
            one.name,
            f"{one.processors:,}",
            f"{one.jobs:,}",
            MISSING if one.contribution is None else show_percent(one.contribution / whole),
            MISSING if one.utility is None else show_percent(Fraction(one.utility, whole)),
            in_time(fairness, None if one.owed is None else one.owed / fairness.work, signed=True),
            *(in_time(fairness, gains[name][place], signed=True) for name in names),
        )
        for place, one in enumerate(accounts)
    ]
    headings = ("organization", "processors", "jobs", "φ,\nshare", "ψ,\nshare", "φ − ψ", *names)
    return Table(headings, rows, side=[*names, "jobs"])


def fairness_parts(fairness: Fairness) -> Iterator[Part]:
    """Yield the policies, the organizations, and the lines beneath the tables."""
    yield from (title_of(fairness), "", policy_table(fairness), "", account_table(fairness), "")
    yield from notes(fairness)


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


def in_time(fairness: Fairness, ticks: Fraction | None, *, signed: bool = False) -> str:
    """A time in seconds, or in the instance's unit: three digits, more before the point, fewer below 1/100."""
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
    """Return what times are in, for a sentence."""
    return "the instance's unit" if fairness.case.second is None else "seconds"


def size_of(fairness: Fairness) -> str:
    """Return jobs, organizations, processors and the horizon."""
    case = fairness.case
    jobs = f"{show_count(sum(case.released), 'job')} of {show_count(len(case.names), 'organization')}"
    until = show_time(Fraction(case.ticks.horizon, case.second or 1))
    return f"{jobs}, {show_count(case.ticks.total, 'processor')}, horizon {until}"


def title_of(fairness: Fairness) -> str:
    """Return the name of what the policies ran on, and its size."""
    return f"{fairness.case.title or 'fair sharing'}: {size_of(fairness)}"


def headline(fairness: Fairness) -> str:
    """Return what the distances are from."""
    if fairness.reference is not None:
        return "Δψ / p_tot: how far from REF, the exact fair schedule, in time for each unit of work"
    return f"no REF: {fairness.refused}; Δψ / p_tot is from {fairness.base or MISSING}, and says nothing of fairness"


def value_of(mean: Mean | None) -> Fraction | None:
    """Return the value of a mean, if there is one."""
    return None if mean is None else mean.value


def ledger_picture(fairness: Fairness, policies: Sequence[str] | None = None, *, heading: bool = True) -> Figure:
    """Return the ledgers of some policies, as `oas.studies.fair.references.ledger` has them.

    At the left φ − ψ of each organization, at the right how much less than REF the policy gives it. Of several runs the
    mean is drawn, and shaded from the least to the greatest at each moment.
    """
    from oas import plots
    from oas.plots.fair.charts import OWED
    from oas.studies.fair.references import ledger

    found = ledger(fairness, policies)
    base = found.owed[fairness.base]
    taken = {policy: layers - base for policy, layers in found.owed.items() if policy != fairness.base}
    titles = {
        policy: f"{policy}, mean of {len(layers)} runs; shaded: all" if len(layers) > 1 else policy
        for policy, layers in found.owed.items()
    }
    columns = [_column(fairness, OWED, ("is owed", "has had more"), found.names, found.owed, titles)]
    if taken:
        in_seconds = "" if fairness.case.second is None else " s"
        distances = {
            policy: f"from REF: Δψ / p_tot = {in_time(fairness, value_of(fairness.row(policy).unfairness))}{in_seconds}"
            for policy in taken
        }
        sides = ("gets less than under REF", "gets more")
        columns.append(_column(fairness, "ψ of REF − ψ", sides, found.names, taken, distances))
    divisor, unit = _readable(fairness, float(found.moments[-1]))
    return plots.ledger_figure(
        (found.moments / divisor).tolist(),
        columns,
        heading=title_of(fairness) if heading else "",
        unit=unit,
        words=LEDGER_WORDS,
    )


def _column(
    fairness: Fairness,
    label: str,
    sides: tuple[str, str],
    names: Sequence[str],
    ledgers: Mapping[str, NDArray[Any]],
    titles: Mapping[str, str],
) -> LedgerColumn:
    from oas.plots.fair.charts import LedgerColumn, LedgerLine

    divisor, unit = _readable(fairness, max(float(abs(layers).max()) for layers in ledgers.values()))

    def line(values: NDArray[Any]) -> LedgerLine:
        band = (values.min(axis=0).tolist(), values.max(axis=0).tolist()) if len(values) > 1 else ()
        return LedgerLine(values.mean(axis=0).tolist(), band)

    panels = {
        policy: (titles[policy], {name: line(layers[:, row] / divisor) for row, name in enumerate(names)})
        for policy, layers in ledgers.items()
    }
    return LedgerColumn(label, unit, panels, sides)


def _readable(fairness: Fairness, largest: float) -> tuple[float, str]:
    """Return the unit in which a time of a log is best read, in ticks, and its name; an instance's is its own."""
    if fairness.case.second is None:
        return 1.0, ""
    divisor, name = [one for one in UNITS if largest >= 2 * one[0] * fairness.case.second or one is UNITS[0]][-1]
    return divisor * fairness.case.second, name
