"""Whether one cluster without reservations can run some jobs by a makespan: a search in the order of time.

If that does not decide, a search by windows of starts follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import add, sub
from typing import NamedTuple

from oas.checker.mosp_packing_windows import WindowSearch

# Answers: the jobs cannot run; they can; the search was not long enough to tell.
SET_NO, SET_YES, SET_UNDECIDED = range(3)
# Windows are for at most WINDOW_JOBS jobs, with a node for STEPS_A_NODE steps; for n jobs it costs n³ / NODE_SHARE.
WINDOW_JOBS, STEPS_A_NODE, NODE_SHARE = 40, 20, 10


class PackedJob(NamedTuple):
    """A job: its time, processors, last start in ticks, and its weights by functions of the processors."""

    time: int
    width: int
    latest: int
    loads: tuple[int, ...]


def can_run(jobs: Sequence[PackedJob], size: int, makespan: int, highest: Sequence[int], limit: int) -> tuple[int, int]:
    """Return an answer, and the steps that it took; parameters as for `cannot_run`."""
    impossible, spent = cannot_run(jobs, size, makespan, highest, limit)
    if impossible or spent < limit:
        return SET_NO if impossible else SET_YES, spent
    nodes = limit // STEPS_A_NODE
    if len(jobs) > WINDOW_JOBS or not nodes:
        return SET_UNDECIDED, spent
    times, widths, latest, _ = zip(*jobs, strict=True)
    impossible, taken = WindowSearch(times, widths, latest, size, makespan).cannot_run(nodes)
    spent += taken * (1 + len(jobs) ** 3 // NODE_SHARE)
    if impossible:
        return SET_NO, spent
    return SET_YES if taken < nodes else SET_UNDECIDED, spent


def cannot_run(
    jobs: Sequence[PackedJob], size: int, makespan: int, highest: Sequence[int], limit: int
) -> tuple[bool, int]:
    """Return whether a search of at most `limit` steps shows that the jobs cannot all run in time, and its steps.

    Jobs start at 0 or where others end, and none that could have started at the moment before: a schedule with the
    least sum of starts is such. A step starts a job, moves to the end of the next job, or goes back.

    Parameters
    ----------
    jobs
        At least one, by their last starts ascending: so they are tried.
    highest
        For each function, what no jobs side by side outweigh; where they weigh less, that room is lost.
    """
    count = len(jobs)
    times, widths, latest, loads = zip(*jobs, strict=True)
    slack = [most * makespan for most in highest]
    for job in jobs:
        slack = [room - load * job.time for room, load in zip(slack, job.loads, strict=True)]
    if min(slack) < 0:
        return True, 0
    waiting, left = [True] * count, count
    now, free, before, place = 0, size, -1, 0  # before: processors free at the last moment, when it was left
    running: list[tuple[int, int]] = []  # (end, place)
    used: list[int] = [0] * len(highest)
    path = []  # what was so before each start
    for step in range(limit):
        while place < count and not (waiting[place] and before < widths[place] <= free and now <= latest[place]):
            place += 1
        if place < count:
            path.append((place, now, free, before, slack, used, running))
            waiting[place] = False
            left -= 1
            if not left:
                return False, step
            free -= widths[place]
            used = list(map(add, used, loads[place]))
            running = [*running, (now + times[place], place)]
            place += 1
            continue
        following = min(running)[0] if running else latest[-1] + 1
        if following <= latest[waiting.index(True)]:
            after = [
                room - (most - load) * (following - now) for room, most, load in zip(slack, highest, used, strict=True)
            ]
            if min(after) >= 0:
                slack, now, before, place = after, following, free, 0
                for end, ended in running:
                    if end == now:
                        free += widths[ended]
                        used = list(map(sub, used, loads[ended]))
                running = [one for one in running if one[0] > now]
                continue
        if not path:
            return True, step
        place, now, free, before, slack, used, running = path.pop()
        waiting[place] = True
        left += 1
        place += 1
    return False, limit
