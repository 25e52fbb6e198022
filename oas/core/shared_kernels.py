"""Functions shared by the kernels of several methods: random numbers, heaps, searches, copies, and their memory.

Plain and compiled loops produce the same random numbers. A heap consists of an array of keys and an array of values,
from index `base` on, with the smallest key first.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Any, TypeVar

from oas.core.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

Numbers = Any  # an int64 array, a list of int, or an array of Python integers

NEVER = 2**62  # later than any moment

LOGS = tuple(-log((k + 0.5) / 1024) for k in range(1024))
"""−ln of evenly spaced numbers in (0, 1): the accepted deterioration of an annealing step / temperature."""


M = TypeVar("M")  # named tuples of arrays


def zeros(*shape: int) -> Any:
    """Return an array of 64-bit zeros."""
    import numpy as np

    return np.zeros(shape, dtype=np.int64)


def numbers(values: Any) -> Any:
    """Return these integers as an array; raises `TooLargeError` if one does not fit into 64 bits."""
    import numpy as np

    try:
        return np.array(values, dtype=np.int64)
    except OverflowError as error:
        raise TooLargeError("numbers of the instance do not fit into 64 bits") from error


def allocate(kind: type[M], shapes: Mapping[str, Any], floats: str = "") -> M:
    """Return a named tuple of arrays of zeros: 64-bit integers, or floats for the fields named in `floats`.

    Each key of `shapes` names the fields of one shape, separated by blanks.
    """
    import numpy as np

    columns = {}
    for names, shape in shapes.items():
        for name in names.split():
            columns[name] = np.zeros(shape, np.float64 if name in floats.split() else np.int64)
    return kind(**columns)


def draw_state(random: Random) -> list[int]:
    """Draw the initial state of `draw`."""
    return [random.randrange(1, 2**31 - 250) for _ in range(2)]


def draw(state: Any, bound: int) -> int:
    """Return a random number from 0 to `bound` − 1 (L'Ecuyer 1988: two congruential generators combined)."""
    state[0] = state[0] * 40014 % 2147483563
    state[1] = state[1] * 40692 % 2147483399
    return (state[0] - state[1]) % 2147483562 % bound


def rise(keys: Numbers, values: Numbers, base: int, node: int, key: int, value: int) -> None:
    """Insert a value at the free last position `node` and move it up the heap."""
    while node > 0:
        above = (node - 1) >> 1
        if keys[base + above] <= key:
            break
        keys[base + node], values[base + node] = keys[base + above], values[base + above]
        node = above
    keys[base + node], values[base + node] = key, value


def sink(keys: Numbers, values: Numbers, base: int, size: int, key: int, value: int) -> None:
    """Insert a value at the free first position of a heap, which then has `size` entries, and move it down."""
    node = 0
    while 2 * node + 1 < size:
        below = 2 * node + 1
        if below + 1 < size and keys[base + below + 1] < keys[base + below]:
            below += 1
        if keys[base + below] >= key:
            break
        keys[base + node], values[base + node] = keys[base + below], values[base + below]
        node = below
    keys[base + node], values[base + node] = key, value


def last_at_most(values: Numbers, first: int, count: int, bound: int) -> int:
    """Return the position, from 0, of the last of `count` ascending values from index `first` on that is ≤ `bound`.

    The value at `first` is not compared: 0 is returned even if that value exceeds the bound.
    """
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        if values[first + middle] <= bound:
            low = middle
        else:
            high = middle
    return low


def copy(source: Numbers, target: Numbers) -> None:
    """Copy an array into another of the same length."""
    for place in range(len(source)):
        target[place] = source[place]


def shift(order: Numbers, source: int, goal: int) -> None:
    """Move the entry at `source` to position `goal`."""
    moved = order[source]
    step = 1 if source < goal else -1
    for position in range(source, goal, step):
        order[position] = order[position + step]
    order[goal] = moved


def row_in_beam(codes: Numbers, values: Any, first: int, count: int, width: int, code: int, value: float) -> int:
    """Return the row for a new state, −1 to drop it, in a beam of `count` rows (at most `width`) from `first` on.

    Of two states of equal code, the one of lower value is kept; if the beam is full, the state of greatest value is
    dropped. If the row is ``first + count``, the beam grows by one row.
    """
    worst = first
    for row in range(first, first + count):
        if codes[row] == code:
            return row if value < values[row] else -1
        if values[row] > values[worst]:
            worst = row
    if count < width:
        return first + count
    return worst if value < values[worst] else -1


def split_step(moments: Numbers, free: Numbers, base: int, count: int, step: int, moment: int) -> None:
    """Split a step at `moment`, inside it; the profile consists of `count` steps from index `base` on."""
    for place in range(base + count, base + step + 1, -1):
        moments[place] = moments[place - 1]
        free[place] = free[place - 1]
    moments[base + step + 1] = moment
    free[base + step + 1] = free[base + step]


def occupy_steps(moments: Numbers, free: Numbers, base: int, count: int, step: int, end: int, width: int) -> int:
    """Occupy `width` processors from the beginning of a step to `end`; return the new number of steps.

    The last step never ends.
    """
    while step < count and moments[base + step] < end:
        if step + 1 == count or moments[base + step + 1] > end:
            split_step(moments, free, base, count, step, end)
            count += 1
        free[base + step] -= width
        step += 1
    return count
