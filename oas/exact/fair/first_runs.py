"""Each kernel of fair sharing run once on next to nothing, for `oas.exact.warm_up`."""

from __future__ import annotations

import numpy as np

from heuristics.fair.certificate import verify_reference
from heuristics.fair.reference import reference
from oas.problems.fair.ticks import FairTicks


def run() -> None:
    """Run REF of fair sharing and the check of its certificate."""
    none, one = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
    ticks = FairTicks(one, none, none, one, one, 1)
    run = reference(ticks, compiled=True)
    verify_reference(ticks, run.starts, run.certificate, compiled=True)
