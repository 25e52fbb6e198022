"""The ledger of fair sharing: what each organization is owed at every moment, φ − ψ, under each policy."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.core.errors import InputError
from oas.problems.fair.utilities import strategy_proof_over_time

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from oas.studies.fair.fairness import Fairness, PolicyFairness

MOST_PANELS = 4


@dataclass(frozen=True, eq=False)
class Ledger:
    """What organizations are owed over time.

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
    """Return what organizations are owed at moments that are spread evenly from 0 to the horizon.

    The contributions φ are those under REF, in each policy's ledger: what the policy takes from one organization and
    gives to another shows there alone. Divided by p_tot, the distances of two ledgers add up to Δψ/p_tot at the end.

    Parameters
    ----------
    fairness
        With REF.
    policies
        Names of its rows, beside REF; None for at most four: REF, each RAND, and of the others the fairest and the
        least fair.

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
