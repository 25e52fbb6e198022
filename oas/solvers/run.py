"""One run of a MIP solver, the same for all of them: options, limit, progress and outcome (worker side).

HiGHS gets the model as numbers (`oas.solvers.program`), the other solvers as an LP file. The solver's own status
counts. Its dual bound is used, never the objective of a solution that it calls optimal.

An adapter of a solver is a class that is made from a `Run`, with the methods ``version() -> str``, ``set_option(name,
value)``, ``option(name)``, which reads it back, ``pass_start(value by column)`` and ``solve() -> Ending``.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from oas.core.errors import InputError
from oas.core.result import Termination
from oas.solvers.own_options import doubtful_options
from oas.solvers.parameters import PARAMETERS
from oas.solvers.program import Program
from oas.solvers.task import NOT_INTEGRAL, finite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyomo.core.base.PyomoModel import ConcreteModel

    from oas.solvers.isolation.protocol import Session
    from oas.solvers.task import Key, Outcome

_INFINITY = 1e19  # SCIP, CPLEX and Xpress state 1e20, some releases of Xpress 1e40

_TERMINATIONS = {one.value: one for one in Termination} | {
    "optimal": Termination.FINISHED,
    "globallyOptimal": Termination.FINISHED,
    "infeasible": Termination.FINISHED,
    "maxTimeLimit": Termination.TIME_LIMIT,
    "userInterrupt": Termination.INTERRUPTED,
    "resourceInterrupt": Termination.INTERRUPTED,
    "memoryLimit": Termination.MEMORY_LIMIT,
    # Limits that only the caller's options can set
    "maxIterations": Termination.FINISHED,
    "maxEvaluations": Termination.FINISHED,
}


class Ending(NamedTuple):
    """How a solver ended."""

    condition: str  # in Pyomo's words, if it has one: ``optimal``, ``infeasible``, ``maxTimeLimit``; or a termination
    bound: float | None = None
    point: Sequence[float | None] | None = None  # values of the columns
    message: str = ""  # empty: it names the condition


def words(**statuses: tuple[object, ...]) -> dict[object, str]:
    """Return Pyomo's word for each status of a solver."""
    return {status: word for word, several in statuses.items() for status in several}


class Run:
    """One run: the model as numbers, the session, and the settings under the solver's own names."""

    def __init__(self, model: ConcreteModel, session: Session) -> None:
        settings, names = session.settings, PARAMETERS[session.settings.solver]
        self.program, self.session, self.names = Program(model, session.request.start), session, names
        self.notes: list[str] = []  # for the message
        self.options: dict[str, Any] = {
            names.gap: settings.gap,  # SCIP relates it to the bound, which is stricter
            names.absolute_gap: self.program.gap(settings) or names.least_gap,
            names.seed: settings.seed,
            **({names.threads: settings.threads} if names.threads else {}),
            **names.further,
            **(names.binary if self.program.matrix.is_binary else {}),
        }
        reserved = {names.time.lower(), names.seed.lower(), names.threads.lower()}
        for name, value in settings.options.items():
            if name.lower() in reserved:
                raise InputError("is set by Settings and Limits", field=f"options.{name}", value=value)
            self.options[name] = value
        # A bound that was passed on counts, even if the outcome has none.
        self.trusted = not doubtful_options(settings.solver, settings.options)

    def write_model(self) -> tuple[Path, list[str]]:
        """Write the model to an LP file; return its path and the name of each column."""
        path = Path(self.session.request.folder) / "model.lp"
        return path, self.program.write(path)

    def outcome(self, engine: type[Any]) -> Outcome:
        """Return the outcome of a solve by this adapter, which is made from the run."""
        program, ended = self.program, self._solve(engine(self))
        values, objective = None, None
        if ended.point is not None:
            values, objective = program.values(ended.point), finite(program.objective(ended.point))
        return outcome_of(self.session, ended, values, objective, self.notes)

    def _solve(self, solver: Any) -> Ending:
        matrix, report = self.program.matrix, self.session.report
        report |= {"rows": len(matrix.rows), "columns": len(matrix.costs), "nonzeros": matrix.nonzeros}
        for name, value in self.options.items():
            self._set(solver, name, value)
        if self.program.start is not None:
            solver.pass_start(self.program.start)
        time_left = self.session.begin(solver.version())
        if time_left is not None:
            self._set(solver, self.names.time, time_left)
        ending: Ending = solver.solve()
        # Without infinite values of the objective, "infeasible or unbounded" is infeasible.
        if ending.condition == "infeasibleOrUnbounded" and self.program.magnitude < math.inf:
            ending = ending._replace(condition="infeasible")
        return ending._replace(bound=finite(ending.bound, _INFINITY))

    def _set(self, solver: Any, name: str, value: object) -> None:
        try:
            solver.set_option(name, value)
            if solver.option(name) != value:  # it was rounded without a word
                raise ValueError(f"takes {solver.option(name)} instead")
        except InputError:
            raise
        except Exception as error:  # pyscipopt raises Exception itself
            who = self.session.settings.solver
            raise InputError(f"{who}: {error}", field=f"options.{name}", value=value) from None
        self.session.report["options"][name] = str(value)

    def must_stop(self, bound: float | None = None, objective: float | None = None) -> bool:
        """Pass on bound and objective; return whether the parent has asked to stop."""
        self.session.progress(finite(bound, _INFINITY) if self.trusted else None, finite(objective, _INFINITY))
        return self.session.stop.requested

    def incumbent(self, point: Sequence[float], objective: float) -> None:
        """Pass on a solution."""
        found = self.program.values(point)
        if found is not None:
            self.session.incumbent(found, finite(objective, _INFINITY))

    def count(self, nodes: float, iterations: float) -> None:
        """Report the numbers of branch-and-bound nodes and of simplex iterations; negative ones are not known."""
        counts = {"nodes": int(nodes), "iterations": int(iterations)}
        self.session.report |= {name: count for name, count in counts.items() if count >= 0}


def outcome_of(
    session: Session,
    ended: Ending,
    values: Mapping[Key, float] | None,
    objective: float | None,
    notes: Sequence[str] = (),
) -> Outcome:
    """Return the outcome of a run with these discrete values and objective; anything doubtful is an error."""
    condition, bound = ended.condition, session.bound if ended.bound is None else ended.bound
    termination = _TERMINATIONS.get(condition, Termination.ERROR)
    infeasible = condition == "infeasible"
    if infeasible or objective is None:
        values = None
    if condition in ("unbounded", "infeasibleOrUnbounded"):
        bound = None
    message = ended.message or ("" if condition in ("optimal", "infeasible") else f"ended with {condition}")
    doubtful = doubtful_options(session.settings.solver, session.settings.options)
    if doubtful:
        infeasible, bound = False, None
        message = f"no bound is used, because {', '.join(doubtful)} may change the meaning of a bound or of feasibility"
    if condition == "optimal" and values is None:
        termination, bound, message = Termination.ERROR, None, f"{session.settings.solver} {NOT_INTEGRAL}"
    return session.outcome(
        termination,
        infeasible=infeasible,
        values=values,
        objective=None if values is None else objective,
        bound=None if infeasible else bound,
        message="\n".join(filter(None, (message, *notes))),
    )
