"""What policies are compared with: REF under the clock of a comparison."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heuristics.fair.certificate import verify_reference
from heuristics.fair.ref import METHOD, reference
from oas.core.errors import InputError, TooLargeError, VerificationError
from oas.problems.fair.stream_rules import ticks_violations
from oas.studies.fair.alarm import TimeUp

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heuristics.fair.ref import ReferenceRun
    from oas.core.violation import Violation
    from oas.problems.fair.ticks import FairTicks
    from oas.studies.fair.case import Case
    from oas.studies.fair.running import Runs, Trial

REF = METHOD.name
POINTS = 240  # of the ledger: how many steps to the horizon
STARTS = 2e7  # that REF makes in a second at most, in all coalitions together, on a fast machine


@dataclass(frozen=True, eq=False)
class Reference:
    """REF's run.

    Attributes
    ----------
    run
        What it found: φ and ψ at the horizon, and at the ledger's moments.
    trial
        Its schedule, verified, with its figures.
    """

    run: ReferenceRun
    trial: Trial

    @property
    def moments(self) -> NDArray[np.int64]:
        """The ledger's moments: ascending, the horizon last."""
        return np.array(self.run.moments, dtype=np.int64)

    @property
    def contributions(self) -> NDArray[Any]:
        """φ at each of these: Fractions, a row for each organization, a column for each moment."""
        return np.array(self.run.contributions_at, dtype=object).T


def reference_of(case: Case, runs: Runs) -> tuple[Reference | None, str]:
    """Run REF, unless it is too large or takes too long; return it, or why there is none.

    Raises
    ------
    VerificationError
        If its schedule breaks a rule.
    """
    if runs.interrupted:
        return None, "interrupted"
    starts = 2 ** (case.ticks.organization_count - 1) * case.ticks.job_count
    limit = runs.remaining
    if limit is not None and starts > limit * STARTS:
        return None, f"its {starts:.1e} starts in all coalitions take more than the {limit:.0f} s that are left"
    began = time.monotonic()

    def report(now: int) -> None:
        runs.report(REF, now / case.ticks.horizon)
        if runs.remaining == 0:
            raise TimeUp

    runs.report(REF)
    try:
        found = reference(case.ticks, ledger_moments(case.ticks), on_progress=report)
    except (InputError, TooLargeError) as error:
        return None, str(error)
    except TimeUp:
        return None, f"it did not end in the {limit:.0f} s that were left"
    except KeyboardInterrupt:
        runs.interrupted = True
        return None, "interrupted"
    seconds = time.monotonic() - began
    violations = tuple(ticks_violations(case.ticks, found.starts))
    if violations:
        raise VerificationError("REF's schedule breaks rules", violations)
    return Reference(found, runs.measured(found.starts, seconds)), ""


def check_again(case: Case, found: Reference, runs: Runs) -> tuple[Violation, ...] | None:
    """Return what a second algorithm finds wrong with REF's run; None if it did not end in time, which `runs` notes."""
    again = f"{REF} again"

    def report(now: int) -> None:
        runs.report(again, now / case.ticks.horizon)
        if runs.remaining == 0:
            raise TimeUp

    try:
        return tuple(verify_reference(case.ticks, found.run.starts, found.run.certificate, on_progress=report))
    except TimeUp:
        runs.left.append(again)
    except KeyboardInterrupt:
        runs.interrupted = True
        runs.left.append(again)
    return None


def ledger_moments(ticks: FairTicks) -> list[int]:
    """Return the moments of the ledger, spread evenly from 0 to the horizon."""
    steps = min(POINTS, ticks.horizon)
    return [ticks.horizon * step // steps for step in range(steps + 1)]
