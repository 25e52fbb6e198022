"""Schedules of coalitions in arrays: initialization and runs, compiled with 64 bits or with Python integers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.core.errors import InputError, TooLargeError
from oas.fair.search import coalition_kernels as kernels
from oas.fair.search.coalition_kernels import Game
from oas.fair.ticks import NOT_STARTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from oas.fair.ticks import FairTicks

MEMORY = 2**31  # default limit of the arrays in bytes
TARGET = 80  # starts and releases per chunk: longer chunks leave more decisions open, shorter ones take more time
ENTRIES = 16  # initial entries per coalition
COMPILED_FROM = 5_000  # starts in all coalitions; below, Python integers are as fast
PLAIN_MOST = 3_000_000  # maximum number of starts in all coalitions with Python integers: a few minutes
LARGEST = 2**62
CHUNK_MOST = 2**53  # limit of the change of φ − ψ in a chunk, times the scale, by the drift and by all else
FAR, CUT = 2**15, 2**56  # see `kernels.one_number`; FAR << SHIFT is below CUT, and CUT above 4 × CHUNK_MOST
AT_ONCE = 2**16  # coalitions × chunks between two checks for Ctrl-C


@dataclass(frozen=True)
class Rule:
    """Coalitions and their decision rule."""

    masks: NDArray[np.int64]  # members of each coalition, as bits; the starts of the last coalition are recorded
    order: NDArray[np.int64]  # order in which the coalitions run
    kind: int  # `kernels.CONTRIBUTION` or `kernels.SAMPLE`
    weight: NDArray[np.int64]  # see `kernels.Game`
    half_scale: int  # half of the factor of φ − ψ
    stride: int = 0  # every `stride`-th contended decision of the last coalition is recorded; 0 for none


class CoalitionRun:
    """Schedules of coalitions, run up to a moment.

    The rule determines the coalitions and their decisions. Arrays may use `memory_limit` bytes; None for `MEMORY`.
    `compiled`: whether compiled kernels with 64 bits are used if they are exact; None: if they are also faster. The
    outcome is the same. Raises `TooLargeError` if the arrays would exceed the limit, or if numbers could exceed 64 bits
    and the run is too long for Python integers; the message contains the figures.
    """

    def __init__(
        self, ticks: FairTicks, rule: Rule, memory_limit: int | None = None, compiled: bool | None = None
    ) -> None:
        self._ticks = ticks
        self._rule = rule
        self._memory = MEMORY if memory_limit is None else memory_limit
        self._compiled = _compiled(ticks, rule, compiled)
        self._run: Any = kernels.run if self._compiled else kernels.run.for_lists
        kind = np.int64 if self._compiled else object
        self._zeros: Callable[..., NDArray[Any]] = partial(np.zeros, dtype=kind)
        self._numbers: Callable[..., NDArray[Any]] = partial(np.array, dtype=kind)
        machines = _sums(rule.masks, ticks.machines)
        jobs = _sums(rule.masks, np.bincount(ticks.owner, minlength=ticks.organization_count))
        heaps = np.minimum(machines, jobs)
        self._bytes = 8 * len(rule.masks) * (14 + 5 * ticks.organization_count) + 16 * int(heaps.sum())
        self._room(entries := ENTRIES * len(rule.masks) + 16)
        self.game = self._made(machines, heaps, entries)

    def up_to(self, moment: int, on_progress: Callable[[int], None] | None = None) -> None:
        """Run up to a moment, at which a chunk ends; `TooLargeError` if more memory is needed than the limit."""
        clock = self.game.clock
        at_once = max(1, AT_ONCE // len(self._rule.masks))
        while clock[kernels.BEGIN] < moment:
            if not self._run(self.game, moment, kernels.run.steps_per_call(at_once)):
                self._more_entries()
            elif on_progress is not None:
                on_progress(int(clock[kernels.BEGIN]))

    @property
    def starts(self) -> NDArray[np.int64]:
        """Start of each job in the last coalition, -1 for not yet."""
        return np.array(self.game.starts, dtype=np.int64)

    @property
    def values(self) -> NDArray[Any]:
        """Value v of each coalition at the current moment: int64, or Python integers."""
        return self.game.rows[:, kernels.VALUE].copy()

    @property
    def gaps(self) -> list[int]:
        """φ − ψ of each organization in the last coalition, times the scale, at the current moment."""
        last = self.game.members[-1].tolist()
        return [(member[kernels.HIGH] << kernels.SHIFT) + member[kernels.LOW] for member in last]

    def counted(self, what: int) -> int:
        """Return one of `Game.counts`."""
        return int(self.game.counts[what])

    def notes(self) -> list[list[int]]:
        """Return the rows of `Game.notes` that are written."""
        stride = self._rule.stride
        return self.game.notes[: -(-self.counted(kernels.WATCHED_CONTENDED) // stride) if stride else 0].tolist()

    def _room(self, entries: int) -> None:
        needed = self._bytes + 16 * entries
        if needed > self._memory:
            what = f"schedules of {len(self._rule.masks):,} coalitions"
            raise TooLargeError(f"{what} take {needed:,} bytes; the limit is {self._memory:,}")

    def _more_entries(self) -> None:
        game, entries = self.game, len(self.game.at)
        self._room(2 * entries)
        more = self._zeros(entries)
        self.game = game._replace(at=np.concatenate([game.at, more]), change=np.concatenate([game.change, more]))

    def _made(self, machines: NDArray[np.int64], heaps: NDArray[np.int64], entries: int) -> Game:
        ticks, rule, numbers, zeros = self._ticks, self._rule, self._numbers, self._zeros
        k = ticks.organization_count
        line = np.argsort(ticks.owner, kind="stable")
        first = np.searchsorted(ticks.owner[line], np.arange(k))
        rows, members = zeros((len(rule.masks), 13)), zeros((len(rule.masks), k, 5))
        columns = {
            kernels.MASK: rule.masks,
            kernels.MACHINES: machines,
            kernels.IDLE: machines,
            kernels.BASE: np.cumsum(heaps) - heaps,
        }
        for column, values in columns.items():
            rows[:, column] = numbers(values)
        members[:, :, kernels.PLACE] = numbers(first)
        byte = (np.arange(256)[:, None] >> np.arange(8)) & 1
        return Game(
            owner=numbers(ticks.owner),
            release=numbers(ticks.release),
            line=numbers(line),
            time=numbers(ticks.time[line]),
            width=numbers(ticks.width[line]),
            order=numbers(rule.order),
            rows=rows,
            members=members,
            ends=zeros(int(heaps.sum())),
            uses=zeros(int(heaps.sum())),
            weight=numbers(rule.weight),
            bits=numbers(byte.argmax(axis=1)),
            count=numbers(byte.sum(axis=1)),
            come=numbers(first),
            starts=numbers(np.full(ticks.job_count, NOT_STARTED)),
            own=zeros(8 * kernels.APART),
            at=zeros(entries),
            change=zeros(entries),
            notes=zeros((ticks.job_count // rule.stride + 1 if rule.stride else 0, 5)),
            fixed=numbers(self._fixed()),
            clock=numbers([0, 0, 0, 0, 0, 1, 0, 0, 0]),
            counts=zeros(4),
        )

    def _fixed(self) -> list[int]:
        ticks, rule = self._ticks, self._rule
        narrow = int((ticks.width == 1).all())
        given = [ticks.organization_count, rule.half_scale, narrow, len(rule.masks) - 1, rule.kind, TARGET]
        if not self._compiled:  # numbers have no limit
            most = _a_moment(ticks, rule) * (ticks.horizon + 1) ** 2
            return [*given, ticks.horizon, most, most, most, rule.stride]
        return [*given, isqrt(CHUNK_MOST // _a_moment(ticks, rule)), CHUNK_MOST, FAR, CUT, rule.stride]


def _a_moment(ticks: FairTicks, rule: Rule) -> int:
    """Return a factor c such that c·d² bounds the change of φ − ψ in a chunk of d moments, except for the drift."""
    return 2 * rule.half_scale * ticks.total * (ticks.organization_count + 8)


def _compiled(ticks: FairTicks, rule: Rule, asked: bool | None) -> bool:
    """Return whether to use 64 bits instead of Python integers.

    64 bits must hold v, at most m·T(t_end); times, including ends; and the change in a chunk. The length of a chunk is
    chosen accordingly, so a chunk of one moment must be possible; there the drift counts, at most m·t_end each for φ
    and ψ.
    """
    jobs = np.bincount(ticks.owner[ticks.release < ticks.horizon], minlength=ticks.organization_count)
    work = int(_sums(rule.masks, jobs).sum())  # maximum number of starts in all coalitions
    values = ticks.total * ticks.horizon * (ticks.horizon + 1) // 2
    drift = 4 * rule.half_scale * ticks.total * ticks.horizon
    exact = values < LARGEST and drift <= CHUNK_MOST and _a_moment(ticks, rule) <= CHUNK_MOST
    if exact:
        return work >= COMPILED_FROM if asked is None else asked
    if work > PLAIN_MOST:
        bound = (
            f"v may reach {values:.1e}, of 2^62 at most, and the scaled growth of φ − ψ {drift:.1e}, of 2^53 at most"
        )
        starts = f"{work:,} starts are too many for Python integers, which are used up to {PLAIN_MOST:,}"
        raise TooLargeError(f"numbers may pass 64 bits: {bound}; {starts}")
    return False


def _sums(masks: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sum of the members' values for each coalition."""
    total = np.zeros(len(masks), dtype=np.int64)
    for u, value in enumerate(values.tolist()):
        total += ((masks >> u) & 1) * value
    return total


def check_organizations(count: int, most: int, cost: str) -> None:
    """Raise `InputError` for more organizations than an algorithm supports, with the cost in the message."""
    if count > most:
        raise InputError(f"at most {most}: {cost}", field="organizations", value=count)
