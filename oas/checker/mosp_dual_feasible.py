"""Dual feasible functions: times or processors weighed such that what fits together never weighs too much.

Both families are superadditive: f(a) + f(b) ≤ f(a + b) for a + b up to the size (Alves, Clautiaux, Valério de Carvalho,
Rietz 2016).
"""

from __future__ import annotations

from collections.abc import Sequence

from oas.checker.mosp_free import spread_out

LARGEST_K = 8


def rounded_ends(size: int, threshold: int, value: int) -> int:
    """Return 0 below the threshold, at most size/2; `size` above size − threshold; the value itself between."""
    if value < threshold:
        return 0
    return size if value > size - threshold else value


def fekete_schepers(size: int, k: int, value: int) -> int:
    """Return k·size·u_k(value/size): u_k(x) is x if (k+1)·x is whole, else ⌊(k+1)·x⌋/k (Fekete, Schepers 2001)."""
    whole, rest = divmod((k + 1) * value, size)
    return whole * size if rest else k * value


def dual_feasible_rows(values: Sequence[int], size: int, thresholds: int) -> list[tuple[int, ...]]:
    """Return the values and functions of them, at most so many thresholds; each row once, none that is all 0.

    A threshold is worth trying where it is a value, or where it lets a value just count in full.
    """
    rows = [tuple(values)]
    rows += [tuple(fekete_schepers(size, k, one) for one in values) for k in range(1, LARGEST_K + 1)]
    found = sorted(e for e in {*values, *(size - one + 1 for one in values)} if 0 < 2 * e <= size)
    rows += [tuple(rounded_ends(size, e, one) for one in values) for e in spread_out(found, thresholds)]
    return [row for row in dict.fromkeys(rows) if any(row)]
