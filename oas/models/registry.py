"""Every formulation by its name, for each problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.coallocation import CoallocationInstance
from oas.core.errors import InputError
from oas.core.mosp import MospInstance
from oas.models.coallocation import literal, start_indexed
from oas.models.mosp import start_indexed as mosp_start_indexed

if TYPE_CHECKING:
    from oas.models.formulation import Formulation

# The first of each problem is the default.
FORMULATIONS: dict[type, dict[str, Formulation]] = {
    CoallocationInstance: {one.name: one for one in (start_indexed.FORMULATION, literal.FORMULATION)},
    MospInstance: {mosp_start_indexed.FORMULATION.name: mosp_start_indexed.FORMULATION},
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


def default_formulation(problem: type = CoallocationInstance) -> Formulation:
    """Return the formulation for `problem` that is used unless another is named."""
    return next(iter(FORMULATIONS[problem].values()))
