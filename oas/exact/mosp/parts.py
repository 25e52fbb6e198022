"""The parts of MOSP that the exact pipeline uses."""

from __future__ import annotations

from oas.exact.mosp.brute_force import brute_force
from oas.exact.mosp.search import MospExactSearch
from oas.exact.parts import ExactParts
from oas.problems.mosp.runs import cluster_runs_from_schedule, schedule_from_cluster_runs

# Local schedules are feasible, so an instance always is.
PARTS = (
    ExactParts(
        lambda _: [],
        cluster_runs_from_schedule,
        schedule_from_cluster_runs,
        brute_force,
        MospExactSearch,
        worker=("oas.bounds.mosp.configurations", "oas.solvers.lp", "highspy"),
    ),
)
