"""Inner loops of the annealing: plain functions over sequences of integers.

They run as plain Python or compiled (`oas.core.compiling`), with bit-identical results: they have their own random
numbers, and floats are only added, multiplied and compared.

A schedule is encoded by *genes*: an order of the jobs, and for each job a level (the slowest nodes it may use) and a
pattern (which clusters it fills first). Jobs are placed in that order, each at the earliest moment at which its level
has an allocation.

The *profile* is a table with a row for each moment at which some job ends: the moment; for each level the free nodes
at least as fast; for each node class the free nodes; for each cluster the residual capacity of its link. A row is valid
until the next one, the last one forever. Jobs start only at the start of a row, so each job adds at most one row.

The load c·(τ−c)·b/(τ−1) of equation (4) grows up to c = τ/2 and then falls symmetrically. So a cluster may hold up to
*quiet* tasks or at least τ − *quiet*, and at most one cluster holds more than half of a job. Therefore no search is
needed to decide whether an allocation exists, or to find one that follows a pattern.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.core.compiling import kernel, short_kernel
from oas.core.shared_kernels import Numbers, draw, last_at_most, shift

JOBS, CLUSTERS, CLASSES, LEVELS, PATTERNS, STRIDE = range(6)


class Problem(NamedTuple):
    """The instance as used by the loops; tables are flat, row by row."""

    # Number of jobs, clusters, node classes, levels, patterns; number of jobs between saved profiles
    sizes: Numbers
    tasks: Numbers  # by job: τ
    times: Numbers  # jobs × levels: duration
    # Jobs × levels: the slowest level of equal duration, or that of the fastest level with an allocation
    canonical: Numbers
    # By node class; classes are sorted by cluster, then fastest first
    class_cluster: Numbers
    class_level: Numbers
    empty: Numbers  # the first row of the empty profile
    loads: Numbers  # for each distinct link, for each job, the load of 0 to ⌊τ/2⌋ tasks
    # Offset in `loads` of each cluster's link, and within it of each job
    link: Numbers
    job: Numbers
    # Patterns × clusters: the clusters in filling order. The last two patterns have no fixed order: most free nodes
    # first, fewest free nodes first.
    orders: Numbers


class Memory(NamedTuple):
    """Arrays that the loops write: the profile, saved profiles, and working memory for placing one job."""

    profile: Numbers
    rows: Numbers
    saved: Numbers
    saved_rows: Numbers
    bank: Numbers
    room: Numbers
    quiet: Numbers
    counts: Numbers
    split: Numbers
    order: Numbers
    ends: Numbers


class Genes(NamedTuple):
    """Order of the jobs, level and pattern of each; best makespan so far (−1: none), followed by its genes."""

    order: Numbers
    level: Numbers
    pattern: Numbers
    best: Numbers


def quiet_count(loads: Numbers, base: int, half: int, residual: int) -> int:
    """Return the largest number of tasks ≤ `half` whose load a link with `residual` capacity can carry."""
    if loads[base + half] <= residual:
        return half
    return last_at_most(loads, base, half, residual)


def sort_by_room(room: Numbers, order: Numbers, count: int, sign: int) -> None:
    """Write the clusters by descending (sign 1) or ascending (−1) room, ties to the first."""
    for k in range(count):
        value = sign * room[k]
        place = k
        while place > 0 and sign * room[order[place - 1]] < value:
            order[place] = order[place - 1]
            place -= 1
        order[place] = k


def split_job(tasks: int, count: int, order: Numbers, room: Numbers, quiet: Numbers, split: Numbers) -> bool:
    """Split a job over the clusters, each in `order` receiving as many tasks as possible; False if there is no split.

    ``room[k]`` is the maximum number of tasks for the nodes of cluster k. Its link carries at most ``quiet[k]`` tasks,
    or all but at most that many.
    """
    total = 0
    for k in range(count):
        total += min(room[k], quiet[k])
    chosen = -2
    for a in range(count):
        k = order[a]
        most = min(room[k], tasks)
        if most >= tasks - quiet[k] and total - min(room[k], quiet[k]) + most >= tasks:
            chosen = k
            break
    if chosen < 0:
        if total < tasks:
            return False
        chosen = -1
    reserved = tasks - quiet[chosen] if chosen >= 0 else 0
    left = tasks
    for a in range(count):
        k = order[a]
        if k == chosen:
            taken = min(room[k], left)
            reserved = 0
        else:
            taken = min(room[k], quiet[k], left - reserved)
        split[k] = taken
        left -= taken
    return True


def take_slowest(problem: Problem, level: int, counts: Numbers, room: Numbers) -> int:
    """Reduce `counts` from the free to the taken nodes of each class; return the level of the slowest node taken.

    The job takes ``room[k]`` nodes of cluster k, the slowest first, so that fast nodes remain free.
    """
    slowest = 0
    for back in range(problem.sizes[CLASSES]):
        c = problem.sizes[CLASSES] - 1 - back
        taken = 0
        if problem.class_level[c] <= level:
            k = problem.class_cluster[c]
            taken = min(counts[c], room[k])
            room[k] -= taken
            if taken > 0 and problem.class_level[c] > slowest:
                slowest = problem.class_level[c]
        counts[c] = taken
    return slowest


def next_stretch(
    profile: Numbers, rows: int, width: int, column: int, row: int, tasks: int, time: int
) -> tuple[int, int]:
    """Return the first row ≥ `row` from which a run has enough nodes until its end, and the first row after the run."""
    while True:
        while profile[row * width + column] < tasks:
            row += 1
        end = profile[row * width] + time
        after = row + 1
        while after < rows and profile[after * width] < end and profile[after * width + column] >= tasks:
            after += 1
        if after == rows or profile[after * width] >= end:
            return row, after
        row = after + 1


def least_of(profile: Numbers, place: int, width: int, count: int) -> int:
    """Return the minimum of `count` numbers of a column, from `place` on."""
    least = profile[place]
    for _ in range(1, count):
        place += width
        if profile[place] < least:
            least = profile[place]
    return least


def insert_row(profile: Numbers, rows: int, width: int, row: int, moment: int) -> None:
    """Insert a copy of the previous row, with another moment."""
    for place in range(rows * width - 1, row * width - 1, -1):
        profile[place + width] = profile[place]
    for place in range(row * width, (row + 1) * width):
        profile[place] = profile[place - width]
    profile[row * width] = moment


@short_kernel
def place_job(problem: Problem, memory: Memory, job: int, level: int, pattern: int) -> int:
    """Place a job at the earliest moment at which `level` has an allocation; return its end."""
    sizes, profile, counts, split = problem.sizes, memory.profile, memory.counts, memory.split
    clusters, classes, levels = sizes[CLUSTERS], sizes[CLASSES], sizes[LEVELS]
    first_class = 1 + levels
    first_link = first_class + classes
    width = first_link + clusters
    rows, tasks = memory.rows[0], problem.tasks[job]
    time = problem.times[job * levels + level]
    kind = sizes[PATTERNS] - pattern
    row = 0
    while True:
        row, after = next_stretch(profile, rows, width, 1 + level, row, tasks, time)
        for k in range(clusters):
            memory.room[k] = 0
        total = 0
        for c in range(classes):
            if problem.class_level[c] <= level:
                counts[c] = least_of(profile, row * width + first_class + c, width, after - row)
                memory.room[problem.class_cluster[c]] += counts[c]
                total += counts[c]
        if total >= tasks:
            for k in range(clusters):
                least = least_of(profile, row * width + first_link + k, width, after - row)
                memory.quiet[k] = quiet_count(problem.loads, problem.link[k] + problem.job[job], tasks // 2, least)
            if kind > 2:
                for a in range(clusters):
                    memory.order[a] = problem.orders[pattern * clusters + a]
            else:
                sort_by_room(memory.room, memory.order, clusters, 1 if kind == 2 else -1)
            if split_job(tasks, clusters, memory.order, memory.room, memory.quiet, split):
                break
        row += 1
    for k in range(clusters):
        memory.room[k] = split[k]
    slowest = take_slowest(problem, level, counts, memory.room)
    end = profile[row * width] + problem.times[job * levels + slowest]
    while after - 1 > row and profile[(after - 1) * width] >= end:
        after -= 1
    if after == rows or profile[after * width] != end:
        insert_row(profile, rows, width, after, end)
        memory.rows[0] = rows + 1
    for base in range(row * width, after * width, width):
        for c in range(classes):
            profile[base + first_class + c] -= counts[c]
            for higher in range(problem.class_level[c], levels):
                profile[base + 1 + higher] -= counts[c]
        for k in range(clusters):
            held = min(split[k], tasks - split[k])
            profile[base + first_link + k] -= problem.loads[problem.link[k] + problem.job[job] + held]
    return end


def copy_rows(source: Numbers, start: int, goal: Numbers, begin: int, count: int) -> None:
    """Copy `count` numbers of a table into another."""
    for place in range(count):
        goal[begin + place] = source[start + place]


def place_all(problem: Problem, memory: Memory, genes: Genes, first: int, target: int, limit: float) -> float:
    """Place the jobs from position `first` of `order` on; return the cost, or −1 if it exceeds `limit`.

    The cost is the makespan beyond `target`, plus a fraction of the sum of all ends beyond it. Profiles are saved
    during the process, next to those of the last accepted genes; `memory.bank` says which of the two is current.
    """
    sizes, order = problem.sizes, genes.order
    jobs, stride = sizes[JOBS], sizes[STRIDE]
    width = 1 + sizes[LEVELS] + sizes[CLASSES] + sizes[CLUSTERS]
    block = (jobs + 2) * width
    slots = jobs // stride + 1
    slot = first // stride
    makespan = 0
    excess = 0.0  # may reach jobs × horizon, which exceeds 64 bits
    position = slot * stride
    if slot == 0:
        copy_rows(problem.empty, 0, memory.profile, 0, width)
        memory.rows[0] = 1
    else:
        place = memory.bank[slot] * slots + slot
        rows = memory.saved_rows[place]
        copy_rows(memory.saved, place * block, memory.profile, 0, rows * width)
        memory.rows[0] = rows
        for earlier in range(position):
            end = memory.ends[order[earlier]]
            makespan = max(makespan, end)
            if end > target:
                excess += float(end - target)
    cost = 0.0
    for a in range(position, jobs):
        if a % stride == 0 and a > position:
            place = (1 - memory.bank[a // stride]) * slots + a // stride
            copy_rows(memory.profile, 0, memory.saved, place * block, memory.rows[0] * width)
            memory.saved_rows[place] = memory.rows[0]
        job = order[a]
        end = place_job(problem, memory, job, genes.level[job], genes.pattern[job])
        memory.ends[jobs + job] = end
        if end > target:
            excess += float(end - target)
            makespan = max(makespan, end)
            cost = (makespan - target) + 0.3 * excess
            if cost > limit:
                return -1.0
    return cost


def accept(problem: Problem, memory: Memory, order: Numbers, first: int) -> None:
    """Accept the genes of the last `place_all` from `first`: make its saved profiles and ends current."""
    jobs, stride = problem.sizes[JOBS], problem.sizes[STRIDE]
    slot = first // stride
    for later in range(slot + 1, jobs // stride + 1):
        memory.bank[later] = 1 - memory.bank[later]
    for a in range(slot * stride, jobs):
        memory.ends[order[a]] = memory.ends[jobs + order[a]]


def near(makespan: int, target: int) -> int:
    """Return the moment beyond which ends have a cost: `target`, but not far below the best makespan (−1: none yet).

    With an unreachable target every end would have a cost, and the search would minimize their sum instead of the
    makespan.
    """
    return max(target, makespan - makespan // 32)


def change(problem: Problem, genes: Genes, state: Numbers, move: int, a: int, b: int) -> int:
    """Change the genes: swap or shift positions `a` and `b`, or draw a level or pattern for the job at `a`.

    Return its previous level or pattern, 0 for another move; −1 if nothing has changed.
    """
    order, job, levels = genes.order, genes.order[a], problem.sizes[LEVELS]
    if move < 7:
        if a == b:
            return -1
        if move < 4:
            order[a], order[b] = order[b], job
        else:
            shift(order, a, b)
        return 0
    genes_of = genes.level if move < 9 else genes.pattern
    old = genes_of[job]
    if move < 9:
        genes_of[job] = problem.canonical[job * levels + draw(state, levels)]
    else:
        genes_of[job] = draw(state, problem.sizes[PATTERNS])
    return -1 if genes_of[job] == old else old


def change_back(genes: Genes, move: int, a: int, b: int, old: int) -> None:
    """Undo `change`."""
    order = genes.order
    if move < 4:
        order[a], order[b] = order[b], order[a]
    elif move < 7:
        shift(order, b, a)
    elif move < 9:
        genes.level[order[a]] = old
    else:
        genes.pattern[order[a]] = old


def note_best(problem: Problem, memory: Memory, genes: Genes) -> bool:
    """Make the accepted genes the best ones if their makespan is shorter; return whether it is."""
    jobs, best = problem.sizes[JOBS], genes.best
    makespan = 0
    for job in range(jobs):
        makespan = max(makespan, memory.ends[job])
    if 0 <= best[0] <= makespan:
        return False
    best[0] = makespan
    for place in range(jobs):
        best[1 + place] = genes.order[place]
        best[1 + jobs + place] = genes.level[place]
        best[1 + 2 * jobs + place] = genes.pattern[place]
    return True


@kernel
def anneal(
    problem: Problem, memory: Memory, genes: Genes, state: Numbers, logs: Any, target: int, steps: int, heat: Any
) -> int:
    """Anneal the genes for at most `steps` steps, or until the makespan is `target`; return the number of steps.

    The genes are modified in place. `logs` (`LOGS`) are the accepted deteriorations in temperatures; `heat` contains
    the temperature, modified in place, and its factor after each step.
    """
    jobs, best = problem.sizes[JOBS], genes.best
    knee = near(best[0], target)
    cost = place_all(problem, memory, genes, 0, knee, 1e300)
    accept(problem, memory, genes.order, 0)
    done = 0
    changed = True
    while True:
        if changed and note_best(problem, memory, genes):
            knee = near(best[0], target)
            cost = place_all(problem, memory, genes, 0, knee, 1e300)
            accept(problem, memory, genes.order, 0)
        if done == steps or best[0] <= target:
            return done
        done += 1
        changed = False
        limit = cost + heat[0] * logs[draw(state, len(logs))]
        heat[0] *= heat[1]
        move = draw(state, 10)
        a = draw(state, jobs)
        b = draw(state, jobs)
        old = change(problem, genes, state, move, a, b)
        if old < 0:
            continue
        first = min(a, b) if move < 7 else a
        tried = place_all(problem, memory, genes, first, knee, limit)
        if tried >= 0.0:
            cost = tried
            accept(problem, memory, genes.order, first)
            changed = True
        else:
            change_back(genes, move, a, b, old)
