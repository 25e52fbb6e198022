"""Weights from which the alternation sets out: dual feasible functions of both dimensions, and energies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from oas.bounds.mosp.simple import feasible_functions
from oas.bounds.mosp.volume import spread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.bounds.mosp.two_dimensional.scales import Scales

# Thresholds of `rounded_ends`, and ends of intervals for energies.
THRESHOLDS = 12
MOMENTS = 12

Weights = tuple[int, ...]


def best_starts(scales: Scales, heights: Sequence[int], count: int) -> list[Weights]:
    """Return up to `count` different time weights, those first which some heights make the most of.

    Parameters
    ----------
    heights
        Further heights to try; none if empty.
    """
    lengths = list(dict.fromkeys(one for one in _of_times(scales) if any(one)))
    widths = scales.scaled.widths
    pairs = list(
        dict.fromkeys(
            one for one in (tuple(heights), *feasible_functions(widths, scales.sizes[-1], THRESHOLDS)) if any(one)
        )
    )
    v, y = np.array(lengths, dtype=float), np.array(pairs, dtype=float)
    longest = np.array([scales.longest(one) for one in lengths], dtype=float)
    highest = np.array([scales.highest(one) for one in pairs], dtype=float)
    counts = np.array([scales.scaled.processors.count(size) for size in scales.sizes], dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.nan_to_num((v @ y.T) / ((longest * counts) @ highest.T), posinf=np.inf).max(axis=1)
    return [lengths[index] for index in np.argsort(-ratios, kind="stable")[:count]]


def _of_times(scales: Scales) -> Iterator[Weights]:
    yield from feasible_functions(scales.scaled.times, scales.makespan, THRESHOLDS)
    yield from _energies(scales)


def _energies(scales: Scales) -> Iterator[Weights]:
    """Return the least time that each job must run in an interval (Erschler and Lopez's energies), for several."""
    deadlines, times = scales.deadlines, scales.scaled.times
    starts = {max(0, deadline - time) for deadline, time in zip(deadlines, times, strict=True)}
    moments = spread(sorted({0, scales.makespan, *starts, *(one for one in deadlines if one > 0)}), MOMENTS)
    for index, begin in enumerate(moments):
        for end in moments[index + 1 :]:
            yield tuple(
                max(0, min(min(time, end) - begin, min(deadline, end) - max(deadline - time, begin)))
                for time, deadline in zip(times, deadlines, strict=True)
            )
