"""Rows made by hand, for what is done with rows."""

from __future__ import annotations

import msgspec

from benchmarks.proof_rates.mosp.reservations.plans import Cell
from benchmarks.proof_rates.mosp.reservations.rows import ReservationRow
from tests.benchmarks.proof_rates.coallocation.rows import answer
from tests.benchmarks.proof_rates.mosp.rows import ROW as MOSP_ROW

_SHARED = {
    name: value for name, value in msgspec.structs.asdict(MOSP_ROW).items() if name in ReservationRow.__struct_fields__
}
ROW = ReservationRow(**{**_SHARED, "plan": "random", "cell": Cell(), "rival_proof": "solver"})


def row(cell: Cell, seed: int = 0, **changes: object) -> ReservationRow:
    """Return a row of this cell, proven by a certificate, with changes."""
    return msgspec.structs.replace(ROW, **{"cell": cell, "seed": seed, **changes})


def open_row(cell: Cell, seed: int = 0, lower: int = 40, upper: int = 44, **changes: object) -> ReservationRow:
    """Return a row that ran out of time."""
    own = answer(lower, upper, cell.seconds)
    return row(cell, seed, **{"own": own, "closed_by": "", "status": "feasible", "confirmed": lower, **changes})
