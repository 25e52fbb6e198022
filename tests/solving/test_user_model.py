"""`oas.model`: what users do with a model, and models without reductions compared with brute force."""

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction as F
from itertools import product
from math import inf, lcm, nan
from random import Random

import pyomo.environ as pyo
import pytest

import oas
from oas.coallocation.allocations import allocations
from oas.coallocation.generate.tiny import draw_tiny, tiny
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.running import StartedRun, schedule_from_starts
from oas.core.errors import InfeasibleError, InputError, SolverError, TooLargeError, VerificationError
from oas.core.verifier import Violation
from oas.fair.exact.brute_force import brute_force as fair_brute_force
from oas.fair.models import start_indexed as fair_model
from oas.fair.objectives import Objective, ScheduleClass, class_violations, objective_value
from oas.mosp.generate.tiny import random_instance as random_mosp
from oas.mosp.models import start_indexed as mosp_start_indexed
from oas.solvers.matrix import Matrix, Row, proven_bound
from tests.coallocation import grids
from tests.mosp import instances as mosp
from tests.slow import draws, mostly_slow

INSTANCE = oas.CoallocationInstance(
    [
        oas.Cluster("A", [oas.NodeGroup(2, 1)], 1000),
        oas.Cluster("B", [oas.NodeGroup(1, "1/2"), oas.NodeGroup(1, 1)], 1000),
    ],
    [oas.Job("a", 2, 3, 10, "0.5"), oas.Job("b", 1, 2), oas.Job("c", 3, 1, 100, "0.5")],
    slot="1/2",
)
ORGANIZATIONS = mosp.unequal()


# Brute force, from the definitions in the papers: a job's runs are (start, end, nodes by cluster and kind of node).


def coallocation_runs(instance, horizon):
    """Every run of each job by the horizon; and the capacities: nodes of a kind, and links."""
    kinds = [(cluster.id, power) for cluster in instance.clusters for power in sorted(set(cluster.node_powers))]
    sizes = [
        sum(power == one for one in cluster.node_powers)
        for cluster in instance.clusters
        for power in sorted(set(cluster.node_powers))
    ]
    times = [time_on(job, power, instance.slot) for job in instance.jobs for _, power in kinds]
    tick = instance.slot or F(1, lcm(*(time.denominator for time in times)))
    runs = []
    for job in instance.jobs:
        own = []
        for counts in product(*(range(min(size, job.tasks) + 1) for size in sizes)):
            if sum(counts) == job.tasks:
                slowest = min(power for (_, power), count in zip(kinds, counts, strict=True) if count)
                duration = time_on(job, slowest, instance.slot)
                nodes = {}
                for (cluster, _), count in zip(kinds, counts, strict=True):
                    if count:
                        nodes[cluster] = nodes.get(cluster, 0) + count
                loads = [load(job, nodes.get(cluster.id, 0)) for cluster in instance.clusters]
                if all(one <= cluster.bandwidth for one, cluster in zip(loads, instance.clusters, strict=True)):
                    steps = (horizon - duration) // tick
                    own += [(k * tick, k * tick + duration, nodes, (*counts, *loads)) for k in range(steps + 1)]
        runs.append(own)
    return runs, [*sizes, *(cluster.bandwidth for cluster in instance.clusters)], tick


def time_on(job, power, slot):
    time = job.base_time * (job.sigma / power + 1 - job.sigma)
    return -(-time // slot) * slot if slot else time


def load(job, count):
    return F(0) if job.tasks == 1 else count * job.bandwidth * F(job.tasks - count, job.tasks - 1)


def mosp_runs(instance, horizon):
    """The same for organizations; a reservation is a run of nobody, which all schedules contain."""
    names = [one.id for one in instance.organizations]
    blocks = [(k, one) for k, owner in enumerate(instance.organizations) for one in owner.reservations]
    moments = [m for job in instance.jobs for m in (job.time, job.release)]
    moments += [m for _, one in blocks for m in (one.start, one.end)]
    local = instance.local or {}
    tick = F(1, lcm(*(moment.denominator for moment in [*moments, *local.values()])))
    deadline = {}
    for owner in instance.organizations:
        ends = [local[job.id] + job.time for job in owner.jobs] if instance.locality is not None else []
        for job in owner.jobs:
            deadline[job.id] = min(horizon, instance.locality * max(ends)) if ends else horizon

    def run(start, end, k, width):
        uses = [0] * len(names)
        uses[k] = width
        return start, end, {names[k]: width}, tuple(uses)

    fixed = [run(one.start, one.end, k, one.processors) for k, one in blocks]
    runs = [
        [
            run(step * tick, step * tick + job.time, k, job.processors)
            for k in range(len(names))
            for step in range(int(horizon / tick) + 1)
            if job.release <= step * tick and step * tick + job.time <= deadline[job.id]
        ]
        for job in instance.jobs
    ]
    sizes = [one.processors for one in instance.organizations]
    return [*([one] for one in fixed), *runs], sizes, tick


def fits(chosen, sizes):
    """Whether the runs fit at each of their starts."""
    for moment, *_ in chosen:
        uses = [run[3] for run in chosen if run[0] <= moment < run[1]]
        if any(sum(column) > size for column, size in zip(zip(*uses, strict=True), sizes, strict=False)):
            return False
    return True


def cheapest(runs, sizes, cost, allowed, chosen=()):
    """The least cost of runs that fit and are allowed; infinite if there are none."""
    if len(chosen) == len(runs):
        return cost(chosen) if allowed(chosen) else inf
    best = inf
    for run in runs[len(chosen)]:
        longer = (*chosen, run)
        if fits(longer, sizes):
            best = min(best, cheapest(runs, sizes, cost, allowed, longer))
    return best


class Wishes:
    """Random constraints, as a predicate of runs by job and as rows of a model."""

    def __init__(self, rng, jobs, clusters, horizon, tick):
        self.jobs = jobs
        self.first, self.second = rng.choice(jobs), rng.choice(jobs)
        self.lag = rng.choice((0, 0, tick)) if self.first != self.second and rng.random() < 0.5 else None
        self.placed, self.cluster = rng.choice(jobs), rng.choice(clusters) if rng.random() < 0.3 else None
        self.begin = rng.randint(0, 2) * tick if rng.random() < 0.4 else None
        self.factors = [rng.randint(-1, 2) for _ in jobs] if rng.random() < 0.4 else None
        self.limit = rng.randint(1, 3) * horizon / 2

    def allow(self, runs):
        by_job = dict(zip(self.jobs, runs, strict=True))
        first, second, placed = by_job[self.first], by_job[self.second], by_job[self.placed]
        return (
            (self.lag is None or second[0] >= first[1] + self.lag)
            and (self.cluster is None or set(placed[2]) == {self.cluster})
            and (self.begin is None or placed[0] >= self.begin)
            and (
                self.factors is None or sum(c * run[1] for c, run in zip(self.factors, runs, strict=True)) <= self.limit
            )
        )

    def add_to(self, model):
        m = model.pyomo
        m.wishes = pyo.ConstraintList()
        if self.lag is not None:
            for b in model.starts(self.second):
                before = [a.variable for a in model.starts(self.first) if a.end + float(self.lag) <= b.start]
                m.wishes.add(b.variable <= sum(before))
        for one in model.starts(self.placed):
            elsewhere = self.cluster is not None and set(one.nodes) != {self.cluster}
            early = self.begin is not None and one.start < float(self.begin)
            if elsewhere or early:
                m.wishes.add(one.variable <= 0)
        if self.factors is not None:
            m.wishes.add(weighted_ends(model, self.jobs, self.factors) <= float(self.limit))


def weighted_ends(model, jobs, factors):
    return sum(c * s.end * s.variable for job, c in zip(jobs, factors, strict=True) for s in model.starts(job))


def compare_with_brute_force(rng, instance, runs_of, formulation, weights, solver="highs"):
    jobs, clusters = [job.id for job in instance.jobs], [name for name, _ in instance.cluster_sizes]
    tick = instance.scaled().tick
    shortest = max(job.end for job in oas.solve(instance).schedule.placements)
    horizon = shortest + rng.randint(0, 2) * tick
    runs, sizes, tick = runs_of(instance, horizon)
    wishes = Wishes(rng, jobs, clusters, horizon, tick)
    factors = [rng.choice(weights) for _ in jobs]
    blocks = len(runs) - len(jobs)

    def cost(chosen):
        return sum(c * run[1] for c, run in zip(factors, chosen[blocks:], strict=True))

    expected = cheapest(runs, sizes, cost, lambda chosen: wishes.allow(chosen[blocks:]))
    model = oas.model(instance, formulation, horizon=horizon, reduced=False)
    wishes.add_to(model)
    model.pyomo.objective.deactivate()
    model.pyomo.goal = pyo.Objective(expr=weighted_ends(model, jobs, factors))
    answer = model.solve(solver)
    if expected == inf:
        assert answer.status == "infeasible"
        return False
    assert answer.status == "optimal" and answer.objective == pytest.approx(float(expected), abs=1e-6)
    assert not answer.violations and oas.verify(instance, answer.schedule) == []
    ends = {one.job: one.end for one in answer.schedule.placements}
    assert sum(c * ends[job] for job, c in zip(jobs, factors, strict=True)) == expected
    chosen = {one.job: one for one in answer.schedule.placements}
    assert wishes.allow(
        [
            (chosen[job].start, chosen[job].end, {name: len(list(own)) for name, own in chosen[job].nodes.items()})
            for job in jobs
        ]
    )
    return True


def short(instance):
    """Whether brute force is quick."""
    return len(instance.jobs) > 1 and oas.solve(instance).objective / instance.scaled().tick <= 7


def tiny_grids(count):
    seeds = iter(range(10_000))
    while count:
        instance = tiny(seed=next(seeds), jobs=3, nodes=4, clusters=2)
        if short(instance):
            count -= 1
            yield instance


def tiny_organizations(count):
    seeds = iter(range(10_000))
    while count:
        instance = random_mosp(next(seeds), max_jobs=3, max_clusters=2, max_processors=3, max_time=3)
        if short(instance):
            count -= 1
            yield instance


@pytest.mark.parametrize(
    ("instances", "runs_of"), [(tiny_grids, coallocation_runs), (tiny_organizations, mosp_runs)], ids=["grid", "mosp"]
)
def test_without_reductions_any_objective_and_constraints_have_the_optimum_of_brute_force(instances, runs_of):
    rng, feasible = Random(1), 0
    for instance in instances(draws(30)):
        feasible += compare_with_brute_force(rng, instance, runs_of, "start-indexed", (-2, -1, 0, 1, 2, 3))
    assert feasible > draws(30) / 3


@pytest.mark.slow
@pytest.mark.parametrize(("solver", "count"), [("highs", 60), ("cbc", 40)])
@pytest.mark.parametrize(
    ("instances", "runs_of"), [(tiny_grids, coallocation_runs), (tiny_organizations, mosp_runs)], ids=["grid", "mosp"]
)
def test_the_same_with_many_draws_and_both_solvers(instances, runs_of, solver, count):
    rng = Random(2)
    for instance in instances(count):
        compare_with_brute_force(rng, instance, runs_of, "start-indexed", (-2, -1, 0, 1, 2, 3), solver)


@pytest.mark.parametrize("formulation", mostly_slow(["start-indexed", "literal"], quick=["start-indexed"]))
def test_weighted_completion_times_by_the_default_horizon_have_the_optimum_of_brute_force(formulation):
    """The literal model's ends are its variables f, in slots."""
    rng = Random(3)
    for instance in tiny_grids(draws(16)):
        jobs = [job.id for job in instance.jobs]
        weights = [rng.randint(0, 5) for _ in jobs]
        model = oas.model(instance, formulation, reduced=False)
        m, tick = model.pyomo, float(instance.scaled().tick)
        m.objective.deactivate()
        if formulation == "literal":
            m.goal = pyo.Objective(expr=sum(w * tick * m.f[j] for j, w in enumerate(weights)))
        else:
            m.goal = pyo.Objective(expr=weighted_ends(model, jobs, weights))
        answer = model.solve()
        runs, sizes, _ = coallocation_runs(instance, min(model.horizon, 12 * instance.scaled().tick))
        expected = cheapest(
            runs,
            sizes,
            lambda chosen, w=weights: sum(c * run[1] for c, run in zip(w, chosen, strict=True)),
            lambda _: True,
        )
        assert answer.status == "optimal" and answer.objective == pytest.approx(float(expected), abs=1e-5)
        ends = {one.job: one.end for one in answer.schedule.placements}
        assert sum(w * ends[job] for job, w in zip(jobs, weights, strict=True)) == expected


# The tasks of users, as the documentation shows them.


def test_a_precedence_is_three_lines():
    model = oas.model(INSTANCE, reduced=False)
    m = model.pyomo
    m.after = pyo.ConstraintList()
    for a in model.starts("a"):
        m.after.add(a.variable <= sum(c.variable for c in model.starts("c") if c.end <= a.start))
    answer = model.solve()
    assert answer.status == "optimal" and answer.schedule["a"].start >= answer.schedule["c"].end
    assert answer.schedule.makespan == oas.solve(INSTANCE).objective == 4


def test_a_job_is_fixed_to_clusters_and_to_a_start():
    model = oas.model(INSTANCE, reduced=False)
    for a in model.starts("a"):
        if set(a.nodes) != {"B"}:
            a.variable.fix(0)
    model.start("b", {"A": 1}, at="3/2").fix(1)
    schedule = model.solve().schedule
    assert set(schedule["a"].nodes) == {"B"} and schedule["b"].start == F(3, 2) and set(schedule["b"].nodes) == {"A"}


def test_weighted_completion_times_are_an_objective():
    model = oas.model(INSTANCE, reduced=False)
    model.pyomo.objective.deactivate()
    weights = {"a": 1, "b": 5, "c": 3}
    model.pyomo.goal = pyo.Objective(
        expr=sum(weights[j] * s.end * s.variable for j in weights for s in model.starts(j))
    )
    answer = model.solve()
    assert (answer.status, answer.objective) == ("optimal", 19)
    assert sum(weights[one.job] * one.end for one in answer.schedule.placements) == 19
    relaxation = model.relaxation()
    assert relaxation.objective <= 19 and relaxation.bound is None


@pytest.mark.parametrize("formulation", ["start-indexed", "literal"])
def test_the_bound_of_the_relaxation_is_in_time_units_and_proven(formulation):
    relaxation = oas.model(INSTANCE, formulation).relaxation()
    assert relaxation.proven
    assert 0 < relaxation.bound <= 4 and (relaxation.bound / INSTANCE.slot).denominator == 1
    assert {"name", "job", "nodes", "start", "end", "value"} <= set(relaxation.solution.columns)
    assert relaxation.solution.value.between(1e-12, 1e6).all()


def test_an_altered_model_that_is_reduced_says_so():
    def message(change, **options):
        model = oas.model(INSTANCE, **options)
        change(model)
        return model.solve().message

    def fix(model):
        model.starts("a")[0].variable.fix(1)

    def constrain(model):
        model.pyomo.more = pyo.Constraint(expr=model.starts("a")[0].variable <= 1)

    def double(model):
        model.pyomo.objective.expr = 2 * model.pyomo.objective.expr

    assert all("reduced for the makespan" in message(change) for change in (fix, constrain, double))
    assert not message(lambda model: None) and not any(message(one, reduced=False) for one in (fix, constrain, double))


def test_a_solve_without_a_solution_leaves_no_values():
    model = oas.model(INSTANCE)
    assert model.solve().schedule == model.schedule()
    model.pyomo.impossible = pyo.Constraint(expr=sum(one.variable for one in model.starts("a")) >= 2)
    assert model.solve().status == "infeasible"
    with pytest.raises(InputError, match="no variable has a value"):
        model.schedule()
    with pytest.raises(SolverError, match="kInfeasible"):
        model.relaxation()


def test_another_solver_of_pyomo_solves_the_model():
    model = oas.model(INSTANCE)
    pyo.SolverFactory("appsi_highs").solve(model.pyomo)
    assert oas.verify(INSTANCE, model.schedule()) == [] and model.schedule().makespan == 4


@pytest.mark.parametrize("schedule_class", list(ScheduleClass))
@pytest.mark.parametrize("objective", list(Objective))
def test_models_of_fair_sharing_have_the_optimum_of_brute_force(objective, schedule_class):
    chosen = fair_model.formulation(objective, schedule_class)
    for seed in range(draws(6)):
        rng = Random(seed)
        organizations = [
            oas.Organization(
                name, 2, [oas.RigidJob(f"{name}{k}", rng.randint(1, 3), rng.randint(1, 2), k) for k in range(2)]
            )
            for name in "AB"
        ]
        instance = oas.FairInstance(organizations, 12)
        best = fair_brute_force(instance, objective, schedule_class)[0]
        for reduced in (True, False):
            model = oas.model(instance, chosen, reduced=reduced)
            schedule = model.solve().schedule
            assert objective_value(instance, schedule, objective) == best
            assert class_violations(instance, schedule, schedule_class) == []
            assert model.relaxation().bound <= objective.sign * best
            assert set(model.variables().job.dropna()) <= {job.id for job in instance.jobs}


@pytest.mark.parametrize("solver", ["highs", "cbc"])
def test_large_objectives_are_proven_in_their_unit(solver):
    """Σ w · end in units of a slot of 335,000, in which the tolerance of a solver is small."""
    instance = oas.CoallocationInstance(
        INSTANCE.clusters,
        [oas.Job(job.id, job.tasks, job.base_time * 670_000, job.bandwidth, job.sigma) for job in INSTANCE.jobs],
        slot=335_000,
    )
    model = oas.model(instance, reduced=False)
    model.pyomo.objective.deactivate()
    model.pyomo.goal = pyo.Objective(expr=weighted_ends(model, "abc", (1, 5, 3)) + 7)
    answer = model.solve(solver)
    assert answer.status == "optimal" and answer.bound == answer.objective == 19 * 670_000 + 7


def weighted_model():
    """A model whose objective, Σ w C and a constant, has incumbents far above its optimum."""
    clusters = [oas.Cluster("A", [oas.NodeGroup(2, 1)], 1000), oas.Cluster("B", [oas.NodeGroup(2, "1/2")], 1000)]
    jobs = [oas.Job(f"j{index}", 1 + index % 3, 2 + index % 2, 10 * index, "0.5") for index in range(5)]
    model = oas.model(oas.CoallocationInstance(clusters, jobs, slot=1), reduced=False)
    (goal,) = model.pyomo.component_data_objects(pyo.Objective, active=True)
    goal.deactivate()
    model.pyomo.goal = pyo.Objective(expr=100 + weighted_ends(model, [job.id for job in jobs], (1, 2, 3, 4, 5)))
    return model


@pytest.mark.parametrize("solver", mostly_slow(["highs", "cbc"], quick=["cbc"]))
def test_a_gap_of_the_whole_objective_ends_a_solve(solver):
    answer = weighted_model().solve(solver, gap="100%")
    assert answer.status == "feasible" and answer.bound < answer.objective <= 2 * answer.bound
    assert answer.bound <= 165 <= answer.objective


def test_a_gap_of_the_makespan_bounds_the_makespan():
    for seed in range(draws(12)):
        instance = tiny(seed=seed, jobs=4)
        model = oas.model(instance, reduced=bool(seed % 2))
        answer = model.solve(("highs", "cbc")[seed // 2 % 2], gap="1/3")
        assert answer.status in ("optimal", "feasible")
        assert answer.schedule.makespan <= F(4, 3) * oas.solve(instance).objective, seed


def test_progress_is_in_the_unit_of_the_objective(tmp_path):
    trace = oas.Trace()
    answer = weighted_model().solve("cbc", on_progress=trace, solver_log=tmp_path / "log")
    assert answer.objective == 165 and trace.points
    assert all(point.objective is None or point.objective >= 165 for point in trace.points)
    assert all(point.lower_bound is None or point.lower_bound <= 165 for point in trace.points)
    assert any(point.objective is not None and point.objective < 300 for point in trace.points)
    log = (tmp_path / "log").read_text()
    assert log.startswith("--- cbc, start-indexed, ") and "Cbc0" in log


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gap": "much"}, "gap: must be a ratio"),
        ({"on_progress": 3}, "on_progress: must be a function"),
        ({"solver_log": ""}, "solver_log: must be the path of a file"),
        ({"solver_log": "nowhere/log"}, "solver_log: cannot be written"),
    ],
)
def test_invalid_options_of_a_solve_are_errors(options, message):
    with pytest.raises(InputError, match=message):
        oas.model(INSTANCE).solve(**options)


def test_the_unit_of_an_objective_divides_its_costs():
    def unit(*costs, integer=True):
        columns = len(costs)
        return Matrix(costs, 0.5, (0.0,) * columns, (1.0,) * columns, (integer,) * columns, ()).unit

    assert unit(6.0, 0.0, -9.0) == 3 and unit(1.5, 2.0) == F(1, 2) and unit(0.0) == unit() == 1
    assert unit(1.0, integer=False) is None and unit(0.1, 1.0) is None


# All formulations


MODELS = [
    (INSTANCE, "start-indexed"),
    (INSTANCE, "literal"),
    (grids.slowed(1), "slots"),
    (grids.slowed(), "phases"),
    (ORGANIZATIONS, "start-indexed"),
]


def optimum_by(instance, formulation, reduced):
    """Solve a model as it is; check its answer, and the description of its variables."""
    model = oas.model(instance, formulation, reduced=reduced)
    answer = model.solve(time_limit=60)
    names = model.variables()
    assert len(names) and names.name.is_unique and (names.meaning != "").all()
    assert str(model).startswith(formulation) and all(one in str(model) for one in model.reductions)
    assert answer.status == "optimal" and model.horizon >= answer.schedule.makespan
    assert oas.verify(instance, answer.schedule) == []
    return answer.schedule.makespan


@pytest.mark.parametrize("reduced", [True, False])
@pytest.mark.parametrize(("instance", "formulation"), MODELS)
def test_every_formulation_gives_the_optimum_and_describes_its_variables(instance, formulation, reduced):
    assert optimum_by(instance, formulation, reduced) == oas.solve(instance).objective


def in_another_process(function, *arguments):
    """Call a function of this module in a process that has not imported highspy."""
    code = f"import tests.solving.test_user_model as own; own.{function.__name__}(*{arguments!r})"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert not ended.returncode, ended.stderr


def check_cpsat_models(expected):
    """For each instance: solve both models as they are; then put the second job after the first, Σ starts."""
    from ortools.sat.python import cp_model

    for instance, formulation, starts in (
        (INSTANCE, "counts", expected[0]),
        (ORGANIZATIONS, "cumulative", expected[1]),
    ):
        assert {optimum_by(instance, formulation, reduced) for reduced in (True, False)} == {
            oas.solve(instance).objective
        }
        model = oas.model(instance, formulation, reduced=False)
        cp, jobs = model.cpsat, [job.id for job in instance.jobs]
        ends = model.variables().query("name.str.startswith('end')").name.tolist()
        assert ends == (["end(0,)", "end(1,)", "end(2,)"] if formulation == "counts" else [])
        one, other = model.start(jobs[0]), model.start(jobs[1])
        length = 6 if formulation == "counts" else instance.scaled().times[0]  # a takes 6 slots on fast nodes
        cp.add(other >= one + length)
        cp.minimize(sum(model.start(job) for job in jobs) + 1)
        answer = model.solve()
        assert answer.status == "optimal" and answer.bound == answer.objective
        assert (answer.objective - 1) * float(instance.scaled().tick) == starts
        solver = cp_model.CpSolver()
        solver.solve(cp)
        schedule = model.schedule(solver.value)
        assert oas.verify(instance, schedule) == []
        assert sum(one.start for one in schedule.placements) == starts
        with pytest.raises(InputError, match="is a CP-SAT model"):
            model.relaxation()
        with pytest.raises(InputError, match="give the value of a variable"):
            model.schedule()
        cp.maximize(one)
        with pytest.raises(InputError, match="objective: must be minimised"):
            model.solve()


def test_cpsat_models_take_constraints_and_objectives():
    sums = []
    for instance, length in ((INSTANCE, 3), (ORGANIZATIONS, ORGANIZATIONS.jobs[0].time)):
        model, (first, second, *_) = oas.model(instance, reduced=False), (job.id for job in instance.jobs)
        m = model.pyomo
        m.after = pyo.ConstraintList()
        for b in model.starts(second):
            m.after.add(b.variable <= sum(a.variable for a in model.starts(first) if a.start + length <= b.start))
        m.objective.deactivate()
        m.goal = pyo.Objective(expr=sum(s.start * s.variable for job in instance.jobs for s in model.starts(job.id)))
        sums.append(model.solve().objective)
    in_another_process(check_cpsat_models, sums)


def test_starts_of_slots_models_without_reductions_have_the_optimum_of_brute_force():
    """Σ w · start over saturated links, with a start that must not come early, so that slots stay idle."""
    rng = Random(7)
    for seed in range(draws(12)):
        instance = oas.generate.saturated(seed=seed, jobs=3, clusters=2, slot=1).with_saturation("slowdown")
        until = oas.solve(instance).objective + 1
        weights, late = [rng.randint(0, 4) for _ in instance.jobs], rng.randint(0, 2)
        model = oas.model(instance, "slots", horizon=until, reduced=False)
        for one in model.starts(instance.jobs[0].id):
            if one.start < late:
                one.variable.fix(0)
        m = model.pyomo
        m.objective.deactivate()
        m.goal = pyo.Objective(
            expr=sum(
                w * s.start * s.variable
                for job, w in zip(instance.jobs, weights, strict=True)
                for s in model.starts(job.id)
            )
        )
        answer = model.solve()
        expected = inf
        choices = [allocations(instance.scaled(), job) for job in range(len(instance.jobs))]
        for starts in product(range(int(until)), repeat=len(choices)):
            cost = sum(w * start for w, start in zip(weights, starts, strict=True))
            if starts[0] >= late and cost < expected:
                for own in product(*choices):
                    runs = [
                        StartedRun(job, F(start), one) for job, (start, one) in enumerate(zip(starts, own, strict=True))
                    ]
                    if keeps_rules(instance, runs, until):
                        expected = cost
                        break
        assert (answer.status, answer.objective) == (("infeasible", None) if expected == inf else ("optimal", expected))


def keeps_rules(instance, runs, until):
    try:
        schedule = schedule_from_starts(instance, runs)
    except InputError:
        return False
    return schedule.makespan <= until and oas.verify(instance, schedule) == []


def test_formulations_from_elsewhere_are_given_by_their_place():
    place = "oas.mosp.models.start_indexed:FORMULATION"
    assert oas.model(ORGANIZATIONS, place).solve().schedule.makespan == oas.solve(ORGANIZATIONS).objective
    with pytest.raises(InputError, match=r"formulation: cannot be imported"):
        oas.model(ORGANIZATIONS, "no_such_module:FORMULATION")
    with pytest.raises(InputError, match=r"formulation: is not a Formulation"):
        oas.model(ORGANIZATIONS, "oas.mosp.models:FORMULATIONS")


def test_formulations_from_elsewhere_need_not_describe_their_variables():
    bare = replace(mosp_start_indexed.FORMULATION, meanings=None, prepare_full=None, latest_end=None)
    model = oas.model(ORGANIZATIONS, bare)
    assert len(model.variables()) and model.solve().schedule.makespan == oas.solve(ORGANIZATIONS).objective
    with pytest.raises(InputError, match="has no start variables whose meaning is known"):
        model.starts("a0")
    with pytest.raises(InputError, match="reduced: start-indexed has only a model that is reduced"):
        oas.model(ORGANIZATIONS, bare, reduced=False)


# Parts


def test_statistics_count_rows_by_family_before_and_after_presolve():
    size = oas.model(INSTANCE).statistics()
    assert size.rows == size.families.rows.sum() and size.nonzeros == size.families.nonzeros.sum()
    assert {"once", "nodes", "late"} <= set(size.families.family)
    assert size.integers == size.columns == len(oas.model(INSTANCE).variables())
    assert all(
        after <= before for after, before in zip(size.presolved, (size.rows, size.columns, size.nonzeros), strict=True)
    )


def test_names_of_variables_are_those_in_the_file(tmp_path):
    for formulation in ("start-indexed", "literal"):
        model = oas.model(INSTANCE, formulation)
        model.write(tmp_path / "model.lp")
        text = (tmp_path / "model.lp").read_text()
        assert all(f" {name}\n" in text for name in model.variables().name)


def test_any_duals_give_a_bound_and_the_best_ones_the_optimum():
    """min 3x + 2y over x + y ≥ 1.5, x − y ≤ 0.5 in the unit square: 1/2 and 1 are optimal."""
    rows = (Row("r", "r", 1.5, inf, (0, 1), (1.0, 1.0)), Row("s", "s", -inf, 0.5, (0, 1), (1.0, -1.0)))
    matrix = Matrix((3.0, 2.0), 10.0, (0.0, 0.0), (1.0, 1.0), (False, False), rows)
    assert proven_bound(matrix, [3.0, 0.0]) == 13.5
    rng = Random(5)
    for _ in range(200):
        assert proven_bound(matrix, [rng.uniform(-4, 4), rng.uniform(-4, 4)]) <= 13.5
    for wrong in (nan, inf, -inf, 1e300):
        assert proven_bound(matrix, [wrong, 1.0]) <= 13.5
    free = Matrix((3.0, 2.0), 0.0, (-inf, 0.0), (1.0, 1.0), (False, False), rows)
    assert proven_bound(free, [1.0, 0.0]) is None


def test_bounds_of_relaxations_are_below_the_optimum():
    for seed in range(draws(12)):
        instance = draw_tiny(Random(seed), max_jobs=3)
        assert oas.model(instance).relaxation().bound <= oas.solve(instance).objective


def test_unreduced_models_have_more_variables_and_no_bound():
    reduced, full = oas.model(INSTANCE), oas.model(INSTANCE, reduced=False)
    assert len(full.variables()) > len(reduced.variables()) and full.reductions == ()
    assert full.horizon == F(9, 2) + 4 + F(3, 2) and reduced.horizon == 4
    bounded = oas.model(INSTANCE, lower_bound=4, horizon=5)
    assert bounded.relaxation().bound >= 4 and bounded.variables().makespan.min() == 4.5


# Errors


def test_starts_that_do_not_exist_or_are_not_unique_are_errors():
    model = oas.model(INSTANCE)
    for arguments, message in (
        (("x",), "job: no such job"),
        (("a", {"A": 7}), r"nodes: job a has no such variable; there are .* a model with reduced=False has all"),
        (("a", {"A": 2}, "1/3"), r"at: job a has no such variable"),
        (("a", {"A": 2}, 0.25), r"at: job a has no such variable"),
        (("a",), r"start: \d+ variables of job a fit: give nodes and at"),
    ):
        with pytest.raises(InputError, match=message):
            model.start(*arguments)
    with pytest.raises(InputError, match=r"nodes: job a has no such variable"):
        oas.model(INSTANCE, "literal").start("a", {"A": 2}, 0)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"formulation": "no"}, InputError, "formulation: unknown"),
        ({"formulation": 3}, InputError, "formulation: must be a name"),
        ({"formulation": "slots"}, InputError, "slots"),
        ({"horizon": 1}, InputError, "horizon: no run of job a ends by then"),
        ({"horizon": 1, "formulation": "literal"}, InputError, "horizon"),
        ({"horizon": 1, "formulation": "counts", "reduced": False}, InputError, "horizon: some job takes longer"),
        ({"horizon": 1, "formulation": "counts", "reduced": False}, InputError, "horizon"),
        ({"horizon": -1}, InputError, "horizon: must not be negative"),
        ({"horizon": 0.7}, InputError, "horizon: a float may be rounded"),
        ({"horizon": 0}, InputError, "horizon: must be above 0"),
        ({"horizon": "1/2"}, InputError, "horizon: no run of job a ends by then"),
        ({"horizon": 5, "lower_bound": 6}, InputError, "horizon: is below the lower bound 6"),
        ({"reduced": False, "lower_bound": 1}, InputError, "lower_bound: a model that is not reduced"),
        ({"reduced": False, "horizon": 10**6}, TooLargeError, "start variables"),
    ],
)
def test_invalid_arguments_are_errors_that_name_them(options, error, message):
    with pytest.raises(error, match=message):
        oas.model(INSTANCE, **options)


def test_instances_without_a_schedule_have_no_model():
    narrow = oas.CoallocationInstance(
        [oas.Cluster("A", [oas.NodeGroup(1, 1)], 0), oas.Cluster("B", [oas.NodeGroup(1, 1)], 0)],
        [oas.Job("wide", 2, 1, 1)],
    )
    with pytest.raises(InfeasibleError, match="wide"):
        oas.model(narrow)


def test_models_that_a_worker_cannot_solve_are_refused_by_name():
    def altered(change):
        model = oas.model(INSTANCE)
        change(model.pyomo)
        return model

    def square(m):
        m.bent = pyo.Constraint(expr=m.beyond[0] * m.beyond[1] <= 1)

    def sets(m):
        m.special = pyo.SOSConstraint(var=m.beyond, sos=1)

    def maximise(m):
        m.objective.sense = pyo.maximize

    def impossible(m):
        m.start.fix(0)

    for change, message in (
        (square, "bent: is not linear"),
        (sets, "special: SOSConstraint is not supported"),
        (maximise, "to be minimised"),
        (impossible, "can never hold"),
    ):
        with pytest.raises(InputError, match=message):
            altered(change).solve()
    phases = oas.model(grids.slowed(), "phases")
    phases.pyomo.objective.deactivate()
    phases.pyomo.goal = pyo.Objective(expr=phases.pyomo.time[0, 0])
    with pytest.raises(InputError, match="only the makespan"):
        phases.solve()
    with pytest.raises(InputError, match="formulation: cpsat takes counts"):
        oas.model(INSTANCE).solve("cpsat")
    with pytest.raises(InputError, match="solver_options"):
        oas.model(INSTANCE).solve(solver_options={"mip_feasibility_tolerance": 0.1})


def test_values_that_are_no_schedule_are_violations():
    model = oas.model(INSTANCE)
    with pytest.raises(InputError, match="no variable has a value"):
        model.schedule()
    for one in model.starts("a"):
        one.variable.set_value(0.5)
    with pytest.raises(InputError, match="not an integer"):
        model.schedule()
    for variable in model.pyomo.component_data_objects(pyo.Var):
        variable.set_value(0)
    with pytest.raises(VerificationError, match="no schedule"):
        model.schedule()
    for job in "abc":
        model.starts(job)[0].variable.set_value(1)
    with pytest.raises(VerificationError) as caught:
        model.schedule()
    assert "no schedule" in str(caught.value) or caught.value.violations


def test_a_solution_of_a_weakened_model_is_reported_with_its_violations():
    model = oas.model(ORGANIZATIONS, reduced=False)
    model.pyomo.processors.deactivate()
    answer = model.solve()
    assert answer.schedule is None and answer.status == "no_solution" and answer.objective is None and answer.message


@pytest.mark.parametrize("program", ["highs", "cbc"])
@pytest.mark.parametrize("suffix", ["lp", "mps"])
@pytest.mark.parametrize(("instance", "formulation"), [(INSTANCE, "start-indexed"), (INSTANCE, "literal")])
def test_files_of_solvers_are_read_back(instance, formulation, suffix, program, tmp_path):
    model = oas.model(instance, formulation)
    model.write(tmp_path / f"model.{suffix}")
    solve_file(program, tmp_path / f"model.{suffix}", tmp_path / "solution")
    assert model.read(tmp_path / "solution").makespan == 4


def solve_file(program, path, solution):
    from oas.solvers.discovery import find_cbc

    code = (
        "import highspy, sys; h = highspy.Highs(); h.readModel(sys.argv[1]); h.run(); h.writeSolution(sys.argv[2], 0)"
    )
    command = {
        "highs": [sys.executable, "-c", code, path, solution],
        "cbc": [find_cbc()[0], path, "solve", "solution", solution],
    }[program]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def test_solutions_of_other_models_and_broken_rows_are_errors(tmp_path):
    model = oas.model(INSTANCE)
    file = tmp_path / "solution.sol"
    file.write_text("x1 1\n")
    with pytest.raises(InputError, match=r"solution.sol: name: no variable of the model has this name"):
        model.read(file)
    file.write_text(f"{model.variables().name[0]} 1\n")
    with pytest.raises(VerificationError, match=r"solution.sol: the values break constraints (?s:.*) once\[1\]"):
        model.read(file)


def test_rules_that_the_schedule_of_a_file_breaks_are_listed_once(tmp_path):
    fault = Violation("capacity", (), "too many")
    model = oas.model(ORGANIZATIONS, replace(mosp_start_indexed.FORMULATION, rules=lambda *_: [fault]))
    model.write(tmp_path / "model.lp")
    solve_file("cbc", tmp_path / "model.lp", tmp_path / "model.sol")
    with pytest.raises(VerificationError, match=r"model.sol: the schedule of the model breaks rules:") as caught:
        model.read(tmp_path / "model.sol")
    assert caught.value.violations == (fault,) and str(caught.value).count("[capacity] too many") == 1


def test_coefficients_that_are_fractions_are_not_written(tmp_path):
    model = oas.model(INSTANCE)
    model.pyomo.more = pyo.Constraint(expr=F(1, 3) * model.start("b", {"A": 1}, 0) <= 1)
    with pytest.raises(InputError, match="Fraction"):
        model.write(tmp_path / "model.lp")
    assert model.solve().status == "optimal"


@pytest.mark.parametrize("solver", ["highs", "cbc"])
@pytest.mark.parametrize("reduced", [True, False])
def test_a_base_time_far_below_a_slot_takes_a_slot_in_the_literal_model(solver, reduced):
    """Its coefficient in n >= Tb/eta * ct is one that HiGHS drops."""
    cluster = Cluster("C", [NodeGroup(1, F(1, 2)), NodeGroup(1, 1)], 1)
    jobs = [Job("short", 2, F(1, 10**9), F(1, 2), F(1, 3)), Job("long", 1, 2, sigma=0), Job("least", 1, F(1, 10**12))]
    model = oas.model(CoallocationInstance([cluster], jobs, slot=1), "literal", horizon=4, reduced=reduced)
    result = model.solve(solver)
    assert (result.status, result.objective) == (oas.Status.OPTIMAL, 3)
