"""Nodes used on each cluster, kept as ranges of numbers where they are many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.numbers import identifier, integer

if TYPE_CHECKING:
    from collections.abc import Iterator

Ranges = tuple[range, ...]


class NodeRanges(Mapping[str, tuple[int, ...]]):
    """Node numbers by cluster: a mapping of tuples that are written out when they are asked for.

    Inside, the nodes of a cluster are ranges of consecutive numbers, so that a hundred thousand of them in a row take
    no more time and memory than one. It compares equal to any mapping with the same tuples.

    Numbers are given in any order. Clusters without nodes are left out. A number that is named twice is kept twice:
    that is for the verifier to judge. Raises `InputError` if one is no whole number of at least 0, or a cluster's id
    cannot be a name.
    """

    __slots__ = ("_numbers", "_ranges")

    def __init__(self, nodes: Mapping[str, Iterable[int]]) -> None:
        self._numbers: dict[str, tuple[int, ...]] = {}
        self._ranges: dict[str, Ranges | None] = {}  # None: not known yet, but the numbers are
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
            # The last number may be beyond what a range can be long: its length is not asked for.
            if used[-1] - used[0] + 1 == len(used) and used == tuple(row):
                self._ranges[name] = (row,)
            else:
                self._ranges[name] = None
                self._numbers[name] = used

    @classmethod
    def of_ranges(cls, cluster: str, ranges: Iterable[range]) -> NodeRanges:
        """Return nodes on one cluster.

        The ranges are of step 1, none empty, ascending, and none begins before one number after the end of the
        last: two that meet are one range.

        Raises `InputError` if they are something else, or the id cannot be a name.
        """
        made = cls({})
        kept = tuple(ranges)
        last = -1
        for one in kept:
            if one.step != 1 or not last < one.start < one.stop:
                reason = "must be ranges that ascend, neither empty nor meeting the one before"
                raise InputError(reason, field=f"nodes.{cluster}", value=str(one))
            last = one.stop
        if kept:
            made._ranges[identifier(cluster, "nodes")] = kept
        return made

    def ranges(self, cluster: str) -> Ranges:
        """Return the numbers on a cluster as ranges that ascend; none where it is not used.

        No range could be longer: the next one begins later than one number after its end, or else at a number that
        is named more than once.
        """
        try:
            known = self._ranges[cluster]
        except KeyError:
            return ()
        if known is None:
            known = self._ranges[cluster] = tuple(stretches(self._numbers[cluster]))
        return known

    def count(self, cluster: str) -> int:
        """Return how many numbers are named on a cluster."""
        if cluster in self._numbers:
            return len(self._numbers[cluster])
        return sum(map(len, self.ranges(cluster)))

    def __getitem__(self, cluster: str) -> tuple[int, ...]:
        found = self._numbers.get(cluster)
        if found is None:
            known = self._ranges[cluster]
            assert known is not None
            found = self._numbers[cluster] = tuple(chain.from_iterable(known))
        return found

    def get(self, cluster: str, default: Any = None) -> Any:
        """Return the numbers on a cluster; `default` where it is not used."""
        return self[cluster] if cluster in self._ranges else default

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
    """Yield ascending numbers as ranges: a new one begins wherever a number is not the one before plus 1."""
    first = last = None
    for number in numbers:
        if first is None or last is None:
            first = number
        elif number != last + 1:
            yield range(first, last + 1)
            first = number
        last = number
    if first is not None and last is not None:
        yield range(first, last + 1)


def _ascending(numbers: Iterable[int], cluster: str) -> tuple[int, ...]:
    if not isinstance(numbers, Iterable):
        raise InputError("must be a list of numbers, such as [0, 1]", field=f"nodes.{cluster}", value=numbers)
    used = tuple(numbers)
    # Thousands of nodes are looked at together; one by one only numpy's, or to say which is wrong.
    if used and (set(map(type, used)) != {int} or min(used) < 0):
        used = tuple(integer(number, f"nodes.{cluster}", least=0) for number in used)
    return tuple(sorted(used))
