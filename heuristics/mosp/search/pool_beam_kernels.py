"""Inner loops of the event beam on several clusters: plain functions over sequences, as in `ruin_recreate_kernels`.

Time runs backwards from the goal, so that deadlines become releases and no job can be late; a job is lost only if it
would begin before the start of time. At each *event*, a moment at which processors become free or jobs are released,
some jobs of the *pool* (released and not yet placed) are put on the cluster with free processors: the best of several
random options. A *sweep* continues every partial schedule of the beam to the next *mark* in several ways, and keeps
those with the smallest lower bounds.

*Measures* define the cost of idle processors: weights of job widths such that jobs that fit side by side never weigh
more than 1, as in bounds on the makespan. If the running jobs of a cluster weigh less, time is wasted in this measure.
Measures that are closest to the goal count most.

A partial schedule is a row of `PoolMemory`. Moments are counted backwards throughout.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from heuristics.shared_kernels import draw
from oas.core.compiling import kernel, short_kernel

Numbers = Any  # a list of int, or an int64 array

JOBS, CLUSTERS, PROCESSORS, MEASURES, WIDTH, KIDS, MEAN, LONGEST = range(8)
NOISE, THETA, URGENCY = range(3)
OPTIONS, SINGLE, PAIRED = 40, 8, 18  # of this number of options the first are single jobs, then pairs, then triples
NEXT = 3  # the last job of an option is one of this number of the widest jobs that fit


class PoolProblem(NamedTuple):
    """An instance as the loops see it; jobs are numbered from the narrowest to the widest."""

    # How many jobs, clusters, processors of each cluster, measures; schedules in the beam at most; ways in which each
    # goes on; mean and longest time
    sizes: Numbers
    # Of each job
    times: Numbers
    widths: Numbers
    names: Numbers  # of each job, a number drawn by lot: sums of them tell sets of jobs apart
    shares: Any  # measures × jobs: what part of a cluster a job takes
    least: Any  # of each measure: processors × time of all jobs in it, in clusters × ticks


class PoolMemory(NamedTuple):
    """Arrays that the loops write: 2·WIDTH + 1 rows, two beams and the schedule that is being made."""

    releases: Numbers  # of each job: the goal less its deadline
    place: Numbers  # rows × jobs: start · clusters + cluster, −1 for a job not placed
    # Rows × jobs: the jobs that run at a row's event, the first to end last; how many these are
    running: Numbers
    count: Numbers
    free: Numbers  # rows × clusters: free processors at the event
    # Of each row: its event, how many jobs are not placed, the sum of the names of the others
    now: Numbers
    left: Numbers
    name: Numbers
    # Rows × measures: weight of the running jobs at the event, and the waste before it, in all clusters
    busy: Any
    waste: Any
    value: Any  # of each row: sort key, least first
    price: Any  # of each job: the part of a cluster that it uses, averaged over the measures of the row
    fitting: Numbers  # jobs that can start at the event, the narrowest first
    # Jobs of an option, and of the best one
    option: Numbers
    choice: Numbers
    changed: Numbers  # rows × clusters: whether something can start on it that could not before


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
    """Write a row over another."""
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
    """Return about e^−gap, by products alone, which are the same everywhere."""
    value = 1.0 / (1.0 + gap / 16)
    value *= value
    value *= value
    value *= value
    return value * value


def bound(problem: PoolProblem, memory: PoolMemory, row: int, measure: int) -> float:
    """Return a lower bound on the makespan of all continuations of a row, in one measure."""
    wasted = memory.waste[row * problem.sizes[MEASURES] + measure]
    return (problem.least[measure] + wasted) / problem.sizes[CLUSTERS]


def greatest(problem: PoolProblem, memory: PoolMemory, row: int) -> float:
    """Return the greatest of the measures' bounds."""
    most = 0.0
    for measure in range(problem.sizes[MEASURES]):
        most = max(most, bound(problem, memory, row, measure))
    return most


def softened(problem: PoolProblem, memory: PoolMemory, row: int, theta: float) -> float:
    """Return the greatest bound, and something more for others that come close to it."""
    most, total = greatest(problem, memory, row), 0.0
    for measure in range(problem.sizes[MEASURES]):
        total += soft((most - bound(problem, memory, row, measure)) / theta)
    # The logarithm of the total, about (Padé).
    return most + theta * 3 * (total * total - 1) / (total * total + 4 * total + 1)


def set_prices(problem: PoolProblem, memory: PoolMemory, row: int, theta: float) -> None:
    """Average the measures' shares of jobs, those with the greatest bounds for the most part."""
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
    """Return how many of the jobs that can start are no wider than that."""
    low, high = 0, found
    while low < high:
        middle = (low + high) // 2
        if problem.widths[memory.fitting[middle]] <= width:
            low = middle + 1
        else:
            high = middle
    return low


def find_fitting(problem: PoolProblem, memory: PoolMemory, row: int, free: int, goal: int) -> int:
    """Write the jobs of the pool that fit on the given processors, narrowest first; return their number."""
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
    """Draw jobs that fit side by side, the last one of the widest; return how many these are."""
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
    """Return the cost of an option: the idle capacity until the next event, minus the urgency of its jobs.

    Without the option the part `idle` of the cluster is idle for `until` ticks; `left` are the ticks to the end.
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
    """Let a job start on a cluster at the event of a row."""
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
    """Return when a job that is placed ends."""
    return memory.place[row * problem.sizes[JOBS] + job] // problem.sizes[CLUSTERS] + problem.times[job]


def fill(
    problem: PoolProblem, memory: PoolMemory, state: Numbers, row: int, cluster: int, goal: int, tuning: Any
) -> None:
    """Start the best of several options on a cluster at the event of a row, and again, as long as it costs less."""
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


def go_on(problem: PoolProblem, memory: PoolMemory, row: int, goal: int) -> None:
    """Take a row to its next event or the goal, and note which clusters may take more jobs there."""
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


def enter(problem: PoolProblem, memory: PoolMemory, row: int, first: int, kept: int) -> int:
    """Enter a row in the beam that begins at row `first` and has `kept` rows; return how many it has then.

    Of two rows with the same placed jobs the better one is kept; the worst row of a full beam is dropped.
    """
    worst = first
    for other in range(first, first + kept):
        if memory.name[other] == memory.name[row]:
            if memory.value[row] < memory.value[other]:
                copy_row(problem, memory, row, other)
            return kept
        if memory.value[other] > memory.value[worst]:
            worst = other
    if kept < problem.sizes[WIDTH]:
        copy_row(problem, memory, row, first + kept)
        return kept + 1
    if memory.value[row] < memory.value[worst]:
        copy_row(problem, memory, row, worst)
    return kept


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
    """Take the beam to the mark; return how many schedules it has then, and how often jobs were chosen.

    The beam has `parents` rows in the half `bank` of the rows, 0 or 1; it is in the other one afterwards. Time ends at
    the goal. Of `tuning`, NOISE is that of an option's cost, in clusters × ticks, THETA by how many ticks measures are
    apart that count differently, and URGENCY that of long jobs near the end.
    """
    clusters, width = problem.sizes[CLUSTERS], problem.sizes[WIDTH]
    scratch, target = 2 * width, (1 - bank) * width
    kept = made = 0
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
                        made += 1
                if memory.left[scratch] > 0:
                    go_on(problem, memory, scratch, goal)
            memory.value[scratch] = softened(problem, memory, scratch, tuning[THETA])
            kept = enter(problem, memory, scratch, target, kept)
    return kept, made
