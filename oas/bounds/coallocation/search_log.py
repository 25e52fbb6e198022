"""The bound of a complete search that has refuted a makespan, by its log: how each branch of its tree was closed.

The certificate (version 1) is an object with these fields; jobs are indices of the instance, times are ticks.

- ``makespan``: C. The log shows that no schedule ends by C, so C + 1 is a lower bound.
- ``placed``: whether the tree decides nodes. If not, jobs run together when nested capacities allow it and no two of
  them are ``apart``; that is less than is needed, so what is refuted so is refuted.
- ``order``: the jobs in the order in which they are tried. Below, jobs are numbered by it.
- ``mirrored``: a job whose middle is in the first half of the schedule: a schedule read backwards is one too.
- ``weights``: objects with ``jobs``, w[j][l] ≥ 0 for each job and level, and ``whole``, M: no set of jobs that can run
  together weighs more than M. The checker finds that by exact pricing.
- ``apart``: entries [j, l, k, m]: job j at level l and job k at level m cannot run at the same moment. The checker
  tries all ways to split the two over the clusters.
- ``codes``: the log, bytes compressed by zlib, in base64.
- ``seen``: the numbers of the moments to which the log refers, in order: the distances between them as numbers of
  seven bits a byte, lowest first, 128 added to all bytes but the last; compressed and in base64 as well.

**The tree.** A schedule of at most C with the least sum of starts begins each job at 0 or when another ends, and even
then only if the job did not fit just before. A row of the tree is a moment with the jobs that have begun so far. The
rows below it begin one more job at the same moment, or go on to the next end of a running job. Jobs that begin at one
moment are taken in ``order``, each job at levels from its fastest one on; a placed tree then takes each way to choose
free nodes of that level or a faster one that takes as long as the level says: node classes from the slowest level on,
then by index, from most nodes of the first class downwards.

**The log** is read in preorder. A job and level that may begin at a moment, ends by C, has its middle in time if it is
``mirrored`` and fits by nested capacities and ``apart`` (and in a tree that is not placed did not fit just before)
takes a byte: 0, the rows below follow; s + 1, set s of the weights closes it. Of a placed tree all choices of nodes
that fit with their links, and did not just before, follow a 0. After the last job and level a byte tells of the next
end: 0, its row follows (these rows are numbered in the order in which they begin); s + 1 as before; 253 and a job,
which would end too late; 254 and the number of a row that dominates it; 255, no job runs. Jobs and numbers are written
as in ``seen``.

`oas.checker.coallocation_search_log` says why a closed branch has no schedule.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from typing import TYPE_CHECKING

from oas.bounds.lower_bound import CertifiedBound
from oas.problems.registry import FORBID, MAX_MIN, SLOWDOWN

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "search log"
BOUND = CertifiedBound(NAME, variants=(FORBID, SLOWDOWN, MAX_MIN))

VERSION = 1
# What the checker reads at most.
MAX_PACKED = 40 * 2**20  # bytes of a log, compressed: a result with a longer one would not be read
MAX_CODES = 2**26  # bytes of a log
MAX_MOMENTS = 2**24  # up to the last of those that are referred to


def packed(data: bytes) -> str:
    """Return compressed bytes as the certificate has them."""
    return b64encode(data).decode("ascii")


def write_numbers(numbers: Iterable[int]) -> bytes:
    """Return ascending numbers as ``seen`` has them, compressed."""
    written = bytearray()
    before = 0
    for number in numbers:
        rest, before = number - before, number
        while rest > 127:
            written.append(128 | rest & 127)
            rest >>= 7
        written.append(rest)
    return zlib.compress(bytes(written), 9)
