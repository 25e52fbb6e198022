"""An event beam on several clusters: partial schedules in which all deadlines are kept and little time is wasted."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from heuristics.mosp.search import pool_beam_kernels
from heuristics.mosp.search.filling import Beam
from heuristics.mosp.search.pool_beam_kernels import PoolMemory, PoolProblem
from heuristics.shared_kernels import draw_state
from oas.core.compiling import array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.problems.mosp.ticks import ScaledMosp

WIDTH, KIDS = 128, 2  # schedules in the beam, and continuations of each
THRESHOLDS = 24  # of dual feasible functions with rounded ends, up to a half; with 0 there is one more measure
NOISE = 0.12  # maximum random change of the cost of an option, in clusters × mean time
THETA = 1.0  # mean times, on one of the clusters, that measures' bounds are apart that count differently
URGENCY = 1.0  # clusters × mean time that long jobs are worth near the end
CHOICES_A_STEP = 4  # options chosen in the time of a step of ruin and recreate, about


def takes(scaled: ScaledMosp) -> bool:
    """Tell whether a beam can be made: several clusters, all of a size, without releases and reservations."""
    several = len(scaled.processors) > 1 and len(set(scaled.processors)) == 1
    return several and not scaled.reservations and not any(scaled.releases)


class PoolBeam(Beam):
    """An event beam on several clusters, backwards in time from the goal.

    A reward for jobs of middle width placed first made it leave two to three times as much, measured on ten instances
    of the workload uni with 500 jobs at goals .3 % above the bound.

    The results depend only on the seed and the goals.

    `takes` tells whether it applies to an instance.
    """

    def __init__(self, scaled: ScaledMosp, seed: int = 0, *, compiled: bool | None = None) -> None:
        random = Random(seed)
        self._scaled = scaled
        self._order = sorted(range(scaled.job_count), key=lambda job: (scaled.widths[job], scaled.times[job], job))
        state = draw_state(random)
        problem = _problem(scaled, self._order, random)
        super().__init__(pool_beam_kernels, problem, _memory(problem), WIDTH, state, compiled)
        mean = float(problem.sizes[pool_beam_kernels.MEAN])
        self._tuning: Any = array([NOISE * mean, THETA * mean / scaled.cluster_count, URGENCY])
        self._slot = max(1, int(mean / scaled.cluster_count))

    def begin(self, goal: int) -> None:
        """Begin a schedule for this goal."""
        for rank, job in enumerate(self._order):
            deadline = self._scaled.deadlines[self._scaled.owners[job]]
            self._memory.releases[rank] = 0 if deadline is None else max(0, goal - deadline)
        super().begin(goal)

    def sweep(self) -> int:
        """Go on to the next mark; return how many steps of ruin and recreate that took the time of."""
        made = self._sweep_to(min(self._goal, self._mark + self._slot), self._goal, self._tuning)
        return -(-made // CHOICES_A_STEP)

    @property
    def placed(self) -> list[tuple[int, int]]:
        """(cluster, start) of each job in the schedule that leaves least unplaced.

        The cluster of jobs that it has not placed is the number of clusters.
        """
        places = self._rows(self._memory.place)
        clusters = self._scaled.cluster_count
        found = [(clusters, 0)] * self._scaled.job_count
        for rank, place in enumerate(places[self._least_undone(places < 0)]):
            if place >= 0:
                job = self._order[rank]
                found[job] = (int(place) % clusters, self._goal - int(place) // clusters - self._scaled.times[job])
        return found


def _problem(scaled: ScaledMosp, order: Sequence[int], random: Random) -> PoolProblem:
    times, widths = [scaled.times[job] for job in order], [scaled.widths[job] for job in order]
    size = scaled.processors[0]
    parts = [width / size for width in widths]
    shares = []
    for step in range(THRESHOLDS + 1):
        edge = step / THRESHOLDS / 2
        shares.append([0.0 if part < edge else 1.0 if part > 1 - edge else part for part in parts])
    return PoolProblem(
        sizes=[
            scaled.job_count,
            scaled.cluster_count,
            size,
            len(shares),
            WIDTH,
            KIDS,
            sum(times) // scaled.job_count + 1,
            max(times),
        ],
        times=times,
        widths=widths,
        names=[random.randrange(2**40) for _ in order],
        shares=[share for row in shares for share in row],
        least=[sum(time * share for time, share in zip(times, row, strict=True)) for row in shares],
    )


def _memory(problem: PoolProblem) -> PoolMemory:
    jobs, clusters, _, measures = problem.sizes[:4]
    rows = 2 * WIDTH + 1
    return PoolMemory(
        releases=[0] * jobs,
        place=[-1] * (rows * jobs),
        running=[0] * (rows * jobs),
        count=[0] * rows,
        free=[0] * (rows * clusters),
        now=[0] * rows,
        left=[0] * rows,
        name=[0] * rows,
        busy=[0.0] * (rows * measures),
        waste=[0.0] * (rows * measures),
        value=[0.0] * rows,
        price=[0.0] * jobs,
        fitting=[0] * jobs,
        option=[0] * 3,
        choice=[0] * 3,
        changed=[0] * (rows * clusters),
    )
