"""Inner loops of ruin and recreate for MOSP: plain functions over sequences of integers.

They run as plain Python or compiled (`oas.core.compiling`), with bit-identical results: they have their own random
numbers, and floats are only added, multiplied and compared.

All clusters end at a *horizon*, the desired makespan. A job is on a cluster from some start on, or unplaced; the search
minimizes the weight of the unplaced jobs. A step opens one or two *windows*, stretches of time on a cluster. It copies
the profile around each window, removes the jobs that run in the window from the copy, and places these and some
unplaced jobs in the copies. The copies are written back only if the step is accepted. Placed jobs are in lists by
cluster and start, so the cost of a step does not depend on the number of jobs.

The second window is usually at a job of similar width and length as a removed job, so that they can change places. From
time to time unplaced jobs become heavier, and all weights move slightly back to their initial values. So jobs that
remain unplaced repeatedly are placed at the expense of others.

A *profile* is a sorted sequence of steps (moment, free processors from then on). Its last step is the end of the
cluster or window, with −1 free. All profiles are in one array, CAPACITY steps each, clusters first, then windows; the
size of a tick makes no difference.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.core.compiling import kernel, short_kernel
from oas.core.shared_kernels import Numbers, draw, last_at_most, occupy_steps, split_step

JOBS, CLUSTERS, CAPACITY, MARGIN, LENGTH, BUCKET, BUCKETS, LONGEST = range(8)
LEFT, WAITED, WORK = range(3)
WINDOWS = 2
TAKEN = 72  # maximum number of jobs removed from a window
TRIED = 24  # maximum number of unplaced jobs tried in a step
ORDERS = 6  # random, and those of `Problem.keys`
BLINKS = 5  # percentage of possible places that are skipped
AT_HOLES = 50  # percentage of windows opened where processors are free
ALIKE = 70  # percentage of second windows opened at a job similar to a removed one
DRAWS = 6  # number of jobs of similar width drawn; the closest in time is used
PERIOD = 1_000  # steps after which unplaced jobs become heavier
# Increase of an unplaced job's weight, relative to its initial weight; fraction of the excess weight that is removed
HEAVIER, BACK = 0.02, 0.005


class Problem(NamedTuple):
    """The instance as used by the loops."""

    # Number of jobs, clusters, steps a profile can hold; margin around a window in which jobs may be placed; maximum
    # length of a window in ticks; ticks per bucket, buckets per cluster; the longest time
    sizes: Numbers
    # By job
    times: Numbers
    widths: Numbers
    releases: Numbers
    deadlines: Numbers
    processors: Numbers  # by cluster
    blocked: Numbers  # reservations: cluster, start, end, processors, one after the other
    keys: Numbers  # orders × jobs: sort keys, ascending
    weights: Any  # initial cost of leaving a job unplaced
    by_width: Numbers  # the jobs, narrowest first
    # By job: range in `by_width` of the jobs of similar width
    alike_first: Numbers
    alike_last: Numbers


class Memory(NamedTuple):
    """Arrays that the loops write."""

    # By job; the cluster of an unplaced job is the number of clusters
    cluster: Numbers
    start: Numbers
    # The unplaced jobs; by job, its index among them
    unplaced: Numbers
    position: Numbers
    # Number of unplaced jobs; steps since weights changed; work so far, in jobs placed × steps of profiles
    counters: Numbers
    # Clusters × buckets: the first job that starts then, or −1. By job: the next and the previous job of the bucket;
    # for the first job, −1 − bucket
    head: Numbers
    after: Numbers
    before: Numbers
    weight: Any  # current cost of leaving a job unplaced
    # Profiles of the clusters, then of the windows, and the number of steps of each
    moments: Numbers
    free: Numbers
    count: Numbers
    # By window: the cluster and the range of profile steps that it copies
    window_cluster: Numbers
    window_first: Numbers
    window_last: Numbers
    # The jobs of a step; the window of each or −1, and its start there; by job, its sort key
    chosen: Numbers
    chosen_window: Numbers
    chosen_start: Numbers
    key: Numbers


def step_at(problem: Problem, memory: Memory, profile: int, moment: int) -> int:
    """Return the step that contains `moment`, the first one if `moment` is earlier."""
    return last_at_most(memory.moments, profile * problem.sizes[CAPACITY], memory.count[profile], moment)


def occupy(problem: Problem, memory: Memory, profile: int, start: int, end: int, width: int) -> None:
    """Occupy `width` processors from `start` to `end`, or release them if negative.

    Consecutive steps may then be equal; `close_window` merges them.
    """
    moments, free, base = memory.moments, memory.free, profile * problem.sizes[CAPACITY]
    step, count = step_at(problem, memory, profile, start), memory.count[profile]
    if moments[base + step] < start:
        split_step(moments, free, base, count, step, start)
        step, count = step + 1, count + 1
    memory.count[profile] = occupy_steps(moments, free, base, count, step, end, width)


def earliest(problem: Problem, memory: Memory, profile: int, job: int, state: Numbers) -> int:
    """Return the earliest start of a job in a window, randomly skipping some; −1 if there is none."""
    moments, free, base = memory.moments, memory.free, profile * problem.sizes[CAPACITY]
    time, width = problem.times[job], problem.widths[job]
    ready, due = problem.releases[job], min(problem.deadlines[job], moments[base + memory.count[profile] - 1])
    first = step = step_at(problem, memory, profile, ready)
    start = max(ready, moments[base + step])
    while start + time <= due:
        if free[base + step] < width:
            first = step = step + 1
            start = moments[base + step]
        else:
            step += 1
            if moments[base + step] >= start + time:
                if draw(state, 100) >= BLINKS:
                    return start
                first = step = first + 1
                start = moments[base + step]
    return -1


def latest(problem: Problem, memory: Memory, profile: int, job: int, state: Numbers) -> int:
    """Return the latest start of a job in a window, randomly skipping some; −1 if there is none."""
    moments, free, base = memory.moments, memory.free, profile * problem.sizes[CAPACITY]
    time, width = problem.times[job], problem.widths[job]
    ready = max(problem.releases[job], moments[base])
    end = min(problem.deadlines[job], moments[base + memory.count[profile] - 1])
    step = step_at(problem, memory, profile, end)
    if moments[base + step] == end:
        step -= 1
    last = step
    while end - time >= ready:
        if free[base + step] < width:
            end = moments[base + step]
            last = step = step - 1
        elif moments[base + step] <= end - time:
            if draw(state, 100) >= BLINKS:
                return end - time
            end = moments[base + last]
            last = step = last - 1
        else:
            step -= 1
    return -1


def leftover(memory: Memory, place: int, start: int, time: int, width: int) -> float:
    """Return the area left free during a run from the step at `place` on, −1 if it does not fit."""
    end = start + time
    total = 0.0
    while start < end:
        left = memory.free[place] - width
        if left < 0:
            return -1.0
        place += 1
        until = min(end, memory.moments[place])
        total += float(left) * float(until - start)
        start = until
    return total


def tightest(
    problem: Problem, memory: Memory, profile: int, job: int, state: Numbers, limit: float
) -> tuple[int, float]:
    """Return the start of a job in a window with the least area left free during its run, and that area.

    The start is −1 if no area is below `limit`; a negative `limit` is no limit. The run starts or ends where a step
    does, or at its release or deadline; some starts are randomly skipped.
    """
    moments, free, base = memory.moments, memory.free, profile * problem.sizes[CAPACITY]
    count, time, width = memory.count[profile], problem.times[job], problem.widths[job]
    ready, due = max(problem.releases[job], moments[base]), min(problem.deadlines[job], moments[base + count - 1])
    found = -1
    for step in range(count - 1):
        if free[base + step] < width:
            continue
        start = max(ready, moments[base + step])
        if start < moments[base + step + 1] and start + time <= due:
            value = leftover(memory, base + step, start, time, width)
            if value >= 0 and (limit < 0 or value < limit) and draw(state, 100) >= BLINKS:
                found, limit = start, value
        end = min(due, moments[base + step + 1])
        start = end - time
        if end > moments[base + step] and start >= ready:
            value = leftover(memory, base + step_at(problem, memory, profile, start), start, time, width)
            if value >= 0 and (limit < 0 or value < limit) and draw(state, 100) >= BLINKS:
                found, limit = start, value
    return found, limit


def join(problem: Problem, memory: Memory, job: int, cluster: int) -> None:
    """Add a job to the bucket of its cluster and start, or to the unplaced jobs."""
    memory.cluster[job] = cluster
    if cluster == problem.sizes[CLUSTERS]:
        place = memory.counters[LEFT]
        memory.unplaced[place] = job
        memory.position[job] = place
        memory.counters[LEFT] = place + 1
        return
    place = cluster * problem.sizes[BUCKETS] + memory.start[job] // problem.sizes[BUCKET]
    other = memory.head[place]
    memory.head[place] = job
    memory.before[job] = -1 - place
    memory.after[job] = other
    if other >= 0:
        memory.before[other] = job


def leave(problem: Problem, memory: Memory, job: int) -> None:
    """Remove a job from its bucket, or from the unplaced jobs."""
    if memory.cluster[job] == problem.sizes[CLUSTERS]:
        last = memory.counters[LEFT] - 1
        other = memory.unplaced[last]
        memory.unplaced[memory.position[job]] = other
        memory.position[other] = memory.position[job]
        memory.counters[LEFT] = last
        return
    before, after = memory.before[job], memory.after[job]
    if before < 0:
        memory.head[-1 - before] = after
    else:
        memory.after[before] = after
    if after >= 0:
        memory.before[after] = before


@short_kernel
def rebuild(problem: Problem, memory: Memory, horizon: int) -> None:
    """Initialize profiles, lists and weights for this horizon; jobs that end too late become unplaced."""
    clusters, capacity = problem.sizes[CLUSTERS], problem.sizes[CAPACITY]
    moments, free, count = memory.moments, memory.free, memory.count
    memory.counters[LEFT] = memory.counters[WAITED] = 0
    for place in range(clusters * problem.sizes[BUCKETS]):
        memory.head[place] = -1
    for k in range(clusters):
        count[k] = 2
        moments[k * capacity] = 0
        free[k * capacity] = problem.processors[k]
        moments[k * capacity + 1] = horizon
        free[k * capacity + 1] = -1
    for place in range(0, len(problem.blocked), 4):
        k, start, width = problem.blocked[place], problem.blocked[place + 1], problem.blocked[place + 3]
        end = min(horizon, problem.blocked[place + 2])
        if start < end:
            occupy(problem, memory, k, start, end, width)
    for job in range(problem.sizes[JOBS]):
        memory.weight[job] = problem.weights[job]
        k, start = memory.cluster[job], memory.start[job]
        end = start + problem.times[job]
        if k < clusters and end <= min(horizon, problem.deadlines[job]):
            occupy(problem, memory, k, start, end, problem.widths[job])
        else:
            k = clusters
        join(problem, memory, job, k)


def open_window(
    problem: Problem, memory: Memory, window: int, state: Numbers, cluster: int, begin: int, end: int, chosen: int
) -> int:
    """Copy a cluster's profile around a stretch of time, and remove the jobs running in it, or a sample of them.

    They are added to the `chosen` jobs; return the new number of chosen jobs, or −1 if the copy overlaps another one.
    """
    capacity, margin = problem.sizes[CAPACITY], problem.sizes[MARGIN]
    profile = problem.sizes[CLUSTERS] + window
    base, copy = cluster * capacity, profile * capacity
    first, last = begin, end
    total = chosen
    width, row = problem.sizes[BUCKET], cluster * problem.sizes[BUCKETS]
    most, seen = chosen + TAKEN, 0
    bucket = max(0, begin - problem.sizes[LONGEST]) // width
    for place in range(row + bucket, row + min(problem.sizes[BUCKETS], (end - 1) // width + 1)):
        job = memory.head[place]
        while job >= 0:
            start = memory.start[job]
            if start < end and start + problem.times[job] > begin:
                seen += 1
                if total < most:
                    memory.chosen[total] = job
                    total += 1
                else:
                    other = draw(state, seen)
                    if chosen + other < most:
                        memory.chosen[chosen + other] = job
            job = memory.after[job]
    for place in range(chosen, total):
        job = memory.chosen[place]
        first = min(first, memory.start[job])
        last = max(last, memory.start[job] + problem.times[job])
    last = min(last + margin, memory.moments[base + memory.count[cluster] - 1])
    low = step_at(problem, memory, cluster, first - margin)
    high = step_at(problem, memory, cluster, last)
    if memory.moments[base + high] < last:
        high += 1
    for other in range(window):
        if (
            memory.window_cluster[other] == cluster
            and low < memory.window_last[other]
            and memory.window_first[other] < high
        ):
            return -1
    memory.window_cluster[window] = cluster
    memory.window_first[window] = low
    memory.window_last[window] = high
    for place in range(high - low + 1):
        memory.moments[copy + place] = memory.moments[base + low + place]
        memory.free[copy + place] = memory.free[base + low + place]
    memory.free[copy + high - low] = -1
    memory.count[profile] = high - low + 1
    for place in range(chosen, total):
        job = memory.chosen[place]
        start = memory.start[job]
        occupy(problem, memory, profile, start, start + problem.times[job], -problem.widths[job])
    return total


def close_window(problem: Problem, memory: Memory, window: int, opened: int) -> None:
    """Write a window back to its cluster, merging equal steps; windows are closed in the order of opening."""
    capacity = problem.sizes[CAPACITY]
    cluster, low, high = memory.window_cluster[window], memory.window_first[window], memory.window_last[window]
    profile = problem.sizes[CLUSTERS] + window
    base, copy = cluster * capacity, profile * capacity
    moments, free = memory.moments, memory.free
    before = free[base + low - 1] if low > 0 else -1
    kept = 0
    for place in range(copy, copy + memory.count[profile] - 1):
        value = free[place]
        if value != before:
            moments[copy + kept] = moments[place]
            free[copy + kept] = value
            before = value
            kept += 1
    # The following step belongs to another open window if one begins there, which merges it later.
    follower = high
    if free[base + high] == before:
        follower += 1
        for other in range(window + 1, opened):
            if memory.window_cluster[other] == cluster and memory.window_first[other] == high:
                follower = high
    shift = kept - (follower - low)
    for other in range(window + 1, opened):
        if memory.window_cluster[other] == cluster and memory.window_first[other] >= high:
            memory.window_first[other] += shift
            memory.window_last[other] += shift
    count = memory.count[cluster]
    if shift > 0:
        for place in range(base + count - 1, base + follower - 1, -1):
            moments[place + shift] = moments[place]
            free[place + shift] = free[place]
    elif shift < 0:
        for place in range(base + follower, base + count):
            moments[place + shift] = moments[place]
            free[place + shift] = free[place]
    for place in range(kept):
        moments[base + low + place] = moments[copy + place]
        free[base + low + place] = free[copy + place]
    memory.count[cluster] = count + shift


def ruin(problem: Problem, memory: Memory, state: Numbers, wanted: int) -> tuple[int, int]:
    """Open windows; return the number of windows and of removed jobs."""
    clusters = problem.sizes[CLUSTERS]
    opened = chosen = 0
    for _ in range(wanted):
        length = 1 + draw(state, problem.sizes[LENGTH])
        other = -1
        if chosen > 0 and draw(state, 100) < ALIKE:
            other = alike(problem, memory, state, memory.chosen[draw(state, chosen)])
        if other >= 0:
            cluster, time = memory.cluster[other], problem.times[other]
            begin = memory.start[other] + draw(state, time)
            length = 1 + draw(state, min(time, problem.sizes[LENGTH]))
        elif draw(state, 100) < AT_HOLES:
            cluster, begin = hole(problem, memory, state)
            begin -= draw(state, length)
        else:
            cluster = draw(state, clusters)
            begin = draw(state, memory.moments[cluster * problem.sizes[CAPACITY] + memory.count[cluster] - 1])
        total = open_window(problem, memory, opened, state, cluster, begin, begin + length, chosen)
        if total >= 0:
            chosen = total
            opened += 1
    return opened, chosen


def hole(problem: Problem, memory: Memory, state: Numbers) -> tuple[int, int]:
    """Return cluster and moment of the step with most free processors of three random steps."""
    clusters, capacity = problem.sizes[CLUSTERS], problem.sizes[CAPACITY]
    cluster = draw(state, clusters)
    step = draw(state, memory.count[cluster] - 1)
    for _ in range(2):
        other = draw(state, clusters)
        place = draw(state, memory.count[other] - 1)
        if memory.free[other * capacity + place] > memory.free[cluster * capacity + step]:
            cluster, step = other, place
    return cluster, memory.moments[cluster * capacity + step]


def alike(problem: Problem, memory: Memory, state: Numbers, job: int) -> int:
    """Return a placed job of similar width, the closest in time of those drawn; −1 if none of them is placed."""
    first = problem.alike_first[job]
    many = problem.alike_last[job] - first
    found, least = -1, 0
    for _ in range(DRAWS):
        other = problem.by_width[first + draw(state, many)]
        if other != job and memory.cluster[other] < problem.sizes[CLUSTERS]:
            distance = abs(problem.times[other] - problem.times[job])
            if found < 0 or distance < least:
                found, least = other, distance
    return found


def choose_unplaced(problem: Problem, memory: Memory, state: Numbers, chosen: int) -> int:
    """Add unplaced jobs to the chosen jobs; return the new number."""
    left = memory.counters[LEFT]
    offset = draw(state, left)
    for place in range(min(left, TRIED)):
        memory.chosen[chosen] = memory.unplaced[(offset + place) % left]
        chosen += 1
    return chosen


def sort_chosen(problem: Problem, memory: Memory, state: Numbers, chosen: int) -> None:
    """Sort the chosen jobs by a randomly selected and perturbed order."""
    order = draw(state, ORDERS)
    noise = 10 + draw(state, 400)
    for place in range(chosen):
        job = memory.chosen[place]
        value = draw(state, 1000000)
        if order > 0:
            value = problem.keys[(order - 1) * problem.sizes[JOBS] + job] * (1000 + value % noise)
        memory.key[job] = value
        while place > 0 and memory.key[memory.chosen[place - 1]] > value:
            memory.chosen[place] = memory.chosen[place - 1]
            place -= 1
        memory.chosen[place] = job


def recreate(problem: Problem, memory: Memory, state: Numbers, opened: int, chosen: int, limit: float) -> float:
    """Place the chosen jobs in the open windows; return the increase in weight of the unplaced jobs.

    It stops as soon as the increase must exceed `limit`.
    """
    clusters, manner = problem.sizes[CLUSTERS], draw(state, 4)
    delta = hope = 0.0
    steps = 0
    for w in range(opened):
        steps += memory.count[clusters + w]
    for place in range(chosen):
        if memory.cluster[memory.chosen[place]] == clusters:
            hope += memory.weight[memory.chosen[place]]
    for place in range(chosen):
        job = memory.chosen[place]
        window = start = -1
        least = -1.0
        for w in range(opened):
            if manner == 0:
                start = earliest(problem, memory, clusters + w, job, state)
            elif manner == 1:
                start = latest(problem, memory, clusters + w, job, state)
            else:
                found, least = tightest(problem, memory, clusters + w, job, state, least)
                if found >= 0:
                    start = found
                    window = w
                continue
            if start >= 0:
                window = w
                break
        memory.chosen_window[place] = window
        memory.chosen_start[place] = start
        memory.counters[WORK] += steps
        if window >= 0:
            occupy(problem, memory, clusters + window, start, start + problem.times[job], problem.widths[job])
            if memory.cluster[job] == clusters:
                delta -= memory.weight[job]
                hope -= memory.weight[job]
            continue
        if memory.cluster[job] < clusters:
            delta += memory.weight[job]
        else:
            hope -= memory.weight[job]
        if delta - hope > limit:
            return delta - hope
    return delta


def reweigh(problem: Problem, memory: Memory) -> None:
    """Increase the weights of the unplaced jobs, and move all weights slightly back to their initial values."""
    memory.counters[WAITED] = 0
    for place in range(memory.counters[LEFT]):
        job = memory.unplaced[place]
        memory.weight[job] += HEAVIER * problem.weights[job]
    for job in range(problem.sizes[JOBS]):
        memory.weight[job] -= BACK * (memory.weight[job] - problem.weights[job])


@kernel
def anneal(problem: Problem, memory: Memory, state: Numbers, logs: Any, steps: int, heat: Any, cooling: float) -> int:
    """Ruin and recreate for at most `steps` steps, or until all jobs are placed; return the number of steps.

    `logs` (`LOGS`) are the accepted deteriorations in temperatures; `heat` contains the temperature, modified in
    place, and `cooling` is its factor after each step.
    """
    clusters = problem.sizes[CLUSTERS]
    done = 0
    while done < steps and memory.counters[LEFT] > 0:
        done += 1
        memory.counters[WAITED] += 1
        if memory.counters[WAITED] == PERIOD:
            reweigh(problem, memory)
        limit = heat[0] * logs[draw(state, len(logs))]
        heat[0] *= cooling
        opened, chosen = ruin(problem, memory, state, 1 + draw(state, WINDOWS))
        chosen = choose_unplaced(problem, memory, state, chosen)
        sort_chosen(problem, memory, state, chosen)
        if recreate(problem, memory, state, opened, chosen, limit) > limit:
            continue
        for window in range(opened):
            close_window(problem, memory, window, opened)
        for place in range(chosen):
            job, window = memory.chosen[place], memory.chosen_window[place]
            goal = memory.window_cluster[window] if window >= 0 else clusters
            if goal < clusters or memory.cluster[job] < clusters:
                leave(problem, memory, job)
                memory.start[job] = memory.chosen_start[place]
                join(problem, memory, job, goal)
    return done
