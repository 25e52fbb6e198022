"""The row kept for each instance of co-allocation."""

from __future__ import annotations

from benchmarks.proof_rates.coallocation.plans import Cell  # noqa: TC001  (msgspec evaluates the fields)
from benchmarks.proof_rates.shared.rows import BaseRow


class CoallocationRow(BaseRow, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An instance of a cell.

    `closed_by` is ``trivial bound``; the name of another certified bound; ``search``; ``model``; or ``brute force``.

    Attributes
    ----------
    trivial
        The better of area and longest job, in ticks.
    """

    cell: Cell
    trivial: int
