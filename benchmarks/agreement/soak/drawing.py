"""From a seed to an instance of an odd shape: the same seed gives the same instance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any

from benchmarks.agreement.soak.coallocation import shapes as coallocation
from benchmarks.agreement.soak.fair import shapes as fair
from benchmarks.agreement.soak.mosp import shapes as mosp

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oas.core.instances import Instance

DRAW = 1
"""Number of this way of drawing; files of rows name it, for under another one a seed is another instance."""
KINDS: tuple[tuple[str, Mapping[str, Any], Callable[[Random, Any], Any]], ...] = (
    ("coallocation", coallocation.SHAPES, coallocation.draw),
    ("mosp", mosp.SHAPES, mosp.draw),
    ("fair", fair.SHAPES, fair.draw),
    ("coallocation", coallocation.SLOWED, coallocation.draw),
    ("mosp", mosp.RESERVED, mosp.draw),
)
"""Problem, shapes and the function that draws; successive seeds take these in turn."""
PROBLEMS = ("coallocation", "mosp", "fair")


@dataclass(frozen=True)
class Drawn:
    """What a seed gives.

    Attributes
    ----------
    seed, problem, shape
        The seed, and what it draws.
    instance
        Drawn so.
    """

    seed: int
    problem: str
    shape: str
    instance: Instance


def problem_of_seed(seed: int) -> str:
    """Return the problem of the instance that `seed` gives."""
    return KINDS[seed % len(KINDS)][0]


def drawn(seed: int) -> Drawn:
    """Return the instance of `seed`: kinds, and the shapes of each, are taken in turn."""
    turn, kind = divmod(seed, len(KINDS))
    problem, shapes, draw = KINDS[kind]
    shape = list(shapes)[turn % len(shapes)]
    instance = draw(Random(f"soak {DRAW}, seed {seed}"), shapes[shape])
    return Drawn(seed, problem, shape, replace(instance, name=f"{problem}, {shape}, seed {seed}"))
