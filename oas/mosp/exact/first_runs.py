"""One run of each kernel of MOSP and of job streams on tiny instances, for `oas.solving.warm_up`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from oas.mosp.bounds.partitions.pricing import Pricing
from oas.mosp.bounds.partitions.sharing import Sharing
from oas.mosp.bounds.scales import Scales
from oas.mosp.bounds.start_tree import kernels, make_memory
from oas.mosp.search.filling import EventBeam
from oas.mosp.search.orders import OrderSearch
from oas.mosp.search.pool_beam import PoolBeam
from oas.mosp.search.ruin_recreate import RuinSearch
from oas.mosp.ticks import ScaledMosp
from oas.queueing.policies import POLICIES
from oas.queueing.promises import PROMISES, broken_promises
from oas.queueing.stream import JobStream

# One cluster of two processors, with a reservation, and two jobs.
_ONE = ScaledMosp(Fraction(1), (2,), (2, 1), (1, 2), (0, 0), (0, 0), ((0, 9, 10, 1),), (0, 2), (3,))
# One job of one tick and one processor, and two clusters of one processor.
_LEAST = ScaledMosp(Fraction(1), (1, 1), (1,), (1,), (0,), (0,), (), (0,), (None,))
# Two clusters of two processors, each with a job.
_TWO = ScaledMosp(Fraction(1), (2, 2), (2, 1), (1, 2), (0, 0), (0, 1), (), (0, 0), (3, 3))


def run() -> None:
    """Run local searches, beams, policies for many jobs, and the searches behind bounds of MOSP."""
    RuinSearch(_ONE).improve(0, 1)
    OrderSearch(_ONE).improve(0, 1)
    for beam in (EventBeam(_ONE), PoolBeam(_TWO)):
        beam.begin(9)
        while not beam.finished:
            beam.sweep()
        _ = beam.placed
    zero, one = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
    stream, nothing = JobStream(zero, zero, one, one, zero), np.zeros((0, 3), dtype=np.int64)
    for queue in POLICIES:
        starts = queue.starts(stream, 1, nothing)
        if queue.name in PROMISES:
            broken_promises(queue.name, stream.started(starts), 1, nothing)
    scales = Scales(_LEAST, 1)
    Pricing(scales, 1, 1).heaviest([1], 1)
    Sharing(scales, 1, [[1]], 1).search(1)
    lists = ([1, 0, 1, 1], [1], [1], [0], [0], [-1], [0], [0], [2**62], [0])
    problem = kernels.Problem(*(np.array(values, dtype=np.int64) for values in lists))
    memory = make_memory(1, 1, np.zeros(1, dtype=np.uint8), 1)
    kernels.begin(problem, memory)
    kernels.search(problem, memory, 1)
