"""A question to CP-SAT that runs in parallel: a thread waits for the solver's process while the search continues."""

from __future__ import annotations

import time
from threading import Event, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.exact.decision import Decision
    from oas.exact.search import Question


class QuestionBeside:
    """A question to CP-SAT about one makespan; its thread starts immediately.

    Parameters
    ----------
    ask
        Asks the solver's process and returns its answer, or stops when the event is set.
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
        """Whether the question has ended, with an answer or an error."""
        return not self._thread.is_alive()

    def answer(self) -> Decision:
        """Wait for the answer and return it; an error of the thread is raised here."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        assert self._answer is not None
        return self._answer

    def end(self) -> None:
        """Stop the solver's process and wait for the thread."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._answer = self._ask(self._stop)
        except BaseException as error:  # raised again by `answer`, in the thread of the search
            self._error = error
        self.seconds = time.monotonic() - self._began
