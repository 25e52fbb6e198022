"""What cooperation gains, what locality costs, and how far the optimum is from the papers' lower bound.

- *no-cooperation*: without cooperation the makespan can be N times the optimum (MOCCA paper, section 2.3; MOLBA paper,
  figure 1).
- *matching*: two organizations that both end sooner by running wide and narrow jobs side by side (MOLBA paper, figure
  2). The figure's drawing is lost; the instance is ours, made to what its caption says: by matching certain types of
  jobs a cooperative solution has better makespans for both organizations than scheduling all jobs locally.
- *locality-price*: keeping every organization's local makespan can cost half the optimum (MOCCA paper, figure 2; MOLBA
  paper, figure 3). The drawings are lost; the instances are ours, made to what the texts say: the globally optimal
  solution extends the local makespan of O1 (here of O1 or of O2 in the one with single processors), the best solution
  that does not has 3/2 of its makespan, and "this bound still holds for the sub-case where the machines are reduced to
  only one processor".
- *near-three-bounds*: the optimum can come as close to 3 LB as one likes (MOCCA paper, proposition 7). The print does
  not say whose the jobs are; here all are O1's. Without locality it is the same optimum.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Literal

from oas.core.errors import InputError, unknown_name
from oas.core.numbers import integer
from oas.generate.mosp.worst_cases import Case, Quantity, build, worst_case
from oas.generate.mosp.worst_cases import WorstCaseClaim as Claim


@worst_case("MOCCA paper, section 2.3; MOLBA paper, figure 1", "local schedules N times as long as the optimum", 10)
def no_cooperation(*, organizations: int = 4, processors: int = 1) -> Case:
    """Give O1 as many jobs as there are organizations, each of length 1 and as wide as a cluster; the others none.

    Parameters
    ----------
    organizations
        N, at least 1.
    processors
        m of each cluster, at least 1.
    """
    count = integer(organizations, "organizations", least=1)
    width = integer(processors, "processors", least=1)
    shapes = [[(1, width)] * count, *[[] for _ in range(count - 1)]]
    instance = partial(build, "no-cooperation", [width] * count, shapes, organizations=count, processors=width)
    late, one = Fraction(count), Fraction(1)
    return instance, (
        Claim(Quantity.LOCAL, late, late, "one job after the other on one cluster"),
        Claim(Quantity.OPTIMUM, one, one, "one job on each cluster; no job ends before 1"),
    )


@worst_case(
    "MOLBA paper, figure 2 (made to its caption)", "wide and narrow jobs side by side: both organizations gain", 20
)
def matching() -> Case:
    """Return two clusters of 5 processors; O1 has 3 jobs (p, q) = (1, 3), O2 has 3 jobs (1, 2)."""
    instance = partial(build, "matching", [5, 5], [[(1, 3)] * 3, [(1, 2)] * 3])
    why = "three jobs of 3 processors, no two of which fit on one cluster, on two clusters"
    return instance, (
        Claim(Quantity.LOCAL, None, Fraction(3), "O1's jobs one after the other; O2's end at 2"),
        Claim(Quantity.OPTIMUM, None, Fraction(2), why),
        Claim(Quantity.FREE_OPTIMUM, None, Fraction(2), why),
    )


Machines = Literal["single", "double"]


@worst_case(
    "MOCCA paper, figure 2 and section 2.3; MOLBA paper, figure 3 (made to their texts)",
    "an optimum with locality 3/2 of that without",
    30,
)
def locality_price(*, machines: Machines = "single") -> Case:
    """Return the instance in which locality costs 3/2.

    Parameters
    ----------
    machines
        ``single``: three clusters of one processor; O1 and O2 have a job of length 1 each, O3 two of length 2.
        ``double``: two clusters of two processors; O1 has two jobs of length 1, O2 three of length 2, all serial.
    """
    if machines == "single":
        sizes, shapes = [1, 1, 1], [[(1, 1)], [(1, 1)], [(2, 1)] * 2]
    elif machines == "double":
        sizes, shapes = [2, 2], [[(1, 1)] * 2, [(2, 1)] * 3]
    else:
        raise unknown_name(machines, ("single", "double"), "machines")
    instance = partial(build, "locality-price", sizes, shapes, machines=machines)
    price = Fraction(3, 2)
    return instance, (
        Claim(Quantity.FREE_OPTIMUM, None, Fraction(2), "the short jobs one after the other; no processor idles"),
        Claim(
            Quantity.OPTIMUM,
            None,
            Fraction(3),
            "both short jobs must start at 0, each on its own processor, so some long job starts at 1 or later",
        ),
        Claim(Quantity.PRICE, price, price, "3 / 2"),
    )


@worst_case("MOCCA paper, proposition 7", "an optimum near three times the paper's lower bound", 40)
def near_three_bounds(*, organizations: int = 10, processors: int = 100) -> Case:
    """Give O1 2N + 1 jobs just too wide to run in pairs, of a length that makes LB = 1.

    Parameters
    ----------
    organizations
        N, at least 1.
    processors
        m of each cluster, even, at least 2.
    """
    count = integer(organizations, "organizations", least=1)
    processors = integer(processors, "processors", least=2)
    if processors % 2:
        raise InputError("must be even", field="processors", value=processors)
    length = Fraction(count * processors, (2 * count + 1) * (processors // 2 + 1))
    jobs = [(length, processors // 2 + 1)] * (2 * count + 1)
    shapes = [jobs, *[[] for _ in range(count - 1)]]
    instance = partial(
        build, "near-three-bounds", [processors] * count, shapes, organizations=count, processors=processors
    )
    late = 3 * length
    return instance, (
        Claim(Quantity.LOWER_BOUND, Fraction(1), Fraction(1), "the area; the longest job is no longer"),
        Claim(
            Quantity.OPTIMUM,
            late,
            late,
            "jobs run one at a time on each cluster, and 2N + 1 of them on N clusters: three on some cluster",
        ),
        Claim(Quantity.FREE_OPTIMUM, late, late, "as with locality: O1's local makespan is longer"),
    )
