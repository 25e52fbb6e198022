"""The options of a solve, checked before any work."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypedDict

from oas.core.errors import InputError
from oas.core.names import unknown_name
from oas.core.numbers import exact
from oas.models.registry import check_match, default_formulation, find_formulation, formulations
from oas.solvers.task import CPSAT, MIP, Limits, Settings, family_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from fractions import Fraction

    from oas.core.numbers import Exact
    from oas.core.problem import Problem
    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.exact.progress import SolveProgress
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
    gap: Exact | float
    threads: int
    solver_options: Mapping[str, object] | None


class SolveOptions(SolverOptions, total=False):
    """The same for a study that passes on seed, start and progress too."""

    seed: int
    start: Schedule | Result | None
    on_progress: Callable[[SolveProgress], None] | None


def gap_of(value: Exact | float) -> Fraction:
    """Return a gap as a ratio: ``0.01`` and ``"1%"`` are one per cent. It is no time, so a float is as good as text.

    Raises
    ------
    InputError
        If it is no number of at least 0.
    """
    text = value.strip() if isinstance(value, str) else str(value)
    try:
        found = exact(text.removesuffix("%").strip(), "gap") / (100 if text.endswith("%") else 1)
    except InputError as error:
        raise InputError("must be a ratio such as 0.01, or 1%", field="gap", value=value) from error
    if found < 0:
        raise InputError("must be at least 0", field="gap", value=value)
    return found


def check_names(options: Mapping[str, object]) -> None:
    """Refuse options that `oas.solve` does not have: before a study's long work, not after it."""
    known = (*SolverOptions.__annotations__, *SolveOptions.__annotations__)
    for name in options:
        if name not in known:
            raise unknown_name(name, dict.fromkeys(known), name, reason="no such option")


@dataclass(frozen=True)
class Options:
    """The options of a solve; the fields are the parameters of `oas.exact.pipeline.solve`, and the problem."""

    solver: str = AUTO
    formulation: str = AUTO
    check: tuple[str, ...] = ()
    time_limit: float | None = None
    memory_limit: int | None = None
    gap: Fraction | int = 0
    threads: int = 1
    seed: int = 0
    solver_options: Mapping[str, object] = field(default_factory=dict, hash=False)
    problem: Problem = field(kw_only=True)

    def __post_init__(self) -> None:
        names = (AUTO, *formulations(self.problem), BRUTE_FORCE)
        if self.formulation not in names:
            raise unknown_name(self.formulation, names, "formulation")
        Settings(self.model_solver, self.threads, self.seed)
        Limits(self.time_limit, self.memory_limit)
        if self.model is not None:
            check_match(self.model_solver, self.model, self.problem)
        self._check_use()
        _ = self.checks

    def _check_use(self) -> None:
        """Refuse an option that nothing would see."""
        if self.gap and not self.closes:
            raise InputError(
                f"only the search of solver {AUTO} stops at a gap; give a named solver its own option for that",
                field="gap",
                value=str(self.gap),
            )
        if not self.closes and self.model is not None:
            return
        who = "enumeration" if self.model is None else f"the search of solver {AUTO}"
        if self.threads > 1:
            raise InputError(f"{who} runs in one; name a solver that has several", field="threads", value=self.threads)
        if self.solver_options:
            name = next(iter(self.solver_options))
            raise InputError(f"{who} takes none; name the solver that has it", field="solver_options", value=name)

    @property
    def closes(self) -> bool:
        """Whether the problem's own bounds and searches are to close the instance, before any model is built.

        Naming a solver or a formulation asks for a model instead.
        """
        own = self.problem.part("exact").search is not None
        return own and (self.formulation, self.solver) == (AUTO, AUTO)

    @property
    def model_solver(self) -> str:
        """The solver of the model; ``auto`` is CP-SAT for its formulations, HiGHS for all others."""
        if self.solver != AUTO:
            return self.solver
        named = self.formulation not in (AUTO, BRUTE_FORCE)
        family = find_formulation(self.formulation, self.problem).family if named else MIP
        return CPSAT if family == CPSAT else HIGHS

    @property
    def model(self) -> Formulation | None:
        """The formulation to hand to a solver; None for brute force."""
        if self.formulation == BRUTE_FORCE:
            return None
        if self.formulation == AUTO:
            return default_formulation(self.problem, family_of(self.model_solver))
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
