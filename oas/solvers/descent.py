"""Solvers that answer whether there is a schedule of a makespan, and log proofs (worker side).

They are asked for ever shorter schedules until they refute one: a proof of a decision needs no objective. Each question
is answered by a child process, which ends with this one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from oas.core.clock import clock
from oas.core.errors import InputError
from oas.core.result import Termination
from oas.solvers.proof_steps import UnknownStepError, packed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from oas.solvers.isolation.protocol import Session
    from oas.solvers.task import Key, Outcome

FOUND, REFUTED, OPEN = 0, 20, 30  # exit codes of child processes
QUESTION, PROOF = "question.json", "proof"  # their files
FORMULA = ".formula"  # suffix of a further file with the constraints, if the proof has one
PROOF_FILE = "proof_file"  # option: the path to which the proof of the refutation is copied
SEARCH_SHARE = 0.6  # of the time left, for a question; the rest is for its proof
_POLL = 0.05


class Question(Protocol):
    """A question, a named tuple for a child process."""

    @property
    def row_count(self) -> int:
        """Number of constraints."""

    @property
    def column_count(self) -> int:
        """Number of variables."""

    @property
    def excess(self) -> str:
        """Why it is too large; empty if it is not."""

    def _asdict(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class DecisionTask:
    """A model of decisions: minimise the makespan, a whole number."""

    question: Callable[[int], Any]  # whether some schedule ends by a makespan
    values: Callable[[int, Any], Mapping[Key, float]]  # ``(makespan, answer) -> values`` of the child's JSON
    objective: Key  # the variable of the makespan
    longest: int  # a makespan that some schedule has; the first question if there is no warm start
    least: int  # a bound: no shorter makespan is asked for


class ProvingSolver(NamedTuple):
    """A solver that logs proofs."""

    package: str
    child: str  # the script ``child FOLDER SEED [SECONDS]`` that asks the question of a folder
    steps: Callable[[Iterable[str], Any], bytes]  # ``(lines of a proof, question) -> steps`` for the checker


def descend(solver: ProvingSolver, task: DecisionTask, session: Session) -> Outcome:
    """Ask for ever shorter schedules; the outcome has the proof that there is none."""
    run = _Run(solver, task, session)
    termination, message = run.descend()
    infeasible = run.refuted is not None and run.objective is None
    return session.outcome(
        termination,
        infeasible=infeasible,
        values=run.values,
        objective=run.objective,
        bound=None if infeasible or run.refuted is None else run.refuted + 1,
        message=message,
        certificate=run.certificate,
    )


class _Run:
    """One run: the best schedule, and the makespan that was refuted last."""

    def __init__(self, solver: ProvingSolver, task: DecisionTask, session: Session) -> None:
        self.solver, self.task, self.session = solver, task, session
        self.folder = Path(session.request.folder)
        self.options = dict(session.settings.options)
        self.proof_file = self.options.pop(PROOF_FILE, None)
        if self.options:
            raise InputError(
                f"{self.session.settings.solver} takes none", field="options", value=next(iter(self.options))
            )
        self.values: Mapping[Key, float] | None = session.request.start
        self.objective = None if self.values is None else int(self.values[task.objective])
        self.refuted: int | None = None
        self.certificate: dict[str, object] | None = None

    def descend(self) -> tuple[Termination, str]:
        """Ask until a makespan is refuted or the bound is reached; return why it ended, and a message."""
        task, session = self.task, self.session
        makespan = task.longest if self.objective is None else self.objective - 1
        first = task.question(makespan)
        session.report |= {"rows": first.row_count, "columns": first.column_count}
        session.begin(version(self.solver.package))
        while makespan >= task.least:
            question = task.question(makespan)
            if question.excess:
                return Termination.TOO_LARGE, question.excess
            code, text = self._ask(question)
            if code == FOUND:
                self.values = task.values(makespan, json.loads(text))
                self.objective = int(self.values[task.objective])
                session.incumbent(self.values, self.objective)
                session.progress(None, self.objective)
                makespan = self.objective - 1
            elif code == REFUTED:
                self.refuted = makespan
                if self.objective is not None:
                    session.progress(makespan + 1, self.objective)
                return Termination.FINISHED, self._prove(question)
            elif code == OPEN:
                stopped = session.stop.requested
                return Termination.INTERRUPTED if stopped else Termination.TIME_LIMIT, ""
            else:
                return Termination.CRASHED, f"{self.solver.package} ended with code {code}: {text[-500:]}"
        return Termination.FINISHED, ""

    def _ask(self, question: Question) -> tuple[int, str]:
        """Return the exit code of the child process, `OPEN` if it was killed, and its output or last words."""
        session, left = self.session, self.session.time_left()
        (self.folder / QUESTION).write_text(json.dumps(question._asdict()))
        command = [sys.executable, "-P", self.solver.child, str(self.folder), str(session.settings.seed)]
        if left is not None:
            command.append(repr(SEARCH_SHARE * left))
        paths = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=paths)
        try:
            while True:
                try:
                    output, words = child.communicate(timeout=_POLL)
                    code = OPEN if session.stop.requested else child.returncode
                    return code, output if code == FOUND else words
                except subprocess.TimeoutExpired:
                    if session.must_stop():
                        return OPEN, ""
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()

    def _prove(self, question: Question) -> str:
        """Keep the proof of the last answer and translate it into a certificate; return a message about what failed."""
        return "\n".join(filter(None, (self._copied(), self._translated(question))))

    def _copied(self) -> str:
        if self.proof_file is not None:
            try:
                shutil.copyfile(self.folder / PROOF, str(self.proof_file))
                if (self.folder / f"{PROOF}{FORMULA}").exists():
                    shutil.copyfile(self.folder / f"{PROOF}{FORMULA}", f"{self.proof_file}{FORMULA}")
            except OSError as error:
                return f"the proof cannot be written to {self.proof_file}: {error.strerror}"
        return ""

    def _translated(self, question: Question) -> str:

        def check() -> None:
            if self.session.must_stop():
                raise TimeoutError

        try:
            with clock(check), open(self.folder / PROOF, encoding="ascii") as lines:
                self.certificate = {"makespan": self.refuted, "steps": packed(self.solver.steps(lines, question))}
        except TimeoutError:
            return "there was no time to translate the proof"
        except (UnknownStepError, ValueError, LookupError, OSError) as error:  # of another version, or cut off
            return f"the proof cannot be translated: {error}"
        return ""
