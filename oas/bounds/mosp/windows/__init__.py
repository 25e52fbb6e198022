"""The bound of a search by windows of starts that has refuted a makespan, by its log: for few jobs, with reservations.

`oas.bounds.windows` explains the rules and the log. Here a job's modes are the clusters. What reservations hold of a
cluster from one change to the next is a job too, behind those of the instance: its start is known, and its only mode is
the cluster. The certificate (version 1) is an object with these fields; jobs are indices of the instance, and times are
in units of the greatest common divisor of all times, releases, and begins and ends of reservations.

- ``makespan``: C. No schedule ends by C, so one unit more is a lower bound.
- ``mirrored``: null, or a job that starts in the first half of [0, C − p]. Without reservations, releases and deadlines
  before C, a schedule read backwards is a schedule too, so one of the two has this property.
- ``weights``: lists of weights of the jobs. By W(c) no jobs that fit on c processors together weigh more (a knapsack).
- ``log``: bytes compressed by zlib, in base64.

**Weightings.** Each list of weights gives one for all clusters together (if there are several) and then one for
each cluster, which weighs what runs elsewhere 0. The capacity is W(size), for all clusters the sum. What reservations
hold of a cluster, leaving c processors free, weighs W(size) − W(c): the jobs that run meanwhile weigh at most W(c).

**Apart** are jobs, and jobs and reservations, that need more processors than the cluster has.

**Alike** clusters have as many processors and no reservations. Schedules that only exchange them are the same, so the
job of rank r (by area, the largest has rank 0) runs on one of the first r + 1 of those alike, or on another cluster.

A job starts at its release or later, and ends by C and by the deadline that locality sets.
"""

from oas.bounds.mosp.searched import SearchedBound
from oas.bounds.mosp.windows.certificate import value

__all__ = ["BOUND", "windows_bound"]

BOUND = SearchedBound("windows", value, search="oas.bounds.mosp.windows.search:find_log")
windows_bound = BOUND
