"""Streams of jobs made at random, and the policies as plain loops: free processors are a number for each tick."""

from bisect import insort

import numpy as np

from oas.core.stream import JobStream

KEYS = {
    "FCFS": lambda stream, job: job,
    "SJF": lambda stream, job: (stream.processors[job], job),
    "BJF": lambda stream, job: (-stream.processors[job], job),
    "SPT": lambda stream, job: (stream.time[job], job),
    "LPT": lambda stream, job: (-stream.time[job], job),
}
POLICIES = (*KEYS, "FCFS-strict", "conservative", "EASY")


def stream_of(*jobs, **more):
    """A stream of (submit, time, processors), called 1, 2, …"""
    submit, time, processors = zip(*jobs, strict=True)
    count = len(jobs)
    return JobStream(np.arange(1, count + 1), submit, time, processors, np.zeros(count, dtype=int), **more)


def random_case(seed, count=40, machine=8, longest=12, load=1.0, reservations=4):
    """A stream, and reservations that never take more than the machine."""
    draw = np.random.default_rng(seed)
    time = draw.integers(1, longest + 1, count)
    width = np.minimum(machine, draw.integers(1, machine + 1, count) // draw.integers(1, 4, count) + 1)
    span = max(1, int((time * width).sum() / machine / load))
    stream = stream_of(*zip(np.sort(draw.integers(0, span, count)), time, width, strict=True), machine=machine)
    blocks = []
    free = np.full(4 * span + 100, machine)
    for _ in range(reservations):
        begin = int(draw.integers(0, span + 1))
        end = begin + int(draw.integers(1, longest + 1))
        taken = int(draw.integers(1, machine + 1))
        if free[begin:end].min() >= taken:
            free[begin:end] -= taken
            blocks.append((begin, end, taken))
    return stream, np.array(blocks, dtype=np.int64).reshape(-1, 3)


def naive(policy, stream, machine, reservations):
    """When each job starts, tick by tick."""
    last = max(int(stream.submit[-1]), int(reservations[:, 1].max(initial=0)))
    free = np.full(last + int(stream.time.sum()) + 1, machine)
    for begin, end, width in reservations:
        free[begin:end] -= width
    jobs = list(zip(stream.submit.tolist(), stream.time.tolist(), stream.processors.tolist(), strict=True))
    starts = {}

    def put(job, start):
        starts[job] = start
        free[start : start + jobs[job][1]] -= jobs[job][2]

    def earliest(job, ready):
        _, time, width = jobs[job]
        while (short := np.flatnonzero(free[ready : ready + time] < width)).size:
            ready += int(short[-1]) + 1
        return ready

    if policy in ("FCFS-strict", "conservative"):
        for job, (submit, _, _) in enumerate(jobs):
            put(job, earliest(job, max(submit, starts.get(job - 1, 0)) if policy == "FCFS-strict" else submit))
    else:
        key = KEYS.get(policy, KEYS["FCFS"])
        waiting = []
        come, now, promised = 0, -1, -1
        while len(starts) < len(jobs):
            now += 1
            while come < len(jobs) and jobs[come][0] <= now:
                insort(waiting, come, key=lambda job: key(stream, job))
                come += 1
            for job in waiting:
                _, time, width = jobs[job]
                if policy == "EASY" and promised <= now:
                    promised = earliest(job, now)
                    put(job, promised)
                elif free[now] >= width and free[now : now + time].min() >= width:
                    put(job, now)
            waiting = [job for job in waiting if job not in starts]
    return np.array([starts[job] for job in range(len(jobs))])
