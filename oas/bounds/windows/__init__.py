"""Refutation of a makespan by a search tree over windows of starts, with a log of every step.

**The problem.** Each job runs once, in one of its modes, without interruption; the mode determines its processing time.
A *weighting* gives each job a weight in each mode; the jobs that run at the same moment never weigh more than the
weighting's capacity. Two jobs in certain modes may be *apart*: they never run at the same moment. Two problems are
searched in this form: co-allocation, where modes are levels of speed, and MOSP, where modes are clusters. Their modules
say why weightings and pairs that are apart hold of an instance.

**A row** is a branch-and-bound node: the set of all schedules in which each job starts in the window [first, last] of
its mode, and in which certain jobs end before others begin. A mode whose window is empty is out. If a job has no mode
left, the row has no schedule, and it is closed.

**The rules.** In [t, u), a job with window [a, b] and processing time p runs for at least min(p, u − t, a + p − t,
u − b) moments (0 if that is negative). The product of these moments and the job's weight depends on the mode; its
minimum over the modes left is the job's *need*.

Energy (Baptiste, Le Pape and Nuijten, 2001)
    If the needs of all jobs in [t, u) exceed capacity · (u − t), the row is closed. If the needs of all jobs but one
    leave capacity for only q moments of that job in a mode, the job runs for at most q moments of [t, u): it starts at
    t + q − p or before, or at u − q or after.
Order
    If a job in a mode is apart from another job in all modes that the other has left, it ends at the other's last start
    or before, or begins at the other's first end or after. If a branching has fixed their order, only one of these is
    possible.
Conflict
    A conflict consists of jobs, each with a slowest mode, and of pairs of these jobs. If all of its jobs run in their
    slowest modes or in earlier ones, its pairs cannot all overlap. A pair is sure to overlap if each of the two must
    start before the other's first end. If all pairs are sure to overlap and no job has a mode beyond its slowest one,
    the row is closed. If exactly one pair is not sure to overlap and no job has such a mode, this pair is apart. If all
    pairs are sure to overlap and exactly one job has such a mode, it loses the modes up to its slowest one.
Branching
    On the order of two jobs that are apart in all modes left: the first ends before the second begins, or the reverse.
    On the starts of a job: those up to a moment, or the later ones. On the modes of a job: those up to a mode, or the
    later ones.

**The log** lists the steps in the order of a depth-first search that takes the first branch first. Numbers are written
in bytes of seven bits, lowest bits first; 128 is added to all bytes but the last. An entry begins with its code:

- 0, weighting, t, u: energy closes the row;
- 1, weighting, t, u, job, mode: energy narrows the window;
- 2, job, mode, other job: order narrows the window of the job;
- 3, job, other: branching, first the job before the other, then the reverse;
- 4, job, moment: branching, first the starts up to the moment, then the later ones;
- 5, job, mode: branching, first the modes up to this one, then the later ones;
- 6, conflict: it closes the row, separates a pair, or removes modes of a job.

A row in which an entry of code 1 or 2 leaves a job without a mode is closed without another entry. If a job has no mode
in the first row, the log is empty. If all rows are closed at the end of the log, no schedule exists.
"""
