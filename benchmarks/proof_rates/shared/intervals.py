"""Intervals of confidence for shares."""

from __future__ import annotations

from math import sqrt

Z95 = 1.959963984540054  # the normal distribution has 95 % of its mass within so many standard deviations


def wilson(successes: int, total: int, z: float = Z95) -> tuple[float, float]:
    """Return the interval of Wilson (1927, J. Am. Stat. Assoc. 22) for a share.

    It holds for independent draws: instances that share jobs are fewer draws than they are instances, and their
    interval is wider than this.

    Parameters
    ----------
    successes, total
        So many of so many; 0 ≤ `successes` ≤ `total`, and `total` ≥ 1.
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
    # At none and at all the formula gives the end itself, which rounding would miss.
    return (0.0 if not successes else middle - half), (1.0 if successes == total else middle + half)


def interval_text(successes: int, total: int) -> str:
    """Write Wilson's 95 % interval in percent, as ``69.9 to 97.2 %``; a dash where there is nothing to count."""
    if not total:
        return "–"
    low, high = wilson(successes, total)
    return f"{100 * low:.1f} to {100 * high:.1f} %"
