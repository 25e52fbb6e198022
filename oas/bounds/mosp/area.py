"""The area bound: the processors × time that the jobs need, against those that the clusters have free."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from oas.bounds.lower_bound import LowerBound
from oas.bounds.mosp.volume import Volumes

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.problems.mosp.instance import MospInstance


def area(instance: MospInstance) -> Fraction:
    """Return the greatest area bound: of all jobs, and of those too wide for the smallest clusters on the others.

    f(q) = q from a width w on, else 0; w is 0, or one above the size of a cluster.
    """
    volumes = Volumes(instance)
    limits = [0, *(size + 1 for size in volumes.sizes[:-1])]
    return max(volumes.bound(partial(_from, limit)) for limit in limits)


def _from(least: int, width: int) -> int:
    return width if width >= least else 0


BOUND = LowerBound("area", area)
