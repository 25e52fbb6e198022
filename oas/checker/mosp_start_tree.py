"""The bound "start tree": a tree over the starts of jobs on one cluster refutes a makespan.

The certificate is ``{"makespan": C, "mirrored": false, "order": [j, …], "measures": […], "codes": "…"}``: C in units
(the common divisor of all times in ticks); whether time runs backwards; the jobs of the tree in the order in which they
are tried; the measures; and how each node is closed, in the order in which they are met, a byte a node.

A node is a partial schedule at a moment, with the jobs that may start then: those that fit and could not start earlier.
A child starts one of them, and then only those after it in the order; of identical jobs none starts before one earlier
in the order. The last child moves to the next moment at which a job may start; if a waiting job could have run before
that, it moves to the end instead.

*Theorem.* If each node is closed as its byte says, no schedule ends by C. Bytes: 0, the node's children follow; 1, no
job may start any more; 2, an earlier node at its moment's beginning, with all its children closed, dominates it: the
same jobs have started, with no greater sum of starts, and hold no more processors from here on; from 3 on, what is left
weighs more by measure 0, 1, … than there is room for (`mosp_measures`).

*Proof.* If some of the jobs cannot end in time, all cannot. Of the schedules of the jobs in the order that end by C
take one with the least sum of starts. There each job starts where it fits and could not start earlier, and identical
jobs can be named in the order of their starts. So it is found below the root, and at each open node below one child.
If it is found below a dominated node, put the starts of the earlier node in the place of those of this one: that is a
schedule with no greater sum, found below a node that was closed before. That cannot repeat for ever, and the other
bytes close no node with a schedule below it. So there is none. Mirrored, the schedule is read backwards from C.
Locality is left out.
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
MAX_START_LOOKS = 64  # nodes kept that a node is compared with
START_STEPS = 1_000_000  # nodes, and moments looked at for a job that may start
MAX_START_HELD = 16_000_000  # running jobs of all nodes kept, each of which counts as eight

OPEN_NODE, DEAD_NODE, DOMINATED_NODE, FIRST_MEASURE_CODE = range(4)
# Jobs that run, as (end, job), and some that have ended.
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
        raise refused("certificate.order", "must hold some of the jobs, none twice")
    codes = unpacked_bytes(document["codes"], "certificate.codes", MAX_START_NODES)
    if not codes:
        raise refused("certificate.codes", "must hold a byte at least")
    if len(codes) > 1 and len(order) > MAX_START_JOBS:
        raise refused("certificate.order", f"at most {MAX_START_JOBS} jobs can be in a tree", len(order))
    timeline = Timeline.of(ticks, makespan, mirrored=mirrored)
    tables = measure_tables(document["measures"], timeline, order, Effort(MAX_SUM_STEPS))
    refuted = StartTree(timeline, order, tables, Effort(START_STEPS)).is_closed(codes)
    return ticks.to_time((makespan + 1) * timeline.unit) if refuted else Fraction(0)


class PartialSchedule(NamedTuple):
    """A node of the tree."""

    moment: int  # where it stands
    first: bool  # whether no job has started at this moment yet
    candidates: tuple[int, ...]  # the jobs that may start now, ascending
    waiting: tuple[int, ...]  # the jobs that have not started, ascending
    total: int  # sum of the starts of the others
    running: RunningJobs  # the running jobs; some may have ended
    since: tuple[int, ...]  # for each width of `StartTree.widths`: from when on so many processors were free until now


class StartTree:
    """A tree over the starts of some jobs, which are numbered by their places in the order."""

    def __init__(self, timeline: Timeline, order: Sequence[int], tables: list[MeasureTable], effort: Effort) -> None:
        self.horizon, self.free, self.tables, self.effort = timeline.horizon, timeline.free, tables, effort
        self.jobs = [timeline.jobs[job] for job in order]
        alike: dict[TimelineJob, int] = {}
        self._before = []  # of each job the last one before that is like it, -1 for none
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
        """Return whether every node is closed as its code says, and there is no code more."""
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
            if code is None or not child.waiting:  # a node without code, or a schedule
                return False
            self.effort.spend(1)
            if code == OPEN_NODE and child.moment < self.horizon:
                path.append((child, self.children(child)))
            elif not self.closes(child, code):
                return False
        return next(left, None) is None

    def closes(self, node: PartialSchedule, code: int) -> bool:
        """Return whether a node is closed as its code says."""
        if code == DEAD_NODE:
            return node.moment >= self.horizon
        if code == DOMINATED_NODE:
            return node.first and self.is_dominated(node)
        measure = code - FIRST_MEASURE_CODE
        if not 0 <= measure < len(self.tables):
            return False
        return self.tables[measure].too_heavy(node.moment, node.waiting, node.running)

    def is_dominated(self, node: PartialSchedule) -> bool:
        """Return whether a node kept, no later and no dearer, holds no more processors from this one's moment on."""
        for moment, total, running in reversed(self._kept.get(node.waiting, [])[-MAX_START_LOOKS:]):
            if moment <= node.moment and total <= node.total:
                last_moments = [end - 1 for end, _ in running if end > node.moment]
                if all(self.idle(one, running) >= self.idle(one, node.running) for one in last_moments):
                    return True
        return False

    def keep(self, node: PartialSchedule) -> None:
        """Keep a node, all of whose children are closed, while there is room."""
        if self._held < MAX_START_HELD:
            self._kept.setdefault(node.waiting, []).append((node.moment, node.total, node.running))
            self._held += 8 + len(node.running)

    def root(self) -> PartialSchedule:
        """Return the schedule of no job."""
        everything = tuple(range(len(self.jobs)))
        candidates = self.candidates(everything, (), 0, 0)
        return PartialSchedule(0, True, candidates, everything, 0, (), (0,) * len(self.widths))

    def children(self, node: PartialSchedule) -> Iterator[PartialSchedule]:
        """Yield the nodes that start a candidate, and last the one that moves to a later moment."""
        moment, waiting = node.moment, node.waiting
        for place, job in enumerate(node.candidates):
            if self._before[job] in waiting:
                continue
            running = (*node.running, (moment + self.jobs[job].time, job))
            left = tuple([one for one in node.candidates[place + 1 :] if self.fits(one, moment, running)])
            others = tuple([one for one in waiting if one != job])
            yield PartialSchedule(moment, False, left, others, node.total + moment, running, node.since)
        yield self.later(node)

    def idle(self, moment: int, running: RunningJobs) -> int:
        """Return the processors free at a moment from the last start on."""
        return self.free[moment] - sum([self.jobs[job].width for end, job in running if end > moment])

    def fits(self, job: int, moment: int, running: RunningJobs) -> bool:
        """Return whether a job finds its processors free from `moment`, at or after the last start, to its end in time.

        Jobs that run only end, so what is free falls only where reservations begin.
        """
        one = self.jobs[job]
        end = moment + one.time
        if end > one.end or self.idle(moment, running) < one.width:
            return False
        return all(self.idle(drop, running) >= one.width for drop in self._drops if moment < drop < end)

    def candidates(
        self, waiting: Sequence[int], running: RunningJobs, moment: int, idle_before: int
    ) -> tuple[int, ...]:
        """Return the jobs that may start at `moment`, and not just before it, when so many processors were free."""
        found = []
        for job in waiting:
            one = self.jobs[job]
            is_new = one.release == moment or (one.release < moment and one.width > idle_before)
            if is_new and self.fits(job, moment, running):
                found.append(job)
        return tuple(found)

    def later(self, node: PartialSchedule) -> PartialSchedule:
        """Return the node at the next moment at which a job may start.

        At the horizon if there is none, or if before that moment a job yet to start could have run.
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
            if found := self.candidates(node.waiting, running, moment, idle):
                left = tuple([one for one in running if one[0] > moment])
                return node._replace(moment=moment, first=True, candidates=found, running=left, since=since)

    def leaves_a_hole(self, waiting: Sequence[int], since: Sequence[int], idle: int, moment: int) -> bool:
        """Return whether one of the jobs could have run until `moment` at the latest, with so many free just before."""
        own = [(self.jobs[job], since[self._kind[job]]) for job in waiting if self.jobs[job].width <= idle]
        return any(max(free_from, job.release) + job.time <= min(moment, job.end) for job, free_from in own)
