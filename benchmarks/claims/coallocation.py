"""Functions that recompute the claims of the OAS paper, by claim id."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.saturation import Saturation
from oas.core.schedule import Placement, Schedule
from oas.generate import section4, workload
from oas.solving.pipeline import solve

if TYPE_CHECKING:
    from collections.abc import Callable


def single_task_load() -> str:
    """Equation (4) for a job of one task: 1 · PTBW · 0/0."""
    instance = CoallocationInstance([Cluster("C", [NodeGroup(1, 1)], 10)], [Job("J", 1, 1, 5)])
    return f"0/0; taken as {instance.scaled().link_loads[0][1]}"


def saturated_links() -> str:
    """Equations (2) to (7): optima of four jobs with a task on each of two given nodes, with saturation and without.

    The model *phases* has these nodes fixed.
    """
    sizes = {"P": (1, 9), "Q": (2, 1), "R": (2, 1), "S": (2, 9)}
    clusters = [Cluster(name, [NodeGroup(nodes, 1)], bandwidth) for name, (nodes, bandwidth) in sizes.items()]
    jobs = [Job(name, 2, time, 1, Fraction(1, 2)) for name, time in (("A", 10), ("B", 10), ("C", 12), ("D", 12))]
    nodes = {
        "A": {"P": [0], "Q": [0]},
        "B": {"P": [0], "R": [0]},
        "C": {"Q": [1], "S": [0]},
        "D": {"R": [1], "S": [1]},
    }
    plan = Schedule([Placement(job, 0, 1, held) for job, held in nodes.items()])
    optima = []
    for threshold in (None, 1):  # at the threshold 1, no link may be saturated
        instance = CoallocationInstance(clusters, jobs, saturation=Saturation("slowdown", threshold))
        optima.append(solve(instance, placements=plan).objective)
    return f"optimum of four jobs on given nodes {optima[0]}, {optima[1]} where saturation is forbidden"


def slotted_finish() -> str:
    """Finish of one job: a fractional number of slots by equation (8), a whole number by (17)."""
    instance = workload(3)
    job = instance.jobs[0]
    exact = job.base_time / instance.slot
    return f"{float(exact):.2f} slots by (8), {-(-exact.numerator // exact.denominator)} by (17)"


def set_up() -> str:
    """Check over 100 seeds the parameters that the paper fixes for section 4's instances, and describe them."""
    drawn = [section4(seed=seed) for seed in range(100)]
    tasks = [job.tasks for instance in drawn for job in instance.jobs]
    means = {instance.mean_base_time for instance in drawn}
    sizes = {len(instance.jobs) for instance in drawn}
    sigmas = {job.sigma for instance in drawn for job in instance.jobs}
    powers = {(Fraction(quarters, 4),) * 4 for quarters in (4, 3, 2)}
    if (sizes, sigmas, {cluster.node_powers for cluster in drawn[0].clusters}) != ({8}, {Fraction(7, 10)}, powers):
        return "other jobs or clusters than those of the paper"
    return f"8 jobs, σ = .7, mean {', '.join(map(str, means))} s, tasks {min(tasks)} to {max(tasks)}, 3 × 4 nodes"


CHECKS: dict[str, Callable[[], str]] = {
    "oas-3.1-eq4": single_task_load,
    "oas-3.1-eq5": saturated_links,
    "oas-3.2-eq8": slotted_finish,
    "oas-4.1-set-up": set_up,
}
