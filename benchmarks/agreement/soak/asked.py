"""Who is asked of an instance: everyone who answers at once, and one run of a solver or every one."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, TypeVar

from benchmarks.agreement.participants import AGREED, MISMATCH, TOO_LARGE, ParticipantFinding, run_name
from oas.core.errors import LongTimesError, TooLargeError
from oas.core.result import Termination
from oas.solvers.task import MIP, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from oas.models.formulation import Formulation

SECONDS, SEARCH_SECONDS = 20.0, 10.0
EVERY = 20
ATTEMPTS = 3
DIED = (f"{Termination.CRASHED.value}: ", f"{Termination.KILLED.value}: ")
Item = TypeVar("Item")
SEEDS = (0, 1, 2)
HIGHS = tuple(Settings("highs", seed=seed, options={"presolve": one}) for one in ("on", "off") for seed in SEEDS)
"""HiGHS with presolve and without, from three seeds."""
MIP_RUNS = (*HIGHS, Settings("cbc"))
CPSAT_RUNS = (Settings("cpsat"),)
Run = tuple[str, Settings]
"""A formulation's name, and the solver that runs it."""


@dataclass(frozen=True)
class Asked:
    """Who is asked.

    Attributes
    ----------
    number
        Of the instance: what is drawn by lot is drawn from it.
    full
        Whether every run of a solver is asked for, not one alone.
    only
        The one participant that is asked; None for no such limit.
    seconds, search_seconds
        Limits: for each run of a solver, and for each solve and each search.
    without
        Texts: participants in whose names one occurs are not asked.
    """

    number: int
    full: bool = False
    only: str | None = None
    seconds: float = SECONDS
    search_seconds: float = SEARCH_SECONDS
    without: tuple[str, ...] = ()

    def wants(self, participant: str) -> bool:
        """Whether this participant is asked."""
        return self.only in (None, participant) and not any(text in participant for text in self.without)

    def wants_of(self, source: str) -> bool:
        """Whether this participant is asked, or a checker of its result."""
        return self.wants(source) or (self.only is not None and f"{source}: " in self.only)

    def runs(self, every: Sequence[Run]) -> list[Run]:
        """Return the runs that are asked for: all, or one, of which solver and formulation are drawn first."""
        every = [one for one in every if self.wants(run_name(*one))]
        if self.full or self.only is not None or not every:
            return every
        pairs = sorted({(formulation, settings.solver) for formulation, settings in every})
        chosen = self.rng("run").choice(pairs)
        return [self.rng("settings").choice([one for one in every if (one[0], one[1].solver) == chosen])]

    def one_of(self, items: Sequence[Item], what: str) -> list[Item]:
        """Return all, or one by lot, the same for the same instance and `what`."""
        every = self.full or self.only is not None or not items
        return list(items) if every else [self.rng(what).choice(items)]

    def rng(self, what: str) -> Random:
        """Return a source of lots for this instance."""
        return Random(f"{what} {self.number}")


def runs_of(formulations: Iterable[Formulation], solvers: Iterable[str]) -> list[Run]:
    """Return every run of every formulation by the solvers of its family that are named."""
    names = set(solvers)
    return [
        (one.name, settings)
        for one in formulations
        for settings in (MIP_RUNS if one.family == MIP else CPSAT_RUNS)
        if settings.solver in names
    ]


def trial(
    participant: str, call: Callable[[], str | ParticipantFinding], *passed: type[Exception]
) -> ParticipantFinding:
    """Return what a participant comes to: what it raises is a mismatch, unless the instance is too large for it.

    `call` returns a finding, or what is wrong, nothing if all is well. Errors that are `passed` are passed on.
    """
    try:
        found = call()
    except passed:
        raise
    except (TooLargeError, LongTimesError) as error:
        return ParticipantFinding(participant, TOO_LARGE, str(error))
    except Exception as error:
        return ParticipantFinding(participant, MISMATCH, f"raises {type(error).__name__}: {error}")
    if isinstance(found, ParticipantFinding):
        return found
    return ParticipantFinding(participant, MISMATCH if found else AGREED, found)


def attempts(participant: str, call: Callable[[], ParticipantFinding]) -> Iterator[ParticipantFinding]:
    """Yield what a run of a solver comes to; one that crashed or was killed is counted, and asked again.

    A solver that dies claims nothing that is false. `oas.solve` asks a second opinion again in this case, too.
    """
    for left in reversed(range(ATTEMPTS)):
        found = trial(participant, call)
        died = found.verdict == MISMATCH and found.detail.startswith(DIED)
        if not (died and left):
            yield found
            return
        yield ParticipantFinding(f"died and was asked again: {participant}", AGREED, found.detail)
