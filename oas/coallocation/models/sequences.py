"""Sequences of configurations: data and rows of the models under slowdown, which choose one for each step.

A *configuration* is a set of jobs with their allocations that may run together, at rates that do not change. Steps are
slots or, at η = 0, phases.

With given nodes the models choose the starts alone: jobs that share a node never run together, and each has one
allocation. A lower bound then holds for schedules on these nodes only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, cast

from oas.coallocation.allocations import allocations, nodes_by_cluster, placements_by_job
from oas.coallocation.models.reductions import canonical_runs, identical_jobs, reduced_allocations
from oas.coallocation.rates import configurations
from oas.coallocation.running import StartedRun, ends_of, starts_from_schedule
from oas.core.errors import InputError, SolverError
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.solving.formulation import STARTS, Meaning, Placed, check_size
from oas.solving.model_builder import ModelBuilder

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from oas.coallocation.allocations import Allocation
    from oas.coallocation.instance import CoallocationInstance
    from oas.coallocation.rates import Configuration, Member
    from oas.core.node_ranges import NodeRanges
    from oas.solvers.task import Key
    from oas.solving.formulation import Formulation, Groups

    Choices = tuple[tuple[Allocation, ...], ...]

MAX_CONFIGURATIONS = 5_000
MAX_VARIABLES = 50_000
# The horizon in the phases model's unit of time: large against a solver's absolute tolerances, small against 1 / them.
HORIZON_UNITS = 1024


@dataclass(frozen=True)
class SequenceSpec:
    """The data that a model is built from."""

    instance: CoallocationInstance  # under slowdown
    horizon: Any  # makespan of a known schedule, in slots or, at η = 0, in the instance's time unit
    lower_bound: Any  # proven, in the unit of the horizon
    choices: Choices  # choices[j]: the allocations of job j that are considered
    configurations: tuple[Configuration, ...]  # sets that may run together
    identical_jobs: Groups = ()  # groups of identical jobs; the earlier index starts in no later step
    reduced: bool = True  # whether steps without a configuration come last

    @property
    def steps(self) -> range:
        """The slots of the horizon; at η = 0 a phase for each job."""
        return range(self.horizon if self.instance.slot else len(self.choices))

    @property
    def unit(self) -> Fraction:
        """Time unit of the phases model; the horizon is 1024 units."""
        return Fraction(self.horizon) / HORIZON_UNITS


def prepare(
    instance: CoallocationInstance,
    _scaled: object,
    horizon: int | Fraction,
    lower_bound: int | Fraction,
    *,
    choices: Choices | None = None,
    apart: Collection[frozenset[int]] = (),
    reduced: bool = True,
) -> SequenceSpec:
    """Reduce allocations, if `reduced`, list configurations, and check the model's size before it is built.

    Horizon and lower bound are in slots or, at η = 0, in the instance's time unit. If the allocations of each job are
    given (`choices`), identical jobs have no order. The pairs of jobs `apart` never run together.

    Raises `TooLargeError` if there would be more than 5,000 configurations or 50,000 variables for them.
    """
    name = "slots" if instance.slot else "phases"
    if not reduced:
        choices = tuple(tuple(allocations(instance.scaled(), job)) for job in range(len(instance.jobs)))
    identical = identical_jobs(instance) if choices is None else ()
    own = reduced_allocations(instance) if choices is None else choices
    sets = configurations(instance, own, cap=MAX_CONFIGURATIONS, formulation=name, apart=apart)
    spec = SequenceSpec(instance, horizon, lower_bound, own, sets, identical, reduced)
    check_size(name, "variables for configurations", len(sets) * len(spec.steps), MAX_VARIABLES)
    return spec


def sequence_of(spec: SequenceSpec, runs: Sequence[StartedRun]) -> list[tuple[Member, ...]] | None:
    """Return the running jobs in each non-idle step of a schedule, on allocations of the model.

    None if the reduced model does not contain the schedule.
    """
    if spec.identical_jobs or any(run.allocation not in spec.choices[run.job] for run in runs):
        moved = canonical_runs(spec.instance, spec.choices, spec.identical_jobs, runs)
        if moved is None:
            return None
        runs = moved
    try:
        ends = ends_of(spec.instance, runs)
    except InputError:  # more demand on a link than the threshold permits
        return None
    slot = spec.instance.slot
    if slot and max(ends) > spec.horizon * slot:
        return None
    moments = [step * slot for step in spec.steps] if slot else sorted({*ends, *(run.start for run in runs)})
    known = {one.members for one in spec.configurations}
    members_until = sorted(
        (run.job, spec.choices[run.job].index(run.allocation), run.start, end)
        for run, end in zip(runs, ends, strict=True)
    )
    sequence = []
    for moment in moments:
        members = tuple((job, choice) for job, choice, start, end in members_until if start <= moment < end)
        if members:
            sequence.append(members)
    return None if any(members not in known for members in sequence) else sequence


def chosen_sequence(values: Mapping[Key, float]) -> dict[int, int]:
    """Return the configuration of an incumbent in each step that has one, ascending.

    Raises `SolverError` if a step has two.
    """
    chosen: dict[int, int] = {}
    for (name, index), value in values.items():
        if name == "runs" and value:
            step, configuration = cast("tuple[int, int]", index)
            if step in chosen:
                raise SolverError(f"the solver's incumbent has two configurations in step {step}")
            chosen[step] = configuration
    return dict(sorted(chosen.items()))


def first_steps(instance: CoallocationInstance, sequence: Sequence[Sequence[Member]]) -> list[tuple[int, int]]:
    """Return the first step of each job's run and its allocation.

    Raises `SolverError` if a job does not run, its run is broken, or it changes its allocation.
    """
    starts = []
    for job, named in enumerate(instance.jobs):
        own = [(step, choice) for step, members in enumerate(sequence) for one, choice in members if one == job]
        if not own:
            raise SolverError(f"the solver's incumbent does not run job {named.id}")
        first, choice = own[0]
        if own != [(step, choice) for step in range(first, first + len(own))]:
            raise SolverError(f"the solver's incumbent breaks the run of job {named.id} or moves it to other nodes")
        starts.append(own[0])
    return starts


def runs_of_sequence(
    spec: SequenceSpec, sequence: Sequence[Sequence[Member]], starts: Sequence[Fraction]
) -> list[StartedRun]:
    """Return the runs of a sequence of configurations, given the start of each step; errors as `first_steps`."""
    return [
        StartedRun(job, starts[first], spec.choices[job][choice])
        for job, (first, choice) in enumerate(first_steps(spec.instance, sequence))
    ]


def sequence_values(spec: SequenceSpec, sequence: Sequence[tuple[Member, ...]]) -> dict[Key, float]:
    """Return the nonzero values of the variables for the configurations of the steps and the starts of jobs."""
    place = {one.members: index for index, one in enumerate(spec.configurations)}
    values: dict[Key, float] = {("runs", (step, place[members])): 1 for step, members in enumerate(sequence)}
    for job, (first, choice) in enumerate(first_steps(spec.instance, sequence)):
        values["chosen", (job, choice)] = 1
        values["begins", (job, choice, first)] = 1
    return values


def meanings(instance: CoallocationInstance, spec: SequenceSpec) -> Iterator[tuple[Key, Meaning]]:
    """Yield the meanings of the variables of `SequenceBuilder`; the moments of steps are known with slots only."""
    slot, step_name = instance.slot, "slot" if instance.slot else "phase"
    places = [[nodes_by_cluster(instance, one) for one in own] for own in spec.choices]

    def moments(step: int) -> tuple[Fraction, Fraction] | tuple[None, None]:
        return (step * slot, (step + 1) * slot) if slot else (None, None)

    for index, one in enumerate(spec.configurations):
        jobs = ", ".join(f"{instance.jobs[job].id} on {places[job][choice]}" for job, choice in one.members)
        for step in spec.steps:
            yield ("runs", (step, index)), Meaning(f"in {step_name} {step} run {jobs}", None, None, *moments(step))
            if not slot:
                yield ("time", (step, index)), Meaning(f"time in {step_name} {step} in units of {spec.unit}: {jobs}")
    for job, own in enumerate(places):
        for choice, nodes in enumerate(own):
            yield ("chosen", (job, choice)), Meaning("the job has these nodes", instance.jobs[job].id, nodes)
            for step in spec.steps:
                start, _ = moments(step)
                kind = STARTS if slot else f"the job starts in phase {step}"
                yield ("begins", (job, choice, step)), Meaning(kind, instance.jobs[job].id, nodes, start)


# Rules of the verifier on jobs and nodes, not on times.
_NODE_RULES = ("missing_job", "duplicate_job", "unknown_job", "unknown_cluster", "unknown_node", "tasks")


def placed(formulation: Formulation, instance: CoallocationInstance, plan: Schedule) -> Placed:
    """Return the formulation for the nodes of a plan, and all jobs on them, one after the other in the plan's order.

    Raises `InputError` if the plan omits or repeats a job, or gives a job too few or too many nodes, nodes that do not
    exist, or nodes on which links forbid it.
    """
    broken = next((one for one in verify(instance, plan) if one.rule in _NODE_RULES), None)
    if broken is not None:
        raise InputError(f"the plan gives no nodes that will do: {broken}", field="placements")
    given = starts_from_schedule(instance, plan)
    nodes = [one.nodes for one in placements_by_job(instance, plan)]
    taken = [{(name, number) for name, own in one.items() for number in own} for one in nodes]
    pairs = combinations(range(len(taken)), 2)
    apart = frozenset(frozenset((one, other)) for one, other in pairs if taken[one] & taken[other])
    runs: list[StartedRun] = []
    now = Fraction(0)
    try:
        for run in sorted(given, key=lambda one: (one.start, one.job)):
            runs.append(replace(run, start=now))
            now = ends_of(instance, runs[-1:])[0]
    except InputError as error:
        raise InputError(f"the plan gives no nodes that will do: {error.reason}", field="placements") from error
    on_these_nodes = replace(
        formulation,
        prepare=partial(prepare, choices=tuple((run.allocation,) for run in given), apart=apart),
        schedule=partial(_schedule, nodes),
        placed=None,
    )
    return Placed(on_these_nodes, _schedule(nodes, instance, runs))


def _schedule(nodes: Sequence[NodeRanges], instance: CoallocationInstance, runs: Sequence[StartedRun]) -> Schedule:
    """Return the schedule of runs on the nodes of their jobs; the ends are computed."""
    return Schedule(
        [
            Placement(instance.jobs[run.job].id, run.start, end, nodes[run.job])
            for run, end in zip(runs, ends_of(instance, runs), strict=True)
        ]
    )


class SequenceBuilder(ModelBuilder):
    """Variables and constraint families over steps; at most one configuration runs in each step."""

    def __init__(self, name: str, spec: SequenceSpec) -> None:
        super().__init__(name, spec)
        self.steps, self.choices, self.configurations = spec.steps, spec.choices, spec.configurations
        self.allocations = [(job, index) for job, own in enumerate(self.choices) for index in range(len(own))]
        # Configurations that hold an allocation of a job, with the job's rate there.
        self.holding: dict[Member, list[tuple[int, Fraction]]] = {member: [] for member in self.allocations}
        for index, one in enumerate(self.configurations):
            for member, rate in zip(one.members, one.rates, strict=True):
                self.holding[member].append((index, rate))

    def variables(self) -> None:
        """Declare runs[e,S] = 1 if configuration S runs in step e; chosen[j,a] and begins[j,a,e].

        chosen = 1 if job j uses allocation a, begins = 1 if it starts there in step e; integral if the runs are.
        """
        model = self.model
        pairs = [(step, index) for step in self.steps for index in range(len(self.configurations))]
        model.runs = self.pyo.Var(pairs, domain=self.pyo.Binary)
        model.chosen = self.pyo.Var(self.allocations, domain=self.pyo.UnitInterval)
        beginnings = [(job, index, step) for job, index in self.allocations for step in self.steps]
        model.begins = self.pyo.Var(beginnings, domain=self.pyo.UnitInterval)

    def one_configuration_at_a_time(self) -> None:
        """At most one configuration runs in each step: what it holds fits on nodes (10) and links."""
        self.model.one = self.pyo.Constraint(self.steps, rule=lambda _, step: self.running(step) <= 1)

    def one_allocation(self) -> None:
        """Each job has one allocation (12), (15)."""
        choices, model = self.choices, self.model
        model.once = self.pyo.Constraint(
            range(len(choices)),
            rule=lambda _, job: sum(model.chosen[job, index] for index in range(len(choices[job]))) == 1,
        )

    def begins(self) -> None:
        """A job that runs in a step, and not in the one before on the same allocation, begins there."""
        model = self.model

        def rule(_: Any, job: int, choice: int, step: int) -> Any:
            before = self.holds(job, choice, step - 1) if step else 0
            return model.begins[job, choice, step] >= self.holds(job, choice, step) - before

        model.beginning = self.pyo.Constraint(model.begins.index_set(), rule=rule)

    def one_run(self) -> None:
        """A job begins once, on its allocation: its run is unbroken."""
        model = self.model
        model.run = self.pyo.Constraint(
            self.allocations,
            rule=lambda _, job, choice: (
                sum(model.begins[job, choice, step] for step in self.steps) == model.chosen[job, choice]
            ),
        )

    def empty_steps_last(self) -> None:
        """Steps without a configuration come last: time never passes while no job runs."""
        pairs = list(pairwise(self.steps))
        self.model.empty = self.pyo.Constraint(
            range(len(pairs)), rule=lambda _, at: self.running(pairs[at][0]) >= self.running(pairs[at][1])
        )

    def identical_jobs_in_order(self) -> None:
        """Of identical jobs, the earlier index begins in no later step: symmetry only."""
        pairs = [pair for group in self.spec.identical_jobs for pair in pairwise(group)]
        rows = [(first, second, step) for first, second in pairs for step in self.steps]
        self.model.identical_jobs = self.pyo.Constraint(
            rows, rule=lambda _, first, second, step: self._begun(first, step) >= self._begun(second, step)
        )

    def running(self, step: int) -> Any:
        """Whether anything runs in a step."""
        return sum(self.model.runs[step, index] for index in range(len(self.configurations)))

    def holds(self, job: int, choice: int, step: int) -> Any:
        """Whether the job runs on this allocation in a step."""
        return sum(self.model.runs[step, index] for index, _ in self.holding[job, choice])

    def _begun(self, job: int, step: int) -> Any:
        """Whether the job begins in this step or before."""
        choices = range(len(self.choices[job]))
        return sum(self.model.begins[job, choice, at] for choice in choices for at in range(step + 1))
