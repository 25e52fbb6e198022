"""Plans, which name cells of instances, and the order in which they are measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


@dataclass(frozen=True)
class Plan:
    """Cells to measure, each with so many seeds from ``first(cell)`` on.

    Attributes
    ----------
    title
        For the page.
    cells
        What differs between instances apart from their seeds.
    seeds
        How many instances of each cell; a function where cells have different numbers of them.
    first
        The first seed of a cell; the others follow it.
    """

    title: str
    cells: tuple[Any, ...]
    seeds: int | Callable[[Any], int]
    first: Callable[[Any], int] = lambda _: 0

    def count(self, cell: Any) -> int:
        """How many instances of this cell the plan has."""
        return self.seeds if isinstance(self.seeds, int) else self.seeds(cell)


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
    wanted = [
        (name, cell, plan.first(cell), plan.count(cell) if seeds is None else min(seeds, plan.count(cell)))
        for name, plan in ((name, plans[name]) for name in names)
        for cell in plan.cells
    ]
    for number in range(max((count for *_, count in wanted), default=0)):
        yield from (Case(name, cell, first + number) for name, cell, first, count in wanted if number < count)
