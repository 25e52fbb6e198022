"""Parallel stages: they run in other processes while the search continues.

A search with several threads has a `StagePool`. A `ParallelStage` is started where a place is free. A thread of this
process waits for its worker, and the search takes the answer when it looks next.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from threading import Thread
from typing import TYPE_CHECKING, Any

from oas.solvers.isolation.client import Lane

if TYPE_CHECKING:
    from collections.abc import Callable


class ParallelStage(ABC):
    """A stage that can run parallel to the search, and is repeated as long as that helps.

    Attributes
    ----------
    name
        The part of the search that its time is counted for; two stages of one name never run at the same time.
    places
        How many of the pool it takes; 0 if its threads are set aside for it.
    """

    name: str
    places: int = 1

    @abstractmethod
    def begin(self) -> Callable[[], Any] | None:
        """Return a function for the thread, made from the best bound and schedule; None if no work is left."""

    @abstractmethod
    def is_outdated(self, bound: float | None) -> bool:
        """Return whether the answer is of no use any more, given the bound that its worker has reported, in ticks."""

    @abstractmethod
    def take(self, answer: Any) -> bool:
        """Keep the answer; return True to start the stage again."""


class StagePool:
    """The parallel stages of a search.

    Parameters
    ----------
    places
        How many stages run at the same time at most.

    Attributes
    ----------
    seconds
        Wall time of each stage so far.
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
        """Start the stage; return whether it runs now: there may be no place for it, or nothing to do."""
        if stage.name in self._running:
            return True
        if stage.places > self.free:
            return False
        function = stage.begin()
        if function is None:
            return False
        places = {one.lane.place for one in self._running.values()}
        place = next(one for one in range(1, len(places) + 2) if one not in places)
        self._running[stage.name] = _Running(stage, function, Lane(place))
        self.free -= stage.places
        return True

    def look(self) -> None:
        """Take the answers that have come, end what is outdated, and start both again where that helps.

        An error of a stage is raised here.
        """
        for one in list(self._running.values()):
            stage = one.stage
            if one.is_over:
                self._remove(one)
                if stage.take(one.answer()):
                    self.start(stage)
            elif stage.is_outdated(one.lane.bound):
                self._remove(one)
                one.end()
                stage.take(one.answer())
                self.start(stage)

    def end(self) -> None:
        """Stop all stages and wait for their threads; what they have found so far is lost."""
        for one in self._running.values():
            one.lane.stop.set()
        for one in list(self._running.values()):
            self._remove(one)
            one.end()

    def _remove(self, one: _Running) -> None:
        del self._running[one.stage.name]
        self.free += one.stage.places
        self.seconds[one.stage.name] = self.seconds.get(one.stage.name, 0.0) + time.monotonic() - one.began


class _Running:
    """A stage at work: a thread that waits for its worker."""

    def __init__(self, stage: ParallelStage, function: Callable[[], Any], lane: Lane) -> None:
        self.stage, self.lane = stage, lane
        self.began = time.monotonic()
        self._function = function
        self._answer: Any = None
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, name=f"parallel {stage.name}", daemon=True)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether it has ended, with an answer or an error."""
        return not self._thread.is_alive()

    def answer(self) -> Any:
        """Return the answer; an error of the thread is raised here."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._answer

    def end(self) -> None:
        """Have the worker killed and wait for the thread."""
        self.lane.stop.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            with self.lane:
                self._answer = self._function()
        except BaseException as error:  # raised again by `answer`, in the thread of the search
            self._error = error
