"""The options of a solve, for the commands that take all of them."""

from __future__ import annotations

import functools
import inspect
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, get_type_hints

from oas.cli import options as opt
from oas.core.errors import InputError
from oas.exact.options import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Arguments of `oas.solve` and `oas.compare` whose options have another name.
_OTHER_NAMES = {
    "solver_options": "--option",
    "placements": "--placements",
    "heuristics": "--only",
    "extra": "--heuristic",
}


@dataclass(frozen=True)
class SolveArguments:
    """The options of `oas solve` and `oas compare`, each with its type for typer, and in the order of their help.

    Defaults are those of `oas.exact.options.Options`.
    """

    solver: opt.Solver = Options.solver
    formulation: opt.FormulationName = Options.formulation
    check: opt.Check = None
    time_limit: opt.TimeLimit = Options.time_limit
    memory_limit: opt.MemoryLimit = Options.memory_limit
    gap: opt.Gap = str(Options.gap)
    threads: opt.Threads = Options.threads
    seed: opt.Seed = Options.seed
    slot: opt.Slot = None
    start: opt.Start = None
    option: opt.SolverOption = None

    def for_solve(self) -> dict[str, Any]:
        """Return the options as `oas.solve` takes them; the slot size is the instance's."""
        asked = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in ("slot", "option")}
        return {
            **asked,
            "check": self.check or (),
            "start": opt.load_start(self.start),
            "threads": self.threads or None,
            "memory_limit": opt.memory_bytes(self.memory_limit),
            "solver_options": opt.solver_options(self.option),
        }

    @contextmanager
    def named(self) -> Iterator[None]:
        """Give errors about arguments of `oas.solve` and `oas.compare` the names of options, and the start its file."""
        names = {one.name: f"--{one.name.replace('_', '-')}" for one in fields(self)} | _OTHER_NAMES
        try:
            yield
        except InputError as error:
            if error.field == "start":
                error.file = self.start
            error.field = names.get(error.field, error.field)
            raise


def takes_solve_arguments(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command whose parameter `asked` is `SolveArguments` an option for each of its fields instead."""
    hints = get_type_hints(SolveArguments, include_extras=True)
    own = [
        inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=hints[one.name])
        for one in fields(SolveArguments)
    ]

    @functools.wraps(command)
    def spread(**values: Any) -> None:
        asked = SolveArguments(**{one.name: values.pop(one.name) for one in own})
        command(asked=asked, **values)

    parameters: list[inspect.Parameter] = []
    for one in inspect.signature(command, eval_str=True).parameters.values():
        parameters += own if one.name == "asked" else [one.replace(kind=inspect.Parameter.KEYWORD_ONLY)]
    spread.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    spread.__annotations__ = {one.name: one.annotation for one in parameters}
    return spread
