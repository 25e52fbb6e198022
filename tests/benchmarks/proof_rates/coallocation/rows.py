"""Rows made by hand, for what is done with rows."""

from __future__ import annotations

import msgspec

from benchmarks.proof_rates.coallocation.plans import PLANS, Cell
from benchmarks.proof_rates.coallocation.rows import CoallocationRow
from benchmarks.proof_rates.shared.answers import Answer


def answer(lower: int | None = 30, upper: int | None = 30, seconds: float = 1.0, termination: str = "") -> Answer:
    """Return an answer, that of a solve which ran to its end where bound and makespan meet."""
    ended = termination or ("finished" if lower == upper else "time_limit")
    return Answer(termination=ended, lower=lower, upper=upper, seconds=seconds)


ROW = CoallocationRow(
    plan="eight",
    cell=Cell(jobs=8, percent="50"),
    seed=0,
    digest="0" * 64,
    own=answer(),
    rival=answer(seconds=2.0),
    proof="certificate",
    bound="configurations",
    claims=[],
    closed_by="configurations",
    trivial=25,
    combinatorial=28,
    rechecked=True,
    recheck_seconds=0.125,
    stages={"start": 0.25, "search": 0.5},
    steps=[(0.0, None, None), (0.25, 28, 31), (0.75, 30, 30)],
    mismatch="",
    load=0.5,
    versions={"python": "3.11", "cpsat": "9.15"},
    machine="a machine, 2 CPUs",
    commit="1" * 40,
    source="a-b",
    recorded="2026-01-01T00:00:00+00:00",
)


def row(cell: Cell, seed: int = 0, **changes: object) -> CoallocationRow:
    """Return a proven row of this cell, of the first plan that has it, with changes."""
    found = next((name for name, plan in PLANS.items() if cell in plan.cells), "growth")
    return msgspec.structs.replace(ROW, **{"plan": found, "cell": cell, "seed": seed, **changes})


def open_row(cell: Cell, seed: int = 0, lower: int = 30, upper: int = 33, **changes: object) -> CoallocationRow:
    """Return a row that ran out of time."""
    return row(cell, seed, own=answer(lower, upper, cell.seconds), proof="certificate", closed_by="", **changes)
