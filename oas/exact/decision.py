"""Questions to a solver: whether there is a schedule of at most a given number of ticks.

`QuestionBeside` asks in parallel: a thread waits for the solver's process while the search continues.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError, SolverError
from oas.core.problem import check_variant
from oas.models.formulation import PREPARE, Preparation
from oas.solvers.isolation.client import call, run
from oas.solvers.task import Task

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.instances import Instance
    from oas.core.result import Termination
    from oas.exact.search import Question
    from oas.models.formulation import Formulation
    from oas.solvers.task import Limits, Settings


@dataclass(frozen=True)
class Decision:
    """The solver's answer.

    Attributes
    ----------
    refuted
        Whether it claims that there is none.
    runs
        A schedule as it says, to be verified; None if it has none.
    termination
        How the run ended.
    version
        Of the solver; empty if it never ran.
    message
        For people.
    """

    refuted: bool
    runs: list[Any] | None
    termination: Termination
    version: str = ""
    message: str = ""


def decide(
    instance: Instance,
    formulation: Formulation,
    settings: Settings,
    ticks: int,
    limits: Limits,
    strengthen: Callable[[Any], Any] | None = None,
) -> Decision:
    """Solve the formulation with horizon and bound both at `ticks`, without a warm start.

    A hint drops a solver's symmetry breaking, and there is nothing to minimise; both help where the answer is no.
    `strengthen` adds constraints to the formulation's specification that no schedule within the horizon breaks.
    """
    check_variant(instance, f"the formulation {formulation.name}", formulation.variants)
    given = Preparation(formulation.prepare, _no_start, instance, ticks, ticks, ())
    prepared = call(PREPARE, given, replace(limits, grace=0), family=settings.family)
    if prepared.value is None:
        return Decision(False, None, prepared.termination, message=prepared.message)
    assert isinstance(prepared.value, tuple)
    spec, _ = prepared.value
    if strengthen is not None:
        spec = strengthen(spec)
    task = Task(formulation.builder, spec, None, label=instance.name)
    outcome = run(task, replace(settings, integer_objective=True), limits)
    runs = None
    message = outcome.message
    if outcome.values is not None:
        try:
            runs = formulation.read(spec, outcome.values)
        except (SolverError, InputError) as error:
            message = str(error)
    return Decision(outcome.infeasible, runs, outcome.termination, outcome.version, message)


def _no_start(_spec: object, _runs: object) -> None:
    return None


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
