"""Brute force = HiGHS = CBC = CP-SAT = `oas.solve` on tiny instances of one cluster with reservations and releases.

    python -m benchmarks.agreement.mosp.reservations --count 2000 --seed 0

At most 5 jobs, no locality: RESASCHEDULING of the reservations paper. Even seeds draw whole numbers and reservations
that may overlap (`oas.generate.mosp.tiny.alone`); odd ones rational times, identical jobs, reservations one after
another. Otherwise as in `benchmarks.agreement.mosp`. Exit code 1 if anything disagrees or gives up.
"""

from __future__ import annotations

import sys
from random import Random
from typing import TYPE_CHECKING

from benchmarks.agreement.mosp import optima
from oas.generate.mosp.tiny import alone, draw_tiny

if TYPE_CHECKING:
    from oas.problems.mosp.instance import MospInstance

COUNT = 2000


def case(seed: int) -> MospInstance:
    """Return the instance of `seed`."""
    if seed % 2 == 0:
        return alone(seed)
    return draw_tiny(
        Random(seed),
        max_jobs=optima.MAX_JOBS,
        max_clusters=1,
        reservations=True,
        localities=(None,),
        name=f"one cluster, seed {seed}",
    )


def main(arguments: list[str] | None = None) -> int:
    """Examine instances and print the tables."""
    return optima.main(arguments, case, __doc__, COUNT)


if __name__ == "__main__":
    sys.exit(main())
