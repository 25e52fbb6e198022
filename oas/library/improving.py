"""Improve a library by solving: keep what `oas.solve` adds to an entry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oas.core.result import Termination
from oas.exact.pipeline import solve
from oas.library.merging import NoGainError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oas.exact.progress import SolveProgress
    from oas.io.library_index import Entry, Gain
    from oas.io.logs.swf import SwfLog
    from oas.library.store import Library


@dataclass(frozen=True)
class Improvement:
    """The outcome of solving an entry.

    Attributes
    ----------
    entry
        As it is now.
    gains
        What got better; empty for nothing.
    refuted
        Claims that turned out wrong, in words.
    interrupted
        Whether the solve was broken off by Ctrl-C.
    """

    entry: Entry
    gains: tuple[Gain, ...]
    refuted: tuple[str, ...]
    interrupted: bool


def improve(
    library: Library,
    name: str,
    *,
    by: str,
    time_limit: float | None = None,
    seed: int = 0,
    memory_limit: int | None = None,
    repair: bool = False,
    logs: Mapping[str, SwfLog] | None = None,
    on_progress: Callable[[SolveProgress], None] | None = None,
) -> Improvement:
    """Solve an entry's instance and take what the result adds; a solver's claim is taken as what it is.

    Parameters
    ----------
    by
        Who is responsible for the result.
    time_limit, seed, memory_limit, on_progress
        For `oas.solve`.
    repair
        As for `Library.update`.
    logs
        Job logs by their checksums, for slices.

    Raises
    ------
    InputError, VerificationError
        As `Library.update`, but a result that adds nothing is no error.
    """
    result = solve(
        library.instance(name, logs),
        on_interrupt="return",
        time_limit=time_limit,
        seed=seed,
        memory_limit=memory_limit,
        on_progress=on_progress,
    )
    interrupted = result.termination is Termination.INTERRUPTED
    try:
        entry, refuted = library.update(name, result, by=by, accept_claims=True, repair=repair, logs=logs)
    except NoGainError:
        return Improvement(library[name], (), (), interrupted)
    words = tuple(f"{one.solver} on {one.formulation}: {one.bound}" for one in refuted)
    return Improvement(entry, tuple(entry.records[-1].gains), words, interrupted)
