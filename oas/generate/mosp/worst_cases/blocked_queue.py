"""First come, first served at nearly m times the optimum: reservations paper, section 2.2.

The print says "optimal makespan 1 and ... FCFS schedule has makespan m", of FCFS "even with conservative back-filling",
and gives no instance. These are ours; both values are limits, as ε goes to 0. Where the narrow jobs are of one length,
back-filling finds the optimum; where each is longer than the one before it, none fits before a wide job.
"""

from __future__ import annotations

from fractions import Fraction

from oas.core.numbers import integer
from oas.generate.mosp.worst_cases.gallery import Quantity, WorstCase, WorstCaseClaim, build_alone
from oas.problems.mosp.instance import MospInstance  # noqa: TC001  (the command line evaluates annotations)


def blocked_queue(*, processors: int = 8, parts: int = 1000, growing: bool = True) -> MospInstance:
    """Return m serial jobs of length 1, or 1 + iε for i = 1, …, m, and between them jobs of length ε on all processors.

    Parameters
    ----------
    processors
        m, at least 2.
    parts
        1/ε, at least 1.
    growing
        Whether each serial job is longer than the one before it.

    Raises
    ------
    InputError
        Naming the parameter.
    """
    count, parts = integer(processors, "processors", least=2), integer(parts, "parts", least=1)
    brief = Fraction(1, parts)
    narrow = [(1 + i * brief * growing, 1) for i in range(1, count + 1)]
    shapes = [shape for one in narrow for shape in (one, (brief, count))][:-1]
    return build_alone("blocked-queue", count, shapes, processors=count, parts=parts, growing=growing)


def claims(*, processors: int = 8, parts: int = 1000, growing: bool = True) -> tuple[WorstCaseClaim, ...]:
    """Return what is claimed of `blocked_queue` and what is true."""
    limit, brief = Fraction(processors), Fraction(1, parts)
    wide = (processors - 1) * brief
    late = limit + wide + growing * brief * processors * (processors + 1) / 2
    best = 1 + growing * processors * brief + wide
    filled, said = (late, limit) if growing else (best, None)
    why = "no narrow job ends before a wide one can start" if growing else "all narrow jobs start at 0"
    return (
        WorstCaseClaim(
            Quantity.OPTIMUM, Fraction(1), best, "the longest narrow job beside the others, then the wide ones; limit 1"
        ),
        WorstCaseClaim(Quantity.STRICT, limit, late, "one job after the other; limit m"),
        WorstCaseClaim(Quantity.CONSERVATIVE, said, filled, why),
        WorstCaseClaim(Quantity.EASY, None, filled, why),
        WorstCaseClaim(Quantity.LSRC, None, best, "all narrow jobs start at 0"),
    )


WORST_CASE = WorstCase(
    "blocked-queue",
    blocked_queue,
    claims,
    "reservations paper, section 2.2 (made to its text)",
    "first come, first served ends near m times the optimum, even with back-filling",
    rank=85,
)
