"""The certificate of a bound by a tree over pairs of jobs and cluster sets, and its re-check in integers.

The certificate is ``{"makespan": C, "mirrored": false, "steps": s, "refuted": [[j, …], …], "cuts": [[i, j, k], …],
"weights": [[w, …], …], "tree": [node, …]}``, C in ticks, for clusters of one size. Nodes are in preorder. An inner node
is a pair of jobs [i, j]: what follows supposes first that one cluster runs both, then that none does (Ryan and Foster).
A leaf is the index of one of the lists of weights, each with one for every job and then a price for every cut, that is,
three jobs. At most one cluster runs two of them or more; its set weighs less by the price. Let no set that a cluster
can run by C, with pairs as supposed, weigh more than W: then all jobs of a schedule that ends by C weigh at most N·W
and all prices together, so if they weigh more, there is none as supposed. It is the dual of Dantzig and Wolfe's
decomposition by cluster, with subset-row cuts (Jepsen and others, *Subset-row inequalities applied to the
vehicle-routing problem with time windows*, Operations Research 2008).

W is found here again, by exhaustive search over sets below knapsack bounds, each set packed by searches of at most s
steps as in cluster sets. A set not decided by then counts as one that can run, unless it holds one of those *refuted*:
these are searched again too, for longer. Deadlines, and what mirrored means, are those of the two-dimensional bound;
reservations are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.bounds.budget import CALL, LINE, Budget
from oas.bounds.mosp.cluster_sets.certificate import MAX_STEPS, pricing_steps
from oas.bounds.mosp.cluster_sets.pricing import KNAPSACKS, MAX_CAPACITY, MAX_WEIGHT
from oas.bounds.mosp.configurations.certificate import job_weights
from oas.bounds.mosp.set_tree.packing import Cluster, Pair, SetPacking, excess
from oas.bounds.mosp.two_dimensional.certificate import Scales
from oas.bounds.reading import fields_of, flag_of, integer_of, list_of
from oas.core.errors import InputError, TooLargeError
from oas.problems.mosp.ticks import MAX_TICKS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from oas.problems.mosp.instance import MospInstance

MAX_NODES = 2_000
MAX_DEPTH = 200
MAX_CUTS = 200
MAX_REFUTED = 1_000
# Steps in all, some five seconds; the search for a tree ends with a fraction of it.
MAX_EFFORT = 60_000_000


def value(instance: MospInstance, certificate: Mapping[str, object]) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing.

    Raises
    ------
    InputError
        If the certificate is malformed, or the instance too large for one.
    """
    names = ("makespan", "mirrored", "steps", "refuted", "cuts", "weights", "tree")
    fields = fields_of(certificate, "certificate", *names)
    makespan = integer_of(fields["makespan"], "certificate.makespan", MAX_TICKS - 1)
    steps = integer_of(fields["steps"], "certificate.steps", MAX_STEPS, least=1)
    mirrored = flag_of(fields["mirrored"], "certificate.mirrored")
    walk = _Walk(len(instance.jobs), fields)
    scaled = instance.scaled()
    scales = Scales(scaled, makespan, mirrored)
    Budget().spend(pricing_steps(scales) + walk.steps, "certificate.tree")
    try:
        refuted = walk.refutes(Cluster(scales, steps))
    except TooLargeError as error:
        raise InputError(str(error), field="certificate") from error
    return scaled.to_time(makespan + 1) if refuted else scaled.to_time(0)


class _Walk:
    """The tree of a certificate, read, and the walk through it."""

    def __init__(self, jobs: int, fields: Mapping[str, Any]) -> None:
        self.jobs = jobs
        self.refuted = self._sets("refuted", fields["refuted"], MAX_REFUTED)
        self.cuts = self._sets("cuts", fields["cuts"], MAX_CUTS, 3)
        rows = list_of(fields["weights"], "certificate.weights")
        self.tree = list_of(fields["tree"], "certificate.tree")
        if max(len(rows), len(self.tree)) > MAX_NODES:
            raise InputError(f"must have at most {MAX_NODES:,} nodes", field="certificate.tree")
        count = jobs + len(self.cuts)
        self.weights = [job_weights(row, count, f"certificate.weights[{index}]") for index, row in enumerate(rows)]
        if any(max(row) > MAX_WEIGHT for row in self.weights):
            raise InputError(f"must be at most {MAX_WEIGHT}", field="certificate.weights")
        self.leaves = self._leaves()

    def _sets(self, name: str, value: Any, most: int, count: int | None = None) -> list[tuple[int, ...]]:
        rows = list_of(value, f"certificate.{name}")
        if len(rows) > most:
            raise InputError(f"must have at most {most:,} entries", field=f"certificate.{name}")
        return [self._set(row, f"certificate.{name}[{index}]", count) for index, row in enumerate(rows)]

    def _set(self, value: Any, field: str, count: int | None) -> tuple[int, ...]:
        members = tuple(list_of(value, field, count))
        if not members or any(type(job) is not int or not 0 <= job < self.jobs for job in members):
            raise InputError("must be the indices of jobs", field=field)
        if len(set(members)) < len(members):
            raise InputError("must be the indices of different jobs", field=field)
        return members

    def _leaves(self) -> list[tuple[int, tuple[Pair, ...], tuple[Pair, ...]]]:
        """The weights of each leaf, and the pairs that it supposes together and apart."""
        leaves = []
        open_nodes: list[tuple[tuple[Pair, ...], tuple[Pair, ...]]] = [((), ())]
        for index, node in enumerate(self.tree):
            field = f"certificate.tree[{index}]"
            if not open_nodes:
                raise InputError("the tree ends before", field=field)
            together, apart = open_nodes.pop()
            if type(node) is int:
                if not 0 <= node < len(self.weights):
                    raise InputError("must be the index of weights", field=field)
                leaves.append((node, together, apart))
                continue
            pair: Any = self._set(node, field, 2)
            if len(together) + len(apart) >= MAX_DEPTH:
                raise InputError(f"is deeper than {MAX_DEPTH}", field=field)
            open_nodes.append((together, (*apart, pair)))
            open_nodes.append(((*together, pair), apart))
        if open_nodes:
            raise InputError("nodes are missing", field="certificate.tree")
        return leaves

    @property
    def steps(self) -> int:
        """What the leaves and the sets refuted cost beside the searches, in steps of a `Budget`."""
        sets = len(self.refuted) * sum(map(len, self.refuted)) * LINE
        return sets + len(self.leaves) * (KNAPSACKS * (self.jobs + 1) * (MAX_CAPACITY + 1) + 200 * CALL)

    def refutes(self, cluster: Cluster) -> bool:
        """Whether no schedule ends by the makespan."""
        if not cluster.possible:
            return True
        left = MAX_EFFORT
        for one in self.refuted:
            done, steps = cluster.refute(one)
            left -= steps
            if not done or left < 0:
                return False
        clusters = cluster.scales.scaled.cluster_count
        for index, together, apart in self.leaves:
            packing = SetPacking(cluster, together, apart, self.cuts)
            closed, steps = excess(packing, clusters, self.weights[index], left)
            left -= steps
            if not closed:
                return False
        return True
