"""A question that a thread sends to the solver's process while the search continues in this one."""

from __future__ import annotations

import time
from threading import Event, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.exact.decision import Decision
    from oas.exact.search import Question


class QuestionBeside:
    """A question to CP-SAT about one makespan; its thread runs from the beginning.

    Parameters
    ----------
    ask
        Waits for the answer, or until the event is set.
    question, ticks, memory, withhold
        The arguments of `oas.exact.search.ExactSearch.ask`.
    """

    def __init__(
        self, ask: Callable[[Event], Decision], question: Question, ticks: int, memory: int | None, withhold: bool
    ) -> None:
        self.question, self.ticks, self.memory, self.withhold = question, ticks, memory, withhold
        self.seconds = 0.0
        self._began = time.monotonic()
        self._ask = ask
        self._stop = Event()
        self._answer: Decision | None = None
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, name="question beside", daemon=True)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether there is an answer."""
        return not self._thread.is_alive()

    def answer(self) -> Decision:
        """Return the answer; raise what the question raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        assert self._answer is not None
        return self._answer

    def end(self) -> None:
        """Kill the solver and wait for the thread."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._answer = self._ask(self._stop)
        except BaseException as error:  # for the thread that asks
            self._error = error
        self.seconds = time.monotonic() - self._began
