"""The literal OAS model in Pyomo: the paper's Figure 2 and equations (9) to (23), one variable for (job, node, slot).

Source: Blanco, Guirado, Lérida, Albornoz, *MIP Model Scheduling for Multi-Clusters*, section 3.2. As printed the model
cannot be solved; each method of the builder says where it departs from the print and why. Slots count from 1 to the
horizon θ, as in the paper; at η = 0 a tick takes the place of a slot.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pyomo.environ as pyo

from oas.solving.model_builder import ModelBuilder, float_below

if TYPE_CHECKING:
    from oas.coallocation.models.literal import Link, LiteralSpec

TINY = 1e-6  # coefficients below it are avoided; solvers drop those below 1e-9


def build(spec: LiteralSpec) -> pyo.ConcreteModel:
    """Build the model: minimise the makespan in ticks (slots if η > 0)."""
    builder = _Builder(spec)
    builder.variables()
    builder.makespan()
    builder.one_job_on_a_node()
    builder.allocated()
    builder.every_task_placed()
    builder.tasks_together()
    builder.not_before_start()
    builder.running_after_start()
    builder.one_start()
    builder.start_slot()
    builder.finish_slot()
    builder.processing_slowdown()
    builder.time_cost()
    builder.whole_slots()
    builder.run_length()
    builder.no_idle_slot()
    builder.tasks_on_cluster()
    builder.job_bandwidth()
    builder.free_bandwidth()
    builder.no_saturation()
    builder.weights()
    builder.lower_bound()
    return builder.model


class _Builder(ModelBuilder):
    """One method for each constraint family, named with the paper's equation number."""

    def __init__(self, spec: LiteralSpec) -> None:
        super().__init__("literal", spec)
        self.jobs, self.durations = range(spec.scaled.job_count), spec.scaled.durations
        self.nodes = range(len(spec.nodes))
        self.links = range(len(spec.links))
        self.slots = range(1, spec.horizon + 1)

    def variables(self) -> None:
        """Declare Figure 2's variables (lines 13 to 20) with the domains of (23), and two that the print lacks.

        Added: n[j], the whole slots that job j holds; tasks_on[j,k,c] = 1 if cluster k holds c tasks of job j.
        Y[j,t] exists only if job j can end by θ, and f[j] ≤ θ.

        The other upper bounds follow from rows, so that they exclude nothing, and a bound of the linear relaxation can
        be computed exactly: s by (15) and (16); ct by n = f − s ≤ θ and n ≥ Tb·ct/η, in print by (11), (12) and (20);
        SP by (18), or if σ = 0, which leaves it no other use, by its definition (3); BW by (4), ABW by (21).
        """
        spec, model = self.spec, self.model
        loads = [[max(link.loads[j][c] for c in link.counts[j]) for link in spec.links] for j in self.jobs]
        slowest = max(1 / spec.power(r) for r in self.nodes)
        cost = [spec.horizon * spec.scaled.tick / job.base_time for job in spec.instance.jobs]
        sigmas = [job.sigma for job in spec.instance.jobs]
        slowdown = [max(slowest, (ct - 1 + one) / one if one else 0) for ct, one in zip(cost, sigmas, strict=True)]
        model.X = pyo.Var(self.jobs, self.nodes, self.slots, domain=pyo.Binary)
        model.Z = pyo.Var(self.jobs, self.nodes, domain=pyo.Binary)
        model.Y = pyo.Var([(j, t) for j in self.jobs for t in spec.start_slots(j)], domain=pyo.Binary)
        model.s = pyo.Var(self.jobs, domain=pyo.NonNegativeReals, bounds=lambda _, j: (0, len(spec.start_slots(j)) - 1))
        model.f = pyo.Var(self.jobs, domain=pyo.NonNegativeReals, bounds=(0, spec.horizon))
        model.SP = pyo.Var(self.jobs, domain=pyo.NonNegativeReals, bounds=lambda _, j: (0, _above(slowdown[j])))
        model.ct = pyo.Var(self.jobs, domain=pyo.NonNegativeReals, bounds=lambda _, j: (0, _above(cost[j])))
        model.BW = pyo.Var(
            self.jobs, self.links, self.slots, domain=pyo.NonNegativeReals, bounds=lambda _, j, k, t: (0, loads[j][k])
        )
        most = [_above(sum(own[k] for own in loads)) for k in self.links]
        model.ABW = pyo.Var(
            self.links, self.slots, domain=pyo.Reals, bounds=lambda _, k, t: (-most[k], spec.links[k].capacity)
        )
        model.n = pyo.Var(self.jobs, domain=pyo.NonNegativeIntegers, bounds=lambda _, j: (0, self.durations[j][-1]))
        model.tasks_on = pyo.Var(
            [(j, k, c) for j in self.jobs for k in self.links for c in spec.links[k].counts[j]], domain=pyo.Binary
        )
        model.makespan = pyo.Var(domain=pyo.NonNegativeIntegers, bounds=(0, spec.horizon))

    def makespan(self) -> None:
        """(9): minimise max f[j], the maximum written as makespan ≥ f[j]."""
        model = self.model
        model.objective = pyo.Objective(expr=model.makespan, sense=pyo.minimize)
        model.ends = pyo.Constraint(self.jobs, rule=lambda m, j: m.makespan >= m.f[j])

    def one_job_on_a_node(self) -> None:
        """(10): a node serves at most one job in a slot."""
        self.model.one_job_on_a_node = pyo.Constraint(
            self.nodes, self.slots, rule=lambda m, r, t: sum(m.X[j, r, t] for j in self.jobs) <= 1
        )

    def allocated(self) -> None:
        """(11): Z[j,r] = max over t of X[j,r,t], written Z ≥ X.

        That is enough: (12) gives a job τ nodes, and (20) leaves none of them unused.
        """
        self.model.allocated = pyo.Constraint(
            self.jobs, self.nodes, self.slots, rule=lambda m, j, r, t: m.Z[j, r] >= m.X[j, r, t]
        )

    def every_task_placed(self) -> None:
        """(12): a job takes τ nodes."""
        tasks = self.spec.scaled.tasks
        self.model.every_task_placed = pyo.Constraint(
            self.jobs, rule=lambda m, j: sum(m.Z[j, r] for r in self.nodes) == tasks[j]
        )

    def tasks_together(self) -> None:
        """(13): in a slot in which one task runs, at least τ do. At τ = 1 it is trivial and omitted."""
        tasks = self.spec.scaled.tasks
        parallel = [j for j in self.jobs if tasks[j] > 1]
        self.model.tasks_together = pyo.Constraint(
            parallel,
            self.nodes,
            self.slots,
            rule=lambda m, j, r, t: sum(m.X[j, other, t] for other in self.nodes) >= tasks[j] * m.X[j, r, t],
        )

    def not_before_start(self) -> None:
        """(14): no task runs in a slot before the start.

        Contiguity needs no separate row. By (14) no task runs before slot s + 1; by (17) and (19) none after slot s +
        n; by (11) and (12) only τ nodes are used. This leaves τ·n pairs of node and slot, and (20) requires all of
        them: every node of the job is used in exactly the n slots that start with the one given by Y. (13) follows too;
        as a row it only tightens the relaxation.

        Unless the spec is strict, the rows are aggregated: X[j,r,t] is at most the sum of Y over the starts from which
        the job can run in t, at the longest n.
        """
        spec, model = self.spec, self.model
        if spec.strict:
            rows = [(j, r, t, before) for j, t in model.Y for r in self.nodes for before in range(1, t)]
            model.not_before_start = pyo.Constraint(
                rows, rule=lambda m, j, r, t, before: m.X[j, r, before] <= 1 - m.Y[j, t]
            )
            return
        limits = [(j, t) for j in self.jobs for t in self.slots]
        longest = [row[-1] for row in self.durations]
        limits = [(j, t) for j, t in limits if spec.started(j, t, longest[j]) != spec.start_slots(j)]
        model.not_before_start = pyo.Constraint(
            [(j, r, t) for j, t in limits for r in self.nodes],
            rule=lambda m, j, r, t: m.X[j, r, t] <= sum(m.Y[j, one] for one in spec.started(j, t, longest[j])),
        )

    def running_after_start(self) -> None:
        """Not in the paper: a job holds τ nodes in at least the slots that it takes on the fastest nodes."""
        spec = self.spec
        if not spec.strict:
            self.model.running_after_start = pyo.Constraint(
                [(j, t) for j in self.jobs for t in self.slots if self._surely(j, t)],
                rule=lambda m, j, t: (
                    sum(m.X[j, r, t] for r in self.nodes)
                    >= spec.scaled.tasks[j] * sum(m.Y[j, one] for one in self._surely(j, t))
                ),
            )

    def weights(self) -> None:
        """Not in the paper: jobs that run in a slot weigh at most M; all work weighs at most M in each slot."""
        spec, model = self.spec, self.model
        if not spec.weights:
            return
        heavy = [(j, weight) for j, weight in enumerate(spec.weights) if weight]
        model.weights = pyo.Constraint(
            self.slots,
            rule=lambda m, t: sum(w * m.Y[j, one] for j, w in heavy for one in self._surely(j, t)) <= spec.capacity,
        )
        model.work = pyo.Constraint(expr=sum(w * model.n[j] for j, w in heavy) <= spec.capacity * model.makespan)

    def _surely(self, j: int, t: int) -> range:
        """Return the starts from which job j runs in slot t on any nodes."""
        return self.spec.started(j, t, self.spec.shortest(j))

    def one_start(self) -> None:
        """(15): a job starts once."""
        self.model.one_start = pyo.Constraint(
            self.jobs, rule=lambda m, j: sum(m.Y[j, t] for t in self.spec.start_slots(j)) == 1
        )

    def start_slot(self) -> None:
        """(16): s[j] is the number of slots before the start, which is the start in ticks."""
        self.model.start_slot = pyo.Constraint(
            self.jobs, rule=lambda m, j: m.s[j] == sum(t * m.Y[j, t] for t in self.spec.start_slots(j)) - 1
        )

    def finish_slot(self) -> None:
        """(17): f[j] is the last slot used, written f ≥ t·X; (19) and (20) leave it no more than that."""
        self.model.finish_slot = pyo.Constraint(
            self.jobs, self.nodes, self.slots, rule=lambda m, j, r, t: m.f[j] >= t * m.X[j, r, t]
        )

    def processing_slowdown(self) -> None:
        """(3), missing from the print's list: SP[j] ≥ Z[j,r]/Γ; without it, SP could be 0.

        A lower bound is enough, because SP occurs only in (18) and, through it, in a lower bound on n.
        """
        self.model.processing_slowdown = pyo.Constraint(
            self.jobs, self.nodes, rule=lambda m, j, r: m.SP[j] >= float_below(1 / self.spec.power(r)) * m.Z[j, r]
        )

    def time_cost(self) -> None:
        """(18): ct = σ·SP + 1 − σ."""
        sigmas = [job.sigma for job in self.spec.instance.jobs]
        self.model.time_cost = pyo.Constraint(
            self.jobs, rule=lambda m, j: m.ct[j] == float_below(sigmas[j]) * m.SP[j] + float_below(1 - sigmas[j])
        )

    def whole_slots(self) -> None:
        """(8), (19), (20) corrected: n[j] ≥ Tb·ct/η in whole slots.

        As printed, (19) and (20) give (f − s)·η = Tb·ct for a contiguous run. With SP ≥ Z/Γ, SP can rise until this
        holds, so that f − s ≥ ⌈Tb·ct/η⌉ for the least ct, but not with σ = 0, where ct = 1: then there is no solution
        unless η divides Tb. Section 4.1 holds resources until the slot ends: n = ⌈Tb·ct/η⌉, whatever σ is. The ceiling
        does not depend on floats: the integer rows n ≥ slots(j, Γ)·Z[j,r] state it exactly. The row through ct is
        redundant; it is kept because it is in the paper. With a Tb far below η it is divided by Tb/η, because solvers
        drop tiny coefficients.
        """
        spec = self.spec
        times = [job.base_time / spec.scaled.tick for job in spec.instance.jobs]

        def rule(model: Any, job: int) -> Any:
            time = times[job]
            if time < TINY:
                return -float_below(-1 / time) * model.n[job] >= model.ct[job]
            return model.n[job] >= float_below(time) * model.ct[job]

        self.model.whole_slots = pyo.Constraint(self.jobs, rule=rule)
        levels = [spec.node_class(r).level for r in self.nodes]
        self.model.whole_slots_exact = pyo.Constraint(
            self.jobs, self.nodes, rule=lambda m, j, r: m.n[j] >= self.durations[j][levels[r]] * m.Z[j, r]
        )

    def run_length(self) -> None:
        """(19) corrected: f − s = n."""
        self.model.run_length = pyo.Constraint(self.jobs, rule=lambda m, j: m.f[j] - m.s[j] == m.n[j])

    def no_idle_slot(self) -> None:
        """(20) corrected: τ tasks hold their nodes in n slots, Σ X ≥ τ·n."""
        tasks = self.spec.scaled.tasks
        self.model.no_idle_slot = pyo.Constraint(
            self.jobs,
            rule=lambda m, j: sum(m.X[j, r, t] for r in self.nodes for t in self.slots) >= tasks[j] * m.n[j],
        )

    def tasks_on_cluster(self) -> None:
        """(4)'s task count, one-hot: tasks_on[j,k,c] = 1 for the c nodes that job j takes on cluster k.

        (4) is concave in the count, so linear rows on the count itself cannot state it.
        """
        spec, model = self.spec, self.model
        model.one_count = pyo.Constraint(
            self.jobs, self.links, rule=lambda m, j, k: sum(m.tasks_on[j, k, c] for c in spec.links[k].counts[j]) == 1
        )
        model.tasks_on_cluster = pyo.Constraint(
            self.jobs,
            self.links,
            rule=lambda m, j, k: (
                sum(c * m.tasks_on[j, k, c] for c in spec.links[k].counts[j])
                == sum(m.Z[j, r] for r in spec.links[k].nodes)
            ),
        )

    def job_bandwidth(self) -> None:
        """(4) in a slot, missing from the print, which leaves BW free: the load of the placement while the job runs.

        With L = Σ load(c)·tasks_on[j,k,c], M the greatest such load, and Σ_r X[j,r,t] = τ or 0 as the job runs in t
        or not: BW ≤ L, τ·BW ≤ M·Σ X and τ·BW ≥ τ·L − M·(τ − Σ X) make BW the product exactly.
        """
        model, tasks = self.model, self.spec.scaled.tasks
        index = (self.jobs, self.links, self.slots)

        def running(m: Any, j: int, t: int) -> Any:
            return sum(m.X[j, r, t] for r in self.nodes)

        def placed(m: Any, j: int, k: int) -> Any:
            link: Link = self.spec.links[k]
            return sum(link.loads[j][c] * m.tasks_on[j, k, c] for c in link.counts[j])

        most = [[max(link.loads[j][c] for c in link.counts[j]) for j in self.jobs] for link in self.spec.links]
        model.bandwidth_of_placement = pyo.Constraint(*index, rule=lambda m, j, k, t: m.BW[j, k, t] <= placed(m, j, k))
        model.bandwidth_only_running = pyo.Constraint(
            *index, rule=lambda m, j, k, t: tasks[j] * m.BW[j, k, t] <= most[k][j] * running(m, j, t)
        )
        model.bandwidth_while_running = pyo.Constraint(
            *index,
            rule=lambda m, j, k, t: (
                tasks[j] * m.BW[j, k, t] >= tasks[j] * placed(m, j, k) - most[k][j] * (tasks[j] - running(m, j, t))
            ),
        )

    def free_bandwidth(self) -> None:
        """(21): ABW[k,t] = MBW − Σ_j BW[j,k,t], for each k and t (the print's ∀j contradicts the sum over j)."""
        self.model.free_bandwidth = pyo.Constraint(
            self.links,
            self.slots,
            rule=lambda m, k, t: m.ABW[k, t] == self.spec.links[k].capacity - sum(m.BW[j, k, t] for j in self.jobs),
        )

    def no_saturation(self) -> None:
        """(22): ABW[k,t] ≥ 0, under the policy that forbids saturation.

        Added: of jobs that overload a link by less than a solver's tolerance, one is placed otherwise or does not run.
        """
        model, tasks, links = self.model, self.spec.scaled.tasks, self.spec.links
        model.no_saturation = pyo.Constraint(self.links, self.slots, rule=lambda m, k, t: m.ABW[k, t] >= 0)

        def covered(m: Any, k: int, index: int, t: int) -> Any:
            cover = links[k].covers[index]
            placed = sum(m.tasks_on[j, k, c] for j, counts in cover for c in counts)
            running = sum(float_below(Fraction(1, tasks[j])) * m.X[j, r, t] for j, _ in cover for r in self.nodes)
            return placed + running <= 2 * len(cover) - 1

        covers = [(k, index, t) for k in self.links for index in range(len(links[k].covers)) for t in self.slots]
        model.link_covers = pyo.Constraint(covers, rule=covered)

    def lower_bound(self) -> None:
        """Not in the paper: a bound proven elsewhere."""
        if self.spec.lower_bound:
            self.model.lower_bound = pyo.Constraint(expr=self.model.makespan >= self.spec.lower_bound)


def _above(bound: Fraction | float) -> float:
    """Return a float that is safely above a bound, so that no rounding excludes a point."""
    return float(bound) * (1 + 1e-6)
