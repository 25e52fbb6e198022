"""MOCCA(α): local schedules cut at α·LB, what ends later put in backwards from there; and section 7's variant."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from heuristics.mosp.backwards import backward_runs, compacted
from heuristics.mosp.conditions import highest_first_starts
from heuristics.mosp.mocca_phases import kept_and_removed
from heuristics.mosp.threshold import cut_instance, paper_bound
from heuristics.mosp.ticks import TickSchedule
from oas.core.errors import InputError

if TYPE_CHECKING:
    from oas.problems.mosp.ticks import ScaledMosp


def algorithm4(scaled: ScaledMosp, multiple: Fraction) -> TickSchedule:
    """MOCCA(α) as printed in Algorithm 4, section 5.2; α is `multiple`.

    Raises
    ------
    NotPlacedError
        If not all jobs find a place; for α ≥ 4 they do, below that the paper does not know.
    """
    threshold = paper_bound(scaled) * _checked(multiple)
    starts = list(scaled.local_starts)
    for organization in range(scaled.cluster_count):
        better = highest_first_starts(scaled, organization)
        alone = max((starts[job] + scaled.times[job] for job in better), default=0)
        by_height = max((start + scaled.times[job] for job, start in better.items()), default=0)
        if not (alone < threshold and alone < by_height):
            for job, start in better.items():
                starts[job] = start
    cut = cut_instance(replace(scaled, local_starts=tuple(starts)), paper_bound(scaled), multiple)
    kept, removed = kept_and_removed(cut)
    return TickSchedule.of(cut.scaled, [*kept, *backward_runs(cut, kept, removed)])


def section7(scaled: ScaledMosp, multiple: Fraction = Fraction(3)) -> TickSchedule:
    """The variant of the paper's experiments (section 7.1): one backward phase for all jobs, then compaction.

    The stored local schedules are taken as they are. With `multiple` 4 it is the one of section 7.3.

    Raises
    ------
    NotPlacedError
        If not all jobs find a place.
    """
    cut = cut_instance(scaled, paper_bound(scaled), _checked(multiple))
    kept, removed = kept_and_removed(cut)
    return TickSchedule.of(cut.scaled, [*kept, *compacted(cut, kept, backward_runs(cut, kept, removed))])


def _checked(multiple: Fraction) -> Fraction:
    if multiple < 3:
        raise InputError("must be at least 3", field="cut", value=str(multiple))
    return multiple
