"""Bounds from dual feasible functions, which weigh processors so that jobs that fit together never weigh too much.

Alves, Clautiaux, Valério de Carvalho, Rietz, *Dual-Feasible Functions for Integer Programming and Combinatorial
Optimization* (2016); both families are superadditive, which `oas.bounds.mosp.volume` asks for.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.lower_bound import LowerBound
from oas.bounds.mosp.volume import Volumes

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.problems.mosp.instance import MospInstance

# The larger k, the closer u_k comes to the identity, whose bound is the area's.
MAX_K = 60


def dual_feasible(instance: MospInstance) -> Fraction:
    """Return the greatest volume bound over `rounded_ends` for every threshold and `fekete_schepers` up to MAX_K.

    M is the size of the largest cluster. A threshold is worth trying where it is a job's width, or the next above that
    of a cluster, or where it lets a job just count in full.
    """
    volumes = Volumes(instance)
    largest = volumes.largest
    found = {*volumes.widths, *(size + 1 for size in volumes.sizes), *(largest - q + 1 for q in volumes.widths)}
    thresholds = sorted(e for e in found if 2 * e <= largest)
    return max(
        volumes.bound(partial(rounded_ends, largest), thresholds),
        volumes.bound(partial(fekete_schepers, largest), range(1, MAX_K + 1)),
    )


def rounded_ends(size: int, threshold: Any, width: Any) -> Any:
    """Return 0 below the threshold e ≤ size/2, `size` above size − e, and the width itself between.

    Takes numbers or arrays of them, as the other function does.
    """
    return np.where(width < threshold, 0, np.where(width > size - threshold, size, width))


def fekete_schepers(size: int, k: Any, width: Any) -> Any:
    """Return k·size·u_k(width/size), u_k of Fekete and Schepers (2001).

    u_k(x) is x if (k+1)·x is whole, else ⌊(k+1)·x⌋ / k.
    """
    whole, rest = np.divmod((k + 1) * width, size)
    return np.where(rest, whole * size, k * width)


BOUND = LowerBound("dual feasible functions", dual_feasible)
