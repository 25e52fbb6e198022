"""REF and RAND(N) as methods: the fair schedule, and contributions estimated from N orderings."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError, within
from oas.core.instances import check_problem
from oas.core.numbers import parse_fraction
from oas.core.registry import FAIR
from oas.fair.search.engine import TicksScheduler
from oas.fair.search.reference import REF, reference
from oas.fair.search.sampling import MOST_ORDERINGS, random_orderings, sampled_starts
from oas.solving.method import Method, MethodFamily

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from oas.core.schedule import Schedule
    from oas.fair.instance import FairInstance
    from oas.fair.ticks import FairTicks


def _ref(instance: FairInstance, *, seed: int = 0) -> Schedule:
    """Schedule `instance` by REF, which is deterministic."""
    check_problem(instance, FAIR, "REF is a method of fair sharing: it schedules a FairInstance")
    return reference(instance.scaled()).schedule(instance)


def _starts(ticks: FairTicks, *, orderings: int, seed: int, **options: Any) -> NDArray[np.int64]:
    return sampled_starts(ticks, random_orderings(ticks.organization_count, orderings, seed), **options)


def sampled_method(orderings: int, rank: int = 1000) -> Method:
    """Return RAND(N), with its rank in listings."""
    run = TicksScheduler(f"RAND({orderings})", partial(_starts, orderings=orderings))
    summary = f"contributions estimated from {orderings} orderings of the organizations (Algorithm 3)"
    return Method(run.name, run, summary, rank, FAIR, clairvoyant=True)


def method_with_orderings(_head: str, text: str) -> Method:
    """Return RAND(N); `InputError` if N is not an integer from 1 to 10^6."""
    with within("heuristic"):
        number = parse_fraction(text)
        if number.denominator != 1 or not 1 <= number <= MOST_ORDERINGS:
            raise InputError(f"must be a whole number from 1 to {MOST_ORDERINGS:,}", field="N", value=text)
    return sampled_method(int(number))


METHOD = Method(
    REF, _ref, "the fair schedule, by contribution in all coalitions (Algorithm 1)", 0, FAIR, clairvoyant=True
)
METHODS = (sampled_method(75, 2), sampled_method(15, 4))
FAMILY = MethodFamily(("RAND",), method_with_orderings, "RAND(N)")
