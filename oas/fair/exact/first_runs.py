"""One call of each kernel of fair sharing on a minimal instance, for `oas.solving.warm_up`."""

from __future__ import annotations

import numpy as np

from oas.fair.search.certificate import verify_reference
from oas.fair.search.reference import reference
from oas.fair.ticks import FairTicks


def run() -> None:
    """Run REF of fair sharing and the check of its certificate."""
    none, one = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
    ticks = FairTicks(one, none, none, one, one, 1)
    run = reference(ticks, compiled=True)
    verify_reference(ticks, run.starts, run.certificate, compiled=True)
