"""Every formulation by its name, for each problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.models.coallocation import counts_cpsat, literal, start_indexed
from oas.models.mosp import cumulative_cpsat
from oas.models.mosp import start_indexed as mosp_start_indexed
from oas.problems.coallocation.instance import CoallocationInstance
from oas.problems.mosp.instance import MospInstance
from oas.solvers.task import MIP, family_of

if TYPE_CHECKING:
    from oas.models.formulation import Formulation

# The first of each family is the default for its solvers.
FORMULATIONS: dict[type, dict[str, Formulation]] = {
    CoallocationInstance: {
        one.name: one for one in (start_indexed.FORMULATION, literal.FORMULATION, counts_cpsat.FORMULATION)
    },
    MospInstance: {one.name: one for one in (mosp_start_indexed.FORMULATION, cumulative_cpsat.FORMULATION)},
}


def find_formulation(name: str, problem: type = CoallocationInstance) -> Formulation:
    """Return the formulation for `problem` called `name`.

    Raises
    ------
    InputError
        If there is none.
    """
    known = FORMULATIONS[problem]
    if name not in known:
        raise InputError(f"unknown; known: {', '.join(known)}", field="formulation", value=name)
    return known[name]


def default_formulation(problem: type = CoallocationInstance, family: str = MIP) -> Formulation:
    """Return the formulation for `problem` that solvers of `family` get unless another is named."""
    return next(one for one in FORMULATIONS[problem].values() if one.family == family)


def check_match(solver: str, formulation: Formulation, problem: type = CoallocationInstance) -> None:
    """Check that `solver` takes `formulation`.

    Raises
    ------
    InputError
        If it does not, with what goes together.
    """
    family = family_of(solver)
    if formulation.family != family:
        own = " or ".join(one.name for one in FORMULATIONS[problem].values() if one.family == family)
        others = "cpsat" if family == MIP else "highs, cbc and other MIP solvers"
        raise InputError(
            f"{solver} takes {own}; {formulation.name} is for {others}", field="formulation", value=formulation.name
        )
