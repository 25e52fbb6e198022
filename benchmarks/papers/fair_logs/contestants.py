"""What runs: the reference, and the policies that are measured against it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from heuristics.fair.engine import run_policy
from heuristics.fair.fair_share import fair_share
from heuristics.fair.policy_method import PolicyRun
from heuristics.fair.rand import random_orderings, sampled_starts
from heuristics.fair.ref import reference
from heuristics.registry import find_method
from oas.problems.fair.problem import FAIR

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from oas.problems.fair.ticks import FairTicks

    Starts = NDArray[np.int64]

REF = "REF"
HALF_LIFE = 86_400  # seconds of FAIRSHARE's: a day
ORDER = ("RAND(75)", "RAND(15)", "DIRECTCONTR", "ROUNDROBIN")  # as the paper finds them, the fairest first
BESIDE = ("FAIRSHARE", "FCFS")


def _policy(name: str, ticks: FairTicks, seed: int, second: int) -> Starts:
    run = find_method(name, FAIR).run
    assert isinstance(run, PolicyRun)
    return run_policy(ticks, run.factory, seed, name=name)


def _decaying(ticks: FairTicks, seed: int, second: int) -> Starts:
    return run_policy(ticks, fair_share(HALF_LIFE * second), seed, name="FAIRSHARE")


def _sampled(orderings: int, ticks: FairTicks, seed: int, second: int) -> Starts:
    return sampled_starts(ticks, random_orderings(ticks.organization_count, orderings, seed))


def _reference(ticks: FairTicks, seed: int, second: int) -> Starts:
    return reference(ticks).starts


CONTESTANTS: dict[str, Callable[[FairTicks, int, int], Starts]] = {
    REF: _reference,
    **{f"RAND({orderings})": partial(_sampled, orderings) for orderings in (75, 15)},
    **{name: partial(_policy, name) for name in ("DIRECTCONTR", "ROUNDROBIN", "FCFS")},
    "FAIRSHARE": _decaying,
}
"""By name: starts from the jobs, a seed and the ticks of a second. The reference comes first."""
