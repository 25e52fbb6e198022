"""ILBA's ratio is unbounded for parallel jobs: MOCCA paper, proposition 13 and figure 7.

As printed, the optimum is not L: one cluster is to run all low jobs of length L side by side, but its size H forgets
the n jobs (L, 1 + x) of the first organizations. The repair adds them, m = H + n(1 + x); then the optimum is L. What
ILBA does on the local schedules is printed rightly either way.
"""

from __future__ import annotations

from fractions import Fraction

from oas.core.numbers import integer
from oas.generate.mosp.worst_cases.gallery import Quantity, WorstCase, WorstCaseClaim, build
from oas.problems.mosp.instance import MospInstance  # noqa: TC001  (the command line evaluates annotations)


def unbounded_ilba(*, x: int = 2, repaired: bool = True) -> MospInstance:
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

    Raises
    ------
    InputError
        Naming the parameter.
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
    return build("unbounded-ilba", [size] * len(shapes), shapes, x=x, repaired=repaired)


def claims(*, x: int = 2, repaired: bool = True) -> tuple[WorstCaseClaim, ...]:
    """Return what is claimed of `unbounded_ilba` and what is true.

    As printed the true optimum is given for x = 1; beyond, the lower bound, which would be at most L if L were it.
    """
    length = Fraction(_length(x))
    ilba = (x + 1) * length + x
    found = [WorstCaseClaim(Quantity.ILBA_LOCAL, ilba, ilba, "each of the steps i = 1 … x adds L + 1")]
    if repaired:
        why = "one cluster for the low jobs of length L, one for all jobs of length 1, one for each job (L, m)"
        found.append(WorstCaseClaim(Quantity.OPTIMUM, length, length, why))
        found.append(WorstCaseClaim(Quantity.FREE_OPTIMUM, length, length, why))
        return tuple(found)
    if x == 1:
        why = "two clusters must take the low jobs of length L beside jobs (L, m), so jobs of length 1 come after them"
        found.append(WorstCaseClaim(Quantity.OPTIMUM, length, Fraction(13), why))
    bound = _area(x) / (_clusters(x) * _size(x, repaired))
    found.append(WorstCaseClaim(Quantity.LOWER_BOUND, length, bound, "the area: above L, so L is not the optimum"))
    return tuple(found)


def _receivers(x: int) -> int:
    """Return n."""
    return x * x - x + 2


def _clusters(x: int) -> int:
    """Return N."""
    return _receivers(x) + 2 * x


def _length(x: int) -> int:
    """Return L, the number of jobs of length 1."""
    n = _receivers(x)
    return n + sum((n + 3 * i - 2) + (n + 2 * i - 1) + (i + 1) for i in range(1, x + 1))


def _size(x: int, repaired: bool) -> int:
    """Return m."""
    n = _receivers(x)
    return sum((n + 2 * i) * (x - i + 1) for i in range(1, x + 1)) + (n * (1 + x) if repaired else 0)


def _area(x: int) -> Fraction:
    """Return W, as printed."""
    instance = unbounded_ilba(x=x, repaired=False)
    return sum((job.time * job.processors for job in instance.jobs), Fraction(0))


WORST_CASE = WorstCase(
    "unbounded-ilba",
    unbounded_ilba,
    claims,
    "MOCCA paper, proposition 13 and figure 7",
    "ILBA ends above x + 1 times the optimum; as printed or repaired",
    rank=80,
)
