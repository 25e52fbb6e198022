"""The bound of a complete search that refuted a makespan; its log states how each branch of the tree was closed.

The certificate (version 2) is an object with these fields; jobs are indices of the instance, times are ticks.

- ``makespan``: C. The log shows that no schedule ends by C, so C + 1 is a lower bound.
- ``placed``: whether the tree decides nodes. If not, jobs run together if nested capacities allow it and they contain
  no set that is ``apart``. These conditions are necessary, so the refutation is valid.
- ``order``: the jobs in the order in which they are tried. Below, jobs are numbered by it.
- ``mirrored``: a job whose middle is in the first half of the schedule; a reversed schedule is also a schedule.
- ``weights``: objects with ``jobs``, w[j][l] ≥ 0 for each job and level, and ``whole``, M: no set of jobs that run
  together in the tree weighs more than M. In a tree that is not placed, this includes sets that do not fit on the
  clusters. The checker verifies this by exact pricing.
- ``apart``: entries [[j, l], [k, m], …], two or more different jobs that cannot run at the same moment, job j at level
  l or a faster one, job k at level m or a faster one, and so on. The checker tries all ways to split them over the
  clusters.
- ``codes``: the log, bytes compressed by zlib, in base64.
- ``seen``: the ascending numbers of the moments to which the log refers, as differences: seven bits a byte, lowest
  first, 128 added to all bytes but the last of each number; compressed and in base64, too.

**The tree** is that of `oas.checker.coallocation_search_log`. Jobs that start at one moment are taken in ``order``,
each job at levels from its fastest one on. In a placed tree, all choices of free nodes follow for this level (or a
faster one with the duration of this level): node classes from the slowest level on, then by index, from most nodes of
the first class downwards.

**The log** is read in preorder. A job and level has a byte if it may start at the moment, ends by C, has its middle in
time if it is ``mirrored``, fits by nested capacities and ``apart``, and (in a tree that is not placed) did not fit just
before. The byte is 0 if the rows below follow, and s + 1 if set s of the weights closes the branch. In a placed tree,
all choices of nodes that fit with their links, and did not just before, follow a 0. After the last job and level, a
byte describes the next end: 0 if its row follows (these rows are numbered in the order in which they begin); s + 1 as
before; 253 and a job that would end too late; 254 and the number of a row that dominates it; 255 if no job runs. Jobs
and numbers are encoded as in ``seen``.

`oas.checker.coallocation_search_log` says why a closed branch has no schedule.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from typing import TYPE_CHECKING

from oas.core.registry import FORBID, MAX_MIN, SLOWDOWN
from oas.solving.lower_bound import CertifiedBound

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "search log"
BOUND = CertifiedBound(NAME, variants=(FORBID, SLOWDOWN, MAX_MIN))

VERSION = 2
# Limits of the checker.
MAX_PACKED = 40 * 2**20  # bytes of a compressed log: a result with a longer one could not be read
MAX_CODES = 2**26  # bytes of a log
MAX_MOMENTS = 2**24  # maximum number of a moment to which a log refers


def packed(data: bytes) -> str:
    """Return compressed bytes in the form of the certificate."""
    return b64encode(data).decode("ascii")


def write_numbers(numbers: Iterable[int]) -> bytes:
    """Return ascending numbers in the form of ``seen``, compressed."""
    written = bytearray()
    before = 0
    for number in numbers:
        rest, before = number - before, number
        while rest > 127:
            written.append(128 | rest & 127)
            rest >>= 7
        written.append(rest)
    return zlib.compress(bytes(written), 9)
