"""What is published of an instance, in so far as it holds for MOSP, and what contradicts it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oas.core.errors import InputError

if TYPE_CHECKING:
    from benchmarks.external.catalogue import Entry, PublicSet
    from benchmarks.external.formats.packing import Packing
    from benchmarks.proof_rates.shared.answers import Answer


class Published(NamedTuple):
    """Bounds on the optimum of an instance of MOSP that rest on what is published.

    Attributes
    ----------
    lower
        No schedule is shorter.
    upper
        There is a schedule no longer than this; None where nothing is known.
    """

    lower: int
    upper: int | None

    @property
    def optimum(self) -> int | None:
        """The optimum, where the two meet."""
        return self.upper if self.lower == self.upper else None


def published(of: PublicSet, entry: Entry, packing: Packing) -> Published:
    """Return what holds of the instance on one cluster.

    Bins and machines are the same problem, so both bounds hold. A strip's height is only an upper bound: MOSP does not
    ask that a job's processors be neighbours, so it may need less. The area is a lower bound of all; it is the optimum
    where the items fill the strip without a gap.

    Raises
    ------
    InputError
        If a set is said to be perfect and its area is not the height.
    """
    area = packing.area_bound
    if of.perfect and packing.area != packing.processors * (entry.upper or 0):
        reason = f"a perfect packing of {packing.processors} × {entry.upper} has another area"
        raise InputError(reason, field=f"{of.name}/{entry.name}", value=packing.area)
    if entry.upper is not None and entry.upper < area:
        reason = f"the area alone needs {area}: what is published is of another instance"
        raise InputError(reason, field=f"{of.name}/{entry.name}", value=entry.upper)
    return Published(max(area, entry.lower or 0), entry.upper)


def for_organizations(known: Published, organizations: int) -> Published:
    """Return what holds with so many clusters of the same size.

    The schedules of k clusters, one after another, are one of a single cluster: so the optimum is at least a k-th of
    that of one cluster. What is at most is not known, for no organization may lose.
    """
    return Published(-(-known.lower // organizations), None)


def contradiction(known: Published, own: Answer, rival: Answer) -> str:
    """Return what of the answers cannot be true if what is published is; empty if all can."""
    faults = []
    for who, answer in (("oas.solve", own), ("CP-SAT", rival)):
        if answer.upper is not None and answer.upper < known.lower:
            faults.append(f"{who} has a verified schedule of {answer.upper}, published are at least {known.lower}")
        if known.upper is not None and answer.lower is not None and answer.lower > known.upper:
            faults.append(f"{who} proves at least {answer.lower}, published is a solution of {known.upper}")
    return "; ".join(faults)
