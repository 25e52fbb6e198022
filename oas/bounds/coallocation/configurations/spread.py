"""Weights by nodes alone, to begin column generation with (worker side)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.solvers.lp import LinearProgram

if TYPE_CHECKING:
    from oas.bounds.coallocation.configurations.modes import Modes
    from oas.bounds.coallocation.configurations.packing import Packing


def spread_weights(packing: Packing, modes: Modes) -> list[list[float]]:
    """Return weights of the modes by which no set weighs more than about 1: tasks times prices of nodes.

    The prices are the dual solution of a program that lets nodes be shared in time at will: for each level the work of
    the modes up to it fits into its nodes over the makespan, which is minimal.
    """
    unit = max(mode.ticks for row in modes for mode in row)
    nodes = packing.capacity[-1]
    program = LinearProgram()
    levels = [program.add_row(0) for _ in packing.capacity]
    program.add_column(1, levels, [capacity / nodes for capacity in packing.capacity])
    for tasks, row in zip(packing.tasks, modes, strict=True):
        one = program.add_row(1, 1)
        for mode in row:
            rows = levels[mode.level :]
            work = tasks * mode.ticks / (unit * nodes)
            program.add_column(0, [*rows, one], [*[-work] * len(rows), 1], 0, 1)
    program.solve()
    duals = program.duals()
    prices = [max(0.0, duals[row]) / nodes for row in levels]
    return [
        [tasks * sum(prices[mode.level :]) for mode in row] for tasks, row in zip(packing.tasks, modes, strict=True)
    ]
