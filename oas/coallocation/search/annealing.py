"""Schedules of co-allocated jobs: annealing over orders, levels and fill patterns, and widest-first construction."""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from random import Random
from typing import TYPE_CHECKING, Any

from oas.coallocation.allocations import Run, fastest_level, make_allocation, slowest_level
from oas.coallocation.search import annealing_kernels
from oas.coallocation.search.annealing_kernels import Genes, Memory, Problem
from oas.core.clock import check_clock
from oas.core.compiling import array, arrays, select_kernels
from oas.core.shared_kernels import allocate
from oas.solving.local_search import ResumableSearch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.coallocation.ticks import ScaledCoallocation

# First and last temperature of a round, relative to the mean load: the makespan if no node were ever idle
HOT, COLD = 0.005, 0.0002
CYCLE = 3  # rounds of a cycle: from random genes, from the best schedule, from the best schedule reversed in time
ROUND = 20_000  # steps of a round of the first cycle
# With many jobs, rounds are twice as long in the next cycle, and so on; with few jobs, more restarts are better.
DOUBLINGS, MANY_JOBS = 5, 33
PLACEMENTS = 400_000  # jobs placed in a tenth of a second of compiled search
MOST_ORDERS = 24
BLURS = (0.1, 0.2, 0.3)  # widest first, in turn: maximum random reduction of a job's tasks in the sort key
MOST_SAVED = 64  # maximum number of saved profiles of a schedule; reached with 520 jobs
# Maximum capacity of a link in its own unit. Loads never exceed it, so no number in the loops exceeds 2^53: the sum of
# durations is smaller (`scale_coallocation`), and each start is 0 or an end.
MOST_LOAD = 2**52


class AnnealingSearch(ResumableSearch[Run]):
    """A resumable search; each step tries a schedule.

    Rounds of annealing start from random genes and from the best ones in turn; with many jobs they become longer. The
    result is empty if some job has no allocation.
    """

    loop = annealing_kernels.anneal

    def __init__(self, scaled: ScaledCoallocation, seed: int = 0, *, compiled: bool | None = None) -> None:
        super().__init__(annealing_kernels, seed, compiled)
        self._scaled = scaled
        problem = make_problem(scaled)
        self._board: Any = None
        if problem is None:
            return
        self._board = _Board(scaled, problem, self._kernels)
        self._problem, self._memory = self._board.problem, self._board.memory
        zeros = [0] * scaled.job_count
        self._genes: Any = arrays(Genes(zeros, zeros, zeros, [-1, *zeros, *zeros, *zeros]))
        self._best = self._genes.best
        self._round = self._done = 0
        self._heat: Any = array([0.0, 1.0])
        work = sum(tasks * times[0] for tasks, times in zip(scaled.tasks, scaled.durations, strict=True))
        self._mean_load = work / sum(len(node_class.nodes) for node_class in scaled.classes)

    @property
    def pace(self) -> int:
        """Number of steps that take about a tenth of a second, or less if many stop early: the maximum for one call."""
        jobs = self._scaled.job_count
        # With many jobs, the place of a job is searched among many moments.
        return self._paced(PLACEMENTS * 64 // max(64, jobs) // jobs)

    def improve(self, target: int, steps: int, start: Sequence[Run] | None = None) -> list[Run]:
        """Search as in `ResumableSearch`; return an empty list if some job has no allocation."""
        return [] if self._board is None else super().improve(target, steps, start)

    def _advance(self, target: int, steps: int) -> int:
        if self._done == 0:
            self._start_round()
        doublings = (self._round - 1) // CYCLE if self._scaled.job_count >= MANY_JOBS else 0
        length = ROUND << min(doublings, DOUBLINGS)
        self._heat[1] = (COLD / HOT) ** (1 / length)
        done = int(
            self._kernels.anneal(
                self._problem,
                self._memory,
                self._genes,
                self._state,
                self._logs,
                target,
                min(steps, length - self._done),
                self._heat,
            )
        )
        self.tried += done
        self._done = (self._done + done) % length
        if self._best[0] < self.makespan:
            self.best = self._decode()
        return max(done, 1)

    def _end(self, run: Run) -> int:
        return run.end

    def _start_round(self) -> None:
        """Set the genes of a new round: random, most work first, or the best genes by start or by reversed end."""
        jobs = range(self._scaled.job_count)
        order, level, pattern, _ = self._genes
        if self._round % CYCLE == 0 or not self.best:
            times, tasks = self._scaled.durations, self._scaled.tasks
            work = [times[job][0] * tasks[job] * self._random.uniform(0.7, 1.3) for job in jobs]
            order[:] = sorted(jobs, key=lambda job: -work[job])
            width = len(self._scaled.powers)
            level[:] = [self._problem.canonical[job * width + self._random.randrange(width)] for job in jobs]
            pattern[:] = [0 for _ in jobs]
        else:
            count = len(jobs)
            # Reversed in time, a schedule is feasible too; jobs packed late become jobs packed early.
            key = [run.start if self._round % CYCLE == 1 else -run.end for run in self.best]
            order[:] = sorted(jobs, key=lambda job: key[job])
            level[:] = self._best[1 + count : 1 + 2 * count]
            pattern[:] = self._best[1 + 2 * count :]
        self._round += 1
        self._heat[0] = HOT * self._mean_load

    def _adopt(self, start: list[Run]) -> None:
        """Make `start` the best schedule, and derive the best genes from it."""
        self.best = start
        order = sorted(range(len(start)), key=lambda job: start[job].start)
        level = [slowest_level(self._scaled, run.allocation.counts) for run in start]
        self._best[:] = [self.makespan, *order, *level, *([0] * len(level))]

    def _decode(self) -> list[Run]:
        """Return the runs of the best genes, by job index."""
        count = self._scaled.job_count
        genes = [int(gene) for gene in self._best[1:]]
        self._board.clear()
        runs = [self._board.place(job, genes[count + job], genes[2 * count + job]) for job in genes[:count]]
        return sorted(runs, key=lambda run: run.job)


class _Board:
    """The kernels' profile of an instance, on which jobs are placed one after the other."""

    def __init__(self, scaled: ScaledCoallocation, problem: Problem, kernels: Any) -> None:
        self._scaled, self._kernels = scaled, kernels
        self.problem: Any = arrays(problem)
        jobs, clusters, classes, levels, _, stride = problem.sizes
        slots = jobs // stride + 1
        block = (jobs + 2) * (1 + levels + classes + clusters)
        shapes = {
            "profile": block,
            "rows": 1,
            "saved": 2 * slots * block,
            "saved_rows": 2 * slots,
            "bank": slots,
            "counts": classes,
            "room quiet split order": clusters,
            "ends": 2 * jobs,
        }
        self.memory: Any = allocate(Memory, shapes)

    def clear(self) -> None:
        """Remove all jobs."""
        self.memory.profile[: len(self.problem.empty)] = self.problem.empty[:]
        self.memory.rows[0] = 1

    def place(self, job: int, level: int, pattern: int = 0) -> Run:
        """Place a job by `annealing_kernels.place_job`, and return its run."""
        end = int(self._kernels.place_job(self.problem, self.memory, job, level, pattern))
        allocation = make_allocation(self._scaled, job, [int(count) for count in self.memory.counts])
        return Run(job, end - allocation.duration, allocation)


class WidestFirst:
    """Places jobs one after the other by descending tasks, with a random perturbation after the first schedule.

    Each job starts at the earliest moment at which some level has an allocation, on the level with the earliest end.
    Annealing keeps levels fixed while it moves other jobs, and needs many orders to reach the same quality.

    Measured with 256 jobs on 6 clusters of 80 nodes: the first order takes .015 s and gives 2,114 slots; annealing
    reaches 2,130 after 24 s (bound 2,059).
    """

    def __init__(self, scaled: ScaledCoallocation, seed: int = 0, *, compiled: bool | None = None) -> None:
        self._scaled = scaled
        self._random = Random(seed)
        self._built = 0
        problem = make_problem(scaled)
        self._board = None if problem is None else _Board(scaled, problem, select_kernels(compiled, annealing_kernels))

    def build(self) -> list[Run]:
        """Return the next schedule, by job index; empty if some job has no allocation."""
        if self._board is None:
            return []
        blur = BLURS[self._built % len(BLURS)] if self._built else 0.0
        self._built += 1
        tasks = self._scaled.tasks
        key = [-width * self._random.uniform(1 - blur, 1) for width in tasks]
        self._board.clear()
        runs = [self._place(self._board, job) for job in sorted(range(len(tasks)), key=lambda job: key[job])]
        return sorted(runs, key=lambda run: run.job)

    def _place(self, board: _Board, job: int) -> Run:
        """Place a job at its best level."""
        check_clock()
        memory, levels = board.memory, len(self._scaled.powers)
        rows = int(memory.rows[0])
        size = rows * len(board.problem.empty)
        saved = memory.profile[:size].copy()
        options = dict.fromkeys(int(level) for level in board.problem.canonical[job * levels : (job + 1) * levels])
        runs = []
        for level in options:
            runs.append((board.place(job, level), level))
            memory.profile[:size] = saved
            memory.rows[0] = rows
        _, level = min(runs, key=lambda option: (option[0].start, option[0].end))
        return board.place(job, level)


@lru_cache(maxsize=1)  # shared by the searches of one instance
def make_problem(scaled: ScaledCoallocation) -> Problem | None:
    """Return the instance as lists of integers, never modified; None if a job has no allocation on an empty grid."""
    levels = range(len(scaled.powers))
    fastest = [fastest_level(scaled, job) for job in range(scaled.job_count)]
    canonical = []
    for least, times in zip(fastest, scaled.durations, strict=True):
        if least is None:
            return None
        canonical += [max(other for other in levels if times[other] == times[max(level, least)]) for level in levels]
    orders = fill_orders(scaled)
    loads, link, job = _links(scaled)
    free_at = [
        sum(len(node_class.nodes) for node_class in scaled.classes if node_class.level <= level) for level in levels
    ]
    capacities = [capacity // _unit(capacity) for capacity in scaled.link_capacity]
    stride = 4 if scaled.job_count < 48 else max(8, scaled.job_count // MOST_SAVED)
    return Problem(
        sizes=[
            scaled.job_count,
            scaled.cluster_count,
            len(scaled.classes),
            len(scaled.powers),
            len(orders) + 2,
            stride,
        ],
        tasks=list(scaled.tasks),
        times=[time for times in scaled.durations for time in times],
        canonical=canonical,
        class_cluster=[node_class.cluster for node_class in scaled.classes],
        class_level=[node_class.level for node_class in scaled.classes],
        empty=[0, *free_at, *(len(node_class.nodes) for node_class in scaled.classes), *capacities],
        loads=loads,
        link=link,
        job=job,
        orders=[cluster for order in orders for cluster in order],
    )


def fill_orders(scaled: ScaledCoallocation) -> list[list[int]]:
    """Return the orders in which clusters are filled: slowest first, fastest first, and others up to a maximum."""
    speed: list[list[int]] = [[] for _ in range(scaled.cluster_count)]
    for node_class in scaled.classes:
        speed[node_class.cluster].append(node_class.level)
    slowest_first = sorted(range(scaled.cluster_count), key=lambda k: [-level for level in reversed(speed[k])])
    if scaled.cluster_count <= 4:
        return [list(order) for order in permutations(slowest_first)]
    turned = [slowest_first[k:] + slowest_first[:k] for k in range(scaled.cluster_count)]
    return (turned + [order[::-1] for order in turned])[:MOST_ORDERS]


def _unit(capacity: int) -> int:
    """Return the unit of a link's capacity and loads, above 1 if the capacity exceeds 2^52."""
    return -(-capacity // MOST_LOAD) or 1


def _links(scaled: ScaledCoallocation) -> tuple[list[int], list[int], list[int]]:
    """Return the loads of the distinct links, the offset of each cluster's link, and of each job within a link."""
    job = []
    size = 0
    for tasks in scaled.tasks:
        job.append(size)
        size += tasks // 2 + 1
    distinct: dict[int, int] = {}
    loads: list[int] = []
    for capacity in scaled.link_capacity:
        if capacity not in distinct:
            distinct[capacity] = len(loads)
            for tasks, row in zip(scaled.tasks, scaled.link_loads, strict=True):
                loads += _loads(row[: tasks // 2 + 1], capacity)
    return loads, [distinct[capacity] for capacity in scaled.link_capacity], job


def _loads(row: Sequence[int], capacity: int) -> Sequence[int]:
    """Return the loads of a link in its unit, rounded up; loads above the capacity become the capacity + 1.

    Loads that fit together in that unit fit together. A load that fits alone still does: if rounding would exceed the
    capacity, it becomes the capacity, so that no other load fits with it.
    """
    unit = _unit(capacity)
    limit = capacity // unit
    return [limit + 1 if load > capacity else min(-(-load // unit), limit) for load in row]
