"""The certificate of a bound by cluster sets, and its re-check in integers.

The certificate is ``{"makespan": C, "weights": [w, …], "steps": s, "mirrored": false}``, C in ticks, w of each job. Let
no set of jobs that a cluster can run by C, each before its deadline, weigh more than W_k: then all jobs of a schedule
that ends by C weigh at most Σ_k W_k, so if they weigh more there is none. It is the dual of Dantzig and Wolfe's
decomposition by cluster: cover all jobs by sets, one for each cluster.

W_k is found here again, by exhaustive search over sets below knapsack bounds, each set packed by a search in order of
time of at most s steps, and one by windows of starts and orders of pairs (`windows`) of at most s / 20 nodes. A set not
decided by then counts as one that can run. Deadlines, and what mirrored means, are those of the two-dimensional bound;
reservations are left out.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from oas.bounds.budget import CALL, LINE, Budget
from oas.bounds.mosp.chains import chain_steps
from oas.bounds.mosp.cluster_sets.pricing import KNAPSACKS, MAX_CAPACITY, MAX_JOBS, MAX_WEIGHT, Pricing
from oas.bounds.mosp.configurations.certificate import job_weights
from oas.bounds.mosp.two_dimensional.certificate import Scales
from oas.bounds.reading import fields_of, flag_of, integer_of
from oas.core.errors import InputError, TooLargeError
from oas.problems.mosp.ticks import MAX_TICKS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.problems.mosp.instance import MospInstance

MAX_STEPS = 5_000
# Steps of the searches for all W_k, some three seconds; the search for the bound keeps far below.
MAX_EFFORT = 40_000_000
FUNCTIONS = 33  # tried in each dimension


def value(instance: MospInstance, certificate: Mapping[str, object]) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing.

    Raises
    ------
    InputError
        If the certificate is malformed, or the instance too large for one.
    """
    fields = fields_of(certificate, "certificate", "makespan", "weights", "steps", "mirrored")
    makespan = integer_of(fields["makespan"], "certificate.makespan", MAX_TICKS - 1)
    steps = integer_of(fields["steps"], "certificate.steps", MAX_STEPS, least=1)
    mirrored = flag_of(fields["mirrored"], "certificate.mirrored")
    weights = job_weights(fields["weights"], len(instance.jobs), "certificate.weights")
    if max(weights) > MAX_WEIGHT:
        raise InputError(f"must be at most {MAX_WEIGHT}", field="certificate.weights")
    scales = Scales(instance.scaled(), makespan, mirrored)
    Budget().spend(pricing_steps(scales), "certificate.makespan")
    try:
        refuted = refutes(scales, weights, steps)
    except TooLargeError as error:
        raise InputError(str(error), field="certificate") from error
    return instance.scaled().to_time(makespan + 1) if refuted else Fraction(0)


def pricing_steps(scales: Scales) -> int:
    """Return what making a `Pricing` of each size of clusters costs at most, in steps of a `Budget`."""
    count, times, deadlines = scales.scaled.job_count, scales.scaled.times, scales.deadlines
    if count > MAX_JOBS:
        return 0  # `Pricing` refuses them
    chains = chain_steps([1] * count, times, deadlines)
    own = sum(chains + count * (2 * (size + 1) + CALL) for size in scales.sizes)
    knapsacks = count * (FUNCTIONS**2 * LINE + KNAPSACKS * MAX_CAPACITY)
    return FUNCTIONS * own + len(scales.sizes) * knapsacks


def refutes(scales: Scales, weights: list[int], steps: int) -> bool:
    """Whether the weights prove that no schedule ends by the makespan of `scales`."""
    left = sum(weights) - 1  # what all clusters may hold for the weights to be a proof
    *smaller, largest = scales.sizes
    effort = MAX_EFFORT
    for size in smaller:
        found = Pricing(scales, size, steps).heaviest(weights, 0, effort)
        if not found.complete:
            return False
        left -= found.weight * scales.scaled.processors.count(size)
        effort = found.left
    if left < 0:
        return False
    floor = left // scales.scaled.processors.count(largest)
    found = Pricing(scales, largest, steps).heaviest(weights, floor, effort)
    return found.complete and found.weight == floor
