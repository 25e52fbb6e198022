"""Node numbers by cluster, stored as ranges so that many consecutive nodes need little memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.numbers import identifier, integer

if TYPE_CHECKING:
    from collections.abc import Iterator

Ranges = tuple[range, ...]


class NodeRanges(Mapping[str, tuple[int, ...]]):
    """A mapping from cluster ids to tuples of node numbers, which are created on access.

    The nodes of a cluster are stored as ranges of consecutive numbers, so that a hundred thousand in a row need no more
    time and memory than one. A `NodeRanges` is equal to any mapping with the same tuples.

    Numbers are given in any order. Clusters without nodes are omitted. A repeated number is stored repeatedly, for the
    verifier to report. Raises `InputError` if a number is not an integer of at least 0 or a cluster's id is not a valid
    name.
    """

    __slots__ = ("_numbers", "_ranges")

    def __init__(self, nodes: Mapping[str, Iterable[int]]) -> None:
        self._numbers: dict[str, tuple[int, ...]] = {}
        self._ranges: dict[str, Ranges | None] = {}  # None: not computed yet from the numbers
        if not isinstance(nodes, Mapping):
            raise InputError('must be numbers by cluster, such as {"C1": [0, 1]}', field="nodes", value=nodes)
        for cluster, numbers in nodes.items():
            name = identifier(cluster, "nodes")
            if type(numbers) is range and numbers.step == 1 and numbers.start >= 0:
                if numbers:
                    self._ranges[name] = (numbers,)
                continue
            used = _ascending(numbers, name)
            if not used:
                continue
            row = range(used[0], used[-1] + 1)
            # `len(row)` would fail for numbers beyond the maximum length of a range.
            if used[-1] - used[0] + 1 == len(used) and used == tuple(row):
                self._ranges[name] = (row,)
            else:
                self._ranges[name] = None
                self._numbers[name] = used

    @classmethod
    def of_ranges(cls, cluster: str, ranges: Iterable[range]) -> NodeRanges:
        """Return the nodes of `ranges` on one cluster.

        The ranges have step 1, are not empty and ascend, with a gap after each.

        Raises `InputError` if the ranges are not of this form or the id is not a valid name.
        """
        nodes = object.__new__(cls)
        nodes._numbers, nodes._ranges = {}, {}
        given = tuple(ranges)
        last = -1
        for one in given:
            if one.step != 1 or not last < one.start < one.stop:
                reason = "must be ascending ranges, neither empty nor adjacent to the previous one"
                raise InputError(reason, field=f"nodes.{cluster}", value=str(one))
            last = one.stop
        if given:
            nodes._ranges[identifier(cluster, "nodes")] = given
        return nodes

    def ranges(self, cluster: str) -> Ranges:
        """Return the numbers on a cluster as ascending ranges; an empty tuple if the cluster is not used.

        The ranges are maximal: the next one begins after a gap, or at a repeated number.
        """
        if cluster not in self._ranges:
            return ()
        ranges = self._ranges[cluster]
        if ranges is None:
            ranges = self._ranges[cluster] = tuple(stretches(self._numbers[cluster]))
        return ranges

    def count(self, cluster: str) -> int:
        """Return the number of nodes on a cluster, repeated ones included."""
        if cluster in self._numbers:
            return len(self._numbers[cluster])
        return sum(map(len, self.ranges(cluster)))

    def __getitem__(self, cluster: str) -> tuple[int, ...]:
        if cluster not in self._numbers:
            ranges = self._ranges[cluster]
            assert ranges is not None
            self._numbers[cluster] = tuple(chain.from_iterable(ranges))
        return self._numbers[cluster]

    def __contains__(self, cluster: object) -> bool:
        return cluster in self._ranges

    def __iter__(self) -> Iterator[str]:
        return iter(self._ranges)

    def __len__(self) -> int:
        return len(self._ranges)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NodeRanges):
            return self._ranges.keys() == other._ranges.keys() and all(
                self.ranges(name) == other.ranges(name) for name in self
            )
        if isinstance(other, Mapping):
            return dict(self) == dict(other)
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(dict(self))


def stretches(numbers: Iterable[int]) -> Iterator[range]:
    """Yield the ranges of consecutive numbers in an ascending sequence; a repeated number begins another range."""
    current = range(0)
    for number in numbers:
        if current and number == current.stop:
            current = range(current.start, number + 1)
        else:
            if current:
                yield current
            current = range(number, number + 1)
    if current:
        yield current


def _ascending(numbers: Iterable[int], cluster: str) -> tuple[int, ...]:
    if not isinstance(numbers, Iterable):
        raise InputError("must be a list of numbers, such as [0, 1]", field=f"nodes.{cluster}", value=numbers)
    used = tuple(numbers)
    # Python integers are checked together; numpy's integers and invalid numbers need a check of each.
    if used and (set(map(type, used)) != {int} or min(used) < 0):
        used = tuple(integer(number, f"nodes.{cluster}", least=0) for number in used)
    return tuple(sorted(used))
