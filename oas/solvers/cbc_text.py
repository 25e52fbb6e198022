"""Reader of CBC's log and solution file, and the options that CBC accepts.

CBC prints bounds with six significant digits (``best possible``) or three decimals (``Lower bound``). The rounding
error is subtracted from each bound. CBC ignores a misspelt option and accepts abbreviations of any option, so only the
options listed here are allowed, in this spelling.
"""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

from oas.core.errors import InputError, unknown_name
from oas.solvers.task import finite

_NUMBER = r"(-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
_NODES = re.compile(rf"After \d+ nodes, \d+ on tree, {_NUMBER} best solution, best possible {_NUMBER}")
_PARTIAL = re.compile(rf"best objective {_NUMBER} \(best possible {_NUMBER}\)")
_FOUND = re.compile(rf"Integer solution of {_NUMBER} found")
_LOWER = re.compile(rf"^Lower bound:\s+{_NUMBER}\s*$")
_VERSION = re.compile(r"^Version: (\S+)")
_HEADER = re.compile(rf"^(.*?)\s*-\s*objective value\s+{_NUMBER}\s*$")
_PROCESSED = re.compile(
    r"^Cgl0004I processed model has "
    r"(\d+) (?:\((-?\d+)\) )?rows, (\d+) (?:\((-?\d+)\) )?columns .*?(\d+) (?:\((-?\d+)\) )?elements"
)
_RELAXATION = re.compile(rf"^Continuous objective value is {_NUMBER}")
_ROOT = re.compile(rf"^Cbc0013I At root node, (\d+) cuts changed objective from {_NUMBER} to {_NUMBER}")
_COUNTS = {
    "nodes": re.compile(r"^Enumerated nodes:\s+(\d+)"),
    "iterations": re.compile(r"^Total iterations:\s+(\d+)"),
}
_NO_INTEGER = "(no integer solution - continuous used)"


def bound_minus_rounding(text: str) -> float | None:
    """Return the bound `text` less at least half a unit of its sixth significant digit; None if it is not finite."""
    value = finite(float(text))
    return None if value is None else value - 5.1e-6 * abs(value)


class CbcLog:
    """The values in CBC's log so far; `report` receives those for `Outcome.report`."""

    def __init__(self, report: dict[str, Any]) -> None:
        self.report = report
        self.version = ""
        # bound, objective: the latest values of the search, for display and for a CBC that is killed
        self.bound: float | None = None
        self.objective: float | None = None
        # Bound of the closing report; CBC prints it only if it differs from the objective.
        self.final_bound: float | None = None
        self.interrupted = False  # whether CBC reports an interrupt

    def read(self, line: str) -> bool:
        """Read one line of the log; return whether bound or objective changed."""
        if match := _NODES.search(line) or _PARTIAL.search(line):
            self.objective, self.bound = finite(float(match[1])), bound_minus_rounding(match[2])
            return True
        if match := _FOUND.search(line):
            self.objective = finite(float(match[1]))
            return True
        if match := _LOWER.search(line):
            value = finite(float(match[1]))
            self.final_bound = None if value is None else value - 5.1e-4
        elif match := _VERSION.search(line):
            self.version = match[1]
        elif line.startswith("Result - User ctrl-c"):
            self.interrupted = True
        else:
            self._read_counts(line)
        return False

    def _read_counts(self, line: str) -> None:
        report = self.report
        if (match := _PROCESSED.search(line)) and "presolved_rows" not in report:
            names = ("presolved_rows", "presolved_columns", "presolved_nonzeros")
            changed = zip(match.groups()[::2], match.groups()[1::2], strict=True)  # in parentheses
            report |= {name: int(size) - int(change or 0) for name, (size, change) in zip(names, changed, strict=True)}
        elif match := _RELAXATION.search(line):
            report.setdefault("lp_bound", bound_minus_rounding(match[1]))
        elif match := _ROOT.search(line):
            report.setdefault("cuts", int(match[1]))
            report.setdefault("root_bound", bound_minus_rounding(match[3]))
        for name, pattern in _COUNTS.items():
            if match := pattern.search(line):
                report[name] = int(match[1])


class CbcEnd(NamedTuple):
    """The claims in the first line of the solution file."""

    condition: str  # in Pyomo's words; ``error`` if the line is missing or unknown
    objective: float | None = None  # of an integer solution; None if there is none


def read_end(header: str, interrupted: bool) -> CbcEnd:
    """Read the first line of the solution file; `interrupted` tells whether CBC was interrupted."""
    match = _HEADER.match(header.strip())
    if match is None:
        return CbcEnd("error")
    state, objective = match[1], finite(float(match[2]))
    if _NO_INTEGER in state:
        objective = None
    if state.startswith("Optimal"):
        return CbcEnd("optimal", objective)
    if state.startswith(("Infeasible", "Integer infeasible")):
        return CbcEnd("infeasible")
    if not state.startswith("Stopped on"):
        return CbcEnd("error")
    if interrupted or "ctrl-c" in state:
        return CbcEnd("userInterrupt", objective)
    if state.startswith("Stopped on time"):
        return CbcEnd("maxTimeLimit", objective)
    if state.startswith("Stopped on difficulties"):
        return CbcEnd("error")
    # A limit on branch-and-bound nodes, which only the caller's options can set.
    return CbcEnd("maxIterations", objective)


_CUTS = (
    "cuts",
    "cliqueCuts",
    "flowCoverCuts",
    "gomoryCuts",
    "knapsackCuts",
    "mixedIntegerRoundingCuts",
    "probingCuts",
    "twoMirCuts",
    "zeroHalfCuts",
)
_HEURISTICS = ("feasibilityPump", "greedyHeuristic", "Rins", "roundingHeuristic")
_WORDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_CUTS, ("off", "on", "root", "ifmove", "forceOn")),
    **dict.fromkeys(_HEURISTICS, ("off", "on", "both", "before")),
    "heuristicsOnOff": ("off", "on"),
    "preprocess": ("off", "on", "save", "equal", "sos", "trysos", "equalall", "strategy", "aggregate", "forcesos"),
    "presolve": ("off", "on", "more"),
    "costStrategy": ("off", "priorities", "columnOrder"),
    "nodeStrategy": ("hybrid", "fewest", "depth", "upfewest", "downfewest", "updepth", "downdepth"),
}
# Least and greatest value; whole numbers where both are int.
_NUMBERS: dict[str, tuple[float, float]] = {
    "allowableGap": (0.0, 1e20),
    "ratioGap": (0.0, 1e20),
    "maxNodes": (1, 2**31 - 1),
    "passCuts": (-999, 999),
    "passFeasibilityPump": (0, 10**4),
    "strategy": (0, 2),
    "strongBranching": (0, 999),
    "trustPseudoCosts": (0, 10**6),
}
KNOWN_OPTIONS = (*_WORDS, *_NUMBERS)
"""The options that may be set, in exactly this spelling: none changes the meaning of a bound or of feasibility."""


def checked_option(name: str, value: object) -> object:
    """Return `value`; raises `InputError` for an option of an unknown name or with a bad value."""
    field = f"options.{name}"
    if name in _WORDS:
        if value not in _WORDS[name]:
            raise InputError(f"must be one of {', '.join(_WORDS[name])}", field=field, value=value)
        return value
    if name not in _NUMBERS:
        raise unknown_name(name, sorted(KNOWN_OPTIONS), field, reason="not an option of CBC that can be set")
    least, most = _NUMBERS[name]
    whole = isinstance(least, int)
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        raise InputError(f"must be {'an integer' if whole else 'a number'}", field=field, value=value)
    if math.isnan(value) or not least <= value <= most:
        raise InputError(f"must be between {least:g} and {most:g}", field=field, value=value)
    return value
