"""Leaves of the certificate's tree: weights of the jobs in their modes, and the makespan that they prove.

The certificate is ``{"tree": [node, …]}``, a tree over the jobs' levels in preorder: inner nodes
``{"job": j, "parts": [[level, …], …]}`` and leaves. `docs/api/certificates.rst` describes it and says why it proves its
bound; `oas.checker.coallocation_configurations` checks it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oas.bounds.coallocation.configurations.modes import Allowed, Modes
    from oas.bounds.coallocation.configurations.pricing import Weights


def leaf(weights: Weights, capacity: int) -> dict[str, object]:
    """Return a leaf: no set of jobs that can run together weighs more than `capacity`."""
    return {"weights": weights, "capacity": capacity}


def quotient(modes: Modes, allowed: Allowed, weights: Weights, capacity: int) -> Fraction:
    """Return Farley's bound in ticks: the weight that all jobs must work off, divided by the capacity of one tick."""
    if capacity == 0:
        return Fraction(0)
    work = sum(
        min(row[index].ticks * own[index] for index in kept)
        for row, own, kept in zip(modes, weights, allowed, strict=True)
    )
    return Fraction(work, capacity)
