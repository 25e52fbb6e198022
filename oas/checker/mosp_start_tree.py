"""The MOSP bound "start tree": a tree over the starts of jobs on one cluster refutes a makespan.

The certificate is ``{"makespan": C, "mirrored": false, "order": [j, …], "measures": […], "codes": "…"}``: C in units
(the common divisor of all times in ticks); whether time is reversed; the jobs of the tree in the order in which they
are tried; the measures; and a byte for each node, in the order of the search, that determines how it is closed.

A node is a partial schedule at a moment, with the jobs that may start then: jobs that fit and could not start earlier.
A child starts one of them, and then only later ones in the order; identical jobs start in the order. The last child
advances to the next moment at which a job may start; if a waiting job could have run before that, it advances to the
end instead.

*Theorem.* If each node is closed according to its byte, no schedule ends by C. Bytes: 0, the children of the node
follow; 1, no further job may start; 2, the node is dominated by an earlier node at the beginning of a moment whose
children are all closed: the same jobs have started, with no greater sum of starts, and hold no more processors from the
node's moment on; from 3 on, the remaining jobs exceed the maximum of measure 0, 1, … (`mosp_measures`).

*Proof.* It is sufficient to refute some of the jobs. Among the schedules of these jobs that end by C, take one with the
least sum of starts. There each job starts at a moment at which it fits and could not start earlier, and identical jobs
(the same time, width, release and deadline) can be named in the order of their starts. So it is below the root, and at
each open node below one child. If it is below a dominated node, replace the starts of that node by those of the earlier
node. The other jobs start no earlier than both nodes and find no fewer processors. So this is a schedule, and its sum
is again the least one. Which nodes a schedule passes depends only on the starts before them: it passes the earlier
node, and so is below a closed node that was checked before. This cannot be repeated forever, and the other bytes only
close nodes without schedules of the least sum. So there is no schedule. Mirrored, schedules are reversed from C.
Locality is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from oas.checker.effort import Effort
from oas.checker.mosp_instance import MospInstance
from oas.checker.mosp_measures import MeasureTable, Timeline, TimelineJob, measure_tables
from oas.checker.mosp_weights import MAX_SUM_STEPS, read_makespan
from oas.checker.reading import fields_of, flag_of, integer_of, list_of, refused, unpacked_bytes

MAX_START_NODES = 30_000_000
MAX_START_JOBS = 124  # of a tree of more than one node
MAX_START_LOOKS = 64  # recorded nodes that a node is compared with
START_STEPS = 1_000_000  # nodes, and moments checked for a job that may start
MAX_START_HELD = 16_000_000  # running jobs of all recorded nodes, plus eight for each node

OPEN_NODE, DEAD_NODE, DOMINATED_NODE, FIRST_MEASURE_CODE = range(4)
# Running jobs, and some that have ended, as (end, job).
RunningJobs = tuple[tuple[int, int], ...]


def check_mosp_start_tree(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing."""
    document = fields_of(certificate, "certificate", "makespan", "mirrored", "order", "measures", "codes")
    makespan, mirrored = read_makespan(document["makespan"], 1), flag_of(document["mirrored"], "certificate.mirrored")
    ticks = instance.ticks
    order = list_of(document["order"], "certificate.order", most=ticks.job_count)
    for place, job in enumerate(order):
        integer_of(job, f"certificate.order[{place}]", 0, ticks.job_count - 1)
    if not order or len(set(order)) < len(order):
        raise refused("certificate.order", "must have some of the jobs, none twice")
    codes = unpacked_bytes(document["codes"], "certificate.codes", MAX_START_NODES)
    if not codes:
        raise refused("certificate.codes", "must have at least one byte")
    if len(codes) > 1 and len(order) > MAX_START_JOBS:
        raise refused("certificate.order", f"at most {MAX_START_JOBS} jobs can be in a tree", len(order))
    timeline = Timeline.of(ticks, makespan, mirrored=mirrored)
    tables = measure_tables(document["measures"], timeline, order, Effort(MAX_SUM_STEPS))
    refuted = StartTree(timeline, order, tables, Effort(START_STEPS)).is_closed(codes)
    return ticks.to_time((makespan + 1) * timeline.unit) if refuted else Fraction(0)


class PartialSchedule(NamedTuple):
    """A node of the tree."""

    moment: int
    first: bool  # whether no job has started at this moment yet
    candidates: tuple[int, ...]  # the jobs that may start now, ascending
    waiting: tuple[int, ...]  # the jobs that have not started, ascending
    total: int  # sum of the starts of the started jobs
    running: RunningJobs
    since: tuple[int, ...]  # for each of `StartTree.widths`: the moment since which this number of processors is free


class StartTree:
    """A tree over the starts of some jobs, which are numbered by their positions in the order."""

    def __init__(self, timeline: Timeline, order: Sequence[int], tables: list[MeasureTable], effort: Effort) -> None:
        self.horizon, self.free, self.tables, self.effort = timeline.horizon, timeline.free, tables, effort
        self.jobs = [timeline.jobs[job] for job in order]
        alike: dict[TimelineJob, int] = {}
        self._before = []  # by job: the previous identical job, -1 for none
        for place, job in enumerate(self.jobs):
            self._before.append(alike.get(job, -1))
            alike[job] = place
        self.widths = sorted({job.width for job in self.jobs})  # ascending, each once
        self._kind = [self.widths.index(job.width) for job in self.jobs]
        changes = [t for t in range(1, self.horizon) if self.free[t] != self.free[t - 1]]
        self._drops = [t for t in changes if self.free[t] < self.free[t - 1]]
        self._events = sorted({*changes, *(job.release for job in self.jobs if 0 < job.release < self.horizon)})
        self._kept: dict[tuple[int, ...], list[tuple[int, int, RunningJobs]]] = {}
        self._held = 0

    def is_closed(self, codes: bytes) -> bool:
        """Return whether every node is closed according to its code, and all codes are used."""
        path: list[tuple[PartialSchedule | None, Iterator[PartialSchedule]]] = [(None, iter([self.root()]))]
        left = iter(codes)
        while path:
            node, children = path[-1]
            child = next(children, None)
            if child is None:
                path.pop()
                if node is not None and node.first:
                    self.keep(node)
                continue
            code = next(left, None)
            if code is None or not child.waiting:  # a node without code, or a complete schedule
                return False
            self.effort.spend(1)
            if code == OPEN_NODE and child.moment < self.horizon:
                path.append((child, self.children(child)))
            elif not self.closes(child, code):
                return False
        return next(left, None) is None

    def closes(self, node: PartialSchedule, code: int) -> bool:
        """Return whether a node is closed according to its code."""
        if code == DEAD_NODE:
            return node.moment >= self.horizon
        if code == DOMINATED_NODE:
            return node.first and self.is_dominated(node)
        measure = code - FIRST_MEASURE_CODE
        if not 0 <= measure < len(self.tables):
            return False
        return self.tables[measure].too_heavy(node.moment, node.waiting, node.running)

    def is_dominated(self, node: PartialSchedule) -> bool:
        """Return whether a recorded node, no later and with no greater sum, holds no more processors from now on."""
        for moment, total, running in reversed(self._kept.get(node.waiting, [])[-MAX_START_LOOKS:]):
            if moment <= node.moment and total <= node.total:
                last_moments = [end - 1 for end, _ in running if end > node.moment]
                if all(self.idle(one, running) >= self.idle(one, node.running) for one in last_moments):
                    return True
        return False

    def keep(self, node: PartialSchedule) -> None:
        """Record a node whose children are all closed, up to a limit."""
        if self._held < MAX_START_HELD:
            self._kept.setdefault(node.waiting, []).append((node.moment, node.total, node.running))
            self._held += 8 + len(node.running)

    def root(self) -> PartialSchedule:
        """Return the root, a schedule without jobs."""
        everything = tuple(range(len(self.jobs)))
        candidates = self.candidates(everything, (), 0, 0)
        return PartialSchedule(0, True, candidates, everything, 0, (), (0,) * len(self.widths))

    def children(self, node: PartialSchedule) -> Iterator[PartialSchedule]:
        """Yield the nodes that start a candidate, and finally the one that advances to a later moment."""
        moment, waiting = node.moment, node.waiting
        for place, job in enumerate(node.candidates):
            if self._before[job] in waiting:
                continue
            running = (*node.running, (moment + self.jobs[job].time, job))
            candidates = tuple([later for later in node.candidates[place + 1 :] if self.fits(later, moment, running)])
            others = tuple([member for member in waiting if member != job])
            yield PartialSchedule(moment, False, candidates, others, node.total + moment, running, node.since)
        yield self.later(node)

    def idle(self, moment: int, running: RunningJobs) -> int:
        """Return the number of free processors at a moment from the last start on."""
        return self.free[moment] - sum([self.jobs[job].width for end, job in running if end > moment])

    def fits(self, job: int, moment: int, running: RunningJobs) -> bool:
        """Return whether a job fits from `moment`, at or after the last start, until its end, and ends in time.

        The number of free processors decreases only when reservations begin.
        """
        one = self.jobs[job]
        end = moment + one.time
        if end > one.end or self.idle(moment, running) < one.width:
            return False
        return all(self.idle(drop, running) >= one.width for drop in self._drops if moment < drop < end)

    def candidates(
        self, waiting: Sequence[int], running: RunningJobs, moment: int, idle_before: int
    ) -> tuple[int, ...]:
        """Return the jobs that may start at `moment`, but not just before it with `idle_before` free processors."""
        candidates = []
        for job in waiting:
            one = self.jobs[job]
            is_new = one.release == moment or (one.release < moment and one.width > idle_before)
            if is_new and self.fits(job, moment, running):
                candidates.append(job)
        return tuple(candidates)

    def later(self, node: PartialSchedule) -> PartialSchedule:
        """Return the node at the next moment at which a job may start.

        It is at the horizon if there is none, or if a waiting job could have run before that moment.
        """
        moment, running, since = node.moment, node.running, node.since
        while True:
            self.effort.spend(1)
            ends = [end for end, _ in running if end > moment]
            following = min([*ends, next((event for event in self._events if event > moment), self.horizon)])
            idle = self.idle(moment, running)  # until the following moment
            if following >= self.horizon or self.leaves_a_hole(node.waiting, since, idle, following):
                return node._replace(moment=self.horizon, first=True, candidates=())
            since = tuple([one if width <= idle else following for one, width in zip(since, self.widths, strict=True)])
            moment = following
            if candidates := self.candidates(node.waiting, running, moment, idle):
                left = tuple([one for one in running if one[0] > moment])
                return node._replace(moment=moment, first=True, candidates=candidates, running=left, since=since)

    def leaves_a_hole(self, waiting: Sequence[int], since: Sequence[int], idle: int, moment: int) -> bool:
        """Return whether a waiting job could have run before `moment`, with `idle` free processors just before it."""
        narrow = [(self.jobs[job], since[self._kind[job]]) for job in waiting if self.jobs[job].width <= idle]
        return any(max(free_from, job.release) + job.time <= min(moment, job.end) for job, free_from in narrow)
