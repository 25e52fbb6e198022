"""The bound of a search by windows of starts that has refuted a makespan; its certificate is the log of the search.

`oas.checker.windows_log` explains the rules and the log. A job's modes are its levels: at level l it runs on nodes that
are as fast as level l or faster, and its duration is that of level l. The certificate (version 1) is an object with
these fields. Jobs are numbered as in the instance, levels from the fastest, and times are in units of the greatest
common divisor of all durations.

- ``makespan``: C. No schedule ends by C, so one unit more is a lower bound.
- ``mirrored``: a job that starts in the first half of [0, C − p], where p is its duration. A schedule read backwards is
  also a schedule, and in one of the two the job does so.
- ``weights``: objects with ``jobs``, w[j][l] for each job and level, and ``whole``, M: no set of jobs that can run
  together weighs more than M. The checker confirms that by exact pricing. Each is a weighting with capacity M.
- ``apart``: sets of at least two [job, level], of different jobs, that cannot all run at the same moment, not at faster
  levels either. The checker confirms that by exact packing. The two of a pair are apart. A larger set is a weighting:
  1 for each of its jobs at its level or a faster one, with a capacity of one less than the size of the set.
- ``conflicts``: objects with ``jobs``, [job, level] of different jobs, and ``moments``, lists of these jobs. If for
  each list there is a moment at which all of its jobs run, at these levels or faster ones, no choice of nodes lets
  every job keep its nodes. The checker confirms that by a complete search over node classes and links. The pairs of a
  conflict are those of its lists: if each two jobs of a list overlap, there is a moment at which all of them run.
- ``log``: bytes compressed by zlib, in base64.

The log refers to weightings by number. First come those of ``weights``; then one for each level l, in which jobs at
level l or a faster one weigh their tasks and the capacity is the number of such nodes; then the sets of more than two.

A level is out if the job has no allocation at it, or if the next slower level, which has more nodes, takes no longer.
"""

from oas.bounds.lower_bound import CertifiedBound
from oas.problems.coallocation.problem import FORBID, MAX_MIN, SLOWDOWN

NAME = "windows"
VERSION = 1
BOUND = CertifiedBound(NAME, variants=(FORBID, SLOWDOWN, MAX_MIN))
