"""The certificate of a two-dimensional bound, and its re-check in integers.

The certificate is ``{"makespan": C, "times": [v, …], "heights": [y, …], "mirrored": false}``, C in ticks, v and y of
each job. On a cluster of m processors let no set of jobs with Σ q ≤ m weigh more than M by y, and no chain, jobs no
wider than m that can run one after another within their deadlines, more than V by v. Then the jobs that a schedule of
makespan C or less runs on this cluster have Σ v·y ≤ V·M: their runs are intervals, an interval graph is perfect, so M
chains can be chosen such that each job is in y of them (min-max for weighted cliques and colourings), and each of these
weighs at most V. So if Σ_j v_j·y_j over all jobs is more than Σ_k V_k·M_k over all clusters, no schedule ends by C.

v and y are dual feasible, or conservative, scales of the two dimensions (Fekete and Schepers 2004, *A General
Framework for Bounds for Higher-Dimensional Orthogonal Packing Problems*). With v = p it is the configuration bound.

Deadlines are the least of C and what locality asks of the job's organization, on whichever cluster it runs. Mirrored,
time runs backwards and they are C less the release. Reservations are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.bounds.budget import Budget
from oas.bounds.mosp.chains import chain_steps, heaviest_chain
from oas.bounds.mosp.configurations.certificate import job_weights
from oas.bounds.mosp.knapsack import heaviest_by_capacity, knapsack_steps
from oas.bounds.reading import fields_of, flag_of, integer_of
from oas.problems.mosp.ticks import MAX_TICKS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oas.problems.mosp.instance import MospInstance
    from oas.problems.mosp.ticks import ScaledMosp


def value(instance: MospInstance, certificate: Mapping[str, object]) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing.

    Raises
    ------
    InputError
        If the certificate is malformed, or takes too long to check.
    """
    fields = fields_of(certificate, "certificate", "makespan", "times", "heights", "mirrored")
    makespan = integer_of(fields["makespan"], "certificate.makespan", MAX_TICKS - 1)
    mirrored = flag_of(fields["mirrored"], "certificate.mirrored")
    count = len(instance.jobs)
    times = job_weights(fields["times"], count, "certificate.times")
    heights = job_weights(fields["heights"], count, "certificate.heights")
    scales = Scales(instance.scaled(), makespan, mirrored)
    budget = Budget()
    budget.spend(len(scales.sizes) * chain_steps(times, scales.scaled.times, scales.deadlines), "certificate.times")
    budget.spend(knapsack_steps(heights, scales.scaled.widths, scales.sizes[-1]), "certificate.heights")
    return instance.scaled().to_time(makespan + 1) if scales.refute(times, heights) else Fraction(0)


@dataclass(frozen=True)
class Scales:
    """The two dimensions of an instance, for makespans up to this one.

    Attributes
    ----------
    scaled
        The instance.
    makespan
        C, in ticks.
    mirrored
        Whether time runs backwards.
    """

    scaled: ScaledMosp
    makespan: int
    mirrored: bool = False

    @property
    def sizes(self) -> list[int]:
        """The sizes of clusters, ascending, each once."""
        return sorted(set(self.scaled.processors))

    @property
    def deadlines(self) -> list[int]:
        """Deadline of each job."""
        if self.mirrored:
            return [self.makespan - release for release in self.scaled.releases]
        own = [self.scaled.deadlines[owner] for owner in self.scaled.owners]
        return [self.makespan if one is None else min(one, self.makespan) for one in own]

    def chains(self, times: Sequence[int]) -> list[tuple[int, tuple[int, ...]]]:
        """Return V of each size of cluster, and a chain that weighs so much by v."""
        found = []
        for size in self.sizes:
            fitting = [v if q <= size else 0 for v, q in zip(times, self.scaled.widths, strict=True)]
            found.append(heaviest_chain(fitting, self.scaled.times, self.deadlines))
        return found

    def longest(self, times: Sequence[int]) -> list[int]:
        """Return V of each size of cluster."""
        return [weight for weight, _ in self.chains(times)]

    def highest(self, heights: Sequence[int]) -> list[int]:
        """Return M of each size of cluster."""
        most = heaviest_by_capacity(heights, self.scaled.widths, self.sizes[-1])
        return [most[size] for size in self.sizes]

    def room(self, longest: Sequence[int], highest: Sequence[int]) -> int:
        """Return Σ_k V_k·M_k over all clusters."""
        counts = [self.scaled.processors.count(size) for size in self.sizes]
        return sum(n * v * m for n, v, m in zip(counts, longest, highest, strict=True))

    def refute(self, times: Sequence[int], heights: Sequence[int]) -> bool:
        """Whether these weights prove that no schedule ends by C."""
        return volume(times, heights) > self.room(self.longest(times), self.highest(heights))


def volume(times: Sequence[int], heights: Sequence[int]) -> int:
    """Return Σ_j v_j·y_j."""
    return sum(v * y for v, y in zip(times, heights, strict=True))
