"""The log of a complete search: how each branch was closed, for a checker to repeat the search."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.exact.coallocation.chronological import kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

CODES, SEEN = 2**20, 2**17  # bytes, and numbers of moments, between two calls of `empty`
MOST_BYTES = 2**31  # before they are compressed; beyond it no log is kept


class SearchLog:
    """The log of one search.

    `options`: jobs times levels: each may add a byte at a moment. `slots`: states that the search can remember.

    Attributes: `table`: the buffers of the kernels; `length`: bytes of the log before compression.
    """

    def __init__(self, options: int, slots: int) -> None:
        self.table = kernels.Log(
            codes=np.zeros(CODES + options + kernels.CODES_A_MOMENT, dtype=np.uint8),
            seen=np.zeros(SEEN, dtype=np.int64),
            lengths=np.zeros(2, dtype=np.int64),
            numbers=np.zeros(slots, dtype=np.int64),
        )
        self.length = 0
        self._packer: Any = zlib.compressobj(6)
        self._packed: list[bytes] = []
        self._seen = np.zeros(0, dtype=np.int64)

    def empty(self) -> bool:
        """Store and clear the buffers; return whether one of them was full."""
        codes, seen = (int(one) for one in self.table.lengths)
        self.length += codes
        self.table.lengths[:] = 0
        if self.complete:
            self._packed.append(self._packer.compress(self.table.codes[:codes].tobytes()))
            self._seen = np.union1d(self._seen, self.table.seen[:seen])
        return codes > CODES or seen == SEEN

    @property
    def complete(self) -> bool:
        """Whether the log was kept entirely."""
        return self.length <= MOST_BYTES

    def packed(self) -> bytes:
        """Return the codes, compressed by zlib; the search must have ended."""
        self._packed.append(self._packer.flush())
        return b"".join(self._packed)

    def seen(self) -> NDArray[np.int64]:
        """Return the numbers of the moments that were referred to, in order."""
        return self._seen
