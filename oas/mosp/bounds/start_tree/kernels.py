"""Loops of the tree over starts: plain functions over sequences of integers, marked as kernels where Python calls them.

A schedule of one cluster is built in order of time. A *node* is a partial schedule at a moment, with the jobs that may
still start then, its *candidates*. Each child starts one of them and keeps only the later ones in the order, so that
each set of jobs occurs once. The last child advances to the next moment at which some job may start.

A *measure* weighs jobs and moments. A node is closed if the remaining jobs and the rest of the running jobs weigh more
than the capacity from its moment on. It is also closed if an earlier node with closed children *dominates* it: the same
jobs have been started there, no more processors are occupied at any later moment, and the sum of the starts is no
greater. `oas.checker.mosp_start_tree` proves that the tree is complete.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.core.compiling import short_kernel

Numbers = Any  # a list of int, or an int64 array

JOBS, HORIZON, MEASURES, SPAN = range(4)  # Problem.sizes; SPAN is the horizon + 1
LEVEL, NODES, STATES, HELD, FAVOURITE, STATUS = range(6)  # Memory.state
SEARCHING, REFUTED, FOUND = range(3)  # of STATUS
EXPANDED, DEAD, DOMINATED, FIRST_MEASURE = range(4)  # codes of nodes
NONE = -1
WORD = 62  # jobs whose bits one word of a set holds
LOOKS = 64  # maximum number of states that a node is compared with


class Problem(NamedTuple):
    """One cluster and a horizon."""

    sizes: Numbers  # number of jobs, ticks and measures; number of ticks plus 1
    # times, widths, releases, ends: of each job, in the order in which candidates are tried; it must end by `ends`
    times: Numbers
    widths: Numbers
    releases: Numbers
    ends: Numbers
    before: Numbers  # the identical job that starts no later, or −1
    free: Numbers  # processors that reservations leave free in each tick, and 0 at the horizon
    weight: Numbers  # weight[v][j][t]: weight of job j by measure v if it ran from 0 to t
    # least[v][j][t]: minimum weight of job j over starts from t on; `measures.NEVER` if there are none
    least: Numbers
    room: Numbers  # room[v][t]: maximum weight of all jobs from t on


class Memory(NamedTuple):
    """Arrays that the kernels write."""

    # The level; nodes so far; number of stored states and of their running jobs; the measure to try first; the status
    state: Numbers
    start: Numbers  # of each job, or −1
    used: Numbers  # processors held by jobs in each tick
    # moment, first, next, count, candidates, started: of each level: its moment; 1 if its node is the first at its
    # moment, else 0; the next candidate to try; the number of candidates; these; the job that led here, or −1
    moment: Numbers
    first: Numbers
    next: Numbers
    count: Numbers
    candidates: Numbers
    started: Numbers
    code: Numbers  # how each node was closed
    # heads, following, state_moment, state_sum, state_jobs, state_from, held_end, held_width: closed states by a hash
    # of the jobs started: the moment, the sum of starts, the set in two words, and the processors held beyond the
    # moment, by ascending end
    heads: Numbers
    following: Numbers
    state_moment: Numbers
    state_sum: Numbers
    state_jobs: Numbers
    state_from: Numbers
    held_end: Numbers
    held_width: Numbers


def too_heavy(problem: Problem, memory: Memory, moment: int, measure: int) -> bool:
    """Return whether waiting and running jobs weigh more by this measure than the capacity from `moment` on."""
    jobs, span = problem.sizes[JOBS], problem.sizes[SPAN]
    base = measure * jobs * span
    left = problem.room[measure * span + moment]
    for job in range(jobs):
        row = base + job * span
        start = memory.start[job]
        if start < 0:
            left -= problem.least[row + moment]
        elif start + problem.times[job] > moment:
            left -= problem.weight[row + start + problem.times[job]] - problem.weight[row + moment]
        if left < 0:
            return True
    return False


def fits(problem: Problem, memory: Memory, job: int, start: int) -> bool:
    """Return whether the processors for `job` are free from `start` to its end, and it ends in time."""
    end = start + problem.times[job]
    if end > problem.ends[job]:
        return False
    width = problem.widths[job]
    for tick in range(start, end):  # noqa: SIM110  (compiled)
        if problem.free[tick] - memory.used[tick] < width:
            return False
    return True


def may_start(problem: Problem, memory: Memory, job: int, moment: int) -> bool:
    """Return whether `job` fits at `moment`, and could not start a tick earlier."""
    if memory.start[job] >= 0 or problem.releases[job] > moment:
        return False
    if problem.releases[job] < moment and problem.free[moment - 1] - memory.used[moment - 1] >= problem.widths[job]:
        return False
    return fits(problem, memory, job, moment)


def list_candidates(problem: Problem, memory: Memory, level: int, moment: int) -> int:
    """Write the candidates of a level that is the first at its moment; return their number."""
    jobs = problem.sizes[JOBS]
    count = 0
    for job in range(jobs):
        if may_start(problem, memory, job, moment):
            memory.candidates[level * jobs + count] = job
            count += 1
    return count


def leaves_a_hole(problem: Problem, memory: Memory, moment: int) -> bool:
    """Return whether some remaining job could have run before `moment`, ending then."""
    idle = problem.free[moment - 1] - memory.used[moment - 1]
    for job in range(problem.sizes[JOBS]):
        if memory.start[job] >= 0 or problem.widths[job] > idle:
            continue
        start = moment - problem.times[job]
        if start >= problem.releases[job] and fits(problem, memory, job, start):
            return True
    return False


def next_moment(problem: Problem, memory: Memory, level: int, moment: int) -> int:
    """Write the candidates of the first later moment that has some, and return this moment.

    Returns the horizon if there is none, or if a remaining job could have run before it: that job must start earlier.
    """
    horizon = problem.sizes[HORIZON]
    moment += 1
    while moment < horizon:
        if leaves_a_hole(problem, memory, moment):
            return int(horizon)
        count = list_candidates(problem, memory, level, moment)
        if count > 0:
            memory.count[level] = count
            return moment
        moment += 1
    return moment


def put(problem: Problem, memory: Memory, job: int, start: int) -> None:
    """Start a job."""
    memory.start[job] = start
    for tick in range(start, start + problem.times[job]):
        memory.used[tick] += problem.widths[job]


def take(problem: Problem, memory: Memory, job: int) -> None:
    """Undo the start of a job."""
    start = memory.start[job]
    for tick in range(start, start + problem.times[job]):
        memory.used[tick] -= problem.widths[job]
    memory.start[job] = NONE


def words(problem: Problem, memory: Memory) -> tuple[int, int, int]:
    """Return the set of jobs started in two words, and the sum of their starts."""
    low = high = total = 0
    for job in range(problem.sizes[JOBS]):
        if memory.start[job] >= 0:
            total += memory.start[job]
            if job < WORD:
                low |= 1 << job
            else:
                high |= 1 << (job - WORD)
    return low, high, total


def slot(memory: Memory, low: int, high: int) -> int:
    """Return the place of a set in the table of heads."""
    mixed = (low * 40503 + high * 30011 + (low >> 17) + (high >> 23)) & (2**62 - 1)
    return (mixed ^ (mixed >> 15)) % len(memory.heads)


def holds_no_more(memory: Memory, state: int, moment: int) -> bool:
    """Return whether the stored state occupies no more processors than the current one from `moment` on."""
    held = 0
    for place in range(memory.state_from[state + 1] - 1, memory.state_from[state] - 1, -1):
        held += memory.held_width[place]
        end = memory.held_end[place]
        if end <= moment:
            return True
        if memory.used[end - 1] < held:
            return False
    return True


def dominated(problem: Problem, memory: Memory, moment: int) -> bool:
    """Return whether some stored state dominates the current partial schedule."""
    low, high, total = words(problem, memory)
    state = memory.heads[slot(memory, low, high)]
    looks = 0
    while state >= 0 and looks < LOOKS:
        if (
            memory.state_jobs[2 * state] == low
            and memory.state_jobs[2 * state + 1] == high
            and memory.state_moment[state] <= moment
            and memory.state_sum[state] <= total
            and holds_no_more(memory, state, moment)
        ):
            return True
        state = memory.following[state]
        looks += 1
    return False


def remember(problem: Problem, memory: Memory, moment: int) -> None:
    """Store the current partial schedule, all of whose children are closed, if there is room."""
    jobs = problem.sizes[JOBS]
    state, held = memory.state[STATES], memory.state[HELD]
    if state + 1 >= len(memory.state_from) or held + jobs > len(memory.held_end):
        return
    low, high, total = words(problem, memory)
    place = slot(memory, low, high)
    memory.following[state] = memory.heads[place]
    memory.heads[place] = state
    memory.state_moment[state] = moment
    memory.state_sum[state] = total
    memory.state_jobs[2 * state] = low
    memory.state_jobs[2 * state + 1] = high
    first = held
    for job in range(jobs):
        end = memory.start[job] + problem.times[job]
        if memory.start[job] >= 0 and end > moment:
            spot = held
            while spot > first and memory.held_end[spot - 1] > end:
                memory.held_end[spot] = memory.held_end[spot - 1]
                memory.held_width[spot] = memory.held_width[spot - 1]
                spot -= 1
            memory.held_end[spot] = end
            memory.held_width[spot] = problem.widths[job]
            held += 1
    memory.state_from[state + 1] = held
    memory.state[STATES] = state + 1
    memory.state[HELD] = held


def settle(problem: Problem, memory: Memory, moment: int, first: bool) -> int:
    """Record the code that closes the current node, and return it; `EXPANDED` if it stays open."""
    code = DEAD
    if moment < problem.sizes[HORIZON]:
        code = EXPANDED
        measures, favourite = problem.sizes[MEASURES], memory.state[FAVOURITE]
        for offset in range(measures):
            measure = (favourite + offset) % measures
            if too_heavy(problem, memory, moment, measure):
                memory.state[FAVOURITE] = measure
                code = FIRST_MEASURE + int(measure)
                break
        if code == EXPANDED and first and dominated(problem, memory, moment):
            code = DOMINATED
    memory.code[memory.state[NODES]] = code
    memory.state[NODES] += 1
    return code


@short_kernel
def begin(problem: Problem, memory: Memory) -> None:
    """Make the root the current node. No job has started, and the buffer has room for at least one code."""
    memory.state[STATUS] = SEARCHING
    memory.moment[0] = 0
    memory.first[0] = 1
    memory.next[0] = 0
    memory.started[0] = NONE
    memory.count[0] = list_candidates(problem, memory, 0, 0)
    if settle(problem, memory, 0, True) > EXPANDED:
        memory.state[STATUS] = REFUTED


def narrow(problem: Problem, memory: Memory, level: int, taken: int) -> None:
    """Write the candidates of the next level: those after the one taken that still fit."""
    jobs = problem.sizes[JOBS]
    count = 0
    for place in range(taken + 1, memory.count[level]):
        job = memory.candidates[level * jobs + place]
        if fits(problem, memory, job, memory.moment[level]):
            memory.candidates[(level + 1) * jobs + count] = job
            count += 1
    memory.count[level + 1] = count


def complete(problem: Problem, memory: Memory) -> bool:
    """Return whether every job has started."""
    for job in range(problem.sizes[JOBS]):  # noqa: SIM110  (compiled)
        if memory.start[job] < 0:
            return False
    return True


def descend(problem: Problem, memory: Memory, level: int) -> bool:
    """Make the next child of a level the current node, one level below; return False if there is none."""
    jobs = problem.sizes[JOBS]
    place = memory.next[level]
    while place < memory.count[level]:
        before = problem.before[memory.candidates[level * jobs + place]]
        if before < 0 or memory.start[before] >= 0:
            break
        place += 1
    if place > memory.count[level]:
        return False
    memory.next[level] = place + 1
    below = level + 1
    memory.next[below] = 0
    if place < memory.count[level]:
        job = memory.candidates[level * jobs + place]
        put(problem, memory, job, memory.moment[level])
        narrow(problem, memory, level, place)
        memory.started[below] = job
        memory.moment[below] = memory.moment[level]
        memory.first[below] = 0
    else:
        memory.started[below] = NONE
        memory.count[below] = 0
        memory.moment[below] = next_moment(problem, memory, below, memory.moment[level])
        memory.first[below] = 1
    return True


def leave(problem: Problem, memory: Memory, level: int) -> None:
    """Undo the step that led to a level."""
    if memory.started[level] >= 0:
        take(problem, memory, memory.started[level])


@short_kernel
def search(problem: Problem, memory: Memory, steps: int) -> int:
    """Visit up to `steps` further nodes, as far as the buffer for codes permits; return the status."""
    while steps > 0 and memory.state[STATUS] == SEARCHING and memory.state[NODES] < len(memory.code):
        level = memory.state[LEVEL]
        if descend(problem, memory, level):
            steps -= 1
            if complete(problem, memory):
                memory.state[STATUS] = FOUND
            elif settle(problem, memory, memory.moment[level + 1], memory.first[level + 1] == 1) == EXPANDED:
                memory.state[LEVEL] = level + 1
            else:
                leave(problem, memory, level + 1)
        else:
            if memory.first[level] == 1:
                remember(problem, memory, memory.moment[level])
            leave(problem, memory, level)
            memory.state[LEVEL] = level - 1
            if level == 0:
                memory.state[STATUS] = REFUTED
    return int(memory.state[STATUS])
