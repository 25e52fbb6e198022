"""The options of a solve, checked before any work."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypedDict

from oas.core.names import unknown_name
from oas.models.registry import check_match, default_formulation, find_formulation, formulations
from oas.solvers.task import Limits, Settings, family_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oas.core.problem import Problem
    from oas.exact.pipeline import SolveProgress
    from oas.models.formulation import Formulation

AUTO = "auto"
HIGHS = "highs"
BRUTE_FORCE = "brute-force"


class SolverOptions(TypedDict, total=False):
    """The arguments that a study passes on to `oas.solve`."""

    solver: str
    formulation: str
    check: str | Sequence[str]
    time_limit: float | None
    memory_limit: int | None
    threads: int
    solver_options: Mapping[str, object] | None


class SolveOptions(SolverOptions, total=False):
    """The same for a study that passes on seed and progress too."""

    seed: int
    on_progress: Callable[[SolveProgress], None] | None


def check_names(options: Mapping[str, object]) -> None:
    """Refuse options that `oas.solve` does not have: before a study's long work, not after it."""
    known = (*SolverOptions.__annotations__, *SolveOptions.__annotations__)
    for name in options:
        if name not in known:
            raise unknown_name(name, dict.fromkeys(known), name, reason="no such option")


@dataclass(frozen=True)
class Options:
    """The options of a solve; the fields are the parameters of `oas.exact.pipeline.solve`, and the problem."""

    solver: str = "highs"
    formulation: str = AUTO
    check: tuple[str, ...] = ()
    time_limit: float | None = None
    memory_limit: int | None = None
    threads: int = 1
    seed: int = 0
    solver_options: Mapping[str, object] = field(default_factory=dict, hash=False)
    problem: Problem = field(kw_only=True)

    def __post_init__(self) -> None:
        names = (AUTO, *formulations(self.problem), BRUTE_FORCE)
        if self.formulation not in names:
            raise unknown_name(self.formulation, names, "formulation")
        Settings(self.solver, self.threads, self.seed)
        Limits(self.time_limit, self.memory_limit)
        if self.model is not None:
            check_match(self.solver, self.model, self.problem)
        _ = self.checks

    @property
    def closes(self) -> bool:
        """Whether the problem's own bounds and searches are to close the instance, before any model is built.

        Naming another solver, or setting options of a solver, asks for that solver instead.
        """
        own = self.problem.part("exact").search is not None
        return own and (self.formulation, self.solver, not self.solver_options) == (AUTO, HIGHS, True)

    @property
    def model(self) -> Formulation | None:
        """The formulation to hand to a solver; None for brute force."""
        if self.formulation == BRUTE_FORCE:
            return None
        if self.formulation == AUTO:
            return default_formulation(self.problem, family_of(self.solver))
        return find_formulation(self.formulation, self.problem)

    @cached_property
    def checks(self) -> tuple[tuple[str, Formulation], ...]:
        """Solver and formulation of each second opinion; the first solver's unless named, if the second takes it."""
        parsed = []
        for text in self.check:
            solver, colon, name = text.partition(":")
            family = Settings(solver).family
            if colon:
                formulation = find_formulation(name, self.problem)
                check_match(solver, formulation, self.problem)
            elif self.model is not None and self.model.family == family:
                formulation = self.model
            else:
                formulation = default_formulation(self.problem, family)
            parsed.append((solver, formulation))
        return tuple(parsed)
