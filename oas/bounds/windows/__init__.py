"""Refuting a makespan by windows of starts: a search tree whose every step is written to a log, and its check.

**The problem.** Each job runs once, in one of its modes, without interruption; in mode m it takes a known time. A
*weighting* gives each job in each mode a weight; jobs that run at the same moment never weigh more than its capacity.
Two jobs in certain modes may be *apart*: they never run at the same moment. The adapters of co-allocation (modes are
levels of speed) and of one cluster with reservations (one mode) say why these facts hold of their instances.

**A row** of the tree stands for all schedules in which each job starts in one of the windows [first, last] of its
modes, and in which some jobs end before others begin. A mode with an empty window is out; a row in which a job has no
mode left has no schedule and is closed.

**The rules.** In [t, u), a job with window [a, b] that takes p runs for at least min(p, u − t, a + p − t, u − b)
moments (0 if that is negative). Its *need* in a weighting is the least such product with its weight over its modes.

Energy (Baptiste, Le Pape and Nuijten, 2001)
    If the needs of all jobs in [t, u) exceed capacity · (u − t), the row is closed. If the needs of all jobs but one
    leave room for q moments of that job in a mode, it runs for at most q moments of [t, u): it starts at t + q − p or
    before, or at u − q or after.
Order
    If a job in a mode is apart from all modes that another job has left, it ends before the other's last start, or
    begins after the other's first end. A branching may have fixed which.
Conflict
    Some jobs, each up to a certain mode, cannot run so that certain pairs of them overlap. Two jobs overlap for sure if
    each must start before the other's first end. If all pairs overlap for sure and all modes left are
    among those, the row is closed. If only one pair may not overlap, it is apart. If only one job may have another
    mode, it has lost the modes of the conflict.
Branching
    Two jobs that are apart in all modes left: one ends before the other begins, or the reverse. The windows of a job:
    up to a moment, or later. The modes of a job: up to one, or beyond.

**The log** describes the rows in the order of a depth-first search, first branches first. Numbers are written in bytes
of seven bits, lowest first, 128 added to all but the last. An entry begins with its code:

- 0, weighting, t, u: the row is closed by energy;
- 1, weighting, t, u, job, mode: the window is narrowed by energy;
- 2, job, mode, other job: the window is narrowed by order;
- 3, job, other: branching, first the job before the other, then the reverse;
- 4, job, moment: branching, first starts up to the moment, then later ones;
- 5, job, mode: branching, first modes up to this one, then the others;
- 6, conflict: it closes the row, separates a pair, or takes modes from a job.

A row in which a narrowing leaves a job without a mode is closed without an entry; if a job has none to begin with, the
log is empty. No schedule exists if every row is closed when the log ends.
"""
