"""The co-allocation bound *configurations*, weights of jobs by level in a tree over the levels; and simple bounds.

**Theorem.** Let job j have weight w[j][l] at level l. If jobs that can run at the same time, each at a level, never
weigh more than M together, then the makespan is at least Σ_j min_l ticks(j, l)·w[j][l] / M, and at least the time of
the longest job.

**Proof.** Job j runs at some level l and has weight w[j][l] for ticks(j, l). The sum over all jobs and ticks is at
least the numerator, and it is at most M in each tick. (This is Farley's bound on the linear program that covers the
jobs by sets that can run together.) A level stands for nodes of that speed or a faster one; levels with equal times are
represented by the slowest, which has the most nodes. Each schedule belongs to one leaf of the tree, because the parts
of a node leave out no mode. Some optimal schedule lasts whole ticks (`oas.checker.recheck.confirm`), so the quotient is
rounded up.

Saturated links can only make jobs slower: a run of more ticks weighs more, and jobs that run together satisfy the limit
of each link, to which the link capacities are set. Without slots there are no ticks then, and the checker returns 0.

**Certificate.** ``{"tree": [node, …]}`` in preorder (`oas.checker.trees`). A leaf
``{"weights": [[w, …], …], "capacity": M}`` has a weight of each job in each of its modes, fastest first. Modes are the
levels except those with the same time as the next slower one; a mode that the job no longer has must have weight 0. The
checker computes the maximum weight of a set; it replaces M if it is greater or M is missing. The smallest leaf counts.

**Simple bounds**, whose certificate is ``{}``. Let p_j be the time of job j on the fastest nodes that it can have on an
empty grid. The makespan is at least Σ τ_j·p_j / nodes (area), max p_j (longest job), and the sum of p_j over jobs
that pairwise do not fit together (wide jobs): those with more than half of the nodes, and one more that fits with none
of them. **Proof.** The time of job j is at least p_j, since saturated links only slow it down, and it holds τ_j nodes
while it runs. Jobs that pairwise cannot run together run one after the other.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from oas.checker.coallocation_heaviest import heaviest_together, read_level_weights
from oas.checker.coallocation_instance import CoallocationInstance
from oas.checker.coallocation_spread import fastest_levels
from oas.checker.coallocation_together import Together
from oas.checker.effort import Effort
from oas.checker.reading import fields_of, integer_of, refused
from oas.checker.trees import MOST_CHOICE_NODES, ChoicesLeft, split_choices, walk_tree

MOST_LEVEL_WEIGHT = 2**100
MOST_LEVEL_CAPACITY = 2**200

LevelModes = dict[int, int]  # levels of a job, fastest first, with its ticks at each


def shortest_runs(instance: CoallocationInstance) -> list[Fraction]:
    """Return each job's time on the fastest nodes that it can have; raise `Refused` if a job has no allocation."""
    scaled = instance.ticks
    levels = fastest_levels(scaled)
    return [job.duration(scaled.powers[level], instance.slot) for job, level in zip(instance.jobs, levels, strict=True)]


def coallocation_area(instance: CoallocationInstance) -> Fraction:
    """Return Σ τ·(shortest time) / nodes."""
    runs = shortest_runs(instance)
    work = sum((job.tasks * run for job, run in zip(instance.jobs, runs, strict=True)), Fraction(0))
    return work / instance.node_count


def coallocation_longest_job(instance: CoallocationInstance) -> Fraction:
    """Return the maximum over jobs of the shortest time."""
    return max(shortest_runs(instance))


def coallocation_wide_jobs(instance: CoallocationInstance) -> Fraction:
    """Return the total time of the wide jobs and the longest other job that fits with none of them."""
    nodes = instance.node_count
    runs = [(job.tasks, run) for job, run in zip(instance.jobs, shortest_runs(instance), strict=True)]
    wide = [(tasks, run) for tasks, run in runs if 2 * tasks > nodes]
    if not wide:
        return Fraction(0)
    narrowest, _ = min(wide)
    beside = [run for tasks, run in runs if 2 * tasks <= nodes < tasks + narrowest]
    return sum((run for _, run in wide), Fraction(0)) + max(beside, default=Fraction(0))


def check_coallocation_configurations(instance: CoallocationInstance, certificate: Any) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`."""
    scaled = instance.ticks
    together = Together(scaled, Effort())
    modes: list[LevelModes] = []
    for ticks, fastest in zip(scaled.durations, together.fastest, strict=True):
        slowest = {time: level for level, time in enumerate(ticks) if level >= fastest}
        modes.append({level: time for time, level in slowest.items()})
    proven: list[int] = []

    def visit(node: Any, where: str, left: ChoicesLeft) -> list[ChoicesLeft]:
        if type(node) is not dict or "weights" not in node:
            return split_choices(node, where, left, modes, together.effort)
        proven.append(_leaf_bound(node, where, left, modes, together))
        return []

    root: ChoicesLeft = {}
    walk_tree(fields_of(certificate, "certificate", "tree")["tree"], root, visit, MOST_CHOICE_NODES)
    return scaled.to_time(min(proven))


def _leaf_bound(node: Any, where: str, left: ChoicesLeft, modes: list[LevelModes], together: Together) -> int:
    """Return the lower bound of a leaf in ticks, for jobs at the remaining levels."""
    fields_of(node, where, "weights", optional=("capacity",))
    rows = read_level_weights(node["weights"], f"{where}.weights", list(map(len, modes)), MOST_LEVEL_WEIGHT)
    claimed = integer_of(node.get("capacity", 0), f"{where}.capacity", most=MOST_LEVEL_CAPACITY)
    work = longest = 0
    for job, (times, weights) in enumerate(zip(modes, rows, strict=True)):
        weight_of = dict(zip(times, weights, strict=True))
        remaining = left.get(job, times)
        if any(weight and level not in remaining for level, weight in weight_of.items()):
            raise refused(f"{where}.weights[{job}]", "a weight for a level that the job does not have here")
        longest = max(longest, min(times[level] for level in remaining))
        work += min(times[level] * weight_of[level] for level in remaining)
    together.effort.spend(len(modes))
    weighed = [list(zip(times, weights, strict=True)) for times, weights in zip(modes, rows, strict=True)]
    capacity = heaviest_together(together, weighed, claimed)
    return max(longest, -(-work // capacity)) if capacity else longest
