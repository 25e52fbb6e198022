"""The certificate of a bound by partitions, and its re-check in integers.

The certificate is ``{"makespan": C, "weights": [[w, …], …], "steps": s, "mirrored": false}``, C in ticks, and for each
of some measures w of each job. The re-check shares the jobs out among the clusters again, by the same exhaustive search
(`kernels.search`). The weights only make it shorter: let no set of jobs that cluster k can run by C weigh more than
W_k, found by exhaustive search too. Then the clusters leave Σ_k W_k less the weight of all jobs unused, and no cluster
more than that. A set is packed by searches of at most s steps as in cluster sets, or of a million where all jobs are
shared out; where it is not decided by then, nothing is concluded from it.

Deadlines, and what mirrored means, are those of the two-dimensional bound; reservations are left out.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from oas.bounds.budget import Budget
from oas.bounds.mosp.cluster_sets.certificate import MAX_STEPS, pricing_steps
from oas.bounds.mosp.configurations.certificate import job_weights
from oas.bounds.mosp.partitions.kernels import REFUTED
from oas.bounds.mosp.partitions.sharing import MAX_WEIGHT, Sharing
from oas.bounds.mosp.two_dimensional.certificate import Scales
from oas.bounds.reading import fields_of, flag_of, integer_of, list_of
from oas.core.errors import InputError, TooLargeError
from oas.problems.mosp.ticks import MAX_TICKS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.problems.mosp.instance import MospInstance

MAX_MEASURES = 3
# Steps of the search, some five seconds, and of those for all W_k by one measure.
MAX_EFFORT, WEIGHT_EFFORT = 64_000_000, 5_000_000


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
    rows = list_of(fields["weights"], "certificate.weights")
    if len(rows) > MAX_MEASURES:
        raise InputError(f"must be a list of at most {MAX_MEASURES} lists", field="certificate.weights")
    count = len(instance.jobs)
    weights = [job_weights(row, count, f"certificate.weights[{index}]") for index, row in enumerate(rows)]
    if any(max(row) > MAX_WEIGHT for row in weights):
        raise InputError(f"must be at most {MAX_WEIGHT}", field="certificate.weights")
    scales = Scales(instance.scaled(), makespan, mirrored)
    Budget().spend(pricing_steps(scales), "certificate.makespan")
    try:
        sharing = Sharing(scales, steps, weights, WEIGHT_EFFORT)
    except TooLargeError as error:
        raise InputError(str(error), field="certificate") from error
    refuted = sharing.search(MAX_EFFORT).status == REFUTED
    return instance.scaled().to_time(makespan + 1) if refuted else Fraction(0)
