"""The rows kept for each instance of MOSP."""

from __future__ import annotations

from fractions import Fraction

from benchmarks.proof_rates.mosp.plans import Cell  # noqa: TC001  (msgspec evaluates the fields)
from benchmarks.proof_rates.shared.rows import BaseRow


class CertifiedRow(BaseRow, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A row that tells what exact arithmetic confirmed.

    `closed_by` is the name of the certified bound that meets the schedule, ``brute force``, or solver and formulation
    of the claims.

    Attributes
    ----------
    status
        Of the result of `oas.solve`; empty after an exception.
    confirmed
        The certified bound in ticks, as exact arithmetic confirmed it again, afterwards; None if it did not.
    """

    status: str
    confirmed: int | None

    @property
    def certified_gap(self) -> Fraction | None:
        """Makespan over the confirmed bound, less 1; None if there is none."""
        return None if self.own.upper is None or not self.confirmed else Fraction(self.own.upper, self.confirmed) - 1


class MospRow(CertifiedRow, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An instance of a cell.

    Attributes
    ----------
    heuristics
        Makespan of each heuristic that applies, in ticks; those that let an organization lose by it included.
    start
        The least makespan of those that keep the instance's locality, in ticks: where both searches start.
    paper
        LB = max(W / Σ m_k, p_max), by which the paper divides, in ticks, as text: a rational.
    found_by
        What the schedule of `oas.solve` was found by.
    """

    cell: Cell
    heuristics: dict[str, int]
    start: int
    paper: str
    found_by: str

    @property
    def paper_bound(self) -> Fraction:
        """LB in ticks, not rounded, as the paper divides by it."""
        return Fraction(self.paper)

    @property
    def easy(self) -> bool:
        """Whether the paper's bound, rounded up to a tick, meets ILBA's schedule: it needs no toolkit to be closed."""
        return "ILBA" in self.heuristics and -(-self.paper_bound // 1) == self.heuristics["ILBA"]
