"""The reference REF within the time limit of a comparison, and the ledger of the amounts owed to organizations."""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.core.errors import InputError, TooLargeError, VerificationError
from oas.fair.search.certificate import verify_reference
from oas.fair.search.reference import REF, reference
from oas.fair.stream_rules import ticks_violations
from oas.fair.studies.running import TimeUp
from oas.fair.utilities import strategy_proof_over_time

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from oas.core.verifier import Violation
    from oas.fair.search.reference import ReferenceRun
    from oas.fair.studies.fairness import Fairness
    from oas.fair.studies.running import Case, Runs, Trial

POINTS = 240  # number of steps of the ledger
STARTS = 2e7  # maximum number of starts per second of REF, in all coalitions together, on a fast machine


@dataclass(frozen=True, eq=False)
class Reference:
    """The run of REF."""

    run: ReferenceRun  # φ and ψ at the horizon and at the moments of the ledger
    trial: Trial  # the verified schedule with its figures

    @property
    def moments(self) -> NDArray[np.int64]:
        """The moments of the ledger: ascending, the horizon last."""
        return np.array(self.run.moments, dtype=np.int64)

    @property
    def contributions(self) -> NDArray[Any]:
        """φ at these moments: Fractions, one row per organization, one column per moment."""
        return np.array(self.run.contributions_at, dtype=object).T


def reference_of(case: Case, runs: Runs) -> tuple[Reference | None, str]:
    """Run REF unless it is too large or takes too long; return it, or None with the reason."""
    if runs.interrupted:
        return None, "interrupted"
    starts = 2 ** (case.ticks.organization_count - 1) * case.ticks.job_count
    limit = runs.left
    if limit is not None and starts > limit * STARTS:
        return None, f"its {starts:.1e} starts in all coalitions take more than the {limit:.0f} s that are left"
    horizon, steps = case.ticks.horizon, min(POINTS, case.ticks.horizon)
    moments = [horizon * step // steps for step in range(steps + 1)]
    began = time.monotonic()
    runs.report(REF)
    try:
        run = reference(case.ticks, moments, on_progress=runs.reporter(REF))
    except (InputError, TooLargeError) as error:
        return None, str(error)
    except TimeUp:
        return None, f"it did not end in the {limit:.0f} s that were left"
    except KeyboardInterrupt:
        runs.interrupted = True
        return None, "interrupted"
    seconds = time.monotonic() - began
    violations = tuple(ticks_violations(case.ticks, run.starts))
    if violations:
        raise VerificationError("REF's schedule breaks rules", violations)
    return Reference(run, runs.measured(run.starts, seconds)), ""


def check_again(case: Case, first_run: Reference, runs: Runs) -> tuple[Violation, ...] | None:
    """Return the faults of the run of REF found by a second algorithm; None, noted in `runs`, if time was up."""
    stage = f"{REF} again"
    report, run = runs.reporter(stage), first_run.run
    try:
        return tuple(verify_reference(case.ticks, run.starts, run.certificate, on_progress=report))
    except TimeUp:
        runs.left_out.append(stage)
    except KeyboardInterrupt:
        runs.interrupted = True
        runs.left_out.append(stage)
    return None


@dataclass(frozen=True, eq=False)
class Ledger:
    """Amounts owed to organizations over time."""

    moments: NDArray[np.int64]  #: ascending, in ticks: int64
    #: by policy, an array of floats with one layer per run, one row per organization and one column per moment: φ under
    #: REF minus ψ, divided by the work p_tot that REF has completed at the horizon; in ticks
    owed: Mapping[str, NDArray[Any]]
    names: tuple[str, ...]  #: names of the organizations


def ledger(fairness: Fairness, policies: Sequence[str] | None = None) -> Ledger:
    """Return the amounts owed to organizations at moments spread evenly from 0 to the horizon.

    The ledger of each policy uses the contributions φ under REF, so ledgers of policies differ only by the utilities.
    Amounts are divided by p_tot, so the distances of two ledgers at the horizon add up to Δψ/p_tot.

    Parameters
    ----------
    fairness
        A comparison with REF.
    policies
        Names of its rows other than REF; None for at most four: REF, each RAND, and the fairest and the least fair of
        the others.

    Raises
    ------
    InputError
        If REF did not run, or a policy made no schedule.
    """
    if fairness.reference is None:
        raise InputError(f"there is none without REF, which did not run: {fairness.refused}", field="ledger")
    moments, due = fairness.reference.moments, fairness.reference.contributions
    names = _default_policies(fairness) if policies is None else [fairness.base, *policies]
    owed = {}
    for row in map(fairness.row, names):
        layers = []
        for trial in row.trials:
            if trial.starts is None:
                raise InputError(f"{row.policy} made no schedule: {trial.note}", field="ledger")
            utilities = strategy_proof_over_time(fairness.case.ticks, trial.starts, moments)
            layers.append(((due - utilities) / Fraction(fairness.work)).astype(float))
        owed[row.policy] = np.array(layers)
    return Ledger(moments, owed, fairness.case.names)


def _default_policies(fairness: Fairness) -> list[str]:
    """Return at most four policies: REF, RAND, and the fairest and the least fair of the others."""
    first, others = [], []
    for row in fairness.rows:
        if row.sound and (row.policy == fairness.base or row.policy in fairness.sampled):
            first.append(row.policy)
        elif row.sound and row.unfairness is not None:
            others.append((row.unfairness.value, row.policy))
    others.sort(key=itemgetter(0))
    return [*first[:2], *(policy for _, policy in (*others[:1], *others[1:][-1:]))]
