"""What jobs load onto a link over time."""

from __future__ import annotations

from bisect import bisect_right


class LinkTraffic:
    """The load of a link over time, in integers.

    Parameters
    ----------
    bandwidth
        The most it carries.
    """

    def __init__(self, bandwidth: int) -> None:
        self.bandwidth = bandwidth
        # From each moment until the next the load that stands at the same place; from the last on it is 0.
        self._moments, self._loads = [0], [0]

    def earliest(self, start: int, time: int, load: int) -> int:
        """Return the first moment from `start` on from which there is room for `load`, for so long.

        Where the link is too narrow for it alone, that is when all others have ended.
        """
        moments, room = self._moments, self.bandwidth - load
        at = bisect_right(moments, start) - 1
        while at < len(moments) - 1 and moments[at] < start + time:
            if self._loads[at] > room:
                start = moments[at + 1]
            at += 1
        return start

    def add(self, start: int, end: int, load: int) -> None:
        """Add a load from `start` until `end`."""
        for at in range(self._cut(start), self._cut(end)):
            self._loads[at] += load

    def _cut(self, moment: int) -> int:
        """Return the place of a moment, at which a piece begins from now on."""
        at = bisect_right(self._moments, moment) - 1
        if self._moments[at] == moment:
            return at
        self._moments.insert(at + 1, moment)
        self._loads.insert(at + 1, self._loads[at])
        return at + 1
