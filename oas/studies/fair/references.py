"""The reference REF within the time limit of a comparison, and the ledger of the amounts owed to organizations."""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from heuristics.fair.certificate import verify_reference
from heuristics.fair.ref import METHOD, reference
from oas.core.errors import InputError, TooLargeError, VerificationError
from oas.problems.fair.stream_rules import ticks_violations
from oas.problems.fair.utilities import strategy_proof_over_time
from oas.studies.fair.running import TimeUp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from heuristics.fair.ref import ReferenceRun
    from oas.core.verifier import Violation
    from oas.studies.fair.fairness import Fairness, PolicyFairness
    from oas.studies.fair.running import Case, Runs, Trial

REF = METHOD.name
POINTS = 240  # of the ledger: how many steps to the horizon
STARTS = 2e7  # that REF makes in a second at most, in all coalitions together, on a fast machine


@dataclass(frozen=True, eq=False)
class Reference:
    """REF's run."""

    run: ReferenceRun  # its results: φ and ψ at the horizon, and at the ledger's moments
    trial: Trial  # its schedule, verified, with its figures

    @property
    def moments(self) -> NDArray[np.int64]:
        """The ledger's moments: ascending, the horizon last."""
        return np.array(self.run.moments, dtype=np.int64)

    @property
    def contributions(self) -> NDArray[Any]:
        """φ at each of these: Fractions, a row for each organization, a column for each moment."""
        return np.array(self.run.contributions_at, dtype=object).T


def reference_of(case: Case, runs: Runs) -> tuple[Reference | None, str]:
    """Run REF, unless it is too large or takes too long; return it, or why there is none."""
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
        found = reference(case.ticks, moments, on_progress=runs.reporter(REF))
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
    """Return the faults of the run of REF found by a second algorithm; None, noted in `runs`, if time was up."""
    again = f"{REF} again"
    report, run = runs.reporter(again), found.run
    try:
        return tuple(verify_reference(case.ticks, run.starts, run.certificate, on_progress=report))
    except TimeUp:
        runs.left_out.append(again)
    except KeyboardInterrupt:
        runs.interrupted = True
        runs.left_out.append(again)
    return None


MOST_PANELS = 4


@dataclass(frozen=True, eq=False)
class Ledger:
    """Amounts owed to organizations over time.

    Attributes
    ----------
    moments
        Ascending, in ticks: int64.
    owed
        By policy an array of a layer for each run, a row for each organization, a column for each moment: φ under REF
        less ψ, divided by the work p_tot that REF has done at the horizon, in ticks: floats.
    names
        Of the organizations.
    """

    moments: NDArray[np.int64]
    owed: Mapping[str, NDArray[Any]]
    names: tuple[str, ...]


def ledger(fairness: Fairness, policies: Sequence[str] | None = None) -> Ledger:
    """Return the amounts owed to organizations at moments spread evenly from 0 to the horizon.

    The contributions φ are those under REF, in each policy's ledger: what the policy takes from one organization and
    gives to another shows there alone. Divided by p_tot, the distances of two ledgers add up to Δψ/p_tot at the end.

    Parameters
    ----------
    fairness
        With REF.
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
    named = {} if policies is None else {row.policy: row for row in map(fairness.row, [fairness.base, *policies])}
    rows = _telling(fairness) if policies is None else list(named.values())
    return Ledger(moments, {row.policy: _owed(fairness, row, moments, due) for row in rows}, fairness.case.names)


def _owed(fairness: Fairness, row: PolicyFairness, moments: NDArray[np.int64], due: NDArray[Any]) -> NDArray[Any]:
    layers = []
    for trial in row.trials:
        if trial.starts is None:
            raise InputError(f"{row.policy} made no schedule: {trial.note}", field="ledger")
        got = strategy_proof_over_time(fairness.case.ticks, trial.starts, moments)
        layers.append(((due - got) / Fraction(fairness.work)).astype(float))
    return np.array(layers)


def _telling(fairness: Fairness) -> list[PolicyFairness]:
    """Return the rows whose ledgers tell most."""
    sound = [row for row in fairness.rows if row.sound]
    first = [row for row in sound if row.policy == fairness.base or row.policy in fairness.sampled]
    others = sorted((row for row in sound if row not in first), key=_unfairness)
    return [*first[: MOST_PANELS - 2], *others[:1], *others[1:][-1:]]


def _unfairness(row: PolicyFairness) -> Fraction:
    found = row.unfairness
    assert found is not None  # REF ran, and the row is sound
    return found.value
