"""Column generation over sets of items that fit into bins (worker side)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.bounds.mosp.covering import generate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from oas.bounds.mosp.covering import Column, Proven
    from oas.bounds.mosp.pair_tree.master import Master
    from oas.bounds.mosp.pair_tree.packing import Packing

FURTHER = 4  # sets a round for each kind of bins, each without the items of those before
GREAT = 20_000  # capacity from which on pricing takes longer than the program
ENDS = 8  # sets then taken from one table, which end with different items
ENOUGH = 1 + 1e-9  # a value of the program up to which the bins suffice


@dataclass(frozen=True)
class Generated:
    """What column generation came to.

    Attributes
    ----------
    weights
        That prove that the bins do not suffice; empty if there are none. If asked for, the best ones all the same.
    suffices
        Whether the program is satisfied: its values are a solution but for integrality.
    """

    weights: tuple[int, ...] = ()
    suffices: bool = False


def fill(
    master: Master,
    packings: Sequence[Packing],
    counts: Sequence[int],
    must_stop: Callable[[], bool],
    items: Iterable[int] | None = None,
    *,
    best: bool = False,
) -> Generated:
    """Generate sets until the bins suffice, or weights prove that they do not; neither if it must stop.

    Parameters
    ----------
    packings, counts
        Of the bins left, by kinds.
    items
        Those to be packed; None for all.
    best
        Go on until no set is missing, and return the weights even if they prove nothing.
    """
    counted = list(range(len(master.rows)) if items is None else items)
    found: list[Column] = []

    def prove(weights: Sequence[int]) -> Fraction:
        found.clear()
        room = 0
        for kind, (packing, count) in enumerate(zip(packings, counts, strict=True)):
            great = packing.capacity >= GREAT
            heaviest = packing.heaviest_sets(weights, ENDS if great else 1)
            room += heaviest[0][0] * count
            found.extend((kind, items) for _, items in heaviest if items)
            left, (_, items) = list(weights), heaviest[0]
            for _ in range(0 if great else FURTHER):
                for item in items:
                    left[item] = 0
                _, items = packing.heaviest_set(left)
                if not items:
                    break
                found.append((kind, items))
        total = sum(weights[item] for item in counted) - sum(weights[len(master.rows) :])
        return Fraction(max(total, 0), room) if room else Fraction(2 if total > 0 else 0)

    def done(proven: Proven) -> bool:
        return proven.value > 1 or (proven.hope <= ENOUGH and not best) or must_stop()

    proven = generate(master, lambda _: found, prove, done)
    if proven.value > 1:
        return Generated(weights=proven.weights)
    return Generated(proven.weights if best else (), proven.hope <= ENOUGH)
