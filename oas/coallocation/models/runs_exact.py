"""The co-allocation model for Exact: a 0-1 variable for each possible run (job, allocation, start), in integer rows.

The rows state that a schedule ends by C ticks. `oas.checker.coallocation_proof_log` states the same rows in its own
words, in the same order, and `docs/proof-log.md` why they have a solution if there is a schedule.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import gcd
from typing import TYPE_CHECKING, NamedTuple

from oas.coallocation.allocations import allocations
from oas.coallocation.bounds.proof_log import BOUND
from oas.coallocation.models import start_indexed
from oas.coallocation.models.reductions import check_forbidden, identical_jobs, normal_patterns
from oas.coallocation.models.start_indexed import StartIndexedSpec
from oas.solvers.exact import ExactTask, Question, Row, row_of
from oas.solvers.task import EXACT
from oas.solving.formulation import NORMAL_STARTS, ORDER_OF_JOBS, check_size

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from oas.coallocation.allocations import Allocation, Run
    from oas.coallocation.instance import CoallocationInstance
    from oas.coallocation.ticks import ScaledCoallocation
    from oas.solvers.task import Key

MAX_RUNS = 50_000  # limits of the checker
MAX_NONZEROS = 2_000_000


def prepare(
    instance: CoallocationInstance, scaled: ScaledCoallocation, horizon: int, lower_bound: int
) -> StartIndexedSpec:
    """List allocations and starts, and check the model's size before it is built."""
    check_forbidden(instance.saturation)
    choices = tuple(tuple(allocations(scaled, job)) for job in range(scaled.job_count))
    starts = normal_patterns([{choice.duration for choice in own} for own in choices], horizon, cap=MAX_RUNS)
    spec = StartIndexedSpec(instance, horizon, lower_bound, choices, starts, identical_jobs(instance))
    check_size(FORMULATION.name, "possible runs", spec.size, MAX_RUNS)
    check_size(FORMULATION.name, "coefficients", spec.nonzeros, MAX_NONZEROS)
    return spec


def start_values(spec: StartIndexedSpec, runs: Sequence[Run]) -> dict[Key, float]:
    """Return the nonzero values of a feasible schedule's variables."""
    values: dict[Key, float] = {
        ("start", (run.job, spec.choices[run.job].index(run.allocation), run.start)): 1 for run in runs
    }
    return values | {("makespan", ()): max(run.end for run in runs)}


def ticks_of(_: StartIndexedSpec, objective: int) -> int:
    """Return the objective, which is the makespan in ticks."""
    return objective


def build(spec: StartIndexedSpec) -> ExactTask:
    """Build the model, in the solver's process."""

    def question(makespan: int) -> Question:
        rows = _Rows(spec, makespan)
        return Question(rows.variables, rows.rows)

    def values(makespan: int, chosen: Sequence[int]) -> Mapping[Key, float]:
        runs = _Rows(spec, makespan).runs
        own = [runs[variable] for variable in chosen if variable < len(runs)]
        found: dict[Key, float] = {("start", (run.job, run.choice, run.start)): 1 for run in own}
        return found | {("makespan", ()): max(run.end for run in own)}

    return ExactTask(question, values, ("makespan", ()), spec.horizon, spec.lower_bound)


class _PossibleRun(NamedTuple):
    job: int
    choice: int  # index of the allocation
    start: int
    end: int


@dataclass
class _Rows:
    """The rows for one makespan, with a variable for each run, and for each job and each of its starts but the last."""

    spec: StartIndexedSpec
    makespan: int

    def __post_init__(self) -> None:
        self.scaled = self.spec.scaled
        self.runs = [*self._possible_runs()]
        self.variables = len(self.runs)
        self.own: list[list[int]] = [[] for _ in self.spec.choices]  # variables by job
        for variable, run in enumerate(self.runs):
            self.own[run.job].append(variable)
        self.rows: list[Row] = [row_of(dict.fromkeys(own, sign), sign) for own in self.own for sign in (1, -1)]
        moments = sorted({run.start for run in self.runs})
        self._resources(moments)
        pairs = sorted((second, first) for group in self.spec.identical_jobs for first, second in pairwise(group))
        for second, first in pairs:
            self.rows += [row_of(self._begun(first, at, 1) | self._begun(second, at, -1), 0) for at in moments]
        for job, own in enumerate(self.own):
            for moment in sorted({self.runs[variable].start for variable in own})[:-1]:
                for sign in (1, -1):
                    self.rows.append(row_of(self._begun(job, moment, sign) | {self.variables: -sign}, 0))
                self.variables += 1

    def _possible_runs(self) -> Iterator[_PossibleRun]:
        """Yield the runs; the job with the most work, tasks times ticks, has its middle in the first half."""
        least = [min(choice.duration for choice in own) for own in self.spec.choices]
        works = [tasks * time for tasks, time in zip(self.scaled.tasks, least, strict=True)]
        mirrored = works.index(max(works))
        for job, own in enumerate(self.spec.choices):
            latest = (self.makespan - least[job]) // 2 if job == mirrored else self.makespan
            for choice, allocation in enumerate(own):
                for start in self.spec.starts[job]:
                    if start <= min(latest, self.makespan - allocation.duration):
                        yield _PossibleRun(job, choice, start, start + allocation.duration)

    def _begun(self, job: int, moment: int, sign: int) -> dict[int, int]:
        return {variable: sign for variable in self.own[job] if self.runs[variable].start <= moment}

    def _resources(self, moments: Sequence[int]) -> None:
        """Node classes, links and all nodes together: never more use than there is."""

        def uses_of(job: int, allocation: Allocation) -> tuple[int, ...]:
            return (*allocation.counts, *allocation.loads, self.scaled.tasks[job])

        uses = [uses_of(run.job, self.spec.choices[run.job][run.choice]) for run in self.runs]
        sizes = [len(one.nodes) for one in self.scaled.classes]
        for resource, size in enumerate((*sizes, *self.scaled.link_capacity, sum(sizes))):
            if sum(max((uses[variable][resource] for variable in own), default=0) for own in self.own) <= size:
                continue
            for moment in moments:
                row = {
                    variable: -uses[variable][resource]
                    for variable, run in enumerate(self.runs)
                    if run.start <= moment < run.end and uses[variable][resource]
                }
                unit = gcd(*row.values()) or 1
                self.rows.append(row_of({variable: use // unit for variable, use in row.items()}, -(size // unit)))


FORMULATION = replace(
    start_indexed.FORMULATION,
    name="runs",
    builder="oas.coallocation.models.runs_exact:build",
    prepare=prepare,
    start_values=start_values,
    ticks_of=ticks_of,
    tighten=None,
    strengthen=None,
    summary="one variable for (job, allocation, start), in integer rows; for Exact",
    family=EXACT,
    certified=BOUND.name,
    prepare_full=None,
    latest_end=None,
    meanings=None,
    reductions=(NORMAL_STARTS, ORDER_OF_JOBS),
)
