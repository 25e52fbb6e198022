"""Beam search for co-allocated jobs: builds schedules forward in time and keeps those with the least waste."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oas.coallocation.allocations import Run, fastest_level, make_allocation, most_running
from oas.coallocation.search import beam_kernels
from oas.coallocation.search.annealing import make_problem
from oas.coallocation.search.beam_kernels import FOUND, HORIZON, LIVE, Guide, Manner, Progress, States
from oas.core.compiling import array, arrays
from oas.core.shared_kernels import allocate
from oas.solving.local_search import ResumableSearch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.coallocation.ticks import ScaledCoallocation

LEAST_JOBS = 16  # minimum number of jobs for which the exact search uses beams
WIDTH, CHILDREN = 48, 24  # states per bucket in the first beams, and children per state
WIDENED = 6  # number of beams after which the width doubles, within the limits below
LEAST_WIDTH, MOST_WIDTH = 4, 192
# Until TURN × makespan only EARLY × width states are kept, because most waste occurs at the end.
TURN, EARLY = 0.6, 0.15
BUCKETS = 12  # maximum number of buckets per job
MOST_CELLS = 2**24  # maximum number of integers for the jobs of all states: 128 MiB
# In turn: noise, pauses per thousand, and the doublings of the exponent beyond the number of jobs
MANNERS = ((0.6, 100, 0), (0.3, 30, 1), (0.6, 30, 2), (0.3, 100, 1), (1.0, 100, 2), (0.6, 100, 3))
OFF = (0.0, 0.1, 0.2, 0.33)  # fractions of all nodes: smaller jobs weigh 0, jobs that leave fewer nodes weigh 1
CHANCES = 4093  # number of random numbers drawn in advance; a prime, so that sequences do not repeat
OTHERS, TASKS = 0.1, 0.05  # weights of the other measures and of the work per tick in the priority of jobs
PACE = 120_000  # jobs × states processed in a tenth of a second of compiled search


class BeamSearch(ResumableSearch[Run]):
    """A resumable search; each step expands a state.

    A beam builds schedules forward in time, from one end of a job to the next. Of all states at about the same moment
    it keeps those with the least waste, measured by weights of the configuration bound and by nodes. A job starts on
    free nodes and keeps them. Beams follow one another, with different random numbers and parameters, each looking for
    a makespan below that of the best schedule.

    The search begins with the feasible schedule `start`. `duals` are pairs (weights, whole) of the configuration bound,
    the best first: weights[j][l] is the weight of job j while it runs at level l; no set of jobs that can run together
    weighs more than whole.

    Attributes
    ----------
    beams
        Number of beams started so far.
    """

    loop = beam_kernels.resume

    def __init__(
        self,
        scaled: ScaledCoallocation,
        start: Sequence[Run],
        duals: Sequence[tuple[Sequence[Sequence[int]], int]],
        seed: int = 0,
        *,
        compiled: bool | None = None,
    ) -> None:
        super().__init__(beam_kernels, seed, compiled)
        self._scaled = scaled
        self.best = sorted(start, key=lambda run: run.job)
        self.beams = 0
        self._chances = np.array([self._random.uniform(-1, 1) for _ in range(CHANCES)])
        problem = make_problem(scaled)
        assert problem is not None, "a schedule gives every job an allocation"
        self._problem = arrays(problem)
        self._guide = make_guide(scaled, duals)
        self._progress: Progress | None = None

    @property
    def pace(self) -> int:
        """Number of states that take about a tenth of a second, the maximum for one call."""
        return self._paced(PACE // self._scaled.job_count)

    def _advance(self, target: int, steps: int) -> int:
        if self._progress is None:
            self._begin()
        progress = self._progress
        assert progress is not None
        progress.at[HORIZON] = min(progress.at[HORIZON], self.makespan - 1)
        done = int(
            self._kernels.resume(self._problem, self._guide, self._states, progress, self._manner, steps, self._state)
        )
        self.tried += done
        if progress.at[FOUND]:
            self.best = [
                Run(job, int(start), make_allocation(self._scaled, job, [int(count) for count in progress.nodes[job]]))
                for job, start in enumerate(progress.starts)
            ]
            progress.at[FOUND] = 0
        if not progress.at[LIVE]:
            self._progress = None
        return max(done, 1)

    def _end(self, run: Run) -> int:
        return run.end

    def _begin(self) -> None:
        """Initialize a beam with the next parameters, with the empty schedule in the first bucket."""
        scaled = self._scaled
        noise, pauses, more = MANNERS[self.beams % len(MANNERS)]
        width = min(MOST_WIDTH, WIDTH << self.beams // WIDENED)
        ticks = self.makespan // (BUCKETS * scaled.job_count) + 1
        longest = max(row[-1] for row in scaled.durations)
        cells = scaled.job_count * (len(scaled.classes) + 2)
        while (longest // ticks + 3) * width * cells > MOST_CELLS and longest > ticks:
            width, ticks = (max(LEAST_WIDTH, width // 2), ticks) if width > LEAST_WIDTH else (width, 2 * ticks)
        early = max(1, int(width * EARLY))
        turn = int(TURN * self.makespan) // ticks
        self._manner = Manner(
            width, early, turn, CHILDREN, ticks, scaled.job_count.bit_length() - 1 + more, noise, pauses
        )
        self.beams += 1
        buckets = longest // ticks + 3  # no child is further ahead than the longest job
        sizes = len(self._guide.needs), buckets, width
        self._states, self._progress = make_memory(scaled, *sizes, self.makespan - 1, self._chances)


def make_guide(scaled: ScaledCoallocation, duals: Sequence[tuple[Sequence[Sequence[int]], int]]) -> Guide:
    """Return the measures: the given weights, and functions of the number of nodes."""
    jobs = range(scaled.job_count)
    levels = len(scaled.powers)
    nodes = sum(len(node_class.nodes) for node_class in scaled.classes)
    fastest = [fastest_level(scaled, job) or 0 for job in jobs]
    measures = [[[weight / whole for weight in row] for row in weights] for weights, whole in duals if whole > 0]
    for off in OFF:
        shares = [_share(scaled.tasks[job], nodes, int(off * nodes)) for job in jobs]
        measures.append([[share] * levels for share in shares])
    extra, needs = [], []
    for weights in measures:
        costs = [
            [time * weight for time, weight in zip(scaled.durations[job], weights[job], strict=True)] for job in jobs
        ]
        least = [min(costs[job][fastest[job] :]) for job in jobs]
        needs.append(sum(least))
        extra.append([[max(0.0, cost - least[job]) for cost in costs[job]] for job in jobs])
    values = [
        [
            measures[0][job][level]
            + OTHERS * sum(measure[job][level] for measure in measures) / len(measures)
            + TASKS * scaled.tasks[job] / nodes * (scaled.durations[job][fastest[job]] / scaled.durations[job][level])
            for level in range(levels)
        ]
        for job in jobs
    ]
    return Guide(np.array(measures), np.array(extra), np.array(needs), np.array(values), array(fastest))


def _share(tasks: int, nodes: int, off: int) -> float:
    """Return the dual feasible function of Fekete and Schepers: jobs that can run together sum to at most 1."""
    if tasks < off:
        return 0.0
    return 1.0 if tasks > nodes - off else tasks / nodes


def make_memory(
    scaled: ScaledCoallocation, measures: int, buckets: int, width: int, horizon: int, chances: Any
) -> tuple[States, Progress]:
    """Return memory for buckets of `width` states each, and for a beam that starts at the first, empty schedule."""
    jobs, levels, classes, clusters = scaled.job_count, len(scaled.powers), len(scaled.classes), scaled.cluster_count
    rows, running = buckets * width + 1, most_running(scaled)
    shapes = {
        "time left count score code": rows,
        "waiting start": (rows, jobs),
        "job level end": (rows, running),
        "nodes": (rows, jobs, classes),
        "free": (rows, classes),
        "link": (rows, clusters),
        "wasted": (rows, measures),
    }
    states = allocate(States, shapes, floats="score wasted")
    problem = make_problem(scaled)
    assert problem is not None
    states.waiting[0] = 1
    states.left[0] = jobs
    states.free[0] = [len(node_class.nodes) for node_class in scaled.classes]
    states.link[0] = problem.empty[len(problem.empty) - clusters :]
    shapes = {
        "at": 6,
        "filled": buckets,
        "starts": jobs,
        "nodes": (jobs, classes),
        "options keys": jobs * levels,
        "count chances": 1,
        "least": levels,
        "free counts": classes,
        "begun": running,
        "link room quiet split order": clusters,
    }
    progress = allocate(Progress, shapes, floats="keys chances")._replace(chances=chances)
    progress.at[HORIZON], progress.at[LIVE], progress.filled[0] = horizon, 1, 1
    return states, progress
