"""Inner loops of the event beam on several clusters: plain functions over sequences, as in `ruin_recreate_kernels`.

Time runs backwards from the goal: deadlines become releases, so no job can be late, and a job is lost only if it would
begin before time 0. At each *event*, when processors become free or jobs are released, some jobs of the *pool*, the
released unplaced jobs, start on each cluster with free processors: the best of several random options. A *sweep*
advances every partial schedule of the beam to the next *mark* in several ways and keeps those with the least smoothed
lower bound on the makespan.

The cost of idle processors is given by *measures*: job weights such that jobs that fit side by side never weigh more
than 1, as in bounds on the makespan. In a measure, a cluster wastes 1 minus the weight of its running jobs; the
measures whose bounds come closest to the goal count most.

A partial schedule is a row of `PoolMemory`. All moments are counted backwards.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.core.compiling import kernel, short_kernel
from oas.core.shared_kernels import Numbers, draw, row_in_beam

JOBS, CLUSTERS, PROCESSORS, MEASURES, WIDTH, KIDS, MEAN, LONGEST = range(8)
NOISE, THETA, URGENCY = range(3)
OPTIONS, SINGLE, PAIRED = 40, 8, 18  # number of options; those before SINGLE are single jobs, before PAIRED pairs
NEXT = 3  # the last job of an option is one of this many widest jobs that fit


class PoolProblem(NamedTuple):
    """The instance as used by the loops; jobs are numbered from the narrowest to the widest."""

    # Number of jobs, clusters, processors of each cluster, measures; maximum number of schedules in the beam;
    # extensions of each; mean and longest time
    sizes: Numbers
    # By job
    times: Numbers
    widths: Numbers
    names: Numbers  # by job, a random number; sums of them identify sets of jobs
    shares: Any  # measures × jobs: the part of a cluster that a job occupies
    least: Any  # by measure: total share × time of all jobs, in clusters × ticks


class PoolMemory(NamedTuple):
    """Arrays that the loops write: 2·WIDTH + 1 rows for two beams and a temporary schedule."""

    releases: Numbers  # by job: the goal minus its deadline
    place: Numbers  # rows × jobs: start · clusters + cluster, −1 for an unplaced job
    # Rows × jobs: the jobs running at a row's event, by descending end; their number
    running: Numbers
    count: Numbers
    free: Numbers  # rows × clusters: free processors at the event
    # By row: its event, number of unplaced jobs, sum of the names of the placed jobs
    now: Numbers
    left: Numbers
    name: Numbers
    # Rows × measures: share of the jobs running at the event, and waste before it, over all clusters
    busy: Any
    waste: Any
    value: Any  # by row: value by which rows are selected, ascending
    price: Any  # by job: its share, averaged over the measures with the row's weights
    fitting: Numbers  # jobs that can start at the event, narrowest first
    # Jobs of an option, and of the best option
    option: Numbers
    choice: Numbers
    changed: Numbers  # rows × clusters: whether a job might start on it that could not before


@short_kernel
def begin(problem: PoolProblem, memory: PoolMemory) -> None:
    """Make row 0 the empty schedule."""
    for job in range(problem.sizes[JOBS]):
        memory.place[job] = -1
    for cluster in range(problem.sizes[CLUSTERS]):
        memory.free[cluster] = problem.sizes[PROCESSORS]
        memory.changed[cluster] = 1
    for measure in range(problem.sizes[MEASURES]):
        memory.busy[measure] = memory.waste[measure] = 0.0
    memory.count[0] = memory.now[0] = memory.name[0] = 0
    memory.left[0] = problem.sizes[JOBS]


def copy_row(problem: PoolProblem, memory: PoolMemory, row: int, to: int) -> None:
    """Copy a row over another."""
    jobs, clusters, measures = problem.sizes[JOBS], problem.sizes[CLUSTERS], problem.sizes[MEASURES]
    for job in range(jobs):
        memory.place[to * jobs + job] = memory.place[row * jobs + job]
    for rank in range(memory.count[row]):
        memory.running[to * jobs + rank] = memory.running[row * jobs + rank]
    for cluster in range(clusters):
        memory.free[to * clusters + cluster] = memory.free[row * clusters + cluster]
        memory.changed[to * clusters + cluster] = memory.changed[row * clusters + cluster]
    for measure in range(measures):
        memory.busy[to * measures + measure] = memory.busy[row * measures + measure]
        memory.waste[to * measures + measure] = memory.waste[row * measures + measure]
    memory.count[to] = memory.count[row]
    memory.now[to] = memory.now[row]
    memory.left[to] = memory.left[row]
    memory.name[to] = memory.name[row]
    memory.value[to] = memory.value[row]


def soft(gap: float) -> float:
    """Return approximately e^−gap, by products only, so that the result is identical everywhere."""
    value = 1.0 / (1.0 + gap / 16)
    value *= value
    value *= value
    value *= value
    return value * value


def bound(problem: PoolProblem, memory: PoolMemory, row: int, measure: int) -> float:
    """Return the lower bound on the makespan of any extension of a row, in one measure."""
    wasted = memory.waste[row * problem.sizes[MEASURES] + measure]
    return (problem.least[measure] + wasted) / problem.sizes[CLUSTERS]


def greatest(problem: PoolProblem, memory: PoolMemory, row: int) -> float:
    """Return the greatest bound of all measures."""
    most = 0.0
    for measure in range(problem.sizes[MEASURES]):
        most = max(most, bound(problem, memory, row, measure))
    return most


def smooth_maximum(problem: PoolProblem, memory: PoolMemory, row: int, theta: float) -> float:
    """Return the smooth maximum of the bounds: slightly more than the greatest if others are close to it."""
    most, total = greatest(problem, memory, row), 0.0
    for measure in range(problem.sizes[MEASURES]):
        total += soft((most - bound(problem, memory, row, measure)) / theta)
    # Padé approximation of the logarithm of the total
    return most + theta * 3 * (total * total - 1) / (total * total + 4 * total + 1)


def set_prices(problem: PoolProblem, memory: PoolMemory, row: int, theta: float) -> None:
    """Average the measures' shares of jobs, weighted towards the measures with the greatest bounds."""
    jobs, measures = problem.sizes[JOBS], problem.sizes[MEASURES]
    most, total = greatest(problem, memory, row), 0.0
    for job in range(jobs):
        memory.price[job] = 0.0
    for measure in range(measures):
        part = soft((most - bound(problem, memory, row, measure)) / theta)
        total += part
        for job in range(jobs):
            memory.price[job] += part * problem.shares[measure * jobs + job]
    for job in range(jobs):
        memory.price[job] /= total


def up_to(problem: PoolProblem, memory: PoolMemory, found: int, width: int) -> int:
    """Return how many of the first `found` fitting jobs are at most `width` wide."""
    low, high = 0, found
    while low < high:
        middle = (low + high) // 2
        if problem.widths[memory.fitting[middle]] <= width:
            low = middle + 1
        else:
            high = middle
    return low


def find_fitting(problem: PoolProblem, memory: PoolMemory, row: int, free: int, goal: int) -> int:
    """Write the jobs of the pool that fit `free` processors, narrowest first; return their number."""
    jobs, now = problem.sizes[JOBS], memory.now[row]
    found = 0
    for job in range(jobs):
        if problem.widths[job] > free:
            break
        if memory.place[row * jobs + job] < 0 and memory.releases[job] <= now and now + problem.times[job] <= goal:
            memory.fitting[found] = job
            found += 1
    return found


def draw_option(problem: PoolProblem, memory: PoolMemory, state: Numbers, found: int, free: int, wanted: int) -> int:
    """Draw jobs that fit side by side, the last one among the widest; return their number."""
    taken = 0
    within = found
    while taken < wanted and within > 0:
        rank = draw(state, within) if taken + 1 < wanted else max(0, within - 1 - draw(state, NEXT))
        job = memory.fitting[rank]
        for other in range(taken):
            if memory.option[other] == job:
                return taken
        memory.option[taken] = job
        taken += 1
        free -= problem.widths[job]
        within = up_to(problem, memory, within, free)
    return taken


def cost(
    problem: PoolProblem, memory: PoolMemory, taken: int, idle: float, until: int, left: int, tuning: Any
) -> float:
    """Return the cost of an option: idle area until the next event, minus the urgency of its jobs.

    Without the option, the part `idle` of the cluster is idle for `until` ticks; `left` ticks remain in total.
    """
    urgent = 0.0
    for place in range(taken):
        job = memory.option[place]
        time = problem.times[job]
        idle -= memory.price[job]
        until = min(until, time)
        if left < 2 * problem.sizes[LONGEST]:
            urgent += memory.price[job] * time * time / left
    mean = problem.sizes[MEAN]
    return idle * max(until, mean / 6) - tuning[URGENCY] * urgent


def place_job(problem: PoolProblem, memory: PoolMemory, row: int, job: int, cluster: int) -> None:
    """Start a job on a cluster at the event of a row."""
    jobs, clusters, measures = problem.sizes[JOBS], problem.sizes[CLUSTERS], problem.sizes[MEASURES]
    base, now = row * jobs, memory.now[row]
    memory.place[base + job] = now * clusters + cluster
    memory.free[row * clusters + cluster] -= problem.widths[job]
    memory.left[row] -= 1
    memory.name[row] += problem.names[job]
    for measure in range(measures):
        memory.busy[row * measures + measure] += problem.shares[measure * jobs + job]
    rank = memory.count[row]
    end = now + problem.times[job]
    while rank > 0 and end_of(problem, memory, row, memory.running[base + rank - 1]) < end:
        memory.running[base + rank] = memory.running[base + rank - 1]
        rank -= 1
    memory.running[base + rank] = job
    memory.count[row] += 1


def end_of(problem: PoolProblem, memory: PoolMemory, row: int, job: int) -> int:
    """Return the end of a placed job."""
    return memory.place[row * problem.sizes[JOBS] + job] // problem.sizes[CLUSTERS] + problem.times[job]


def fill(
    problem: PoolProblem, memory: PoolMemory, state: Numbers, row: int, cluster: int, goal: int, tuning: Any
) -> None:
    """Start the best of several options on a cluster at the event of a row; repeat while that reduces the cost."""
    jobs, clusters, mean = problem.sizes[JOBS], problem.sizes[CLUSTERS], problem.sizes[MEAN]
    first = True
    while True:
        free = memory.free[row * clusters + cluster]
        found = find_fitting(problem, memory, row, free, goal)
        if found == 0:
            return
        now = memory.now[row]
        idle, until, running = 1.0, mean, 0
        for rank in range(memory.count[row]):
            job = memory.running[row * jobs + rank]
            if memory.place[row * jobs + job] % clusters == cluster:
                running += 1
                idle -= memory.price[job]
                until = min(until, end_of(problem, memory, row, job) - now)
        least, best = 0.0, 0
        if not first or running > 0:
            least = cost(problem, memory, 0, idle, until, goal - now, tuning)
        for option in range(OPTIONS):
            wanted = 1 if option < SINGLE else 2 if option < PAIRED else 3
            taken = draw_option(problem, memory, state, found, free, wanted)
            value = cost(problem, memory, taken, idle, until, goal - now, tuning)
            value += tuning[NOISE] * draw(state, 1000) / 1000
            if value < least or (first and running == 0 and best == 0):
                least, best = value, taken
                for place in range(taken):
                    memory.choice[place] = memory.option[place]
        if best == 0:
            return
        for place in range(best):
            place_job(problem, memory, row, memory.choice[place], cluster)
        first = False


def advance(problem: PoolProblem, memory: PoolMemory, row: int, goal: int) -> None:
    """Advance a row to its next event or the goal, and mark the clusters on which more jobs may start."""
    jobs, clusters, measures = problem.sizes[JOBS], problem.sizes[CLUSTERS], problem.sizes[MEASURES]
    base, now = row * jobs, memory.now[row]
    following = goal
    for job in range(jobs):
        if now < memory.releases[job] < following and memory.place[base + job] < 0:
            following = memory.releases[job]
    count = memory.count[row]
    changed = 1
    if count > 0:
        end = end_of(problem, memory, row, memory.running[base + count - 1])
        if end < following:
            following, changed = end, 0
    for cluster in range(clusters):
        memory.changed[row * clusters + cluster] = changed
    for measure in range(measures):
        place = row * measures + measure
        memory.waste[place] += (clusters - memory.busy[place]) * (following - now)
    while count > 0:
        job = memory.running[base + count - 1]
        if end_of(problem, memory, row, job) > following:
            break
        cluster = memory.place[base + job] % clusters
        memory.free[row * clusters + cluster] += problem.widths[job]
        memory.changed[row * clusters + cluster] = 1
        for measure in range(measures):
            memory.busy[row * measures + measure] -= problem.shares[measure * jobs + job]
        count -= 1
    memory.count[row] = count
    memory.now[row] = following


@kernel
def sweep(
    problem: PoolProblem,
    memory: PoolMemory,
    state: Numbers,
    bank: int,
    parents: int,
    mark: int,
    goal: int,
    tuning: Any,
) -> tuple[int, int]:
    """Advance the beam to the mark; return its new number of schedules, and how often a cluster was filled.

    The `parents` schedules are in half `bank` of the rows, 0 or 1; the new ones are in the other half. Time ends at the
    goal. `tuning` contains NOISE, the random part of an option's cost in clusters × ticks; THETA, the smoothing range
    of bounds in ticks; and URGENCY, the reward for long jobs near the end.
    """
    clusters, width = problem.sizes[CLUSTERS], problem.sizes[WIDTH]
    scratch, target = 2 * width, (1 - bank) * width
    count = fillings = 0
    for parent in range(bank * width, bank * width + parents):
        set_prices(problem, memory, parent, tuning[THETA])
        waits = memory.left[parent] == 0 or memory.now[parent] >= mark
        for _ in range(1 if waits else problem.sizes[KIDS]):
            copy_row(problem, memory, parent, scratch)
            while memory.left[scratch] > 0 and memory.now[scratch] < mark:
                for cluster in range(clusters):
                    place = scratch * clusters + cluster
                    if memory.changed[place] == 1 and memory.free[place] > 0:
                        fill(problem, memory, state, scratch, cluster, goal, tuning)
                        fillings += 1
                if memory.left[scratch] > 0:
                    advance(problem, memory, scratch, goal)
            value = smooth_maximum(problem, memory, scratch, tuning[THETA])
            memory.value[scratch] = value
            row = row_in_beam(memory.name, memory.value, target, count, width, memory.name[scratch], value)
            if row >= 0:
                copy_row(problem, memory, scratch, row)
            if row == target + count:
                count += 1
    return count, fillings
