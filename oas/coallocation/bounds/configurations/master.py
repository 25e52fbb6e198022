"""The restricted master of the column generation, and initial weights and sets of jobs (worker side)."""

from __future__ import annotations

import random
from contextlib import contextmanager
from typing import TYPE_CHECKING

from oas.coallocation.bounds.configurations.packing import Item
from oas.lp.master import Master
from oas.lp.program import LinearProgram

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from oas.coallocation.bounds.configurations import Allowed, Modes
    from oas.coallocation.bounds.configurations.packing import Packing

BLURS = (0.0, 0.2, 0.4)  # relative perturbations of the numbers of tasks in the order; one list schedule for each


class LevelMaster(Master[tuple[Item, ...]]):
    """The restricted master: minimise Σ_S x_S, the total time of the sets S.

    Each job runs long enough in its mode: Σ_{S ∋ (j, m)} x_S ≥ ticks(j, m)·z_jm and Σ_m z_jm = 1. Time is in units of
    the longest mode, so that coefficients are at most 1 whatever a tick is.
    """

    def __init__(self, modes: Modes) -> None:
        super().__init__()
        self.modes = modes
        self.unit = max(mode.ticks for row in modes for mode in row)
        self._rows = [[self.program.add_row(0) for _ in row] for row in modes]
        self._choices: list[list[int]] = []
        for job_modes, rows in zip(modes, self._rows, strict=True):
            total = self.program.add_row(1, 1)
            columns = [
                self.program.add_column(0, [row, total], [-(mode.ticks / self.unit), 1], 0, 1)
                for row, mode in zip(rows, job_modes, strict=True)
            ]
            self._choices.append(columns)
        self._row_of = {
            (job, mode.level): row
            for job, (job_modes, rows) in enumerate(zip(modes, self._rows, strict=True))
            for row, mode in zip(rows, job_modes, strict=True)
        }
        self.add(((job, mode.level),) for job, row in enumerate(modes) for mode in row)

    def terms(self, column: tuple[Item, ...]) -> tuple[float, list[int], list[float]]:
        rows = [self._row_of[item] for item in column]
        return 1.0, rows, [1.0] * len(rows)

    @contextmanager
    def longer(self, shares: Sequence[Sequence[float]]) -> Iterator[None]:
        """Temporarily lengthen each job in each mode by a relative amount, which increases its duals."""
        pairs = [
            (row, -share * mode.ticks / self.unit)
            for rows, own, more in zip(self._rows, self.modes, shares, strict=True)
            for row, mode, share in zip(rows, own, more, strict=True)
        ]
        column = self.program.add_column(0, [row for row, _ in pairs], [entry for _, entry in pairs], 1, 1)
        yield
        self.program.set_bounds(column, 0, 0)

    def solve(self, allowed: Allowed) -> tuple[float, list[float], list[list[float]]]:
        """Return the objective in ticks, the duals of all modes, and z by job."""
        for columns, indices in zip(self._choices, allowed, strict=True):
            for index, column in enumerate(columns):
                self.program.set_bounds(column, 0, 1 if index in indices else 0)
        objective = self.program.solve() * self.unit
        duals, primal = self.program.duals(), self.program.primal()
        return (
            objective,
            [duals[row] for rows in self._rows for row in rows],
            [[primal[column] for column in columns] for columns in self._choices],
        )


def spread_weights(packing: Packing, modes: Modes) -> list[float]:
    """Return weights of all modes by which no set weighs more than about 1: tasks times prices of nodes.

    The prices are the duals of a relaxation in which jobs share nodes arbitrarily over time: for each level, the total
    work of the modes up to it fits into its nodes over the minimum makespan.
    """
    unit = max(mode.ticks for row in modes for mode in row)
    nodes = packing.capacity[-1]
    program = LinearProgram()
    levels = [program.add_row(0) for _ in packing.capacity]
    program.add_column(1, levels, [capacity / nodes for capacity in packing.capacity])
    for tasks, row in zip(packing.tasks, modes, strict=True):
        total = program.add_row(1, 1)
        for mode in row:
            rows = levels[mode.level :]
            work = tasks * mode.ticks / (unit * nodes)
            program.add_column(0, [*rows, total], [*[-work] * len(rows), 1], 0, 1)
    program.solve()
    duals = program.duals()
    prices = [max(0.0, duals[row]) / nodes for row in levels]
    return [tasks * sum(prices[mode.level :]) for tasks, row in zip(packing.tasks, modes, strict=True) for mode in row]


def apart_weights(packing: Packing, modes: Modes, stop: Callable[[], bool]) -> list[float]:
    """Return weight 1 for the modes of jobs that run one after another, because they pairwise exclude each other.

    The others have weight 0. Jobs are tried in order of decreasing width and added if they fit with no job of the set.

    `stop`: called for each job; returns whether to stop with the jobs so far.
    """
    slowest = [(job, row[-1].level) for job, row in enumerate(modes)]  # a job that can run at all can run at this level
    apart: list[int] = []
    for job in sorted(range(len(modes)), key=lambda one: (-packing.tasks[one], -modes[one][0].ticks, one)):
        if stop():
            break
        if not any(packing.fits((slowest[job], slowest[other])) for other in apart):
            apart.append(job)
    return [float(job in apart) for job, row in enumerate(modes) for _ in row]


def first_columns(packing: Packing, modes: Modes, stop: Callable[[], bool]) -> Iterator[tuple[Item, ...]]:
    """Yield the sets of running jobs of a list schedule: widest job first, in the fastest mode that fits.

    Nodes are assigned again at each moment, so the sets are those of a relaxed schedule, whose makespan bounds the
    first linear program from above.

    `stop`: called at each moment; returns whether to stop.
    """
    draw = random.Random(0)
    for blur in BLURS:
        waiting = sorted(range(len(modes)), key=lambda job: -packing.tasks[job] * draw.uniform(1 - blur, 1))
        running: dict[int, tuple[int, int]] = {}  # job: level, ticks left
        while (waiting or running) and not stop():
            items = [(job, level) for job, (level, _) in running.items()]
            free = packing.capacity[-1] - sum(packing.tasks[job] for job in running)
            left = []
            for job in waiting:
                mode = None
                if packing.tasks[job] <= free:
                    mode = next((mode for mode in modes[job] if packing.fits([*items, (job, mode.level)])), None)
                if mode is None:
                    left.append(job)
                    continue
                items.append((job, mode.level))
                running[job] = (mode.level, mode.ticks)
                free -= packing.tasks[job]
            waiting = left
            yield tuple(items)
            passed = min(ticks for _, ticks in running.values())
            running = {job: (level, ticks - passed) for job, (level, ticks) in running.items() if ticks > passed}
