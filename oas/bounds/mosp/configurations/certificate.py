"""The certificate of a configuration bound of MOSP, and its re-check in integers.

The certificate is a weight for each job, ``{"weights": [w, …]}``. No jobs that fit on c processors together weigh more
than a knapsack of capacity c, solved here by dynamic programming; so no cluster works off more than that at a moment
at which it has c processors free. The jobs released from any moment r on have p·w each to be worked off from r on:
without releases and reservations the makespan is at least Σ_j p_j·w_j / Σ_k M_k, M_k the knapsack of cluster k.

Of all weights the best give the value of the configuration program (Gilmore and Gomory's, with time for number of
bins): sets of jobs that fit together, x_S long each, Σ_{S ∋ j} x_S ≥ p_j, at most C of them for each cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds.budget import Budget
from oas.bounds.mosp.knapsack import heaviest_by_capacity, knapsack_steps
from oas.bounds.mosp.volume import Volumes
from oas.bounds.reading import fields_of
from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from oas.problems.mosp.instance import MospInstance

MAX_WEIGHT = 2**100


def value(instance: MospInstance, certificate: Mapping[str, object]) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`.

    Raises
    ------
    InputError
        If the certificate is malformed, or takes too long to check.
    """
    fields = fields_of(certificate, "certificate", "weights")
    weights = job_weights(fields["weights"], len(instance.jobs), "certificate.weights")
    volumes, widths = Volumes(instance), instance.scaled().widths
    Budget().spend(knapsack_steps(weights, widths, volumes.largest), "certificate.weights")
    return proven(volumes, widths, weights)


def proven(volumes: Volumes, widths: Sequence[int], weights: Sequence[int]) -> Fraction:
    """Return what weights of the jobs prove, in the time unit of the instance."""
    most = heaviest_by_capacity(weights, widths, volumes.largest)
    return volumes.weighed(weights, most.__getitem__)


def job_weights(value: object, count: int, field: str) -> list[int]:
    """Return one integer weight for each of `count` jobs.

    Raises
    ------
    InputError
        If `value` is anything else.
    """
    if not isinstance(value, list | tuple) or len(value) != count:
        raise InputError(f"must be a list of {count} entries", field=field)
    for index, weight in enumerate(value):
        if type(weight) is not int or not 0 <= weight <= MAX_WEIGHT:
            raise InputError("must be an integer of at least 0 within its range", field=f"{field}[{index}]")
    return list(value)
