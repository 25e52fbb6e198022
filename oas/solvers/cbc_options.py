"""Options of CBC that may be set, and the values they take.

CBC itself ignores a misspelt option, so only what is listed here is passed on.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.names import unknown_name

if TYPE_CHECKING:
    from collections.abc import Mapping

_SWITCH = ("off", "on")
_CUTS = ("off", "on", "root", "ifmove", "forceOn")
_HEURISTIC = ("off", "on", "both", "before")

_WORDS: dict[str, tuple[str, ...]] = {
    "cuts": _CUTS,
    "cliqueCuts": _CUTS,
    "flowCoverCuts": _CUTS,
    "gomoryCuts": _CUTS,
    "knapsackCuts": _CUTS,
    "mixedIntegerRoundingCuts": _CUTS,
    "probingCuts": _CUTS,
    "twoMirCuts": _CUTS,
    "zeroHalfCuts": _CUTS,
    "feasibilityPump": _HEURISTIC,
    "greedyHeuristic": _HEURISTIC,
    "heuristicsOnOff": _SWITCH,
    "Rins": _HEURISTIC,
    "roundingHeuristic": _HEURISTIC,
    "preprocess": ("off", "on", "save", "equal", "sos", "trysos", "equalall", "strategy", "aggregate", "forcesos"),
    "presolve": ("off", "on", "more"),
    "costStrategy": ("off", "priorities", "columnOrder"),
    "nodeStrategy": ("hybrid", "fewest", "depth", "upfewest", "downfewest", "updepth", "downdepth"),
}
# Least and greatest value; whole numbers where both are int.
_NUMBERS: dict[str, tuple[float, float]] = {
    "allowableGap": (0.0, 1e20),
    "ratioGap": (0.0, 1e20),
    "increment": (1e-9, 1e20),
    "integerTolerance": (1e-12, 0.5),
    "primalTolerance": (1e-12, 1e-3),
    "dualTolerance": (1e-12, 1e-3),
    "maxNodes": (1, 2**31 - 1),
    "maxSolutions": (1, 2**31 - 1),
    "passCuts": (-999, 999),
    "passFeasibilityPump": (0, 10**4),
    "strategy": (0, 2),
    "strongBranching": (0, 999),
    "trustPseudoCosts": (0, 10**6),
}


def checked_options(options: Mapping[str, object]) -> dict[str, str]:
    """Return `options` as CBC's command line takes them.

    Raises
    ------
    InputError
        If a name is not listed here or a value is not one CBC takes.
    """
    return {name: _checked(name, value) for name, value in options.items()}


def _checked(name: str, value: object) -> str:
    field = f"options.{name}"
    if name in _WORDS:
        if value not in _WORDS[name]:
            raise InputError(f"must be one of {', '.join(_WORDS[name])}", field=field, value=value)
        return str(value)
    if name not in _NUMBERS:
        known = sorted((*_WORDS, *_NUMBERS))
        raise unknown_name(name, known, field, reason="not an option of CBC that can be set")
    least, most = _NUMBERS[name]
    whole = isinstance(least, int)
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        raise InputError(f"must be {'an integer' if whole else 'a number'}", field=field, value=value)
    if math.isnan(value) or not least <= value <= most:
        raise InputError(f"must be between {least:g} and {most:g}", field=field, value=value)
    return repr(value)
