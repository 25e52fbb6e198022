"""The nodes of a start tree: partial schedules of one cluster, and the nodes that follow each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from oas.checker.effort import Effort
from oas.checker.mosp_timeline import Timeline, TimelineJob

# Jobs that run, as (end, job), and some that have ended.
RunningJobs = tuple[tuple[int, int], ...]


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
        Those that run now; some may have ended.
    since
        For each width of `StartMoves.widths`: from when on so many processors were free until now.
    """

    moment: int
    first: bool
    candidates: tuple[int, ...]
    waiting: tuple[int, ...]
    total: int
    running: RunningJobs
    since: tuple[int, ...]


class StartMoves:
    """What may follow a partial schedule of some jobs, which are numbered by their places in the order.

    Attributes
    ----------
    jobs
        In the order in which they are tried.
    free
        Processors that reservations leave free in each unit, and 0 at the horizon.
    widths
        The jobs' numbers of processors, ascending, each once.
    """

    def __init__(self, timeline: Timeline, order: Sequence[int], effort: Effort) -> None:
        self.horizon, self.free, self.effort = timeline.horizon, timeline.free, effort
        self.jobs = [timeline.jobs[job] for job in order]
        alike: dict[TimelineJob, int] = {}
        self._before = []  # of each job the last one before that is like it, -1 for none
        for place, job in enumerate(self.jobs):
            self._before.append(alike.get(job, -1))
            alike[job] = place
        self.widths = sorted({job.width for job in self.jobs})
        self._kind = [self.widths.index(job.width) for job in self.jobs]
        changes = [t for t in range(1, self.horizon) if self.free[t] != self.free[t - 1]]
        self._drops = [t for t in changes if self.free[t] < self.free[t - 1]]
        self._events = sorted({*changes, *(job.release for job in self.jobs if 0 < job.release < self.horizon)})

    def root(self) -> PartialSchedule:
        """Return the schedule of no job."""
        everything = tuple(range(len(self.jobs)))
        candidates = self.candidates(everything, (), 0, 0)
        return PartialSchedule(0, True, candidates, everything, 0, (), (0,) * len(self.widths))

    def children(self, node: PartialSchedule) -> Iterator[PartialSchedule]:
        """Yield the nodes that start a candidate, and last the one that goes on to a later moment."""
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
        for job in waiting:
            one = self.jobs[job]
            if one.width <= idle and max(since[self._kind[job]], one.release) + one.time <= min(moment, one.end):
                return True
        return False
