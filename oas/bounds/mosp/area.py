"""The area bound: the processors × time that the jobs need, against those that the clusters have free."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

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
    return volumes.bound(_from, limits)


def _from(least: Any, width: Any) -> Any:
    return np.where(width >= least, width, 0)


BOUND = LowerBound("area", area)
