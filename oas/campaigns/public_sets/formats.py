"""File formats of public sets: each reader returns rigid jobs on one cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import msgspec

from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAX_JOBS = 20_000
MAX_BYTES = 8_000_000  # of an instance's text
_MAX_DIGITS = 12


@dataclass(frozen=True)
class Packing:
    """Rigid jobs on one cluster; the published value is their makespan."""

    processors: int  # capacity of a bin, number of machines, or width of the strip
    jobs: tuple[tuple[int, int], ...]  # (time, processors) of each job: (1, size), (time, 1), or (height, width)

    @property
    def area(self) -> int:
        """Time × processors of all jobs."""
        return sum(time * processors for time, processors in self.jobs)


def read_bpplib(content: bytes) -> Packing:
    """Read bin packing as in BPPLIB (Delorme, Iori, Martello, Optimization Letters 12, 2018): n, capacity, n sizes.

    A bin is a unit of time of one cluster with as many processors as the bin has room.
    """
    count, capacity, sizes = _numbers(content)
    return _packing(capacity, count, [(1, size) for size in sizes])


def read_pcmax(content: bytes) -> Packing:
    """Read P||Cmax as in França et al. (1994) and Frangioni et al. (2004): m, n, then n processing times."""
    machines, count, times = _numbers(content)
    return _packing(machines, count, [(time, 1) for time in times])


_Side = Annotated[int, msgspec.Meta(ge=1, le=10**9)]


class _Object(msgspec.Struct):
    Length: _Side
    Height: _Side


class _Item(_Object):
    Demand: Annotated[int, msgspec.Meta(ge=1, le=MAX_JOBS)]


class _Document(msgspec.Struct):
    Objects: Annotated[list[_Object], msgspec.Meta(min_length=1, max_length=1)]
    Items: Annotated[list[_Item], msgspec.Meta(max_length=MAX_JOBS)]


def read_lengthwise(content: bytes) -> Packing:
    """Read strip packing as in Oscar Oliveira's OR-Datasets, `Length` across the strip.

    The side across the strip counts as processors, the side along it as time. Processors need not be neighbours in
    MOSP, as items must: the optimum of the instance is at most the height of the strip.
    """
    return _strip(content, lambda one: (one.Height, one.Length))


def read_heightwise(content: bytes) -> Packing:
    """Read strip packing as `read_lengthwise` does, `Height` across the strip."""
    return _strip(content, lambda one: (one.Length, one.Height))


FORMATS: Mapping[str, Callable[[bytes], Packing]] = {
    "bpplib": read_bpplib,
    "pcmax": read_pcmax,
    "or-datasets": read_lengthwise,
    "or-datasets-heightwise": read_heightwise,
}
"""Readers by name; each raises `InputError` for anything that is not of its format."""


def _strip(content: bytes, sides: Callable[[_Object], tuple[int, int]]) -> Packing:
    _check_size(content)
    try:
        document = msgspec.json.decode(content, type=_Document)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"not as OR-Datasets has it: {error}") from None
    count = sum(item.Demand for item in document.Items)
    _check_count(count)
    jobs = [sides(item) for item in document.Items for _ in range(item.Demand)]
    return _packing(sides(document.Objects[0])[1], count, jobs)


def _numbers(content: bytes) -> tuple[int, int, list[int]]:
    """Return the first, the second and the other numbers of a text that holds nothing but integers above 0."""
    _check_size(content)
    words = content.split()
    for word in words:
        if not word.isdigit() or len(word) > _MAX_DIGITS or int(word) == 0:
            raise InputError("must be an integer above 0", field="text", value=word.decode("ascii", "replace"))
    if len(words) < 3:
        raise InputError("two counts and a number for each item are needed")
    first, second, *others = map(int, words)
    return first, second, others


def _packing(processors: int, count: int, jobs: list[tuple[int, int]]) -> Packing:
    _check_count(count)
    if len(jobs) != count:
        raise InputError(f"{count} items are announced, {len(jobs)} are there")
    if (widest := max(wide for _, wide in jobs)) > processors:
        raise InputError(f"an item is larger than the {processors} that it must fit into", value=widest)
    return Packing(processors, tuple(jobs))


def _check_size(content: bytes) -> None:
    if len(content) > MAX_BYTES:
        raise InputError(f"larger than {MAX_BYTES} bytes")


def _check_count(count: int) -> None:
    if not 1 <= count <= MAX_JOBS:
        raise InputError(f"must be from 1 to {MAX_JOBS}", field="number of items", value=count)
