"""Methods found by a name that gives their cut: MOCCA(7/2), MOCCA-7(5). MOLBA has the cuts of its paper only."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from heuristics.method import Method
from heuristics.mosp import mocca_cut4, mocca_section7_cut4, molba_cut2, molba_cut3
from heuristics.mosp.conditions import require_fitting, require_static
from heuristics.mosp.guarantees import mocca_cut
from heuristics.mosp.mocca_cuts import algorithm4, section7
from oas.core.errors import InputError, within
from oas.core.numbers import parse_fraction
from oas.problems.mosp.instance import MospInstance

if TYPE_CHECKING:
    from collections.abc import Callable

    from heuristics.mosp.ticks import TickSchedule
    from oas.core.schedule import Schedule
    from oas.problems.mosp.ticks import ScaledMosp

_NAME = re.compile(r"(MOCCA|MOCCA-7|MOLBA)\s*\((.*)\)", re.IGNORECASE)
_PRINTED = {module.METHOD.name: module.METHOD for module in (mocca_cut4, mocca_section7_cut4, molba_cut2, molba_cut3)}
LEAST_CUT = 3


def method_at_cut(name: str) -> Method | None:
    """Return the method that `name` gives with its cut, such as ``MOCCA(7/2)``; None if it is no such name.

    Below the cut 4 it may end without a complete schedule; from 4 on it does not, and is an α-approximation.

    Raises
    ------
    InputError
        If the cut is not a number, or one that the method does not take.
    """
    match = _NAME.fullmatch(name.strip())
    if match is None:
        return None
    family = match[1].upper()
    with within("heuristic"):
        cut = parse_fraction(match[2].strip())
    shown = f"{family}({cut})"
    if shown in _PRINTED:
        return _PRINTED[shown]
    if family == "MOLBA":
        raise InputError("MOLBA's paper defines it at the cuts 2 and 3 only", field="heuristic", value=name)
    if cut < LEAST_CUT:
        raise InputError(f"the cut must be at least {LEAST_CUT}", field="heuristic", value=name)
    if family == "MOCCA":
        run = partial(_schedule, shown, partial(algorithm4, multiple=cut))
        guarantee = partial(mocca_cut, multiple=cut)
        return Method(shown, run, f"MOCCA(α), cut at {cut} LB", 121, MospInstance, guarantee=guarantee)
    run = partial(_schedule, shown, partial(section7, multiple=cut))
    return Method(shown, run, f"MOCCA as in section 7, cut at {cut} LB", 112, MospInstance)


def _schedule(
    name: str, place: Callable[[ScaledMosp], TickSchedule], instance: MospInstance, *, seed: int = 0
) -> Schedule:
    scaled = instance.scaled()
    require_static(scaled, name)
    require_fitting(scaled, name)
    return place(scaled).to_schedule(instance, name)
