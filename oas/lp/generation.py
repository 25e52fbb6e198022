"""The loop of column generation."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from oas.lp.master import Column, Master

STEP = 0.3  # smoothed weights lie this fraction of the way from the best weights so far to the duals


def generate_columns(
    master: Master[Column],
    solve: Callable[[], tuple[float, Sequence[float]]],
    price: Callable[[float, Sequence[float]], tuple[bool, Iterable[Column]] | None],
    start: Sequence[float] = (),
) -> None:
    """Solve the program, price weights and add columns, until pricing ends it or no column is missing.

    The first duals are far from the last ones. So the priced weights lie between the best ones so far and the duals
    (Wentges 1997), until these give no new column; then the duals themselves are priced.

    Parameters
    ----------
    master
        The restricted master problem.
    solve
        Solves the program; returns its value and its duals.
    price
        Called with the value of the program and weights. Returns whether the weights prove more than all before, and
        columns worth adding; None to end. If no weights prove more than others, the duals are priced.
    start
        The best weights so far; empty if there are none.
    """
    best, smooth = start, True
    while True:
        value, weights = solve()
        smooth = smooth and bool(best)
        if smooth:
            weights = [STEP * dual + (1 - STEP) * old for dual, old in zip(weights, best, strict=True)]
        priced = price(value, weights)
        if priced is None:
            return
        better, columns = priced
        if better:
            best = weights
        if master.add(columns):
            smooth = True
        elif smooth:
            smooth = False
        else:
            return
