"""The bound of a search by windows of starts that has refuted a makespan, by its log.

`oas.bounds.windows` explains the rules and the log. Here a job's modes are its levels: at level l it runs on nodes that
are as fast as level l or faster, and takes as long as at level l. The certificate (version 1) is an object with these
fields; jobs are indices of the instance, levels count from the fastest, and times are in units of the greatest common
divisor of all durations.

- ``makespan``: C. No schedule ends by C, so one unit more is a lower bound.
- ``mirrored``: a job that starts in the first half of [0, C − p], p its time. A schedule read backwards is a schedule
  too, so one of the two has this property.
- ``weights``: objects with ``jobs``, w[j][l] for each job and level, and ``whole``, M: no set of jobs that can run
  together weighs more than M. The checker finds that by exact pricing. Each is a weighting with capacity M.
- ``apart``: sets of at least two [job, level], of different jobs, that cannot all run at the same moment; nor can they
  at faster levels. The checker finds that by exact packing. Two are apart. More than two are a weighting: 1 for each of
  these jobs at its level or a faster one, with a capacity of one less than their number.
- ``conflicts``: objects with ``jobs``, [job, level] of different jobs, and ``moments``, lists of those jobs: if all
  jobs of each list run at the same moment, at these levels or faster ones, there are no nodes that they could keep. The
  checker finds that by a complete search over node classes and links. The pairs of a conflict are those of its lists:
  where each two jobs of a list overlap, all of them do at some moment.
- ``log``: bytes compressed by zlib, in base64.

The weightings are numbered: those of ``weights``; one for each level l, the tasks of jobs at level l or a faster one,
with the number of such nodes as capacity; the sets of more than two, in their order.

A level is out where the job has no allocation, and where the next slower level takes no longer (it has more nodes).
"""

from oas.bounds.coallocation.windows.certificate import NAME, value
from oas.bounds.lower_bound import CertifiedBound
from oas.problems.coallocation.problem import FORBID, MAX_MIN, SLOWDOWN

__all__ = ["BOUND", "NAME"]

BOUND = CertifiedBound(NAME, value, variants=(FORBID, SLOWDOWN, MAX_MIN))
