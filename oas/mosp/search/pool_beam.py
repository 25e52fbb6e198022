"""An event beam on several clusters: partial schedules that meet all deadlines and waste little time."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from oas.core.compiling import array
from oas.core.shared_kernels import allocate, draw_state
from oas.mosp.search import pool_beam_kernels
from oas.mosp.search.filling import Beam
from oas.mosp.search.pool_beam_kernels import PoolMemory, PoolProblem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.mosp.ticks import ScaledMosp

WIDTH, KIDS = 128, 2  # maximum number of schedules in the beam, and extensions of each
THRESHOLDS = 24  # thresholds > 0, up to half a cluster, at which widths are rounded to 0 or 1; one measure for each
NOISE = 0.12  # random part of an option's cost, in clusters × mean time
THETA = 1.0  # smoothing range of the measures' bounds, in mean times on one of the clusters
URGENCY = 1.0  # reward for long jobs near the end, in clusters × mean time
CHOICES_A_STEP = 4  # fillings of a cluster that take about as long as one step of ruin and recreate


def takes(scaled: ScaledMosp) -> bool:
    """Return whether a beam supports the instance: several clusters of equal size, no releases or reservations."""
    several = len(scaled.processors) > 1 and len(set(scaled.processors)) == 1
    return several and not scaled.reservations and not any(scaled.releases)


class PoolBeam(Beam):
    """An event beam on several clusters, backwards in time from the goal; `takes` says for which instances.

    The result depends only on the seed and the goals.

    A reward for placing jobs of middle width first left two to three times as much unplaced, measured on ten instances
    of the workload uni with 500 jobs at goals .3 % above the bound.
    """

    def __init__(self, scaled: ScaledMosp, seed: int = 0, *, compiled: bool | None = None) -> None:
        random = Random(seed)
        self._scaled = scaled
        self._order = sorted(range(scaled.job_count), key=lambda job: (scaled.widths[job], scaled.times[job], job))
        state = draw_state(random)
        problem, memory = _arrays(scaled, self._order, random)
        super().__init__(pool_beam_kernels, problem, memory, WIDTH, state, compiled)
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
        """Advance to the next mark; return the number of ruin-and-recreate steps that take as long."""
        fillings = self._sweep_to(min(self._goal, self._mark + self._slot), self._goal, self._tuning)
        return -(-fillings // CHOICES_A_STEP)

    @property
    def placed(self) -> list[tuple[int, int]]:
        """(cluster, start) of each job in the schedule with the least area unplaced.

        The cluster of an unplaced job is the number of clusters.
        """
        places = self._rows(self._memory.place)
        clusters = self._scaled.cluster_count
        runs = [(clusters, 0)] * self._scaled.job_count
        for rank, place in enumerate(places[self._least_undone(places < 0)]):
            if place >= 0:
                job = self._order[rank]
                runs[job] = (int(place) % clusters, self._goal - int(place) // clusters - self._scaled.times[job])
        return runs


def _arrays(scaled: ScaledMosp, order: Sequence[int], random: Random) -> tuple[PoolProblem, PoolMemory]:
    """Return the instance, with jobs in this order, and the working memory of the loops."""
    times, widths = [scaled.times[job] for job in order], [scaled.widths[job] for job in order]
    size = scaled.processors[0]
    parts = [width / size for width in widths]
    shares = []
    for step in range(THRESHOLDS + 1):
        edge = step / THRESHOLDS / 2
        shares.append([0.0 if part < edge else 1.0 if part > 1 - edge else part for part in parts])
    problem = PoolProblem(
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
    jobs, clusters, measures, rows = scaled.job_count, scaled.cluster_count, len(shares), 2 * WIDTH + 1
    shapes = {
        "releases price fitting": jobs,
        "count now left name value": rows,
        "place running": rows * jobs,
        "free changed": rows * clusters,
        "busy waste": rows * measures,
        "option choice": 3,
    }
    return problem, allocate(PoolMemory, shapes, floats="price value busy waste")
