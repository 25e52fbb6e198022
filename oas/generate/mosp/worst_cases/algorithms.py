"""How far schedules of MOCCA and ILBA, and all that keep the local schedules until 2 LB, can be from the optimum.

- *kept-schedules*: the cost of leaving untouched the jobs that start before 2 LB (MOCCA paper, proposition 8). The
  print concludes a ratio of 3, which the instance reaches only as N grows: with N organizations the best is
  max(2, 3 − 6/N) LB.
- *tight-mocca4*: MOCCA(4)'s ratio of 4 is reached (MOCCA paper, end of section 5.2).
- *graham-spt*: ILBA's ratio 2 − 1/m for serial jobs is reached, on Graham's worst case of SPT (MOCCA paper, section
  6.3). The print speaks of "one organization with m clusters"; a cluster of m processors is meant, and taken here.
- *unbounded-ilba*: ILBA's ratio is unbounded for parallel jobs (MOCCA paper, proposition 13 and figure 7). As printed,
  the optimum is not L: one cluster is to run all low jobs of length L side by side, but its size H forgets the n jobs
  (L, 1 + x) of the first organizations. The repair adds them, m = H + n(1 + x); then the optimum is L. What ILBA does
  on the local schedules is printed rightly either way.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from oas.core.numbers import integer
from oas.generate.mosp.worst_cases import Case, Quantity, build, worst_case
from oas.generate.mosp.worst_cases import WorstCaseClaim as Claim


@worst_case(
    "MOCCA paper, proposition 8 and figure 5",
    "whoever keeps local schedules until 2 LB comes near three times the optimum",
    50,
)
def kept_schedules(*, organizations: int = 12) -> Case:
    """Return clusters of 2N − 1 processors whose first has wide jobs, its local schedule full until 2 LB.

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
    kept = max(Fraction(2), 3 - Fraction(6, count))
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
            kept,
            "O1's cluster is full until 2; the others can take two jobs of N processors each by 3 − 6/N, in all at "
            "least the N there are; 3 is the limit for large N",
        ),
    )


@worst_case("MOCCA paper, section 5.2", "MOCCA(4) ends at four times the optimum", 60)
def tight_mocca4() -> Case:
    """Return clusters of 3 processors and of 1; O2, whose is the small one, has 4 serial jobs of length 1."""
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
    size, length, receivers = _size(x, repaired), _length(x), _receivers(x)
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
    found = [Claim(Quantity.ILBA_LOCAL, ilba, ilba, "each of the steps i = 1 … x adds L + 1")]
    if repaired:
        why = "one cluster for the low jobs of length L, one for all jobs of length 1, one for each job (L, m)"
        found.append(Claim(Quantity.OPTIMUM, best, best, why))
        found.append(Claim(Quantity.FREE_OPTIMUM, best, best, why))
        return instance, tuple(found)
    if x == 1:
        why = "two clusters must take the low jobs of length L beside jobs (L, m), so jobs of length 1 come after them"
        found.append(Claim(Quantity.OPTIMUM, best, Fraction(13), why))
    area = sum(time * width for own in shapes for time, width in own)
    bound = Fraction(area, len(shapes) * size)
    found.append(Claim(Quantity.LOWER_BOUND, best, bound, "the area: above L, so L is not the optimum"))
    return instance, tuple(found)


def _receivers(x: int) -> int:
    """Return n."""
    return x * x - x + 2


def _length(x: int) -> int:
    """Return L, the number of jobs of length 1."""
    n = _receivers(x)
    return n + sum((n + 3 * i - 2) + (n + 2 * i - 1) + (i + 1) for i in range(1, x + 1))


def _size(x: int, repaired: bool) -> int:
    """Return m."""
    n = _receivers(x)
    return sum((n + 2 * i) * (x - i + 1) for i in range(1, x + 1)) + (n * (1 + x) if repaired else 0)
