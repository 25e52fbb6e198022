"""Driver of the local searches: seeds, targets, steps, and schedules found elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from heuristics.shared_kernels import LOGS, NEVER, draw_state
from oas.core.compiling import SLOWER, array, chosen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from oas.core.compiling import Kernel


class _Run(Protocol):
    @property
    def job(self) -> int: ...


R = TypeVar("R", bound=_Run)


class ResumableSearch(ABC, Generic[R]):
    """A resumable search for a schedule of at most a target makespan.

    The schedule found depends on the seed, the starts, the targets and the number of steps, not on how the steps are
    divided among calls. `compiled` is that of `oas.core.compiling.chosen`, for the loops of the module `kernels`.

    Attributes
    ----------
    best
        The best schedule so far, in the order of job indices; empty before there is one.
    tried
        How many steps were done so far.
    """

    loop: ClassVar[Kernel]  # in which the search spends its time

    def __init__(self, kernels: ModuleType, seed: int, compiled: bool | None) -> None:
        self.best: list[R] = []
        self.tried = 0
        self._random = Random(seed)
        self._state: Any = array(draw_state(self._random))
        self._logs: Any = array(LOGS)
        self._kernels: Any = chosen(compiled, kernels)
        self._owed = 0  # steps that the last call took beyond those asked for

    @property
    def makespan(self) -> int:
        """Of the best schedule, in ticks; `NEVER` before there is one."""
        return max(map(self._end, self.best), default=NEVER)

    @property
    def is_slow(self) -> bool:
        """Whether steps are slow because no compiled code is available yet."""
        return self.loop.is_slow

    def improve(self, target: int, steps: int, start: Sequence[R] | None = None) -> list[R]:
        """Do up to `steps` steps, stop early at a schedule of at most `target` ticks, and return the best schedule.

        The target is a makespan that is good enough: a lower bound, or what is asked for. If `start`, a feasible
        schedule, is better than the best one, the search continues from it.
        """
        if start is not None and max(map(self._end, start)) < self.makespan:
            self._adopt(sorted(start, key=lambda run: run.job))
        steps -= self._owed
        while steps > 0 and self.makespan > target:
            steps -= self._advance(target, steps)
        self._owed = max(0, -steps)
        return self.best

    def _paced(self, steps: int) -> int:
        """Return the number of steps that take as long as `steps` compiled ones."""
        return max(1, steps // (SLOWER if self.is_slow else 1))

    def _adopt(self, start: list[R]) -> None:
        """Make `start` the best schedule."""
        self.best = start

    @abstractmethod
    def _advance(self, target: int, steps: int) -> int:
        """Do a part of the steps; return how many were done."""

    @abstractmethod
    def _end(self, run: R) -> int:
        """Return when a run ends, in ticks."""
