"""Plans, which name cells of instances, and the order in which they are measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


@dataclass(frozen=True)
class Plan:
    """Cells to measure, each with `seeds` seeds from ``first(cell)`` on."""

    title: str
    cells: tuple[Any, ...]
    seeds: int
    first: Callable[[Any], int] = lambda _: 0


class Case(NamedTuple):
    """An instance of a plan."""

    plan: str
    cell: Any
    seed: int

    def __str__(self) -> str:
        return f"{self.cell}, seed {self.seed}"


def round_robin(plans: Mapping[str, Plan], names: Iterable[str], seeds: int | None = None) -> Iterator[Case]:
    """Yield the instances of these plans, going round the cells, so that whatever ends early has some of each.

    `seeds` is how many to take at most of each cell.
    """
    chosen = {name: plans[name] for name in names}
    counts = {name: plan.seeds if seeds is None else min(seeds, plan.seeds) for name, plan in chosen.items()}
    for number in range(max(counts.values(), default=0)):
        for name, plan in chosen.items():
            if number < counts[name]:
                yield from (Case(name, cell, plan.first(cell) + number) for cell in plan.cells)
