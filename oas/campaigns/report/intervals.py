"""Confidence intervals of shares."""

from __future__ import annotations

from math import sqrt

Z95 = 1.959963984540054  # standard deviations that contain 95 % of the normal distribution


def wilson(successes: int, total: int, z: float = Z95) -> tuple[float, float]:
    """Return Wilson's confidence interval of a share (Wilson 1927, J. Am. Stat. Assoc. 22).

    It holds for independent draws: the interval is too narrow for instances that share jobs.

    Parameters
    ----------
    successes, total
        Counts: 0 ≤ `successes` ≤ `total`, and `total` ≥ 1.
    z
        Quantile of the normal distribution; the default is that of 95 %.

    Raises
    ------
    ValueError
        If the counts are no share.
    """
    if not 0 <= successes <= total or not total:
        raise ValueError(f"{successes} of {total} is no share")
    share = successes / total
    scale = 1 + z * z / total
    middle = (share + z * z / (2 * total)) / scale
    half = z / scale * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    # For none and for all the formula gives 0 and 1 exactly, which rounding would miss.
    return (0.0 if not successes else middle - half), (1.0 if successes == total else middle + half)


def interval_text(successes: int, total: int) -> str:
    """Return Wilson's 95 % interval in percent, such as ``69.9 to 97.2 %``; a dash without draws."""
    if not total:
        return "–"
    low, high = wilson(successes, total)
    return f"{100 * low:.1f} to {100 * high:.1f} %"
