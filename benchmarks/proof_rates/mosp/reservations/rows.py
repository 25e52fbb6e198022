"""The row kept for each instance of one cluster with reservations."""

from __future__ import annotations

from benchmarks.proof_rates.mosp.reservations.plans import Cell  # noqa: TC001  (msgspec evaluates the fields)
from benchmarks.proof_rates.mosp.rows import CertifiedRow


class ReservationRow(CertifiedRow, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An instance of a cell; where CP-SAT is left out, its answer has neither bound nor schedule.

    Attributes
    ----------
    rival_proof
        The kind of proof of CP-SAT's result; a certificate where heuristics and quick bounds, which run before the
        model, had met already. Empty without a result.
    """

    cell: Cell
    rival_proof: str
