"""Inner loops of the beam of co-allocated jobs: plain functions over arrays, interpreted or compiled by numba.

Both give bit-identical results: they have their own random numbers, and floats are only added, multiplied, divided and
compared.

A *state* is a moment with its running jobs, their nodes, and the waiting jobs. Its *children* differ in the jobs that
start at that moment; the moment of a child is the next end of a job. Children are sorted into *buckets* by moment; the
best states of each bucket are kept, by `score_of`. A child is never in the bucket of its parent.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.coallocation.search.annealing_kernels import (
    CLASSES,
    CLUSTERS,
    JOBS,
    LEVELS,
    Problem,
    quiet_count,
    sort_by_room,
    split_job,
    take_slowest,
)
from oas.core.compiling import kernel
from oas.core.shared_kernels import Numbers, copy, draw, row_in_beam

Floats = Any  # a float64 array

BUCKET, ENTRY, HORIZON, LIVE, FOUND, KEPT = range(6)  # entries of `Progress.at`
BITS = 0x3FFFFFFFFFF
ALIKE = 0.01  # random perturbation of values that may be equal


class Guide(NamedTuple):
    """Measures of waste, and priorities of jobs."""

    # [measure, job, level]: weight of a running job, as a fraction of the maximum of jobs that can run together
    weights: Floats
    extra: Floats  # [measure, job, level]: additional ticks of this level compared with the job's cheapest level
    needs: Floats  # [measure]: ticks that all jobs need without waste, a lower bound on the makespan
    values: Floats  # [job, level]: priority before noise, the greatest starts first
    fastest: Numbers  # [job]: least level with an allocation on the empty grid


class States(NamedTuple):
    """A row for each state in the buckets, and a last one, the trial, for the current child."""

    time: Numbers
    waiting: Numbers  # [job]: 1 until it starts
    left: Numbers  # number of waiting jobs
    count: Numbers  # number of running jobs
    job: Numbers  # [running]
    level: Numbers  # [running]
    end: Numbers  # [running]
    start: Numbers  # [job]
    nodes: Numbers  # [job, class]
    free: Numbers  # [class]
    link: Numbers  # [cluster]
    wasted: Floats  # [measure]
    score: Floats
    code: Numbers


class Progress(NamedTuple):
    """Position of the beam, and its working memory."""

    # Next bucket and entry, latest allowed end, number of states in the buckets, whether a schedule was found, number
    # of jobs still running after the state's moment
    at: Numbers
    filled: Numbers  # [bucket, cyclic]: number of states
    # The best schedule
    starts: Numbers
    nodes: Numbers
    # job · levels + level of the jobs that can start at the state's moment, and their number
    options: Numbers
    count: Numbers
    keys: Floats  # [option]: priorities in this child
    chances: Floats  # random numbers from −1 to 1; each child uses a sequence of them
    least: Numbers  # [level]: free nodes at least as fast
    # Free resources of the state at its moment
    free: Numbers
    link: Numbers
    begun: Numbers  # [running]: the jobs that start in this child
    # As in `oas.coallocation.search.annealing_kernels`
    room: Numbers
    quiet: Numbers
    counts: Numbers
    split: Numbers
    order: Numbers


class Manner(NamedTuple):
    """Parameters of a beam."""

    # States kept per bucket; the same before the bucket `turn`
    width: int
    early: int
    turn: int
    children: int  # per state
    ticks: int  # per bucket
    # See `score_of`, `draw_keys`; how often per thousand a child starts no further jobs although some would fit
    doublings: int
    noise: float
    pauses: int


def load_of(problem: Problem, job: int, cluster: int, tasks: int) -> int:
    """Return the load of a job on the link of a cluster that runs `tasks` of its tasks."""
    return problem.loads[problem.link[cluster] + problem.job[job] + min(tasks, problem.tasks[job] - tasks)]


def give_back(problem: Problem, states: States, progress: Progress, row: int, job: int) -> None:
    """Release the nodes and links of a job of `row` in the free resources of the state."""
    for k in range(problem.sizes[CLUSTERS]):
        progress.split[k] = 0
    for c in range(problem.sizes[CLASSES]):
        progress.free[c] += states.nodes[row, job, c]
        progress.split[problem.class_cluster[c]] += states.nodes[row, job, c]
    for k in range(problem.sizes[CLUSTERS]):
        progress.link[k] += load_of(problem, job, k, progress.split[k])


def copy_state(states: States, row: int, to: int) -> None:
    """Copy a state into another row, except its score and code."""
    states.time[to] = states.time[row]
    copy(states.waiting[row], states.waiting[to])
    states.left[to] = states.left[row]
    states.count[to] = states.count[row]
    copy(states.job[row], states.job[to])
    copy(states.level[row], states.level[to])
    copy(states.end[row], states.end[to])
    copy(states.start[row], states.start[to])
    for job in range(len(states.nodes[row])):
        copy(states.nodes[row, job], states.nodes[to, job])
    copy(states.free[row], states.free[to])
    copy(states.link[row], states.link[to])
    copy(states.wasted[row], states.wasted[to])


def open_state(problem: Problem, states: States, progress: Progress, row: int, trial: int) -> None:
    """Initialize the trial with the jobs still running after the moment of `row`, and count them."""
    copy_state(states, row, trial)
    copy(states.free[row], progress.free)
    copy(states.link[row], progress.link)
    kept = 0
    for index in range(states.count[row]):
        job = states.job[row, index]
        if states.end[row, index] <= states.time[row]:
            give_back(problem, states, progress, row, job)
            continue
        states.job[trial, kept] = job
        states.level[trial, kept] = states.level[row, index]
        states.end[trial, kept] = states.end[row, index]
        kept += 1
    progress.at[KEPT] = kept


def count_free(problem: Problem, progress: Progress, free: Numbers) -> None:
    """Count the free nodes at least as fast as each level."""
    for level in range(problem.sizes[LEVELS]):
        progress.least[level] = 0
        for c in range(problem.sizes[CLASSES]):
            if problem.class_level[c] <= level:
                progress.least[level] += free[c]


def list_options(problem: Problem, guide: Guide, states: States, progress: Progress, trial: int, time: int) -> None:
    """List the options with enough nodes that end by the horizon; of levels of equal duration only the slowest."""
    levels = problem.sizes[LEVELS]
    count_free(problem, progress, progress.free)
    progress.count[0] = 0
    for job in range(problem.sizes[JOBS]):
        if states.waiting[trial, job] == 1 and problem.tasks[job] <= progress.least[levels - 1]:
            for level in range(guide.fastest[job], levels):
                own = problem.times[job * levels + level]
                if (
                    problem.tasks[job] <= progress.least[level]
                    and time + own <= progress.at[HORIZON]
                    and (level == levels - 1 or own < problem.times[job * levels + level + 1])
                ):
                    progress.options[progress.count[0]] = job * levels + level
                    progress.count[0] += 1


def best_option(problem: Problem, states: States, progress: Progress, trial: int) -> int:
    """Return the waiting option of the greatest priority with enough nodes; −1 if there is none."""
    levels = problem.sizes[LEVELS]
    count_free(problem, progress, states.free[trial])
    found, greatest = -1, 0.0
    for index in range(progress.count[0]):
        if progress.keys[index] > greatest:
            job, level = progress.options[index] // levels, progress.options[index] % levels
            if states.waiting[trial, job] == 1 and problem.tasks[job] <= progress.least[level]:
                found, greatest = index, progress.keys[index]
    return found


def split_now(problem: Problem, states: States, progress: Progress, trial: int, job: int, level: int, sign: int) -> int:
    """Split a job over free nodes, slow clusters first, then by room; return the slowest level used, −1 for no split.

    `counts` becomes the nodes of each class, `split` the tasks of each cluster.
    """
    clusters, classes = problem.sizes[CLUSTERS], problem.sizes[CLASSES]
    nodes = 1
    for k in range(clusters):
        progress.room[k] = 0
        progress.split[k] = 0
    for c in range(classes):
        if problem.class_level[c] <= level:
            k = problem.class_cluster[c]
            progress.room[k] += states.free[trial, c]
            nodes += states.free[trial, c]
            if states.free[trial, c] > 0 and problem.class_level[c] > progress.split[k]:
                progress.split[k] = problem.class_level[c]
    for k in range(clusters):  # `quiet` temporarily contains the sort key
        progress.quiet[k] = progress.split[k] * 2 * nodes + sign * progress.room[k]
    sort_by_room(progress.quiet, progress.order, clusters, 1)
    base = problem.job[job]
    for k in range(clusters):
        progress.quiet[k] = quiet_count(
            problem.loads, problem.link[k] + base, problem.tasks[job] // 2, states.link[trial, k]
        )
    if not split_job(problem.tasks[job], clusters, progress.order, progress.room, progress.quiet, progress.split):
        return -1
    for k in range(clusters):
        progress.room[k] = progress.split[k]
    for c in range(classes):
        progress.counts[c] = states.free[trial, c]
    return take_slowest(problem, level, progress.counts, progress.room)


def begin(problem: Problem, states: States, progress: Progress, trial: int, job: int, level: int, time: int) -> None:
    """Start a job in the trial, on the nodes of `counts`."""
    for c in range(problem.sizes[CLASSES]):
        states.free[trial, c] -= progress.counts[c]
        states.nodes[trial, job, c] = progress.counts[c]
    for k in range(problem.sizes[CLUSTERS]):
        states.link[trial, k] -= load_of(problem, job, k, progress.split[k])
    index = states.count[trial]
    states.job[trial, index] = job
    states.level[trial, index] = level
    states.end[trial, index] = time + problem.times[job * problem.sizes[LEVELS] + level]
    states.count[trial] = index + 1
    states.start[trial, job] = time
    states.waiting[trial, job] = 0
    states.left[trial] -= 1


def draw_keys(problem: Problem, guide: Guide, progress: Progress, noise: float, state: Numbers) -> None:
    """Draw the priorities of a child: those of `guide`, each changed by up to `noise` of itself."""
    levels, size = problem.sizes[LEVELS], len(progress.chances)
    place = draw(state, size)
    for index in range(progress.count[0]):
        option = progress.options[index]
        moved = progress.chances[(place + option) % size]
        progress.keys[index] = guide.values[option // levels, option % levels] * (1 + noise * moved) + ALIKE * (
            2 + moved
        )


def try_child(
    problem: Problem,
    guide: Guide,
    states: States,
    progress: Progress,
    manner: Manner,
    row: int,
    number: int,
    state: Numbers,
) -> int:
    """Start the jobs that fit by descending priority; return their number. The first child has no noise."""
    levels = problem.sizes[LEVELS]
    time, trial = states.time[row], len(states.time) - 1
    copy(progress.free, states.free[trial])
    copy(progress.link, states.link[trial])
    copy(states.wasted[row], states.wasted[trial])
    states.count[trial] = progress.at[KEPT]
    draw_keys(problem, guide, progress, manner.noise * (number % 8) / 8, state)
    sign = 1 if number % 2 == 0 else draw(state, 3) - 1
    begun = 0
    while states.count[trial] < states.job.shape[1]:
        if states.count[trial] > 0 and number > 0 and draw(state, 1000) < manner.pauses:
            break
        index = best_option(problem, states, progress, trial)
        if index < 0:
            break
        job, level = progress.options[index] // levels, progress.options[index] % levels
        slowest = split_now(problem, states, progress, trial, job, level, sign)
        if slowest < 0:
            progress.keys[index] = -1.0
            continue
        begin(problem, states, progress, trial, job, slowest, time)
        for one in range(len(guide.needs)):
            states.wasted[trial, one] += guide.extra[one, job, slowest]
        progress.begun[begun] = job
        begun += 1
    return begun


def go_to_next_end(guide: Guide, states: States, trial: int, time: int) -> None:
    """Advance the trial to the next end of a job, and add the waste until then."""
    then = states.end[trial, 0]
    for index in range(1, states.count[trial]):
        then = min(then, states.end[trial, index])
    for one in range(len(guide.needs)):
        idle = 1.0
        for index in range(states.count[trial]):
            idle -= guide.weights[one, states.job[trial, index], states.level[trial, index]]
        states.wasted[trial, one] += idle * float(then - time)
    states.time[trial] = then


def score_of(guide: Guide, states: States, trial: int, horizon: int, doublings: int) -> float:
    """Return Σ (bound / horizon)^(2^doublings) over the measures; −1 if some bound exceeds the horizon.

    The bound of a measure, the ticks that all jobs need plus the waste so far, is a lower bound on the makespan of any
    extension. With a high exponent the greatest bound dominates.
    """
    total = 0.0
    for one in range(len(guide.needs)):
        share = (guide.needs[one] + states.wasted[trial, one]) / float(horizon)
        if share > 1 + 1e-9:
            return -1.0
        for _ in range(doublings):
            share *= share
        total += share
    return total


def code_of(problem: Problem, states: States, trial: int) -> int:
    """Return a hash below 2^42 of the waiting jobs and the running jobs with their remaining times."""
    code = 0
    for job in range(problem.sizes[JOBS]):
        code = ((code ^ states.waiting[trial, job]) * 1000003 + job) & BITS
    total = 0
    for index in range(states.count[trial]):
        rest = (states.end[trial, index] - states.time[trial]) & 0xFFFFFFF
        own = (rest * 31 + states.level[trial, index]) * 1000003 & BITS
        total += (own ^ states.job[trial, index]) * 69069 & BITS
    return (code + total) & BITS


def write_schedule(states: States, progress: Progress, trial: int) -> None:
    """Store the trial, in which no job waits, as the best schedule; later ones must end earlier."""
    last = 0
    for index in range(states.count[trial]):
        last = max(last, states.end[trial, index])
    copy(states.start[trial], progress.starts)
    for job in range(len(progress.starts)):
        copy(states.nodes[trial, job], progress.nodes[job])
    progress.at[HORIZON] = last - 1
    progress.at[FOUND] = 1


def expand(
    problem: Problem, guide: Guide, states: States, progress: Progress, manner: Manner, row: int, state: Numbers
) -> None:
    """Add the children of a state to the buckets."""
    trial = len(states.time) - 1
    open_state(problem, states, progress, row, trial)
    list_options(problem, guide, states, progress, trial, states.time[row])
    for number in range(manner.children):
        begun = try_child(problem, guide, states, progress, manner, row, number, state)
        if states.count[trial] > 0:
            if states.left[trial] == 0:
                write_schedule(states, progress, trial)
            else:
                go_to_next_end(guide, states, trial, states.time[row])
                score = score_of(guide, states, trial, progress.at[HORIZON], manner.doublings)
                bucket = max(progress.at[BUCKET] + 1, states.time[trial] // manner.ticks)
                if score >= 0:
                    code = code_of(problem, states, trial)
                    width = manner.width if bucket >= manner.turn else manner.early
                    bucket %= len(progress.filled)
                    first, count = bucket * manner.width, progress.filled[bucket]
                    place = row_in_beam(states.code, states.score, first, count, width, code, score)
                    if place == first + count:
                        progress.filled[bucket] += 1
                        progress.at[LIVE] += 1
                    if place >= 0:
                        copy_state(states, trial, place)
                        states.score[place], states.code[place] = score, code
        for index in range(begun):
            states.waiting[trial, progress.begun[index]] = 1
        states.left[trial] += begun


@kernel
def resume(
    problem: Problem, guide: Guide, states: States, progress: Progress, manner: Manner, steps: int, state: Numbers
) -> int:
    """Expand at most `steps` states, or until none is left; return the number expanded."""
    done = 0
    at, buckets = progress.at, len(progress.filled)
    while done < steps and at[LIVE] > 0:
        bucket = at[BUCKET] % buckets
        if at[ENTRY] == progress.filled[bucket]:
            progress.filled[bucket] = 0
            at[BUCKET] += 1
            at[ENTRY] = 0
            continue
        row = bucket * manner.width + at[ENTRY]
        at[ENTRY] += 1
        at[LIVE] -= 1
        expand(problem, guide, states, progress, manner, row, state)
        done += 1
    return done
