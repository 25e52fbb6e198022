"""The row kept for each instance whose saturated links slow jobs down."""

from __future__ import annotations

from fractions import Fraction

from benchmarks.proof_rates.coallocation.saturation.plans import Cell  # noqa: TC001  (msgspec evaluates the fields)
from benchmarks.proof_rates.shared.rows import BaseRow


class SaturationRow(BaseRow, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An instance of a cell; there is no rival, and its answer has neither bound nor schedule.

    Without slots there are no ticks under this policy. Bounds and makespans are whole numbers all the same: of the
    longest unit of time of which all those of this row are multiples.

    Attributes
    ----------
    unit
        That unit in seconds, as a fraction; with slots η.
    confirmed
        The bound that exact arithmetic confirmed again after the solve, in that unit; None for none.
    """

    cell: Cell
    unit: str
    confirmed: int | None

    @property
    def certified_gap(self) -> Fraction | None:
        """Makespan / confirmed bound - 1; None if either is missing."""
        if not self.confirmed or self.own.upper is None:
            return None
        return Fraction(self.own.upper, self.confirmed) - 1
