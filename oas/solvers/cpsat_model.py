"""The return type of builders for CP-SAT (worker side): a model, its variables by name, an integer to minimise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ortools.sat.python import cp_model

from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oas.solvers.task import Key


class CpTask:
    """A CP-SAT model under construction.

    Every variable is made here, so that each has a name that crosses processes and a warm start is a complete hint.

    Attributes
    ----------
    model
        The ``CpModel``, for constraints.
    variables
        Every variable by its key.
    objective
        The variable to minimise; None until `minimize`.
    """

    def __init__(self) -> None:
        self.model = cp_model.CpModel()
        self.variables: dict[Key, Any] = {}
        self.objective: Any = None

    def integer(self, name: str, index: tuple[object, ...], low: int, high: int) -> Any:
        """Add a variable in [low, high]."""
        return self._add((name, index), self.model.new_int_var(low, high, f"{name}{index}"))

    def integer_in(self, name: str, index: tuple[object, ...], values: Iterable[int]) -> Any:
        """Add a variable that takes one of `values`."""
        domain = cp_model.Domain.from_values(list(values))
        return self._add((name, index), self.model.new_int_var_from_domain(domain, f"{name}{index}"))

    def boolean(self, name: str, index: tuple[object, ...]) -> Any:
        """Add a variable in {0, 1}."""
        return self._add((name, index), self.model.new_bool_var(f"{name}{index}"))

    def minimize(self, variable: Any) -> None:
        """Minimise this variable: the bound that the solver states is then an integer of its own."""
        self.objective = variable
        self.model.minimize(variable)

    def hint(self, start: Mapping[Key, float]) -> None:
        """Suggest `start`; variables left out are 0.

        Raises
        ------
        InputError
            If a name is unknown.
        """
        for key in start:
            if key not in self.variables:
                raise InputError("no such variable in the model", field="start", value=key)
        for key, variable in self.variables.items():
            self.model.add_hint(variable, int(start.get(key, 0)))

    def _add(self, key: Key, variable: Any) -> Any:
        assert key not in self.variables, key
        self.variables[key] = variable
        return variable


def check_task(task: object, builder: str) -> CpTask:
    """Return `task` if it is a CpTask with something to minimise."""
    if not isinstance(task, CpTask):
        raise InputError("does not return a CpTask", field="builder", value=builder)
    if task.objective is None:
        raise InputError("needs a variable to minimise", field="builder", value=builder)
    return task
