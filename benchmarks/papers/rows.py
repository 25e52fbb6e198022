"""Rows read from a ledger: the result of each method on each instance that a campaign declares.

A row knows the parameters its instance was drawn with, which the ledger's records do not: they come from the
campaign's sources. Two sources that give the same instance share its runs, and each has its rows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oas.bounds.mosp.paper import paper_bound
from oas.campaigns.plan import plan
from oas.core.metrics import compaction
from oas.core.result import Status
from oas.io.reading import loads
from oas.problems.coallocation.metrics import executed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.ledger import Ledger
    from oas.campaigns.record import Record


@dataclass(frozen=True)
class MospRow:
    """A method's makespan on an instance of section 7.

    Attributes
    ----------
    workload, organizations, jobs, processors, seed, local, pareto
        What the instance was drawn with, as `oas.generate.uni` has it.
    method
        Label in the campaign.
    makespan
        None if the method gave no schedule.
    bound
        LB = max(W / Σ m_k, p_max), by which the paper divides.
    optimum
        Proven, of the instance with locality; None where the campaign's exact method proved none.
    """

    workload: str
    organizations: int
    jobs: int
    processors: int
    seed: int
    local: str
    pareto: int | None
    method: str
    makespan: Fraction | None
    bound: Fraction
    optimum: Fraction | None

    @property
    def score(self) -> Fraction:
        """The paper's s(alg, I): makespan / LB."""
        assert self.makespan is not None
        return self.makespan / self.bound

    @property
    def true_ratio(self) -> Fraction | None:
        """Makespan / proven optimum; None where none is proven."""
        return None if self.optimum is None or self.makespan is None else self.makespan / self.optimum


@dataclass(frozen=True)
class OasRow:
    """A method's schedule of an instance of the OAS paper's section 4.

    Attributes
    ----------
    parameters
        What the instance was drawn with.
    method
        Label in the campaign.
    makespan, executed
        Of the slotted schedule, and of its execution without the grid, in seconds.
    compaction, executed_compaction
        Of both.
    optimal
        Whether the makespan is proven optimal.
    by_solver
        Whether a solver was needed: the combinatorial bounds alone did not close the instance.
    seconds
        Wall time the method took.
    """

    parameters: Mapping[str, Any]
    method: str
    makespan: Fraction
    executed: Fraction
    compaction: Fraction
    executed_compaction: Fraction
    optimal: bool
    by_solver: bool
    seconds: float


def mosp_rows(campaign: Campaign, ledger: Ledger) -> list[MospRow]:
    """Return the rows of the campaign's heuristics; what its exact method proved is in each."""
    rows = []
    for parameters, instance, records in _drawn(campaign, ledger, with_results=False):
        bound = paper_bound(instance)
        proven = [one.objective for one in records if one.kind == "exact" and one.status == Status.OPTIMAL.value]
        optimum = None if not proven or proven[0] is None else Fraction(proven[0])
        drawn = {"local": "HF", "pareto": None, **parameters}
        for record in records:
            if record.kind == "heuristic":
                makespan = None if record.objective is None else Fraction(record.objective)
                rows.append(MospRow(**drawn, method=record.method, makespan=makespan, bound=bound, optimum=optimum))
    return rows


def oas_rows(campaign: Campaign, ledger: Ledger) -> list[OasRow]:
    """Return a row for each run that left a schedule."""
    rows = []
    for parameters, instance, records in _drawn(campaign, ledger, with_results=True):
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


def _drawn(
    campaign: Campaign, ledger: Ledger, with_results: bool
) -> Iterator[tuple[dict[str, Any], Any, list[Record]]]:
    """Yield parameters, instance and records of each source, in the order of the campaign."""
    keys = {order.key: place for place, order in enumerate(plan(campaign, ledger))}
    by_digest: dict[str, list[Record]] = {}
    for record in ledger.records(keys.keys(), with_results=with_results):
        by_digest.setdefault(record.digest, []).append(record)
    for source in campaign.sources:
        stored = ledger.instance_from(source.fingerprint())
        assert stored is not None  # the plan has put it there
        records = sorted(by_digest.get(stored.digest, []), key=lambda record: keys[record.key])
        # The name of the generator is the workload of section 7.
        parameters = {**source.parameters, "workload": source.name} if stored.problem == "mosp" else source.parameters
        yield dict(parameters), loads(ledger.document(stored.digest), stored.name), records
