"""The formulations of co-allocation; the first of each solver family that accepts an instance is its default."""

from __future__ import annotations

from oas.coallocation.models import counts_cpsat, literal, phases, runs_exact, slots, start_indexed

FORMULATIONS = (
    start_indexed.FORMULATION,
    literal.FORMULATION,
    counts_cpsat.FORMULATION,
    runs_exact.FORMULATION,
    phases.FORMULATION,
    slots.FORMULATION,
)
