"""MOCCA (MOCCA paper): in three phases as printed, as in its experiments, and for any local policy, at any cut.

All are deterministic, and end in `NotPlacedError` where not all jobs find a place. MOCCA(4) and MOCCA-7(4) are the
paper's; MOCCA(α) and MOCCA-7(α) are found by name at any other cut α. Where the local schedules are HF, MOCCA-7 and
MOCCA-7(4) are the HF3 and HF4 of section 7.3.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from heuristics.method import Method, MethodFamily
from heuristics.mosp.cut_names import name_and_cut
from heuristics.mosp.guarantees import mocca_cut, mocca_three
from heuristics.mosp.mocca_cuts import LEAST_CUT, algorithm4, section7
from heuristics.mosp.mocca_phases import three_phases
from heuristics.mosp.requirements import fitting, local_given, static
from heuristics.mosp.ticks import scheduler
from oas.core.errors import InputError
from oas.problems.mosp.problem import MOSP

if TYPE_CHECKING:
    from collections.abc import Callable

    from heuristics.method import Guarantee
    from heuristics.mosp.ticks import TickSchedule
    from oas.problems.mosp.instance import MospInstance
    from oas.problems.mosp.ticks import ScaledMosp


def _method(
    name: str,
    place: Callable[[ScaledMosp], TickSchedule],
    summary: str,
    rank: int,
    guarantee: Callable[[MospInstance], Guarantee | None] | None = None,
) -> Method:
    run = scheduler(name, place)
    required = (local_given, static, fitting)
    return Method(name, run, summary, rank=rank, problem=MOSP, guarantee=guarantee, requires=required)


def _any_policy(cut: Fraction, summary: str, rank: int) -> Method:
    """MOCCA(α), Algorithm 4; from α = 4 on it places all jobs and is an α-approximation."""
    guarantee = partial(mocca_cut, multiple=cut)
    return _method(f"MOCCA({cut})", partial(algorithm4, multiple=cut), summary, rank, guarantee)


def _experiments(name: str, cut: Fraction, summary: str, rank: int) -> Method:
    """The variant of section 7."""
    return _method(name, partial(section7, multiple=cut), summary, rank)


METHODS = (
    _method(
        "MOCCA",
        three_phases,
        "MOCCA, phases 1 to 3 as printed: what ends after 3LB is put in anew",
        rank=100,
        guarantee=mocca_three,
    ),
    _experiments(
        "MOCCA-7", Fraction(3), "MOCCA as in section 7: one backward phase from 3LB, then compaction", rank=110
    ),
    _experiments(
        "MOCCA-7(4)", Fraction(4), "MOCCA as in section 7.3: cut at 4LB, local schedules as they are", rank=111
    ),
    _any_policy(Fraction(4), "MOCCA(4), Algorithm 4 as printed: cut at 4LB, HF where it is no worse", rank=120),
)


def method_at_cut(name: str) -> Method | None:
    """Return the method that `name` gives with its cut, such as ``MOCCA(7/2)``; None if it is no such name.

    Raises
    ------
    InputError
        If the cut is not a number, or below 3.
    """
    found = name_and_cut(name, ("MOCCA", "MOCCA-7"))
    if found is None:
        return None
    variant, cut = found
    shown = f"{variant}({cut})"
    for method in METHODS:
        if method.name == shown:
            return method
    if cut < LEAST_CUT:
        raise InputError(f"the cut must be at least {LEAST_CUT}", field="heuristic", value=name)
    if variant == "MOCCA":
        return _any_policy(cut, f"MOCCA(α), cut at {cut} LB", rank=121)
    return _experiments(shown, cut, f"MOCCA as in section 7, cut at {cut} LB", rank=112)


FAMILY = MethodFamily(method_at_cut, f"MOCCA(α) and MOCCA-7(α) at any cut α ≥ {LEAST_CUT}")
