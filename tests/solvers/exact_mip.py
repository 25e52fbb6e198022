"""Tiny mixed-integer models solved in exact arithmetic: enumeration of the integers, vertices of what is left."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import ceil, floor


def optimum(model, cutoff):
    """Least objective among feasible points that do not exceed `cutoff`; None if there is none.

    Enumerates every integer assignment that exact bound propagation leaves (with the cutoff as a further row), and for
    each the vertices of the polyhedron of the continuous variables. Right for models whose optimum is at a vertex.
    """
    rows = [*_at_most(model), (dict(model.objective), Fraction(cutoff))]
    return _search(model, rows, dict(model.ranges))


def _at_most(model):
    for row, sense, right in model.rows:
        if sense in ("<=", "="):
            yield dict(row), right
        if sense in (">=", "="):
            yield {key: -value for key, value in row.items()}, -right


def _search(model, rows, ranges):
    ranges = _propagated(model, rows, ranges)
    if ranges is None:
        return None
    open_integers = [key for key in sorted(model.integers) if ranges[key][0] != ranges[key][1]]
    if not open_integers:
        return _best_vertex(model, rows, ranges)
    low, high = ranges[open_integers[0]]
    assert low is not None and high is not None, "propagation must bound every integer variable"
    found = [
        _search(model, rows, {**ranges, open_integers[0]: (Fraction(value), Fraction(value))})
        for value in range(int(low), int(high) + 1)
    ]
    return min((value for value in found if value is not None), default=None)


def _propagated(model, rows, ranges, rounds=12):
    """Tighten ranges by the rows; None if some range becomes empty."""
    ranges = dict(ranges)
    for _ in range(rounds):
        before = dict(ranges)
        for row, right in rows:
            least = {key: _least(factor, ranges[key]) for key, factor in row.items()}
            for key, factor in row.items():
                others = [value for other, value in least.items() if other != key]
                if factor == 0 or None in others:
                    continue
                limit = (right - sum(others)) / factor
                low, high = ranges[key]
                if factor > 0:
                    limit = Fraction(floor(limit)) if key in model.integers else limit
                    high = limit if high is None else min(high, limit)
                else:
                    limit = Fraction(ceil(limit)) if key in model.integers else limit
                    low = limit if low is None else max(low, limit)
                if low is not None and high is not None and low > high:
                    return None
                ranges[key] = (low, high)
        if ranges == before:
            break
    return ranges


def _least(factor, limits):
    limit = limits[0] if factor > 0 else limits[1]
    return None if limit is None else factor * limit


def _best_vertex(model, rows, ranges):
    """Least objective over the vertices, the integers being fixed by their ranges."""
    free = [key for key in ranges if key not in model.integers]
    fixed = {key: ranges[key][0] for key in model.integers}
    limits = []
    for row, right in rows:
        rest = right - sum(factor * fixed[key] for key, factor in row.items() if key in fixed)
        limits.append(([row.get(key, Fraction(0)) for key in free], rest))
    for position, key in enumerate(free):
        unit = [Fraction(int(other == position)) for other in range(len(free))]
        low, high = ranges[key]
        if high is not None:
            limits.append((unit, high))
        if low is not None:
            limits.append(([-value for value in unit], -low))
    best = None
    for tight in combinations(limits, len(free)):
        point = _solved(tight)
        if point is None or any(sum(a * b for a, b in zip(row, point, strict=True)) > right for row, right in limits):
            continue
        values = {**fixed, **dict(zip(free, point, strict=True))}
        cost = sum(factor * values[key] for key, factor in model.objective.items())
        best = cost if best is None else min(best, cost)
    return best


def _solved(equations):
    """The one solution of square equations, by Gauss; None if there is not exactly one."""
    size = len(equations)
    table = [[*row, right] for row, right in equations]
    for column in range(size):
        pivot = next((line for line in range(column, size) if table[line][column]), None)
        if pivot is None:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        table[column] = [value / table[column][column] for value in table[column]]
        for line in range(size):
            if line != column and table[line][column]:
                factor = table[line][column]
                table[line] = [a - factor * b for a, b in zip(table[line], table[column], strict=True)]
    return [row[-1] for row in table]
