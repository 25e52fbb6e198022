"""The bound of a search by windows of starts that has refuted a makespan, for few jobs; it respects reservations.

Its certificate is the log of the search; `oas.bounds.windows` explains the rules and the log. A job's modes are the
clusters. The reserved processors of a cluster, from one change of their number to the next, are a *block*. Blocks are
jobs too: their start is known, their only mode is the cluster, and they are numbered after the jobs of the instance.
The certificate (version 1) is an object with these fields. Jobs are numbered as in the instance, and times are in units
of the greatest common divisor of all times, releases, and begins and ends of reservations.

- ``makespan``: C. No schedule ends by C, so one unit more is a lower bound.
- ``mirrored``: null, or a job that starts in the first half of [0, C − p], where p is its processing time. Without
  reservations, releases and deadlines before C, a schedule read backwards is also a schedule, and in one of the two the
  job does so.
- ``weights``: lists of weights of the jobs. For each list, W(c) is the maximum weight of jobs that together fit on c
  processors; a knapsack computes it.
- ``log``: bytes compressed by zlib, in base64.

**Weightings.** Each list of weights gives several weightings: if there are several clusters, one for all of them
together, and then one for each cluster, in which jobs on other clusters weigh 0. The capacity of a cluster is W(its
processors); that of all clusters is the sum. A block that leaves c of m processors free weighs W(m) − W(c), because
the jobs that run at the same time weigh at most W(c).

**Apart.** Two jobs, or a job and a block, are apart on a cluster if they need more processors than it has.

**Alike clusters** have equal numbers of processors and no reservations. Exchanging them changes nothing. Therefore the
job of rank r by area (the largest job has rank 0) is restricted, among clusters alike, to the first r + 1 of them.

A job starts at its release date or later, and ends by C and by the deadline that locality sets.
"""

from oas.bounds.mosp.searched import SearchedBound

__all__ = ["BOUND", "windows_bound"]

BOUND = SearchedBound("windows", search="oas.bounds.mosp.windows.search:find_log")
windows_bound = BOUND
