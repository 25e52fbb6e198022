"""The literal OAS model, before and after the solver: what it is made of, how large it would be, its formulation.

`literal_model` builds it, in the solver's process.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.models.coallocation.link_rows import link_rows
from oas.models.coallocation.literal_values import read, start_values
from oas.models.formulation import Formulation
from oas.models.size import check_size

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.coallocation.ticks import NodeClass, ScaledCoallocation

MAX_VARIABLES = 200_000
MAX_COEFFICIENTS = 2_000_000


@dataclass(frozen=True)
class Link:
    """The link of one cluster, in the unit of `link_rows`.

    Attributes
    ----------
    nodes
        Indices of the cluster's nodes in `LiteralSpec.nodes`.
    capacity
        MBW.
    counts
        counts[j]: how many tasks of job j the cluster may hold, given the nodes here and elsewhere.
    loads
        loads[j][c]: equation (4) at c tasks of job j here.
    """

    nodes: tuple[int, ...]
    capacity: float
    counts: tuple[range, ...]
    loads: tuple[tuple[float, ...], ...]

    @property
    def greatest_loads(self) -> tuple[float, ...]:
        """For each job, the greatest load it can put on the link."""
        return tuple(max(row[c] for c in counts) for row, counts in zip(self.loads, self.counts, strict=True))


@dataclass(frozen=True)
class LiteralSpec:
    """The data that the model is built from.

    Attributes
    ----------
    instance, scaled
        The instance, and the same in ticks.
    horizon
        θ: number of slots (ticks where η = 0); no job ends later.
    lower_bound
        Proven lower bound on the makespan in ticks.
    """

    instance: CoallocationInstance
    scaled: ScaledCoallocation
    horizon: int
    lower_bound: int

    @cached_property
    def nodes(self) -> tuple[tuple[int, int], ...]:
        """The resources R: (class index, node number in its cluster), by cluster, then fastest first."""
        return tuple((index, node) for index, one in enumerate(self.scaled.classes) for node in one.nodes)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The links L, one for each cluster."""
        capacities, loads = link_rows(self.scaled)
        return tuple(
            Link(self._nodes_of(cluster), capacity, self._counts(cluster), loads)
            for cluster, capacity in enumerate(capacities)
        )

    def _nodes_of(self, cluster: int) -> tuple[int, ...]:
        return tuple(node for node in range(len(self.nodes)) if self.node_class(node).cluster == cluster)

    def _counts(self, cluster: int) -> tuple[range, ...]:
        here = len(self._nodes_of(cluster))
        elsewhere = len(self.nodes) - here
        return tuple(range(max(0, tasks - elsewhere), min(tasks, here) + 1) for tasks in self.scaled.tasks)

    def node_class(self, node: int) -> NodeClass:
        """Class of a node, by its index in `nodes`."""
        return self.scaled.classes[self.nodes[node][0]]

    def power(self, node: int) -> Fraction:
        """Γ of a node."""
        return self.scaled.powers[self.node_class(node).level]

    def slots_needed(self, job: int, node: int) -> int:
        """Slots that `job` holds at least if it uses `node`: ⌈Tb·(σ/Γ + 1 − σ)/η⌉, exact."""
        return self.scaled.durations[job][self.node_class(node).level]

    def most_slots(self, job: int) -> int:
        """Slots that `job` holds on the slowest nodes there are."""
        return self.scaled.durations[job][-1]

    def start_slots(self, job: int) -> range:
        """Slots in which `job` could start and, on the fastest nodes there are, end by the horizon."""
        return range(1, self.horizon - self.scaled.durations[job][0] + 2)

    @property
    def variable_count(self) -> int:
        """Number of variables."""
        jobs, nodes, links = self.scaled.job_count, len(self.nodes), len(self.links)
        starts = sum(len(self.start_slots(job)) for job in range(jobs))
        counts = sum(len(counts) for link in self.links for counts in link.counts)
        return self.horizon * (jobs * nodes + jobs * links + links) + jobs * nodes + starts + 5 * jobs + counts + 1

    @property
    def coefficient_count(self) -> int:
        """Number of coefficients in all rows, those that happen to be zero included."""
        nodes, links = len(self.nodes), len(self.links)
        total = 2 * links * self.horizon + 1
        for job, tasks in enumerate(self.scaled.tasks):
            starts = len(self.start_slots(job))
            counts = sum(len(link.counts[job]) for link in self.links)
            total += self.horizon * nodes * (6 + (nodes if tasks > 1 else 0))  # (10), (11), (13), (17), (20)
            total += nodes * starts * (starts - 1) + 2 * starts  # (14); (15), (16)
            total += self.horizon * (links * (4 + 2 * nodes) + 2 * counts)  # BW, (21)
            total += 6 * nodes + 2 * counts + 11  # the rest has no slot
        return total


def prepare(instance: CoallocationInstance, scaled: ScaledCoallocation, horizon: int, lower_bound: int) -> LiteralSpec:
    """Collect what the model is made of and check its size before it is built.

    Parameters
    ----------
    instance, scaled
        The instance, and the same in ticks.
    horizon
        θ: makespan in ticks of a feasible schedule.
    lower_bound
        A proven lower bound in ticks; 0 if there is none.

    Raises
    ------
    InputError
        If some job is longer than the horizon even on the fastest nodes.
    TooLargeError
        If there would be more than 200,000 variables or 2,000,000 coefficients.
    """
    longest = max(row[0] for row in scaled.durations)
    if horizon < longest:
        raise InputError(f"some job takes {longest} ticks on the fastest nodes", field="horizon", value=horizon)
    spec = LiteralSpec(instance, scaled, horizon, lower_bound)
    check_size("literal", "variables", spec.variable_count, MAX_VARIABLES)
    check_size("literal", "coefficients", spec.coefficient_count, MAX_COEFFICIENTS)
    return spec


def ticks_of(spec: LiteralSpec, objective: int) -> int:
    """Return `objective`: it is the makespan in ticks."""
    return objective


FORMULATION = Formulation(
    name="literal",
    builder="oas.models.coallocation.literal_model:build",
    prepare=prepare,
    read=read,
    start_values=start_values,
    ticks_of=ticks_of,
    summary="the paper's own, one variable for (job, node, slot); small instances only",
)
