"""Rows of the OAS paper's experiments: each method's schedule of each instance, slotted and executed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.papers.experiment import drawn_instances
from oas.core.result import Status
from oas.core.schedule_metrics import compaction
from oas.problems.coallocation.metrics import executed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.ledger import Ledger


@dataclass(frozen=True)
class OasRow:
    """A method's schedule of an instance of the OAS paper's section 4.

    Attributes
    ----------
    parameters
        Parameters of the instance.
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
