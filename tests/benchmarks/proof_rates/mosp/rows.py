"""Rows made by hand, for what is done with rows."""

from __future__ import annotations

import msgspec

from benchmarks.proof_rates.mosp.plans import Cell
from benchmarks.proof_rates.mosp.rows import MospRow
from tests.benchmarks.proof_rates.coallocation.rows import answer

ROW = MospRow(
    plan="uni",
    cell=Cell(),
    seed=100,
    digest="0" * 64,
    own=answer(40, 40),
    rival=answer(40, 40, seconds=2.0),
    proof="certificate",
    bound="configurations",
    claims=[],
    closed_by="configurations",
    combinatorial=38,
    rechecked=True,
    recheck_seconds=0.125,
    stages={"start": 0.25, "search": 0.5},
    steps=[(0.0, None, None), (0.75, 40, 40)],
    mismatch="",
    load=0.5,
    versions={"python": "3.11", "cpsat": "9.15"},
    machine="a machine, 2 CPUs",
    commit="1" * 40,
    source="a-b",
    recorded="2026-01-01T00:00:00+00:00",
    status="optimal",
    heuristics={"local": 80, "MOCCA-7": 60, "ILBA": 44},
    start=44,
    paper="75/2",
    confirmed=40,
    found_by="ruin and recreate",
)


def row(cell: Cell, seed: int = 100, **changes: object) -> MospRow:
    """Return a proven row of this cell, with changes."""
    return msgspec.structs.replace(ROW, **{"cell": cell, "seed": seed, **changes})


def open_row(cell: Cell, seed: int = 100, lower: int = 40, upper: int = 44, **changes: object) -> MospRow:
    """Return a row that ran out of time."""
    own = answer(lower, upper, cell.seconds)
    return row(cell, seed, **{"own": own, "closed_by": "", "status": "feasible", "confirmed": lower, **changes})
