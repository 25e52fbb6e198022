"""Leaves of the certificate's tree: weights of the jobs, and the makespan that they prove.

The certificate is ``{"tree": [node, …]}``, a tree over the jobs' options and the order of starts and ends, in preorder:
inner nodes ``{"job": j, "parts": [[option, …], …]}`` and ``{"before": [event, event]}``, and leaves.
`docs/api/certificates.rst` describes it and says why it proves its bound; `oas.checker.coallocation_shared_links`
checks it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple


class Leaf(NamedTuple):
    """Weights w and u of the jobs, and the greatest weight W of a configuration, as in the certificate."""

    weights: list[int]
    slots: list[int]
    capacity: int


def quotient(leaf: Leaf) -> Fraction:
    """Return the makespan that the weights prove, in slots or units of time."""
    return Fraction(sum(leaf.weights) + sum(leaf.slots), leaf.capacity) if leaf.capacity else Fraction(0)


def written(leaf: Leaf) -> dict[str, object]:
    """Return a leaf as it stands in a certificate: its numbers, which may be long, as texts of their digits."""
    weights, slots = ([str(one) for one in row] for row in (leaf.weights, leaf.slots))
    return {"weights": weights, "slots": slots, "capacity": str(leaf.capacity)}
