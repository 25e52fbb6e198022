"""Statistics of each method of a campaign, as rows and tables, and the circumstances of its runs."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from math import fsum
from statistics import median
from typing import TYPE_CHECKING

from oas.campaigns.report.frame import groups
from oas.campaigns.report.tables import Table, percent, seconds
from oas.core.formats import show_count
from oas.core.result import ProofKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from fractions import Fraction

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.report.frame import Run, Runs


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
    beside_gap: Spread  # makespan / optimum *with* locality − 1, for methods that may violate locality
    seconds: Spread  # wall time
    endings: Mapping[str, int]  # other runs than those that finished with a schedule, by outcome


def summarise(runs: Runs) -> list[MethodSummary]:
    """Return a row for each group and method: exact methods first, then heuristics by their mean gap."""
    by_method: dict[tuple[str, str], list[Run]] = {}
    for run in runs.runs:
        by_method.setdefault((run.group, run.order.method.label), []).append(run)
    rows = [_method(group, method, own) for (group, method), own in by_method.items()]
    return sorted(rows, key=lambda row: (runs.groups.index(row.group), row.kind != "exact", _rank(row)))


def _method(group: str, method: str, own: Sequence[Run]) -> MethodSummary:
    return MethodSummary(
        group=group,
        method=method,
        kind=own[0].record.kind,
        runs=len(own),
        solved=sum(run.objective is not None for run in own),
        proven=Counter(run.record.proof for run in own if run.proven),
        optimal=sum(run.gap == 0 for run in own),
        gap=spread(run.gap for run in own),
        bound_gap=spread(run.bound_gap for run in own),
        beside_gap=spread(run.beside_gap for run in own),
        seconds=spread(run.record.seconds for run in own),
        endings=Counter(run.outcome for run in own if run.outcome != "finished"),
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
_HEADER = (
    "method", "runs", "solved", "proven", "certificate", "solver's word", "brute force", "at optimum",
    "n", "gap mean [%]", "median", "worst", "n", "above bound mean [%]", "median", "worst",
    "mean [s]", "median [s]", "ended otherwise",
)  # fmt: skip
_PROOFS = (ProofKind.CERTIFICATE, ProofKind.SOLVER, ProofKind.BRUTE_FORCE)


def tables(rows: Sequence[MethodSummary]) -> list[Table]:
    """Return a table for each group."""
    group_tables = []
    for name in dict.fromkeys(row.group for row in rows):
        group = groups()[name]
        beside = ("n", f"{group.beside}, mean [%]") if group.beside else ()
        cells = [_cells(row, with_beside=bool(beside)) for row in rows if row.group == name]
        group_tables.append(Table(group.title, (*_HEADER, *beside), cells, group.remark))
    return group_tables


def _cells(row: MethodSummary, *, with_beside: bool) -> list[str]:
    exact = row.kind == "exact"
    cells = [row.method, str(row.runs), str(row.solved)]
    cells += [str(sum(row.proven.values()))] if exact else ["–"]
    cells += [str(row.proven.get(kind, 0)) if exact else "–" for kind in _PROOFS]
    cells += [str(row.optimal)]
    for one in (row.gap, row.bound_gap):
        cells += [str(one.count), *(percent(value) for value in (one.mean, one.median, one.worst))]
    cells += [seconds(row.seconds.mean), seconds(row.seconds.median), endings(row)]
    return cells + [str(row.beside_gap.count), percent(row.beside_gap.mean)] * with_beside


def endings(row: MethodSummary) -> str:
    """Describe the outcomes of runs that did not finish with a schedule."""
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(row.endings.items())) or "–"


def notes(runs: Runs) -> list[str]:
    """Return notes on contradictions, missing runs and stale runs."""
    found = [f"Contradiction: {one}." for one in runs.contradictions]
    if missing := sum(runs.missing.values()):
        found.append(f"{missing:,} of {missing + len(runs.runs):,} runs are missing: {_counts(runs.missing)}.")
    if stale := sum(runs.stale.values()):
        found.append(
            f"{stale:,} stale runs are left out, made by another version of the code or under other limits, parameters "
            f"or seeds: {_counts(runs.stale)}."
        )
    return found


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


_GIB = 1 << 30


def facts(campaign: Campaign, runs: Runs) -> list[tuple[str, list[str]]]:
    """Return facts about a campaign as names with values, the most frequent value first."""
    records = [run.record for run in runs.runs]
    asked = show_count(len(records) + sum(runs.missing.values()), "run")
    found = [
        ("asked for", [asked]),
        ("made", [f"{show_count(len(records), 'run')} on {show_count(len(runs.instances), 'instance')}"]),
        ("missing", _counted(runs.missing)),
        ("stale", _counted(runs.stale)),
        ("other rows of the ledger", [f"{runs.others:,}"] if runs.others else []),
        ("repetitions", [str(campaign.repetitions)]),
        ("runs by problem", _counted(Counter(groups()[run.group].title for run in runs.runs))),
        ("package", _often(f"oas-scheduling {one.package}" for one in records)),
        ("commit", _often(one.checkout or "not from a checkout" for one in records)),
        ("software", _often(name for one in records for name in _software(one.versions))),
        ("solver threads", _often(str(one.threads) for one in records if one.kind == "exact")),
        ("machine", _often(_machine(one.host) for one in records)),
    ]
    if records:
        found += [
            ("recorded", [f"{min(one.recorded for one in records)} to {max(one.recorded for one in records)}"]),
            ("wall time of all runs", [f"{sum(one.seconds for one in records):,.1f} s"]),
            ("most memory of a run", [f"{max(one.peak_memory or 0 for one in records) / _GIB:.2f} GiB"]),
        ]
    return [(name, values) for name, values in found if values]


def _counted(counts: Mapping[str, int]) -> list[str]:
    return [f"{name}: {count:,}" for name, count in counts.items()]


def _often(values: Iterable[str]) -> list[str]:
    """Return each value, most frequent first, with its count if there are several."""
    counts = Counter(value for value in values if value)
    if len(counts) == 1:
        return list(counts)
    return [f"{value} ({show_count(count, 'run')})" for value, count in counts.most_common()]


def _software(versions: str) -> list[str]:
    return [f"{name} {version}" for name, version in json.loads(versions).items() if name != "oas-scheduling"]


def _machine(host: str) -> str:
    found = json.loads(host)
    if not found:
        return ""
    memory = f"{found['memory'] / _GIB:.0f} GiB" if found.get("memory") else "memory unknown"
    return f"{found.get('node', '?')}: {found.get('system', '?')}, {found.get('cores', '?')} cores, {memory}"
