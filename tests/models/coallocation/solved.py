"""Random instances with their optimum, and those of them whose literal model is small."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from oas.core.errors import TooLargeError
from oas.exact.coallocation.brute_force import brute_force
from oas.models.coallocation import literal
from tests.strategies import random_instance

if TYPE_CHECKING:
    from fractions import Fraction as F

    from oas.problems.coallocation.instance import CoallocationInstance


@cache
def solved_instance(seed: int) -> tuple[CoallocationInstance, F]:
    """Return the random instance of this seed and its optimum by brute force."""
    instance = random_instance(seed)
    return instance, brute_force(instance)[0]


@cache
def literal_specs(count: int, coefficients: int) -> tuple[tuple[int, literal.LiteralSpec], ...]:
    """Return the first `count` seeds whose literal model, a slot longer than the optimum, has few coefficients."""
    found: list[tuple[int, literal.LiteralSpec]] = []
    seed = 0
    while len(found) < count:
        instance, optimum = solved_instance(seed)
        scaled = instance.scaled()
        try:
            spec = literal.prepare(instance, scaled, int(optimum / scaled.tick) + 1, 0)
        except TooLargeError:
            spec = None
        if spec is not None and spec.coefficient_count <= coefficients:
            found.append((seed, spec))
        seed += 1
    return tuple(found)
