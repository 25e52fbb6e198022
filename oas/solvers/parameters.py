"""The settings and limits that each supported solver takes, under its own names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Parameters:
    """A solver's own names for settings and limits.

    All of these solvers also take a warm start, and report progress while they run.
    """

    time: str
    gap: str  # relative
    absolute_gap: str
    seed: str
    threads: str = ""  # empty: it uses one
    least_gap: float = 0.0  # absolute gap of its own
    further: Mapping[str, float] = field(default_factory=dict)  # options that are always set
    binary: Mapping[str, float] = field(default_factory=dict)  # options that are set if all variables are binary

    @property
    def supported(self) -> dict[str, bool]:
        """Whether the solver has each feature, for people."""
        features = ("time limit", "gap", "seed", "warm start", "progress", "log")
        return dict.fromkeys(features, True) | {"gap": bool(self.gap)} | {"threads": bool(self.threads)}


# With 1e-6 as tolerance of integers, let alone the default 1e-5, Gurobi and CPLEX state a false optimum of the known
# model "trickle flow". Xpress would drop solutions that are slightly better than the incumbent.
_XPRESS = {"miptol": 1e-6, "miprelcutoff": 0.0, "mipaddcutoff": 0.0}
# Presolve of HiGHS without probing (bit 15) and enumeration (bit 16): on start-indexed models with thousands of binary
# variables, probing takes most of a minute, in each sub-MIP again, and fixes few of them. With continuous variables,
# HiGHS needs it: otherwise it states a false optimum of the known model "trickle flow".
_HIGHS = {"presolve_rule_off": 1 << 15 | 1 << 16}
PARAMETERS = {
    "highs": Parameters(
        "time_limit", "mip_rel_gap", "mip_abs_gap", "random_seed", "threads", least_gap=1e-6, binary=_HIGHS
    ),
    "cbc": Parameters("seconds", "ratioGap", "allowableGap", "randomCbcSeed", least_gap=1e-10),
    "cpsat": Parameters(
        "max_time_in_seconds", "relative_gap_limit", "absolute_gap_limit", "random_seed", "num_workers"
    ),
    "pumpkin": Parameters("timeout", "", "", "seed"),
    "exact": Parameters("timeout", "", "", "seed"),
    "gurobi": Parameters("TimeLimit", "MIPGap", "MIPGapAbs", "Seed", "Threads", further={"IntFeasTol": 1e-9}),
    # SCIP uses one thread, unless another call solves.
    "scip": Parameters("limits/time", "limits/gap", "limits/absgap", "randomization/randomseedshift"),
    "cplex": Parameters(
        "timelimit",
        "mip_tolerances_mipgap",
        "mip_tolerances_absmipgap",
        "randomseed",
        "threads",
        further={"mip_tolerances_integrality": 0.0},
    ),
    "xpress": Parameters("timelimit", "miprelstop", "mipabsstop", "randomseed", "threads", further=_XPRESS),
}
"""Parameters by solver. Other solvers that Pyomo finds take a time limit, and options by their own names."""
