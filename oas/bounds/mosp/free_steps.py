"""The free processors of each cluster over time, in arrays of 64-bit integers, which hold every moment in ticks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from oas.problems.mosp.ticks import ScaledMosp

NEVER = 2**62  # where the last interval ends


@dataclass(frozen=True)
class FreeSteps:
    """The free processors of one cluster.

    Attributes
    ----------
    moments
        Where they may change, in ticks: 0, and where reservations begin or end, ascending, each once.
    free
        How many are free from each of them to the next; all of the cluster's from the last.
    """

    moments: Any
    free: Any

    def intervals(self, width: int) -> tuple[Any, Any]:
        """Return begins and ends of the longest intervals with so many processors free, ascending.

        Parameters
        ----------
        width
            No more than the cluster has; so there is a last interval, and it ends `NEVER`.
        """
        turns = self.moments[np.flatnonzero(np.diff(self.free >= width, prepend=False))]
        return turns[::2], np.append(turns[1::2], NEVER)


def free_steps(scaled: ScaledMosp) -> list[FreeSteps]:
    """Return the steps of each cluster."""
    held = np.array(scaled.reservations, dtype=np.int64).reshape(-1, 4)
    return [_steps(size, held[held[:, 0] == cluster]) for cluster, size in enumerate(scaled.processors)]


def _steps(size: int, held: Any) -> FreeSteps:
    _, start, end, processors = held.T
    moments = np.concatenate(([0], start, end))
    changes = np.concatenate(([size], -processors, processors))
    order = np.argsort(moments, kind="stable")
    moments, free = moments[order], np.cumsum(changes[order])
    complete = np.append(moments[1:] != moments[:-1], True)  # all changes of this moment are counted
    return FreeSteps(moments[complete], free[complete])
