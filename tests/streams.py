"""Streams of jobs made at random, and the policies as plain loops: free processors are a number for each tick."""

from bisect import insort

import numpy as np

from oas.queueing.stream import JobStream

KEYS = {
    "FCFS": lambda stream, job: job,
    "SJF": lambda stream, job: (stream.processors[job], job),
    "BJF": lambda stream, job: (-stream.processors[job], job),
    "SPT": lambda stream, job: (stream.time[job], job),
    "LPT": lambda stream, job: (-stream.time[job], job),
}
ENGINES = {"FCFS-strict": "STRICT", "conservative": "CONSERVATIVE", "EASY": "EASY"}  # of all others LIST
POLICIES = (*KEYS, *ENGINES)


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
    order = sorted(range(len(stream)), key=lambda job: KEYS.get(policy, KEYS["FCFS"])(stream, job))
    columns = stream.submit.tolist(), stream.time.tolist(), stream.processors.tolist()
    jobs = [tuple(column[job] for column in columns) for job in order]
    places = naive_places(ENGINES.get(policy, "LIST"), jobs, [machine], [(0, *one) for one in reservations.tolist()])
    starts = np.empty(len(order), dtype=np.int64)
    starts[order] = [start for _, start in places]
    return starts


def naive_places(engine, jobs, sizes, reservations):
    """Cluster and start of each job, tick by tick; jobs (submit, time, processors) in the order of their queue.

    Reservations are (cluster, start, end, processors). A job takes the first cluster where it starts earliest.
    """
    last = max([submit for submit, _, _ in jobs] + [end for _, _, end, _ in reservations])
    free = np.tile(np.array(sizes)[:, None], last + sum(time for _, time, _ in jobs) + 1)
    for cluster, begin, end, width in reservations:
        free[cluster, begin:end] -= width
    places = {}

    def put(job, cluster, start):
        places[job] = cluster, start
        free[cluster, start : start + jobs[job][1]] -= jobs[job][2]

    def earliest_on(cluster, job, ready):
        _, time, width = jobs[job]
        while (short := np.flatnonzero(free[cluster, ready : ready + time] < width)).size:
            ready += int(short[-1]) + 1
        return ready

    def earliest(job, ready):
        return min((earliest_on(cluster, job, ready), cluster) for cluster in range(len(sizes)))

    now = 0
    if engine in ("STRICT", "CONSERVATIVE"):
        for job, (submit, _, _) in enumerate(jobs):
            now, cluster = earliest(job, max(submit, now) if engine == "STRICT" else submit)
            put(job, cluster, now)
    waiting, promised = [], -1
    coming = sorted(range(len(jobs)), key=lambda job: -jobs[job][0])
    while len(places) < len(jobs):
        while coming and jobs[coming[-1]][0] <= now:
            insort(waiting, coming.pop())
        idle = free[:, now].tolist()
        for job in waiting:
            _, time, width = jobs[job]
            if engine == "EASY" and promised <= now:
                promised, cluster = earliest(job, now)
                put(job, cluster, promised)
                idle = free[:, now].tolist()
                continue
            for cluster, count in enumerate(idle):
                if count >= width and free[cluster, now : now + time].min() >= width:
                    put(job, cluster, now)
                    idle[cluster] -= width
                    break
        waiting = [job for job in waiting if job not in places]
        now += 1
    return [places[job] for job in range(len(jobs))]
