"""Base class of the local searches: random numbers, targets, step counts and starting schedules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from operator import attrgetter
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from oas.core.compiling import SLOWER, array, select_kernels
from oas.core.shared_kernels import LOGS, NEVER, draw_state

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from oas.core.compiling import Kernel


R = TypeVar("R")  # runs, each with an attribute `job`


class ResumableSearch(ABC, Generic[R]):
    """A resumable search for a schedule of at most a target makespan.

    The schedule found depends on the seed, the starts, the targets and the number of steps, not on how the steps are
    divided among calls. `compiled` selects the loops of the module `kernels`, see `oas.core.compiling.select_kernels`.

    Attributes
    ----------
    best
        The best schedule so far, by job index; empty if there is none.
    tried
        Number of steps so far.
    """

    loop: ClassVar[Kernel]  # the kernel that takes most of the time

    def __init__(self, kernels: ModuleType, seed: int, compiled: bool | None) -> None:
        self.best: list[R] = []
        self.tried = 0
        self._random = Random(seed)
        self._state: Any = array(draw_state(self._random))
        self._logs: Any = array(LOGS)
        self._kernels: Any = select_kernels(compiled, kernels)
        self._owed = 0  # steps by which the last call exceeded its limit

    @property
    def makespan(self) -> int:
        """Makespan of the best schedule, in ticks; `NEVER` if there is none."""
        return max(map(self._end, self.best), default=NEVER)

    @property
    @abstractmethod
    def pace(self) -> int:
        """Number of steps that take about a tenth of a second, the maximum for one call."""

    @property
    def is_slow(self) -> bool:
        """Whether compiled code is not yet available."""
        return self.loop.is_slow

    def improve(self, target: int, steps: int, start: Sequence[R] | None = None) -> list[R]:
        """Do up to `steps` steps, stop early at a makespan of at most `target` ticks, and return the best schedule.

        The target is a lower bound or any makespan that is good enough. If the feasible schedule `start` is better
        than the best one, the search continues from it.
        """
        if start is not None and max(map(self._end, start)) < self.makespan:
            self._adopt(sorted(start, key=attrgetter("job")))
        steps -= self._owed
        while steps > 0 and self.makespan > target:
            steps -= self._advance(target, steps)
        self._owed = max(0, -steps)
        return self.best

    def _paced(self, steps: int) -> int:
        """Return the number of steps that take about as long as `steps` compiled ones, at least 1."""
        return max(1, steps // (SLOWER if self.is_slow else 1))

    def _adopt(self, start: list[R]) -> None:
        """Make `start` the best schedule."""
        self.best = start

    @abstractmethod
    def _advance(self, target: int, steps: int) -> int:
        """Do some of the steps; return their number."""

    @abstractmethod
    def _end(self, run: R) -> int:
        """Return when a run ends, in ticks."""
