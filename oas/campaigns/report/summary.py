"""Statistics of each method of a campaign, as rows and tables, and the circumstances of its runs."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from math import fsum
from operator import attrgetter
from statistics import median
from typing import TYPE_CHECKING, Any

from oas.campaigns.report.frame import groups
from oas.core.formats import show_count
from oas.core.result import ProofKind
from oas.show.text_tables import MISSING, Table, percent, seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from fractions import Fraction

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.report.frame import Group, Run, Runs


@dataclass(frozen=True)
class Spread:
    """Count, mean, median and maximum of numbers, as floats for display; None if there are no numbers."""

    count: int
    mean: float | None = None
    median: float | None = None
    worst: float | None = None


@dataclass(frozen=True)
class MethodSummary:
    """Statistics of one method on one group of instances."""

    group: str  # name of the `oas.campaigns.report.frame.Group`
    method: str
    kind: str
    runs: int
    solved: int  # runs with a verified schedule
    proven: Mapping[str, int]  # runs that proved their schedule optimal, by kind of proof
    optimal: int  # runs whose makespan is the optimum that some run proved
    gap: Spread  # makespan / proven optimum − 1, over the runs on instances with a proven optimum
    bound_gap: Spread  # makespan / best proven bound − 1, over all runs with a bound; at least the gap
    gap_with_locality: Spread  # makespan / optimum *with* locality − 1, for methods that may violate locality
    seconds: Spread  # wall time without second opinions
    endings: Mapping[str, int]  # number of runs that did not finish with a schedule, by outcome


def summarise(runs: Runs) -> list[MethodSummary]:
    """Return a row for each group and method: exact methods first, then heuristics by their mean gap."""
    by_method: dict[tuple[str, str], list[Run]] = {}
    for run in runs.runs:
        by_method.setdefault((run.group, run.order.method.label), []).append(run)
    rows = [_method(group, method, group_runs) for (group, method), group_runs in by_method.items()]
    return sorted(rows, key=lambda row: (runs.groups.index(row.group), row.kind != "exact", _rank(row)))


def _method(group: str, method: str, group_runs: Sequence[Run]) -> MethodSummary:
    return MethodSummary(
        group=group,
        method=method,
        kind=group_runs[0].record.kind,
        runs=len(group_runs),
        solved=sum(run.objective is not None for run in group_runs),
        proven=Counter(run.record.proof for run in group_runs if run.proven),
        optimal=sum(run.gap == 0 for run in group_runs),
        gap=spread(run.gap for run in group_runs),
        bound_gap=spread(run.bound_gap for run in group_runs),
        gap_with_locality=spread(run.gap_with_locality for run in group_runs),
        seconds=spread(run.record.solve_seconds for run in group_runs),
        endings=Counter(run.outcome for run in group_runs if run.outcome != "finished"),
    )


def _rank(row: MethodSummary) -> tuple[float, float]:
    """Return the sort key of heuristics: best first, those without a gap last."""
    none = float("inf")
    return (none if row.gap.mean is None else row.gap.mean, none if row.bound_gap.mean is None else row.bound_gap.mean)


def spread(values: Iterable[Fraction | float | None]) -> Spread:
    """Return the statistics of the values that are not None."""
    known = [value for value in values if value is not None]
    if not known:
        return Spread(0)
    floats = [float(value) for value in known]
    return Spread(len(known), fsum(floats) / len(known), median(floats), max(floats))


GAP_REMARK = (
    "Gap: makespan / proven optimum − 1, over the n runs on instances whose optimum is proven. Above bound: makespan / "
    "best proven lower bound − 1 over all n runs with a bound; where no optimum is proven the bound may be weak, and "
    "the true gap is smaller."
)
_PROOFS = (
    (ProofKind.CERTIFICATE, "certificate", "re-checked in exact arithmetic without a solver"),
    (ProofKind.SOLVER, "claimed by two runs", "of solvers, without certificate"),
    (ProofKind.BRUTE_FORCE, "brute force", "every schedule was enumerated"),
)


def column(title: str, cell: Callable[[Any], Any], kind: str = "text", **more: Any) -> dict[str, Any]:
    """Return a column of a table; `cell` returns its value for a row.

    In text tables it has the title `heading`, if that is given. On the page, the reader can filter by columns of kind
    ``choice``, and an `optional` column without values is left out; further arguments are for the page's script.
    """
    return {"title": title, "kind": kind, "cell": cell, **more}


def method_columns(group: Group | None) -> list[dict[str, Any]]:
    """Return the columns of a table of `MethodSummary`; a group may add gaps to the optimum with locality."""
    proven, gap, bound = "proven optimal", "gap to the proven optimum", "above the best bound (may be weak)"
    optimal_hint = "runs whose makespan is the proven optimum, whoever proved it"
    columns = [
        column("method", attrgetter("method"), strong=True),
        column("runs", attrgetter("runs"), "number"),
        column("solved", attrgetter("solved"), "number", hint="with a schedule that the verifier accepts"),
        column("all", _proven(*ProofKind), "number", group=proven, heading="proven", hint="by the run itself"),
        *(
            column(title, _proven(kind), "number", group=proven, hint=hint, optional=True)
            for kind, title, hint in _PROOFS
        ),
        column("at optimum", attrgetter("optimal"), "number", hint=optimal_hint),
        column("n", attrgetter("gap.count"), "number", group=gap, hint="runs on instances with a proven optimum"),
        column("mean", attrgetter("gap.mean"), "percent", group=gap, heading="gap mean [%]"),
        column("median", attrgetter("gap.median"), "percent", group=gap),
        column("worst", attrgetter("gap.worst"), "percent", group=gap),
        column("n", attrgetter("bound_gap.count"), "number", group=bound, hint="runs on instances with a bound"),
        column("mean", attrgetter("bound_gap.mean"), "percent", group=bound, heading="above bound mean [%]"),
        column("median", attrgetter("bound_gap.median"), "percent", group=bound),
        column("worst", attrgetter("bound_gap.worst"), "percent", group=bound),
        column("mean", attrgetter("seconds.mean"), "seconds", group="seconds", heading="mean [s]"),
        column("median", attrgetter("seconds.median"), "seconds", group="seconds", heading="median [s]"),
        column("ended otherwise", _endings, wide=True),
    ]
    if group is not None and group.with_locality:
        mean = attrgetter("gap_with_locality.mean")
        heading = f"{group.with_locality}, mean [%]"
        columns += [
            column("n", attrgetter("gap_with_locality.count"), "number", group=group.with_locality),
            column("mean", mean, "percent", group=group.with_locality, heading=heading, hint=group.remark),
        ]
    return columns


def _proven(*kinds: ProofKind) -> Callable[[MethodSummary], int | None]:
    """Return a function that counts an exact method's optima with these kinds of proof; None for a heuristic."""
    return lambda row: sum(row.proven.get(kind, 0) for kind in kinds) if row.kind == "exact" else None


def _endings(row: MethodSummary) -> str:
    """Describe the outcomes of runs that did not finish with a schedule."""
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(row.endings.items())) or MISSING


def tables(rows: Sequence[MethodSummary]) -> Iterator[Table]:
    """Yield a table for each group."""
    formats: dict[str, Callable[[Any], str]] = {"percent": percent, "seconds": seconds}
    for name in dict.fromkeys(row.group for row in rows):
        group = groups()[name]
        columns = method_columns(group)
        cells = []
        for row in (row for row in rows if row.group == name):
            values = [(declared["kind"], declared["cell"](row)) for declared in columns]
            cells.append([MISSING if value is None else formats.get(kind, str)(value) for kind, value in values])
        headings = [declared.get("heading", declared["title"]) for declared in columns]
        yield Table(group.title, headings, cells, group.remark)


def notes(runs: Runs) -> list[str]:
    """Return notes on contradictions, missing runs and stale runs."""
    lines = [f"Contradiction: {contradiction}." for contradiction in runs.contradictions]
    if missing := sum(runs.missing.values()):
        lines.append(f"{missing:,} of {missing + len(runs.runs):,} runs are missing: {_counts(runs.missing)}.")
    if stale := sum(runs.stale.values()):
        lines.append(
            f"{stale:,} stale runs are left out, made by another version of the code or under other limits, parameters "
            f"or seeds: {_counts(runs.stale)}."
        )
    return lines


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


_GIB = 1 << 30


def facts(campaign: Campaign, runs: Runs) -> list[tuple[str, list[str]]]:
    """Return facts about a campaign as names with values, the most frequent value first."""
    records = [run.record for run in runs.runs]
    software = [item for record in records for item in json.loads(record.versions).items()]
    planned = show_count(len(records) + sum(runs.missing.values()), "run")
    entries = [
        ("asked for", [planned]),
        ("made", [f"{show_count(len(records), 'run')} on {show_count(len(runs.instances), 'instance')}"]),
        ("missing", _counted(runs.missing)),
        ("stale", _counted(runs.stale)),
        ("other rows of the ledger", [f"{runs.others:,}"] if runs.others else []),
        ("repetitions", [str(campaign.repetitions)]),
        ("runs by problem", _counted(Counter(groups()[run.group].title for run in runs.runs))),
        ("package", _often(f"oas-scheduling {record.package}" for record in records)),
        ("commit", _often(record.checkout or "not from a checkout" for record in records)),
        ("software", _often(f"{name} {version}" for name, version in software if name != "oas-scheduling")),
        ("solver threads", _often(str(record.threads) for record in records if record.kind == "exact")),
        ("machine", _often(_machine(record.host) for record in records)),
    ]
    if records:
        times, checks = [record.recorded for record in records], sum(record.check_seconds for record in records)
        entries += [
            ("recorded", [f"{min(times)} to {max(times)}"]),
            ("wall time of all runs", [f"{sum(record.solve_seconds for record in records):,.1f} s"]),
            ("second opinions, in addition", [f"{checks:,.1f} s"] if checks else []),
            ("most memory of a run", [f"{max(record.peak_memory or 0 for record in records) / _GIB:.2f} GiB"]),
        ]
    return [(name, values) for name, values in entries if values]


def _counted(counts: Mapping[str, int]) -> list[str]:
    return [f"{name}: {count:,}" for name, count in counts.items()]


def _often(values: Iterable[str]) -> list[str]:
    """Return each value, most frequent first, with its count if there are several."""
    counts = Counter(value for value in values if value)
    if len(counts) == 1:
        return list(counts)
    return [f"{value} ({show_count(count, 'run')})" for value, count in counts.most_common()]


def _machine(host: str) -> str:
    machine = json.loads(host)
    if not machine:
        return ""
    memory = f"{machine['memory'] / _GIB:.0f} GiB" if machine.get("memory") else "memory unknown"
    return f"{machine.get('node', '?')}: {machine.get('system', '?')}, {machine.get('cores', '?')} cores, {memory}"
