"""The status of a campaign, computed from its ledger alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oas.core.result import Status, Termination

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.campaigns.ledger import Ledger
    from oas.campaigns.order import Order
    from oas.campaigns.record import Record

_FAILURES = {Termination.CRASHED, Termination.KILLED, Termination.ERROR, Termination.MEMORY_LIMIT}


@dataclass(frozen=True)
class MethodStatus:
    """Of one method.

    Attributes
    ----------
    method
        Its label.
    asked, done
        Runs that the campaign asks for, and those of them that are in the ledger.
    stale
        Runs of the method that are in the ledger but that the campaign does not ask for now: made by another version
        of this package or of the method's source, under other limits or parameters, or of an instance since dropped.
    failed
        Of the done ones, those that ended in an error, a death or at the memory limit, or left no schedule although
        they had time to.
    seconds
        Wall time of the done ones, added up.
    """

    method: str
    asked: int
    done: int
    stale: int
    failed: int
    seconds: float


def status(orders: Sequence[Order], ledger: Ledger) -> list[MethodStatus]:
    """Return where each method stands, in the order of the campaign, then methods that it no longer has."""
    asked = {order.key: order.method.label for order in orders}
    labels = list(dict.fromkeys(asked.values()))
    current: dict[str, list[Record]] = {label: [] for label in labels}
    stale: dict[str, int] = dict.fromkeys(labels, 0)
    for record in ledger.records():
        if record.key in asked:
            current[asked[record.key]].append(record)
        else:
            stale[record.method] = stale.get(record.method, 0) + 1
    counts = list(asked.values())
    return [
        MethodStatus(
            method=label,
            asked=counts.count(label),
            done=len(current.get(label, [])),
            stale=stale[label],
            failed=sum(map(failed, current.get(label, []))),
            seconds=sum(record.seconds for record in current.get(label, [])),
        )
        for label in stale
    ]


def failed(record: Record) -> bool:
    """Whether a run failed: limits of time are no failure, and neither is a method's word that it does not apply."""
    return record.termination in _FAILURES and record.status in (Status.NO_SOLUTION, Status.FEASIBLE)
