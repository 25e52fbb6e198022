"""Every formulation by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.models.coallocation import literal, start_indexed

if TYPE_CHECKING:
    from oas.models.formulation import Formulation

FORMULATIONS = {one.name: one for one in (start_indexed.FORMULATION, literal.FORMULATION)}


def find_formulation(name: str) -> Formulation:
    """Return the formulation called `name`.

    Raises
    ------
    InputError
        If there is none.
    """
    if name not in FORMULATIONS:
        raise InputError(f"unknown; known: {', '.join(FORMULATIONS)}", field="formulation", value=name)
    return FORMULATIONS[name]
