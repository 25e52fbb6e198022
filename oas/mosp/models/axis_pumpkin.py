"""The MOSP model for Pumpkin: all clusters on one axis of time, with one cumulative constraint.

Cluster k has the moments k·(C + 1) to k·(C + 1) + C of the question whether a schedule ends by C. Fixed loads are
the last of them, reservations, and the processors that a cluster lacks to the largest one.
`oas.checker.mosp_proof_log` states the same axis in its own words, and `docs/proof-log.md` why it has starts if there
is a schedule.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from oas.mosp.bounds.proof_log import BOUND
from oas.mosp.models import cumulative_cpsat
from oas.mosp.runs import ClusterRun
from oas.solvers.pumpkin import PumpkinTask, Question, Resource
from oas.solvers.task import PUMPKIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.mosp.models.cumulative_cpsat import CumulativeSpec
    from oas.solvers.task import Key


def build(spec: CumulativeSpec) -> PumpkinTask:
    """Build the model, in the solver's process."""
    axis = _Axis(spec)
    return PumpkinTask(axis.question, axis.values, ("makespan", ()), spec.horizon, spec.lower_bound)


@dataclass(frozen=True)
class _Axis:
    spec: CumulativeSpec

    def question(self, makespan: int) -> Question:
        """Return the question whether a schedule ends by `makespan`."""
        spec, scaled, length = self.spec, self.spec.scaled, makespan + 1
        most = max(scaled.processors)
        loads = []
        for k, profile in enumerate(spec.profiles):
            steps = [step for step in profile if step[0] < makespan]
            for (moment, free), (after, _) in pairwise([*steps, (makespan, 0)]):
                if free < most:
                    loads.append((k * length + moment, k * length + after, most - free))
            loads.append((k * length + makespan, (k + 1) * length, most))
        loads = [load for load in loads if load[0] < scaled.cluster_count * length - 1]
        resources = [Resource(list(range(scaled.job_count)), scaled.widths, loads, most)]
        ranks = {k: rank for group in spec.identical_clusters for rank, k in enumerate(group)}
        kinds = [
            (-width, -time, release, min(end, makespan))
            for width, time, release, end in zip(scaled.widths, scaled.times, scaled.releases, spec.ends, strict=True)
        ]
        order = sorted(range(scaled.job_count), key=kinds.__getitem__)
        for place, job in enumerate(order):
            shut = []
            _, _, release, deadline = kinds[job]
            for k in range(scaled.cluster_count):
                begin, end = k * length, (k + 1) * length
                if ranks.get(k, 0) > place or release >= deadline:
                    shut.append((begin, end, 1))
                else:
                    shut += [(begin, begin + release, 1)] if release else []
                    shut += [(begin + deadline, end, 1)] if deadline < makespan else []
            if shut:
                resources.append(Resource([job], [1], shut, 1))
        orders = [pair for pair in pairwise(order) if kinds[pair[0]] == kinds[pair[1]]]
        return Question(scaled.cluster_count * length - 1, scaled.times, resources, orders)

    def values(self, makespan: int, starts: Sequence[int]) -> dict[Key, float]:
        """Return the values of the variables of `oas.mosp.models.cumulative_cpsat` for starts on the axis."""
        runs = [ClusterRun(job, *divmod(start, makespan + 1)) for job, start in enumerate(starts)]
        values: dict[Key, float] = {("start", (run.job,)): run.start for run in runs}
        values |= {("on", (run.job, run.cluster)): 1 for run in runs}
        values["makespan", ()] = max(run.start + self.spec.scaled.times[run.job] for run in runs)
        return values


FORMULATION = replace(
    cumulative_cpsat.FORMULATION,
    name="axis",
    builder="oas.mosp.models.axis_pumpkin:build",
    summary="starts on one axis of time for all clusters; for Pumpkin",
    family=PUMPKIN,
    certified=BOUND.name,
    prepare_full=None,
    latest_end=None,
    meanings=None,
)
