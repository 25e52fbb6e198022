"""The settings and limits that each supported solver takes, under its own names."""

from __future__ import annotations

from dataclasses import dataclass


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

    @property
    def supported(self) -> dict[str, bool]:
        """Whether the solver has each feature, for people."""
        features = ("time limit", "gap", "seed", "warm start", "progress", "log")
        return dict.fromkeys(features, True) | {"gap": bool(self.gap)} | {"threads": bool(self.threads)}


PARAMETERS = {
    "highs": Parameters("time_limit", "mip_rel_gap", "mip_abs_gap", "random_seed", "threads"),
    "cbc": Parameters("seconds", "ratioGap", "allowableGap", "randomCbcSeed"),
    "cpsat": Parameters(
        "max_time_in_seconds", "relative_gap_limit", "absolute_gap_limit", "random_seed", "num_workers"
    ),
    "pumpkin": Parameters("timeout", "", "", "seed"),
    "gurobi": Parameters("TimeLimit", "MIPGap", "MIPGapAbs", "Seed", "Threads"),
    # SCIP uses one thread, unless another call solves.
    "scip": Parameters("limits/time", "limits/gap", "limits/absgap", "randomization/randomseedshift"),
    "cplex": Parameters("timelimit", "mip_tolerances_mipgap", "mip_tolerances_absmipgap", "randomseed", "threads"),
    "xpress": Parameters("timelimit", "miprelstop", "mipabsstop", "randomseed", "threads"),
}
"""Parameters by solver. Other solvers that Pyomo finds take a time limit, and options by their own names."""
