"""Attacks on the certificate *configurations*, and on the decision which jobs can run together."""

from __future__ import annotations

from contextlib import contextmanager
from fractions import Fraction as F
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.robustness.invented.drawing import draw_document
from benchmarks.robustness.invented.targets import Attempt, Target, draw_target, judged, split_in_parts, whole
from oas.checker import coallocation_heaviest, coallocation_together
from oas.checker.coallocation_configurations import check_coallocation_configurations
from oas.checker.coallocation_heaviest import heaviest_together
from oas.checker.coallocation_together import Together
from oas.checker.effort import Effort

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

    from benchmarks.robustness.invented.drawing import Document
    from benchmarks.robustness.invented.grids import Grid

ENDLESS = 10**15
SPLIT_LIMITS = ((coallocation_together, "MOST_SPLIT_STEPS"), (coallocation_together, "MOST_PAIR_STEPS"))
PRICE_LIMITS = ((coallocation_heaviest, "MOST_PRICED_SETS"), (coallocation_heaviest, "MOST_PRICED_CELLS"))

Left = list[list[int]]  # the modes that each job has in a case
Rows = list[dict[int, int]]  # weights of each job by mode


@contextmanager
def hurried(draw: Random, limits: Sequence[tuple[object, str]], share: float) -> Iterator[bool]:
    """Let searches of the checker give up early, in a share of cases; say whether they do."""
    before = [(module, name, getattr(module, name)) for module, name in limits]
    hurries = draw.random() < share
    for module, name in limits if hurries else ():
        if draw.random() < 0.6:
            setattr(module, name, draw.choice((0, 1, 3, 10, 40)))
    try:
        yield hurries
    finally:
        for module, name, value in before:
            setattr(module, name, value)


def attack_fits(draw: Random, steps: int) -> Iterator[Attempt]:
    """Jobs at levels of which the checker says that they cannot run together, against all divisions of their tasks."""
    slows, target = draw.random() < 0.2, None
    while target is None or not all(target.all):
        target = Target(draw_document(draw, slows=slows, most=draw.choice((5, 8)), clusters=(1, 2, 3, 4)))
    levels = Levels(target.grid)
    with hurried(draw, SPLIT_LIMITS, 0.3) as gives_up:
        together = Together(target.own.ticks, Effort(ENDLESS))
        for _ in range(steps // 2):
            members = draw.sample(
                range(len(target.all)), draw.choice((len(target.all), draw.randint(1, len(target.all))))
            )
            items = [(job, draw.choice(levels.rows[job])) for job in members]
            allowed = []
            for job, level in items:
                options = enumerate(target.grid.options[job])
                allowed.append((job, [number for number, one in options if one.power >= levels.powers[level]]))
            expected = target.grid.can_run(allowed)
            said = together.fits(items)
            wrong = (expected and not said) or (said and not expected and not gives_up)
            yield Attempt(
                not said, not said and not expected, f"{items} fit: {said}: {target.document}" if wrong else ""
            )


def attack_configurations(draw: Random, steps: int) -> Iterator[Attempt]:
    """Leaves whose weights climb, and whole trees of leaves; sometimes the checker's searches give up early."""
    slows = draw.random() < 0.25
    target = draw_target(draw, slows=slows, slotted=True if slows else None)
    with hurried(draw, (*SPLIT_LIMITS, *PRICE_LIMITS), 0.4):
        attack = Configurations(draw, target)
        for _ in range(max(1, steps // 30)):
            left = [draw.sample(own, draw.randint(1, len(own))) for own in attack.levels.rows]
            for leaf in attack.climbed(left, 25):
                attempt = judged(leaf.bound, attack.optimum(left), (leaf, left, target.document))
                yield attempt._replace(fault=f"{leaf.fault}: {leaf} {target.document}") if leaf.fault else attempt
            yield whole(target, check_coallocation_configurations, {"tree": attack.tree()})


class Levels:
    """The modes of each job (of the levels with equal times the slowest), from the document alone."""

    def __init__(self, grid: Grid) -> None:
        self.powers = sorted({power for _, power, _ in grid.classes}, reverse=True)
        self.rows: Left = []
        self.mode_of: Left = []  # of each job's options
        self.times: list[dict[int, F]] = []
        for job, options in zip(grid.jobs, grid.options, strict=True):
            times = [job["base_time"] * (job["sigma"] / power + 1 - job["sigma"]) for power in self.powers]
            times = [ceil(time / grid.slot) * grid.slot if grid.slot else time for time in times]
            slowest = [max(at for at, time in enumerate(times) if time == own) for own in times]
            first = min(self.powers.index(one.power) for one in options)
            self.rows.append(sorted({slowest[level] for level in range(first, len(times))}))
            self.mode_of.append([slowest[self.powers.index(one.power)] for one in options])
            self.times.append({mode: times[mode] for mode in self.rows[-1]})


class Leaf(NamedTuple):
    """A leaf with its weights, the capacity that the checker finds, its bound, and the fault of the capacity if any."""

    weights: Rows
    capacity: int
    bound: F
    fault: str


class Configurations:
    """The attack on an instance."""

    def __init__(self, draw: Random, target: Target) -> None:
        self.draw, self.target, self.levels = draw, target, Levels(target.grid)
        self.together = Together(target.own.ticks, Effort(ENDLESS))
        mode_of = self.levels.mode_of
        running = target.grid.running_sets(target.all)
        self.sets = {tuple((job, mode_of[job][option]) for job, option in items) for items in running}
        self.known: dict[str, F | None] = {}  # optima by case

    def optimum(self, left: Left) -> F | None:
        """Return the optimum if each job has one of these modes; None if there is no schedule."""
        key = repr([sorted(own) for own in left])
        if key not in self.known:
            pairs = zip(self.levels.mode_of, left, strict=True)
            self.known[key] = self.target.optimum(
                [frozenset(option for option, mode in enumerate(of_job) if mode in own) for of_job, own in pairs]
            )
        return self.known[key]

    def leaf(self, left: Left, rows: Rows) -> Leaf:
        """Return the leaf of these weights."""
        weighed = [list(one.items()) for one in map(self._padded, self.levels.rows, rows)]
        capacity = heaviest_together(self.together, weighed)
        held = max(sum(rows[job].get(mode, 0) for job, mode in items) for items in self.sets)
        parts = zip(self.levels.times, rows, left, strict=True)
        work = sum((min(times[mode] * row[mode] for mode in own) for times, row, own in parts), F(0))
        tick = self.target.own.ticks.tick
        bound = ceil(work / capacity / tick) * tick if capacity else F(0)
        return Leaf(rows, capacity, bound, f"{held} run together, above {capacity}" if held > capacity else "")

    @staticmethod
    def _padded(modes: Sequence[int], row: dict[int, int]) -> dict[int, int]:
        return {mode: row.get(mode, 0) for mode in modes}

    def climbed(self, left: Left, count: int) -> Iterator[Leaf]:
        """Yield leaves of a case; their weights change for as long as the bound does not fall."""
        draw, most = self.draw, self.draw.choice((1, 3, 12, 10**6))
        best: Leaf | None = None
        rows = [{mode: draw.randint(0, most) for mode in own} for own in left]
        for _ in range(count):
            found = self.leaf(left, rows)
            yield found
            best = found if best is None or found.bound >= best.bound else best
            rows = [dict(row) for row in best.weights]
            for _ in range(draw.choice((1, 1, 2))):
                row = draw.choice(rows)
                mode = draw.choice(sorted(row))
                row[mode] = draw.choice((0, row[mode] + 1, draw.randint(0, most), draw.randint(0, 3)))

    def tree(self) -> list[Document]:
        """Return a random tree in preorder, with capacities that are right, too small, too large or missing."""
        draw, nodes, waiting = self.draw, [], [[list(own) for own in self.levels.rows]]
        while waiting:
            case = waiting.pop()
            many = [job for job, own in enumerate(case) if len(own) > 1]
            if many and draw.random() < 0.6:
                job = draw.choice(many)
                parts = split_in_parts(draw, case[job])
                nodes.append({"job": job, "parts": parts})
                waiting += [[*case[:job], part, *case[job + 1 :]] for part in reversed(parts)]
                continue
            best = max(self.climbed(case, 4), key=lambda one: one.bound)
            weights = [
                [row.get(mode, 0) for mode in own] for own, row in zip(self.levels.rows, best.weights, strict=True)
            ]
            capacity = draw.choice((0, best.capacity, max(0, best.capacity - 1), 3 * best.capacity))
            nodes.append({"weights": weights} if draw.random() < 0.2 else {"weights": weights, "capacity": capacity})
        return nodes
