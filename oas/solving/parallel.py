"""Parallel stages: they run in other processes while the search continues.

A search with several threads has a `StagePool`. A `ParallelStage` starts if enough places are free. A thread of this
process waits for its worker, and the search takes the answer at its next call of `StagePool.look`.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from concurrent.futures import Future
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from oas.solvers.isolation.client import Lane

if TYPE_CHECKING:
    from collections.abc import Callable


class ParallelStage(ABC):
    """A stage that can run in parallel to the search, repeated as long as that helps.

    Attributes
    ----------
    name
        The part of the search to which its time is added; two stages of one name never run at the same time.
    places
        Number of places of the pool that it takes; 0 if its threads are reserved for it.
    """

    name: str
    places: int = 1

    @abstractmethod
    def begin(self) -> Callable[[], Any] | None:
        """Return a function for the thread, based on the best bound and schedule; None if no work is left."""

    @abstractmethod
    def is_outdated(self, bound: float | None) -> bool:
        """Return whether the answer is no longer useful, given the last bound that its worker reported, in ticks."""

    @abstractmethod
    def take(self, answer: Any) -> bool:
        """Keep the answer; return True to start the stage again."""


class StagePool:
    """The parallel stages of a search.

    `places`: maximum number of stages that run at the same time. Attribute `seconds`: wall time of each stage so far.
    """

    def __init__(self, places: int) -> None:
        self.free = places
        self.seconds: dict[str, float] = {}
        self._running: dict[str, _Running] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._running

    def __bool__(self) -> bool:
        return bool(self._running)

    def start(self, stage: ParallelStage) -> bool:
        """Start the stage; return whether it runs now, which needs enough free places and work that is left."""
        if stage.name in self._running:
            return True
        if stage.places > self.free:
            return False
        function = stage.begin()
        if function is None:
            return False
        used = {running.lane.place for running in self._running.values()}
        lane = Lane(next(place for place in range(1, len(used) + 2) if place not in used))
        answer: Future[Any] = Future()

        def run() -> None:
            try:
                with lane:
                    value = function()
            except BaseException as error:  # raised again in the thread of the search
                answer.set_exception(error)
            else:
                answer.set_result(value)

        Thread(target=run, name=f"parallel {stage.name}", daemon=True).start()
        self._running[stage.name] = _Running(stage, lane, time.monotonic(), answer)
        self.free -= stage.places
        return True

    def look(self) -> None:
        """Take the available answers, end outdated stages, and start both again if that helps.

        An error of a stage is raised here.
        """
        for running in list(self._running.values()):
            stage = running.stage
            if running.answer.done():
                self._remove(running)
                if stage.take(running.answer.result()):
                    self.start(stage)
            elif stage.is_outdated(running.lane.bound):
                self._remove(running)
                running.lane.stop.set()
                stage.take(running.answer.result())
                self.start(stage)

    def end(self) -> None:
        """Stop all stages and wait for their threads; their results so far are lost."""
        for running in self._running.values():
            running.lane.stop.set()
        for running in list(self._running.values()):
            self._remove(running)
            running.answer.exception()

    def _remove(self, running: _Running) -> None:
        name = running.stage.name
        del self._running[name]
        self.free += running.stage.places
        self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - running.began


class _Running(NamedTuple):
    """A running stage, with a thread that waits for its worker."""

    stage: ParallelStage
    lane: Lane
    began: float
    answer: Future[Any]  # or the error of the thread
