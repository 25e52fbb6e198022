"""The bound by a tree over starts, for one cluster.

The certificate is ``{"makespan": C, "mirrored": false, "order": [j, …], "measures": […], "codes": "…"}``: C in units
(the common divisor of all times in ticks); whether time runs backwards; the jobs of the tree in the order in which they
are tried (where some of the jobs cannot end in time, all cannot); the measures; and how each node of the tree is
closed, in the order in which they are met: a byte a node.

A node is a partial schedule at a moment, with the jobs that may start then: those that fit and could not start earlier.
A child starts one of them, and then only those after it in the order; of identical jobs none starts before one earlier
in the order. The last child goes on to the next moment at which a job may start; where a job could have run before
that, to the end, for a schedule with the least sum of starts has it start there. Bytes: 0, the node's children follow;
1, no job may start any more; 2, an earlier node at its moment's beginning, with all its children closed, dominates it:
the same jobs have started, with no greater sum of starts, and hold no more processors from here on; from 3 on, what is
left weighs more by measure 0, 1, … than there is room for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from oas.checker.effort import Effort
from oas.checker.errors import refused
from oas.checker.mosp_instance import MospInstance
from oas.checker.mosp_measures import MeasureTable, measure_tables
from oas.checker.mosp_timeline import Timeline, identical_before
from oas.checker.mosp_weights import MAX_SUM_STEPS, read_makespan, read_mirrored
from oas.checker.packed_bytes import unpacked_bytes
from oas.checker.reading import fields_of, integer_of, list_of

MAX_START_NODES = 30_000_000
MAX_START_JOBS = 124  # of a tree of more than one node
MAX_START_STATES = 2_000_000  # nodes kept, and of these the latest compared with a node
MAX_START_LOOKS = 64
START_STEPS = 1_000_000  # nodes, and moments looked at for a job that may start
MAX_START_HELD = 16_000_000  # running jobs of all nodes kept

OPEN_NODE, DEAD_NODE, DOMINATED_NODE, FIRST_MEASURE_CODE = range(4)

# Jobs that run, as (end, job), the latest ends first.
RunningJobs = tuple[tuple[int, int], ...]


def check_mosp_start_tree(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing.

    Raises
    ------
    Refused
        If the certificate is malformed, the instance too large for one, or the walk too long.
    """
    document = fields_of(certificate, "certificate", "makespan", "mirrored", "order", "measures", "codes")
    makespan, mirrored = read_makespan(document["makespan"], 1), read_mirrored(document["mirrored"])
    ticks = instance.scaled()
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
    tables = measure_tables(document["measures"], timeline, ticks.processors[0], order, Effort(MAX_SUM_STEPS))
    refuted = StartTree(timeline, tables, order, codes).is_closed()
    return ticks.to_time((makespan + 1) * timeline.unit) if refuted else Fraction(0)


class PartialSchedule(NamedTuple):
    """A node of the tree.

    Attributes
    ----------
    moment
        Where it stands.
    first
        Whether no job has started at this moment yet.
    candidates
        The jobs that may start now, ascending.
    waiting
        The jobs that have not started, ascending.
    total
        Sum of the starts of the others.
    running
        Those that run now or have ended a little while ago.
    since
        For each width of `StartTree.widths`: from when on so many processors were free until now.
    """

    moment: int
    first: bool
    candidates: tuple[int, ...]
    waiting: tuple[int, ...]
    total: int
    running: RunningJobs
    since: tuple[int, ...]


class StartTree:
    """A tree over the starts of some jobs, walked as its codes say; jobs are numbered by their places in the order."""

    def __init__(self, timeline: Timeline, tables: list[MeasureTable], order: Sequence[int], codes: bytes) -> None:
        self.tables, self.codes, self.horizon = tables, codes, timeline.horizon
        self.free, self.effort = timeline.free, Effort(START_STEPS)
        self.jobs = [timeline.jobs[job] for job in order]
        self.before = identical_before(self.jobs)
        self.widths = sorted({job.width for job in self.jobs})
        self.kind = [self.widths.index(job.width) for job in self.jobs]
        changes = [t for t in range(1, self.horizon) if self.free[t] != self.free[t - 1]]
        self.drops = [t for t in changes if self.free[t] < self.free[t - 1]]
        self.events = sorted({*changes, *(job.release for job in self.jobs if 0 < job.release < self.horizon)})
        self.kept: dict[tuple[int, ...], list[tuple[int, int, RunningJobs]]] = {}
        self.states = self.held = 0
        self.last_dominated = codes.rfind(DOMINATED_NODE)  # nothing is kept after it

    def is_closed(self) -> bool:
        """Return whether every node is closed as its code says, and there is no code more."""
        everything = tuple(range(len(self.jobs)))
        candidates = self.candidates(everything, (), 0, 0)
        root = PartialSchedule(0, True, candidates, everything, 0, (), (0,) * len(self.widths))
        verdict = self.verdict(0, root)
        if verdict is not None:
            return verdict and len(self.codes) == 1
        path = [(root, 0)]  # nodes, and the candidate of each to go on from
        nodes = 1
        while path:
            node, place = path.pop()
            child, place = self.next_child(node, place)
            if child is None:
                if node.first and nodes <= self.last_dominated:
                    self.keep(node)
                continue
            path.append((node, place))
            if not child.waiting or nodes == len(self.codes):  # it is a schedule, or a node without code
                return False
            self.effort.spend(1)
            verdict = self.verdict(nodes, child)
            nodes += 1
            if verdict is None:
                path.append((child, 0))
            elif not verdict:
                return False
        return nodes == len(self.codes)

    def verdict(self, number: int, node: PartialSchedule) -> bool | None:
        """Return whether a node is closed as its code says; None if its children follow, as they may."""
        code = self.codes[number]
        if code == OPEN_NODE:
            return None if node.moment < self.horizon else False
        if code == DEAD_NODE:
            return node.moment >= self.horizon
        if code == DOMINATED_NODE:
            return node.first and self.is_dominated(node)
        measure = code - FIRST_MEASURE_CODE
        return measure < len(self.tables) and self.tables[measure].too_heavy(node.moment, node.waiting, node.running)

    def next_child(self, node: PartialSchedule, place: int) -> tuple[PartialSchedule | None, int]:
        """Return the child of the candidate at `place` or after it, None after the last; and the place to go on from.

        After the candidates comes the child that goes on to a later moment.
        """
        candidates, waiting = node.candidates, node.waiting
        while place < len(candidates) and self.before[candidates[place]] in waiting:
            place += 1
        if place > len(candidates):
            return None, place
        if place == len(candidates):
            return self.later(node), place + 1
        job, moment = candidates[place], node.moment
        end = moment + self.jobs[job].time
        at = sum(1 for one, _ in node.running if one > end)
        running = (*node.running[:at], (end, job), *node.running[at:])
        left = tuple([one for one in candidates[place + 1 :] if self.fits(one, moment, running)])
        others = tuple([one for one in waiting if one != job])
        return PartialSchedule(moment, False, left, others, node.total + moment, running, node.since), place + 1

    def idle(self, moment: int, running: RunningJobs) -> int:
        """Return the processors free at a moment from the last start on."""
        idle = self.free[moment]
        for end, job in running:
            if end <= moment:
                break
            idle -= self.jobs[job].width
        return idle

    def fits(self, job: int, moment: int, running: RunningJobs) -> bool:
        """Return whether a job finds its processors free from `moment`, at or after the last start, to its end in time.

        Jobs that run only end, so what is free falls only where reservations begin.
        """
        one = self.jobs[job]
        end = moment + one.time
        if end > one.end or self.idle(moment, running) < one.width:
            return False
        drops = self.drops
        at = bisect_right(drops, moment)
        while at < len(drops) and drops[at] < end:
            if self.idle(drops[at], running) < one.width:
                return False
            at += 1
        return True

    def candidates(
        self, waiting: Sequence[int], running: RunningJobs, moment: int, idle_before: int
    ) -> tuple[int, ...]:
        """Return the jobs that may start at `moment`, and not just before it, when so many processors were free."""
        idle = self.idle(moment, running)
        found = []
        for job in waiting:
            one = self.jobs[job]
            if one.width > idle or one.release > moment or (one.release < moment and one.width <= idle_before):
                continue
            if self.fits(job, moment, running):
                found.append(job)
        return tuple(found)

    def later(self, node: PartialSchedule) -> PartialSchedule:
        """Return the node at the next moment at which a job may start.

        At the horizon if there is none, or if before that moment a job yet to start could have run.
        """
        moment, running, since = node.moment, node.running, node.since
        at = bisect_right(self.events, moment)
        while True:
            self.effort.spend(1)
            following = self.events[at] if at < len(self.events) else self.horizon
            for end, _ in reversed(running):
                if end > moment:
                    following = min(following, end)
                    break
            idle = self.idle(moment, running)  # until the following moment
            if following >= self.horizon or self.leaves_a_hole(node.waiting, since, idle, following):
                return node._replace(moment=self.horizon, first=True, candidates=())
            since = tuple([one if width <= idle else following for one, width in zip(since, self.widths, strict=True)])
            moment = following
            if at < len(self.events) and self.events[at] == moment:
                at += 1
            if found := self.candidates(node.waiting, running, moment, idle):
                left = tuple([one for one in running if one[0] > moment])
                return node._replace(moment=moment, first=True, candidates=found, running=left, since=since)

    def leaves_a_hole(self, waiting: Sequence[int], since: Sequence[int], idle: int, moment: int) -> bool:
        """Return whether one of the jobs could have run until `moment` at the latest, with so many free just before."""
        for job in waiting:
            one = self.jobs[job]
            if one.width <= idle and max(since[self.kind[job]], one.release) + one.time <= min(moment, one.end):
                return True
        return False

    def is_dominated(self, node: PartialSchedule) -> bool:
        """Return whether one of the nodes kept dominates this one."""
        for moment, total, running in reversed(self.kept.get(node.waiting, [])[-MAX_START_LOOKS:]):
            if moment <= node.moment and total <= node.total and self.holds_no_more(running, node):
                return True
        return False

    def holds_no_more(self, running: RunningJobs, node: PartialSchedule) -> bool:
        """Return whether jobs hold no more processors than in `node` at any moment from there on."""
        own, held, others = 0, 0, iter(node.running)
        end, job = next(others, (0, 0))
        for their_end, their_job in running:
            if their_end <= node.moment:
                break
            held += self.jobs[their_job].width
            while end >= their_end:
                own += self.jobs[job].width
                end, job = next(others, (0, 0))
            if own < held:
                return False
        return True

    def keep(self, node: PartialSchedule) -> None:
        """Keep a node, all of whose children are closed, while there is room."""
        if self.states < MAX_START_STATES and self.held < MAX_START_HELD:
            self.kept.setdefault(node.waiting, []).append((node.moment, node.total, node.running))
            self.states += 1
            self.held += len(node.running)
