"""Restricted master problem of column generation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from oas.lp.program import LinearProgram

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

Column = TypeVar("Column", bound=tuple[Any, ...])


class Master(ABC, Generic[Column]):
    """Linear program whose columns, sets of items, are added as pricing finds them, each of them once.

    Attributes: `program`: the program; its rows, and any further columns, are those of the subclass. `columns`: the
    columns, in the order in which they were added.
    """

    def __init__(self) -> None:
        self.program = LinearProgram()
        self.columns: list[Column] = []
        self._index: dict[Hashable, int] = {}  # of each column among `columns`
        self._places: list[int] = []  # of each column in the program

    def key(self, column: Column) -> Hashable:
        """Return an object that is equal for equal columns: the same items in another order are the same column."""
        return frozenset(column)

    @abstractmethod
    def terms(self, column: Column) -> tuple[float, Sequence[int], Sequence[float]]:
        """Return the cost of a column, its rows, and its coefficients in them."""

    def add(self, columns: Iterable[Column]) -> bool:
        """Add columns; return whether any is new."""
        before = len(self.columns)
        for column in columns:
            if self._index.setdefault(self.key(column), len(self.columns)) == len(self.columns):
                self.columns.append(column)
                self._places.append(self.program.add_column(*self.terms(column)))
        return len(self.columns) > before

    def amounts(self) -> list[float]:
        """Return the value of each column in the last solution."""
        primal = self.program.primal()
        return [primal[place] for place in self._places]
