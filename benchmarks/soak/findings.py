"""Findings of a check for a participant (model and solver, heuristic, bound, checker), and the participants."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from oas.core.errors import LongTimesError, TooLargeError
from oas.core.result import Termination
from oas.solvers.discovery import installed
from oas.solvers.task import MIP, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from oas.solving.formulation import Formulation

AGREED, MISMATCH, TOO_LARGE, TIME_LIMIT = "agreed", "mismatch", "too large", "time limit"
TOLERANCE, FAULT = "within tolerances", "solver's fault"
SECONDS, SEARCH_SECONDS = 20.0, 10.0
EVERY = 20
ATTEMPTS = 3
DIED = (f"{Termination.CRASHED.value}: ", f"{Termination.KILLED.value}: ")
Item = TypeVar("Item")
HIGHS = tuple(Settings("highs", seed=seed, options={"presolve": one}) for one in ("on", "off") for seed in (0, 1, 2))
MIP_RUNS = (*HIGHS, Settings("cbc"))
Run = tuple[str, Settings]
"""A formulation's name, and the solver that runs it."""


@dataclass(frozen=True)
class Finding:
    """The finding on one participant and one instance."""

    participant: str  # A formulation by a solver, the pipeline, a heuristic, a bound, a checker, a theorem
    # One of the texts above; ``within tolerances``: a solver in floating point leaves the instance open, and claims
    # nothing false; ``solver's fault``: its solution is wrong and was rejected. Other texts are counted in the report
    verdict: str
    detail: str = ""  # how it disagrees
    value: float | None = None  # a ratio or seconds; the report shows the mean and the greatest


@dataclass(frozen=True)
class Asked:
    """The participants of one instance."""

    number: int  # of the instance; seed of random choices
    full: bool = False  # whether all runs of solvers take part; otherwise a random one
    # seconds, search_seconds: time limits, of each run of a solver, and of each solve and search
    seconds: float = SECONDS
    search_seconds: float = SEARCH_SECONDS
    without: tuple[str, ...] = ()  # participants with one of these texts in their names do not take part
    # Filled with the kind of proof of each result that the checkers examine
    proofs: dict[str, str] = field(default_factory=dict)

    def wants(self, participant: str) -> bool:
        """Whether this participant takes part."""
        return not any(text in participant for text in self.without)

    def runs(self, every: Sequence[Run]) -> list[Run]:
        """Return the participating runs: all, or one, drawn as a formulation with a solver and then settings."""
        every = [one for one in every if self.wants(run_name(*one))]
        if self.full or not every:
            return every
        pairs = sorted({(formulation, settings.solver) for formulation, settings in every})
        chosen = self.rng("run").choice(pairs)
        return [self.rng("settings").choice([one for one in every if (one[0], one[1].solver) == chosen])]

    def one_of(self, items: Sequence[Item], what: str) -> list[Item]:
        """Return all, or a random one, which is the same for the same instance and `what`."""
        return list(items) if self.full or not items else [self.rng(what).choice(items)]

    def rng(self, what: str) -> Random:
        """Return a random generator for this instance and purpose."""
        return Random(f"{what} {self.number}")


def finding(participant: str, fault: str, value: float | None = None) -> Finding:
    """Return a mismatch if there is a fault, otherwise agreement."""
    return Finding(participant, MISMATCH if fault else AGREED, fault, value)


def run_name(formulation: str, settings: Settings) -> str:
    """Return the participant's name: formulation, solver, and its settings other than the default."""
    own = [f"{name} {value}" for name, value in settings.options.items()]
    return ", ".join([f"{formulation}/{settings.solver}", *own, *([f"seed {settings.seed}"] if settings.seed else [])])


@cache
def solvers() -> frozenset[str]:
    """Return the names of the solvers that are installed."""
    return frozenset(one.name for one in installed() if one.usable)


def runs_of(formulations: Iterable[Formulation]) -> list[Run]:
    """Return every run of every formulation by the installed solvers of its family."""
    return [
        (one.name, settings)
        for one in formulations
        for settings in (MIP_RUNS if one.family == MIP else (Settings(one.family),))
        if settings.solver in solvers()
    ]


def raise_if_interrupted(termination: Termination) -> None:
    """Raise KeyboardInterrupt if Ctrl-C has ended a participant, because that is no finding."""
    if termination is Termination.INTERRUPTED:
        raise KeyboardInterrupt


def trial(participant: str, call: Callable[[], str | Finding], *passed: type[Exception]) -> Finding:
    """Return the finding on a participant: an exception is a mismatch, unless the instance is too large for it.

    `call` returns a finding, or the fault as a text, empty if there is none. Errors that are `passed` are passed on.
    """
    try:
        found = call()
    except passed:
        raise
    except (TooLargeError, LongTimesError) as error:
        return Finding(participant, TOO_LARGE, str(error))
    except Exception as error:
        return Finding(participant, MISMATCH, f"raises {type(error).__name__}: {error}")
    return found if isinstance(found, Finding) else finding(participant, found)


def examined(examine: Callable[[Any, Asked], Iterator[Finding]], instance: Any, asked: Asked) -> list[Finding]:
    """Return the findings; an exception of the soak test itself is recorded as one, so that a long run continues."""
    findings = []
    try:
        for one in examine(instance, asked):
            findings.append(one)
    except Exception as error:
        findings.append(Finding("the soak itself", MISMATCH, f"raises {type(error).__name__}: {error}"))
    return findings


def attempts(participant: str, call: Callable[[], Finding]) -> Iterator[Finding]:
    """Yield the findings on a run of a solver; a run that crashed or was killed is counted and repeated.

    A crashed solver makes no false claim, so it is called again, as `oas.solve` does for a second opinion.
    """
    for left in reversed(range(ATTEMPTS)):
        found = trial(participant, call)
        if not (left and found.verdict == MISMATCH and found.detail.startswith(DIED)):
            yield found
            return
        yield Finding(f"died and was asked again: {participant}", AGREED, found.detail)
