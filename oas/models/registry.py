"""The formulations of each problem, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.names import unknown_name
from oas.solvers.task import MIP, family_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.core.problem import Problem
    from oas.models.formulation import Formulation


def formulations(problem: Problem) -> Mapping[str, Formulation]:
    """Return the formulations of `problem` by name; the first of each family is the default for its solvers."""
    if not problem.has("formulations"):
        return {}
    return {one.name: one for one in problem.part("formulations")}


def find_formulation(name: str, problem: Problem) -> Formulation:
    """Return the formulation for `problem` called `name`.

    Raises
    ------
    InputError
        If there is none.
    """
    known = formulations(problem)
    if name not in known:
        raise unknown_name(name, known, "formulation")
    return known[name]


def default_formulation(problem: Problem, family: str = MIP) -> Formulation:
    """Return the formulation for `problem` that solvers of `family` get unless another is named.

    Raises
    ------
    InputError
        If the problem has none for them.
    """
    found = next((one for one in problem.part("formulations") if one.family == family), None)
    if found is None:
        raise InputError(f"{problem.title} has none for these solvers", field="formulation", value=family)
    return found


def check_match(solver: str, formulation: Formulation, problem: Problem) -> None:
    """Check that `solver` takes `formulation`.

    Raises
    ------
    InputError
        If it does not, with what goes together.
    """
    family = family_of(solver)
    if formulation.family != family:
        own = " or ".join(one.name for one in formulations(problem).values() if one.family == family)
        others = "cpsat" if family == MIP else "highs, cbc and other MIP solvers"
        raise InputError(
            f"{solver} takes {own}; {formulation.name} is for {others}", field="formulation", value=formulation.name
        )
