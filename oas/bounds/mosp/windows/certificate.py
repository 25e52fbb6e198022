"""The check of the certificate of a search by windows; `oas.bounds.mosp.windows` describes its format."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from oas.bounds.budget import Budget
from oas.bounds.mosp.configurations.certificate import job_weights
from oas.bounds.mosp.knapsack import knapsack_steps
from oas.bounds.mosp.windows.problem import WindowsProblem
from oas.bounds.reading import bytes_of, check_version, fields_of, integer_of, list_of
from oas.bounds.windows.tree import MAX_LOG, MAX_WEIGHTINGS, WindowsTree
from oas.core.errors import InputError, TooLargeError
from oas.problems.mosp.ticks import MAX_TICKS, coarsened

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.problems.mosp.instance import MospInstance

VERSION = 1
NAMES = ("version", "makespan", "mirrored", "weights", "log")


def value(instance: MospInstance, certificate: Mapping[str, object]) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing.

    Raises
    ------
    InputError
        If the certificate is malformed, or the instance too large for one.
    """
    scaled, unit = coarsened(instance.scaled())
    fields = fields_of(certificate, "certificate", *NAMES)
    check_version(fields["version"], VERSION)
    makespan = integer_of(fields["makespan"], "certificate.makespan", MAX_TICKS - 1, least=1)
    log = bytes_of(fields["log"], "certificate.log", MAX_LOG)
    rows, budget = [], Budget()
    for number, one in enumerate(list_of(fields["weights"], "certificate.weights")):
        field = f"certificate.weights[{number}]"
        if number == MAX_WEIGHTINGS:
            raise InputError(f"more than {MAX_WEIGHTINGS} lists", field="certificate.weights")
        rows.append(job_weights(one, scaled.job_count, field))
        budget.spend(knapsack_steps(rows[-1], scaled.widths, max(scaled.processors)), field)
    try:
        problem = WindowsProblem(scaled, makespan)
        mirrored = None
        if fields["mirrored"] is not None:
            mirrored = integer_of(fields["mirrored"], "certificate.mirrored", scaled.job_count - 1)
            if not problem.reverses:
                raise InputError("must be null: no schedule can be read backwards", field="certificate.mirrored")
        tree = WindowsTree(
            problem.times,
            problem.windows(mirrored),
            problem.apart(),
            [weighting for row in rows for weighting in problem.weightings(row)],
            makespan,
        )
    except TooLargeError as error:
        raise InputError(str(error), field="certificate") from error
    if tree.is_refuted_by(log):
        return instance.scaled().to_time((makespan + 1) * unit)
    return Fraction(0)
