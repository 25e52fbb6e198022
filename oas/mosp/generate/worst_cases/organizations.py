"""Worst cases of organizations: gain from cooperation, price of locality, weaknesses of MOCCA and ILBA.

- *no-cooperation*: without cooperation the makespan can be N times the optimum (MOCCA paper, section 2.3; MOLBA paper,
  figure 1).
- *matching*: two organizations that both end earlier if wide and narrow jobs run side by side (MOLBA paper, figure 2).
  The drawing is lost, and the instance follows its caption: by matching certain types of jobs, a cooperative solution
  has better makespans for both organizations than scheduling all jobs locally.
- *locality-price*: keeping the local makespan of every organization can add half of the optimum (MOCCA paper,
  figure 2; MOLBA paper, figure 3). The drawings are lost, and the instances follow the texts: the globally optimal
  solution extends the local makespan of O1 (here of O1; with single processors, of O1 or O2), the best solution that
  does not has 3/2 of its makespan, and "this bound still holds for the sub-case where the machines are reduced to only
  one processor".
- *near-three-bounds*: the optimum can be arbitrarily close to 3 LB (MOCCA paper, proposition 7). The paper does not say
  which organization owns the jobs; here all belong to O1. Without locality the optimum is the same.
- *kept-schedules*: the cost of not moving the jobs that start before 2 LB (MOCCA paper, proposition 8). The paper
  concludes a ratio of 3, which the instance reaches only for N → ∞: with N organizations the best is max(2, 3 − 6/N)
  LB.
- *tight-mocca4*: the ratio 4 of MOCCA(4) is attained (MOCCA paper, end of section 5.2).
- *graham-spt*: the ratio 2 − 1/m of ILBA for serial jobs is attained, on Graham's worst case of SPT (MOCCA paper,
  section 6.3). The paper speaks of "one organization with m clusters"; a cluster of m processors is meant.
- *unbounded-ilba*: the ratio of ILBA is unbounded for parallel jobs (MOCCA paper, proposition 13 and figure 7). As
  printed, the optimum is not L: one cluster must run all low jobs of length L side by side, but its size H omits the n
  jobs (L, 1 + x) of the first organizations. The correction adds them, m = H + n(1 + x); then the optimum is L. The
  behaviour of ILBA on the local schedules is as printed in both cases.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Literal

from oas.core.errors import InputError, unknown_name
from oas.core.numbers import integer
from oas.mosp.generate.worst_cases import Case, Quantity, build, worst_case
from oas.mosp.generate.worst_cases import WorstCaseClaim as Claim


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
    late, early = Fraction(count), Fraction(1)
    return instance, (
        Claim(Quantity.LOCAL, late, late, "one job after the other on one cluster"),
        Claim(Quantity.OPTIMUM, early, early, "one job on each cluster; no job ends before 1"),
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


@worst_case(
    "MOCCA paper, proposition 8 and figure 5",
    "whoever keeps local schedules until 2 LB comes near three times the optimum",
    50,
)
def kept_schedules(*, organizations: int = 12) -> Case:
    """Return clusters of 2N − 1 processors; in its local schedule, wide jobs of O1 fill its cluster until 2 LB.

    O1 has N jobs (p, q) = (2/N, m) and N jobs (1 − 2/N, N), each other organization N jobs (1 − 2/N, 1).

    Parameters
    ----------
    organizations
        N, at least 3.
    """
    count = integer(organizations, "organizations", least=3)
    processors = 2 * count - 1
    brief, rest = Fraction(2, count), 1 - Fraction(2, count)
    shapes = [[(brief, processors)] * count + [(rest, count)] * count, *[[(rest, 1)] * count] * (count - 1)]
    instance = partial(build, "kept-schedules", [processors] * count, shapes, organizations=count)
    one = Fraction(1)
    best = max(Fraction(2), 3 - Fraction(6, count))
    return instance, (
        Claim(Quantity.LOWER_BOUND, one, one, "the area; no job is longer"),
        Claim(
            Quantity.OPTIMUM,
            one,
            one,
            "first N − 1 narrow jobs beside one of N processors on each cluster, then a job of all processors",
        ),
        Claim(
            Quantity.KEPT,
            Fraction(3),
            best,
            "O1's cluster is full until 2; the others can take two jobs of N processors each by 3 − 6/N, in all at "
            "least the N there are; 3 is the limit for large N",
        ),
    )


@worst_case("MOCCA paper, section 5.2", "MOCCA(4) ends at four times the optimum", 60)
def tight_mocca4() -> Case:
    """Return clusters of 3 processors and of 1; O2, the owner of the small one, has 4 serial jobs of length 1."""
    instance = partial(build, "tight-mocca4", [3, 1], [[], [(1, 1)] * 4])
    one, four = Fraction(1), Fraction(4)
    return instance, (
        Claim(Quantity.LOWER_BOUND, one, one, "the area, and the longest job"),
        Claim(Quantity.LOCAL, four, four, "one job after the other"),
        Claim(Quantity.MOCCA4, four, four, "no job ends after 4 LB, so none is moved"),
        Claim(Quantity.OPTIMUM, one, one, "all four jobs at once"),
    )


@worst_case("MOCCA paper, section 6.3", "ILBA ends at 2 − 1/m times the optimum, serial jobs", 70)
def graham_spt(*, processors: int = 3) -> Case:
    """Return one organization with m(m − 1) serial jobs of length 1 and one of length m, scheduled by SPT.

    Parameters
    ----------
    processors
        m, at least 1.
    """
    count = integer(processors, "processors", least=1)
    instance = partial(
        build, "graham-spt", [count], [[(1, 1)] * (count * (count - 1)) + [(count, 1)]], "SPT", processors=count
    )
    late, best = Fraction(2 * count - 1), Fraction(count)
    return instance, (
        Claim(Quantity.LOCAL, late, late, "the short jobs fill all processors until m − 1, then comes the long one"),
        Claim(Quantity.ILBA_LOCAL, late, late, "with one cluster no job moves"),
        Claim(Quantity.OPTIMUM, best, best, "the long job first; it takes m"),
    )


@worst_case(
    "MOCCA paper, proposition 13 and figure 7", "ILBA ends above x + 1 times the optimum; as printed or repaired", 80
)
def unbounded_ilba(*, x: int = 2, repaired: bool = True) -> Case:
    """Return N = n + 2x organizations, n = x² − x + 2, on which ILBA ends above x + 1 times the optimum.

    Each of O1 … On has a job (p, q) = (L, 1 + x) and one (1, m − x − 1); for i = 1 … x, O(n+2i−1) has i jobs (L, m),
    n + 3i − 2 jobs (1, m) and n + 2i − 1 jobs (1, m − x + i − 1), and O(n+2i) has i jobs (L, m), i jobs (1, m), one job
    (1, m − x + i − 1) and n + 2i jobs (L, x − i + 1). L is the number of jobs of length 1.

    Parameters
    ----------
    x
        At least 1.
    repaired
        Whether m = H + n(1 + x), H = Σ (n + 2i)(x − i + 1); otherwise m = H as printed.
    """
    x = integer(x, "x", least=1)
    receivers = x * x - x + 2
    low_width = sum((receivers + 2 * i) * (x - i + 1) for i in range(1, x + 1))
    size = low_width + (receivers * (1 + x) if repaired else 0)
    length = receivers + sum(2 * receivers + 6 * i - 2 for i in range(1, x + 1))
    shapes: list[list[tuple[int, int]]] = [[(length, 1 + x), (1, size - x - 1)] for _ in range(receivers)]
    for i in range(1, x + 1):
        high = size - x + i - 1
        shapes.append(
            [(length, size)] * i + [(1, size)] * (receivers + 3 * i - 2) + [(1, high)] * (receivers + 2 * i - 1)
        )
        thin = [(length, x - i + 1)] * (receivers + 2 * i)
        shapes.append([(length, size)] * i + [(1, size)] * i + [(1, high)] + thin)
    instance = partial(build, "unbounded-ilba", [size] * len(shapes), shapes, x=x, repaired=repaired)
    best = Fraction(length)
    ilba = (x + 1) * best + x
    claims = [Claim(Quantity.ILBA_LOCAL, ilba, ilba, "each of the steps i = 1 … x adds L + 1")]
    if repaired:
        why = "one cluster for the low jobs of length L, one for all jobs of length 1, one for each job (L, m)"
        claims.append(Claim(Quantity.OPTIMUM, best, best, why))
        claims.append(Claim(Quantity.FREE_OPTIMUM, best, best, why))
        return instance, tuple(claims)
    if x == 1:
        why = "two clusters must take the low jobs of length L beside jobs (L, m), so jobs of length 1 come after them"
        claims.append(Claim(Quantity.OPTIMUM, best, Fraction(13), why))
    area = sum(time * width for jobs in shapes for time, width in jobs)
    bound = Fraction(area, len(shapes) * size)
    claims.append(Claim(Quantity.LOWER_BOUND, best, bound, "the area: above L, so L is not the optimum"))
    return instance, tuple(claims)
