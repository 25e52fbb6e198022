"""Experiments of the papers: printed and reproduced statements, and rows of ledgers by method and instance."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oas.campaigns.plan import plan
from oas.coallocation.metrics import executed
from oas.core.errors import InputError
from oas.core.result import Status
from oas.core.schedule_metrics import compaction
from oas.io.reading import loads
from oas.mosp.bounds.simple import paper_bound

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

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
    agrees: bool  # whether the two agree: for numbers, within a tolerance that depends on the statement
    remark: str = ""  # why they differ, as far as known


def near(found: float, printed: float, tolerance: float = 0.05) -> bool:
    """Return whether `found` differs from `printed` by at most the share `tolerance` of it."""
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
    missing = len(keys) - sum(map(len, by_digest.values()))
    if missing:
        raise InputError(f"lacks {missing} of {len(keys)} runs; `oas bench run` makes them", file=str(ledger.path))
    for source in campaign.sources:
        stored = ledger.instance_from(source.fingerprint())
        if stored is None or stored.digest not in by_digest:
            continue
        records = sorted(by_digest[stored.digest], key=lambda record: keys[record.key])
        # The name of the generator is the workload of section 7.
        parameters = {**source.parameters, "workload": source.name} if stored.problem == "mosp" else source.parameters
        yield dict(parameters), loads(ledger.document(stored.digest), stored.name), records


@dataclass(frozen=True)
class OasRow:
    """A method's schedule of an instance of the OAS paper's section 4."""

    parameters: Mapping[str, Any]  # of the instance
    method: str  # Label in the campaign
    makespan: Fraction  # makespan, executed: of the slotted schedule, and of its execution without the grid, in seconds
    executed: Fraction
    compaction: Fraction  # compaction, executed_compaction: of both
    executed_compaction: Fraction
    optimal: bool  # Whether the makespan is proven optimal
    by_solver: bool  # Whether a solver was needed: the combinatorial bounds alone did not close the instance
    seconds: float  # Wall time the method took, without second opinions


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
                    record.solve_seconds,
                )
            )
    return rows


@dataclass(frozen=True)
class MospRow:
    """A method's makespan on an instance of the MOCCA paper's section 7."""

    # Parameters of the instance, as of `oas.generate.uni`; the workload is the generator's name
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

    @property
    def score(self) -> Fraction:
        """The paper's s(alg, I): makespan / LB."""
        assert self.makespan is not None
        return self.makespan / self.bound


def mosp_rows(campaign: Campaign, ledger: Ledger) -> list[MospRow]:
    """Return the rows of the campaign's heuristics."""
    rows = []
    for parameters, instance, records in drawn_instances(campaign, ledger, with_results=False):
        drawn = {"local": "HF", "pareto": None, **parameters, "bound": paper_bound(instance)}
        rows += [
            MospRow(**drawn, method=one.method, makespan=None if one.objective is None else Fraction(one.objective))
            for one in records
            if one.kind == "heuristic"
        ]
    return rows
