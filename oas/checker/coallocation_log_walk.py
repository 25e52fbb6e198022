"""The walk through the tree of a search log of co-allocation, as its bytes say.

A row is a moment with the jobs that have begun so far. What is free at it and just before it is handed down from row to
row: before a moment that follows another, that is what was free at the other when all its jobs had begun.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from oas.checker.coallocation_log_rules import LogRules
from oas.checker.effort import Effort

LOG_OPEN, LOG_LATE, LOG_SEEN, LOG_STOP = 0, 253, 254, 255


class RunningJob:
    """A job on the path: its end, number and level, the nodes it holds of each class, and what it asks of each link."""

    __slots__ = ("asked", "end", "held", "job", "level")

    def __init__(self, end: int, job: int, level: int, held: tuple[int, ...], asked: tuple[int, ...]) -> None:
        self.end, self.job, self.level, self.held, self.asked = end, job, level, held, asked


class GridLeft:
    """What running jobs leave of the grid.

    Attributes
    ----------
    room
        Of each level: nodes of it or faster ones.
    most
        Of each level: the tasks that a job of it may have, by nested capacities.
    beside
        What runs, as bits (job·levels + level).
    free, links
        Nodes of each class, and of each link; none if nodes are not decided.
    """

    __slots__ = ("beside", "free", "links", "most", "room")

    def __init__(self, room: Sequence[int], beside: int, free: tuple[int, ...], links: tuple[int, ...]) -> None:
        self.room, self.beside, self.free, self.links = room, beside, free, links
        most = list(room)
        for level in range(len(most) - 2, -1, -1):
            if most[level + 1] < most[level]:
                most[level] = most[level + 1]
        self.most = most

    def changed(self, rules: LogRules, one: RunningJob, sign: int) -> GridLeft:
        """Return what is left when a job ends (1) or begins (-1)."""
        tasks = sign * rules.tasks[one.job]
        room = [own + tasks if level >= one.level else own for level, own in enumerate(self.room)]
        beside = self.beside ^ 1 << one.job * len(room) + one.level
        if not one.held:
            return GridLeft(room, beside, self.free, self.links)
        free = tuple([own + sign * count for own, count in zip(self.free, one.held, strict=True)])
        links = tuple([own + sign * load for own, load in zip(self.links, one.asked, strict=True)])
        return GridLeft(room, beside, free, links)

    def has_nodes(self, held: Sequence[int], asked: Sequence[int]) -> bool:
        """Tell whether these nodes are free, and the links take what is asked of them."""
        return not any(map(int.__lt__, self.free, held)) and not any(map(int.__lt__, self.links, asked))


class LogRow:
    """A row of the tree.

    Attributes
    ----------
    time
        Of the moment.
    waiting
        Bits of the jobs that have not begun.
    running
        The jobs that run at the moment.
    before, now
        What is free just before the moment, and at it.
    wasted, idle
        By each set of weights: what has been wasted by the moment, and what the jobs that run leave of M.
    options
        Jobs and levels that the log has to close, in order.
    place
        How many of them it has closed.
    choices
        The nodes that are left to be chosen for the last of these; None if it is closed.
    number
        Of the moment if it is referred to, otherwise -1.
    key
        What decides how it goes on, if it is referred to.
    """

    __slots__ = (
        "before",
        "choices",
        "ended",
        "idle",
        "key",
        "now",
        "number",
        "options",
        "place",
        "running",
        "time",
        "waiting",
        "wasted",
    )

    def __init__(
        self,
        time: int,
        waiting: int,
        running: tuple[RunningJob, ...],
        grids: tuple[GridLeft, GridLeft],
        wasted: tuple[int, ...],
        idle: tuple[int, ...],
        options: list[tuple[int, int]],
    ) -> None:
        self.time, self.waiting, self.running = time, waiting, running
        self.before, self.now = grids
        self.wasted, self.idle, self.options = wasted, idle, options
        self.place, self.ended, self.number, self.key = 0, False, -1, ""
        self.choices: Iterator[RunningJob] | None = None


class LogWalk:
    """A walk.

    Parameters
    ----------
    rules
        Of the log.
    codes
        The log.
    seen
        The numbers of the moments to which it refers, in order.
    effort
        For bytes of the log, and choices of nodes.

    Attributes
    ----------
    asks_for_more
        Whether the walk has ended because there are no more bytes.
    """

    def __init__(self, rules: LogRules, codes: bytes, seen: Sequence[int], effort: Effort) -> None:
        self.rules, self.codes, self.seen, self.effort = rules, codes, seen, effort
        self.at = 0  # bytes that have been read
        self.asks_for_more = False
        self.moments = self.referred = 0  # rows that began with an end; those to which the log refers
        self.left: dict[int, tuple[int, str]] = {}  # of each such row that has been left: its time and key

    def refutes(self) -> bool:
        """Tell whether the log closes every branch of the tree, with its last byte."""
        rules, codes = self.rules, self.codes
        extra, budget, sets = rules.extra, rules.budget, len(rules.budget)
        self.effort.spend(2 * len(codes))
        rows = [self._root()]
        while rows:
            row = rows[-1]
            if row.choices is not None:
                begun = next(row.choices, None)
                if begun is None:
                    row.choices = None
                    continue
                found = self._with_start(row, begun)
                if found is None or not found.waiting:
                    return False  # a branch that wastes too much is left open, or there is a schedule
                rows.append(found)
            elif row.place < len(row.options):
                job, level = row.options[row.place]
                row.place += 1
                if self.at == len(codes):
                    self.asks_for_more = True
                    return False
                code = codes[self.at]
                self.at += 1
                if code == LOG_OPEN:
                    row.choices = self._begun(row, job, level)
                elif code > sets or row.wasted[code - 1] + extra[job][level][code - 1] <= budget[code - 1]:
                    return False
            elif not row.ended:
                row.ended = True
                closed, found = self._next_end(row)
                if not closed:
                    return False
                if found is not None:
                    rows.append(found)
            else:
                rows.pop()
                if row.number >= 0:
                    self.left[row.number] = (row.time, row.key)
        return self.at == len(codes)

    def _root(self) -> LogRow:
        rules = self.rules
        jobs, sets = len(rules.tasks), len(rules.whole)
        empty = GridLeft(rules.room, 0, rules.class_nodes, rules.links if rules.placed else ())
        row = LogRow(0, (1 << jobs) - 1, (), (empty, empty), (0,) * sets, rules.whole, [])
        row.options = self._options(row, 0)
        return row

    def _options(self, row: LogRow, first: int) -> list[tuple[int, int]]:
        """Return the jobs from `first` on, with levels, that may begin at this moment, in time, and had to wait.

        Whether a job had to wait is seen here only where nodes are not decided.
        """
        rules, found = self.rules, []
        most, beside, time = row.now.most, row.now.beside, row.time
        early = time and not rules.placed
        before_most, before_beside = row.before.most, row.before.beside
        waiting = row.waiting >> first << first
        while waiting:
            lowest = waiting & -waiting
            waiting ^= lowest
            job = lowest.bit_length() - 1
            tasks, ticks, apart = rules.tasks[job], rules.ticks[job], rules.apart[job]
            latest = rules.horizon - (2 * time if job == rules.mirrored else time)
            for level in range(rules.fastest[job], len(most)):
                if ticks[level] > latest:
                    break  # slower nodes take longer
                if tasks > most[level] or apart[level] & beside:
                    continue
                if early and tasks <= before_most[level] and not apart[level] & before_beside:
                    continue
                found.append((job, level))
        return found

    def _begun(self, row: LogRow, job: int, level: int) -> Iterator[RunningJob]:
        """Yield the job as it may begin at this level: with each choice of nodes that fits and had to wait."""
        rules = self.rules
        ticks = rules.ticks[job]
        end = row.time + ticks[level]
        if not rules.placed:
            yield RunningJob(end, job, level, (), ())
            return
        for held in self._node_choices(row, job, level):
            slowest = next(own for own, count in zip(rules.class_level, held, strict=True) if count)
            if ticks[slowest] != ticks[level]:
                continue
            counts = [0] * len(rules.links)
            for cluster, count in zip(rules.class_cluster, held, strict=True):
                counts[cluster] += count
            asked = tuple([rules.loads[job][count] for count in counts])
            if not row.time or not row.before.has_nodes(held, asked):
                yield RunningJob(end, job, level, held, asked)

    def _node_choices(self, row: LogRow, job: int, level: int) -> Iterator[tuple[int, ...]]:
        """Yield the choices of free nodes of this level or faster that fit, most nodes of the first class first."""
        rules, links, loads = self.rules, row.now.links, self.rules.loads[job]
        clusters, last = rules.class_cluster, rules.class_last
        most = [free if own <= level else 0 for own, free in zip(rules.class_level, row.now.free, strict=True)]
        end = len(most) - 1
        later = [0] * (end + 2)  # nodes of this class and those behind it
        for at in range(end, -1, -1):
            later[at] = later[at + 1] + most[at]
        counts, left, used = [0] * (end + 1), [0] * (end + 1), [0] * len(links)
        left[0] = rules.tasks[job]
        following = [min(most[0], left[0])] * (end + 1)  # the next count to be tried
        at = 0
        while True:
            count = following[at]
            if count < 0 or count < left[at] - later[at + 1]:
                at -= 1
                if at < 0:
                    return
                used[clusters[at]] -= counts[at]
                continue
            self.effort.spend(4)
            following[at] = count - 1
            cluster = clusters[at]
            if last[at] and loads[used[cluster] + count] > links[cluster]:
                continue
            counts[at] = count
            if at == end:
                yield tuple(counts)
                continue
            used[cluster] += count
            at += 1
            left[at] = left[at - 1] - count
            following[at] = min(most[at], left[at])

    def _with_start(self, row: LogRow, one: RunningJob) -> LogRow | None:
        """Return the row with one more job at this moment; None if it wastes too much."""
        rules = self.rules
        more = rules.extra[one.job][one.level]
        wasted = tuple([own + extra for own, extra in zip(row.wasted, more, strict=True)])
        if any(map(int.__gt__, wasted, rules.budget)):
            return None
        idle = tuple([own - weight for own, weight in zip(row.idle, rules.weights[one.job][one.level], strict=True)])
        grids = (row.before, row.now.changed(rules, one, -1))
        found = LogRow(row.time, row.waiting ^ 1 << one.job, (*row.running, one), grids, wasted, idle, [])
        found.options = self._options(found, one.job + 1)
        return found

    def _next_end(self, row: LogRow) -> tuple[bool, LogRow | None]:
        """Read how it goes on when nothing more begins: whether that is right, and the row of the next end if any."""
        rules = self.rules
        if self.at == len(self.codes):
            self.asks_for_more = True
            return False, None
        code = self.codes[self.at]
        self.at += 1
        if not row.running or code == LOG_STOP:
            return not row.running and code == LOG_STOP, None
        then = min([one.end for one in row.running])
        wait = then - row.time
        if code == LOG_LATE:
            return self._is_late(row, self._number(), then), None
        running = tuple([one for one in row.running if one.end > then])
        if code == LOG_SEEN:
            known = self.left.get(self._number())
            return known is not None and known[0] <= then and known[1] == _log_key(row.waiting, running, then), None
        wasted = tuple([own + idle * wait for own, idle in zip(row.wasted, row.idle, strict=True)])
        if code != LOG_OPEN:
            return code <= len(wasted) and wasted[code - 1] > rules.budget[code - 1], None
        if any(map(int.__gt__, wasted, rules.budget)):
            return False, None
        now, idle = row.now, list(row.idle)
        for one in row.running:
            if one.end == then:
                now = now.changed(rules, one, 1)
                idle = [own + weight for own, weight in zip(idle, rules.weights[one.job][one.level], strict=True)]
        found = LogRow(then, row.waiting, running, (row.now, now), wasted, tuple(idle), [])
        found.options = self._options(found, 0)
        if self.referred < len(self.seen) and self.seen[self.referred] == self.moments:
            self.referred += 1
            found.number, found.key = self.moments, _log_key(row.waiting, running, then)
        self.moments += 1
        return True, found

    def _is_late(self, row: LogRow, job: int, time: int) -> bool:
        """Tell whether the job waits and cannot end in time when it begins at `time` or later."""
        rules = self.rules
        if job < 0 or not row.waiting >> job & 1:
            return False
        latest = rules.horizon - (2 * time if job == rules.mirrored else time)
        return rules.ticks[job][rules.fastest[job]] > latest

    def _number(self) -> int:
        """Read a number of up to five bytes; -1 if there is none."""
        number = 0
        for digit, byte in enumerate(self.codes[self.at : self.at + 5]):
            number |= (byte & 127) << 7 * digit
            if byte < 128:
                self.at += digit + 1
                return number
        return -1


def _log_key(waiting: int, running: Sequence[RunningJob], time: int) -> str:
    """Return what decides how a moment goes on: which jobs wait, and of those that run their level, rest and nodes."""
    return repr((waiting, sorted([(one.job, one.level, one.end - time, one.held) for one in running])))
