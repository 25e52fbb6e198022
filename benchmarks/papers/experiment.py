"""Experiments of the papers: statements, printed and found; rows from ledgers, of each method on each instance."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean
from typing import TYPE_CHECKING, Any

from oas.bounds.mosp.simple import paper_bound
from oas.campaigns.plan import plan
from oas.core.result import Status
from oas.core.schedule_metrics import compaction
from oas.io.reading import loads
from oas.problems.coallocation.metrics import executed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.ledger import Ledger
    from oas.campaigns.record import Record


@dataclass(frozen=True)
class Statement:
    """One checkable statement."""

    place: str  # section of the paper
    says: str  # the quantity or property
    printed: str  # printed, found: the numbers, or what was seen, in the same words
    found: str
    agrees: bool  # whether the two agree: for numbers, within the tolerance given by whoever made the statement
    remark: str = ""  # why they differ, as far as known


def near(found: float, printed: float, tolerance: float = 0.05) -> bool:
    """Whether `found` is within this share of `printed`."""
    return abs(found - printed) <= tolerance * abs(printed)


def table(statements: Iterable[Statement]) -> str:
    """Return the statements as a Markdown table."""
    lines = ["| section | what | printed | found | | remark |", "|---|---|---|---|---|---|"]
    for one in statements:
        verdict = "agrees" if one.agrees else "differs"
        lines.append(f"| {one.place} | {one.says} | {one.printed} | {one.found} | {verdict} | {one.remark} |")
    return "\n".join(lines)


def drawn_instances(
    campaign: Campaign, ledger: Ledger, with_results: bool
) -> Iterator[tuple[dict[str, Any], Any, list[Record]]]:
    """Yield parameters, instance and records of each source that has runs, in the order of the campaign.

    Two sources that give the same instance share its runs; each is yielded with its own parameters.
    """
    keys = {order.key: place for place, order in enumerate(plan(campaign, ledger))}
    by_digest: dict[str, list[Record]] = {}
    for record in ledger.records(keys.keys(), with_results=with_results):
        by_digest.setdefault(record.digest, []).append(record)
    for source in campaign.sources:
        stored = ledger.instance_from(source.fingerprint())
        if stored is None or stored.digest not in by_digest:
            continue
        records = sorted(by_digest[stored.digest], key=lambda record: keys[record.key])
        # The name of the generator is the workload of section 7.
        parameters = {**source.parameters, "workload": source.name} if stored.problem == "mosp" else source.parameters
        yield dict(parameters), loads(ledger.document(stored.digest), stored.name), records


# OAS


@dataclass(frozen=True)
class OasRow:
    """A method's schedule of an instance of the OAS paper's section 4."""

    parameters: Mapping[str, Any]  # Parameters of the instance
    method: str  # Label in the campaign
    makespan: Fraction  # makespan, executed: of the slotted schedule, and of its execution without the grid, in seconds
    executed: Fraction
    compaction: Fraction  # compaction, executed_compaction: of both
    executed_compaction: Fraction
    optimal: bool  # Whether the makespan is proven optimal
    by_solver: bool  # Whether a solver was needed: the combinatorial bounds alone did not close the instance
    seconds: float  # Wall time the method took


def oas_rows(campaign: Campaign, ledger: Ledger) -> list[OasRow]:
    """Return a row for each run that left a schedule."""
    rows = []
    for parameters, instance, records in drawn_instances(campaign, ledger, with_results=True):
        for record in records:
            result = record.unpacked()
            if result is None or result.schedule is None:
                continue
            run = executed(instance, result.schedule)
            rows.append(
                OasRow(
                    parameters,
                    record.method,
                    result.schedule.makespan,
                    run.makespan,
                    compaction(instance, result.schedule),
                    compaction(instance, run),
                    result.status is Status.OPTIMAL,
                    record.solver in json.loads(record.stages),
                    record.seconds,
                )
            )
    return rows


# MOCCA


@dataclass(frozen=True)
class MospRow:
    """A method's makespan on an instance of section 7."""

    # workload, organizations, jobs, processors, seed, local, pareto: parameters of the instance, as of
    # `oas.generate.uni`
    workload: str
    organizations: int
    jobs: int
    processors: int
    seed: int
    local: str
    pareto: int | None
    method: str  # Label in the campaign
    makespan: Fraction | None  # None if the method gave no schedule
    bound: Fraction  # LB = max(W / Σ m_k, p_max), by which the paper divides
    # Proven, of the instance with locality; None where the campaign's exact method proved none
    optimum: Fraction | None

    @property
    def score(self) -> Fraction:
        """The paper's s(alg, I): makespan / LB."""
        assert self.makespan is not None
        return self.makespan / self.bound

    @property
    def true_ratio(self) -> Fraction | None:
        """Makespan / proven optimum; None if none is proven."""
        return None if self.optimum is None or self.makespan is None else self.makespan / self.optimum


def mosp_rows(campaign: Campaign, ledger: Ledger) -> list[MospRow]:
    """Return the rows of the campaign's heuristics; what its exact method proved is in each."""
    rows = []
    for parameters, instance, records in drawn_instances(campaign, ledger, with_results=False):
        drawn = {"local": "HF", "pareto": None, **parameters, "bound": paper_bound(instance)}
        optima = [one.objective for one in records if one.kind == "exact" and one.status == Status.OPTIMAL.value]
        optimum = _number(optima[0]) if optima else None
        rows += [
            MospRow(**drawn, method=one.method, makespan=_number(one.objective), optimum=optimum)
            for one in records
            if one.kind == "heuristic"
        ]
    return rows


def _number(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text)


def optima_table(rows: Sequence[MospRow], label: Callable[[MospRow], str] = lambda row: row.method) -> str:
    """Return ratios to the paper's bound and to the proven optimum, by workload and method, as a Markdown table."""
    lines = [
        "Ratios to LB and to the optimum are means over the instances whose optimum is proven.",
        "",
        "| workload | method | instances | optimum proven | makespan / LB | makespan / optimum | worst | optimal |",
        "|---|---|---|---|---|---|---|---|",
    ]
    groups: dict[tuple[str, str], list[MospRow]] = {}
    for row in rows:
        groups.setdefault((row.workload, label(row)), []).append(row)
    for (workload, name), own in groups.items():
        proven = [row for row in own if row.true_ratio is not None]
        cells = [workload, name, str(len(own)), f"{100 * len(proven) / len(own):.0f} %", *_ratios(proven)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _ratios(proven: Sequence[MospRow]) -> list[str]:
    ratios = [row.true_ratio for row in proven if row.true_ratio is not None]
    if not ratios:
        return ["–"] * 4
    return [
        f"{fmean(float(row.score) for row in proven):.3f}",
        f"{fmean(map(float, ratios)):.3f}",
        f"{float(max(ratios)):.3f}",
        f"{100 * sum(ratio == 1 for ratio in ratios) / len(ratios):.0f} %",
    ]
