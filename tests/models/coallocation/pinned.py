"""The stored LP files of the formulations: `python -m tests.models.coallocation.pinned` writes them anew."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from oas.models.coallocation import literal, start_indexed
from tests.models.coallocation import grids

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.models.formulation import Formulation
    from oas.problems.coallocation.instance import CoallocationInstance

FOLDER = Path(__file__).parent / "lp"

# Stored file: formulation, instance, horizon, lower bound.
PINNED: dict[str, tuple[Formulation, Callable[[], CoallocationInstance], int, int]] = {
    "literal-mixed": (literal.FORMULATION, grids.mixed, 6, 0),
    "literal-continuous": (literal.FORMULATION, grids.continuous, 4, 3),
    "literal-uniform": (literal.FORMULATION, lambda: grids.uniform(4), 4, 1),
    "start-indexed-mixed": (start_indexed.FORMULATION, grids.mixed, 6, 0),
    "start-indexed-continuous": (start_indexed.FORMULATION, grids.continuous, 4, 3),
    "start-indexed-uniform": (start_indexed.FORMULATION, lambda: grids.uniform(4), 4, 1),
    "start-indexed-alike": (start_indexed.FORMULATION, grids.alike, 6, 2),
}


def lp_text(name: str) -> str:
    """Return the LP file, by symbolic names, of the model that is built today."""
    formulation, make, horizon, lower_bound = PINNED[name]
    instance = make()
    spec = formulation.prepare(instance, instance.scaled(), horizon, lower_bound)
    module, _, function = formulation.builder.partition(":")
    model: Any = getattr(import_module(module), function)(spec)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.lp"
        model.write(str(path), io_options={"symbolic_solver_labels": True})
        return path.read_text(encoding="utf-8")


def write() -> None:
    """Store every file anew."""
    FOLDER.mkdir(exist_ok=True)
    for name in PINNED:
        (FOLDER / f"{name}.lp").write_text(lp_text(name), encoding="utf-8")


if __name__ == "__main__":
    write()
