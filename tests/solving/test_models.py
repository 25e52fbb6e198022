"""Formulations for MIP solvers and for CP-SAT allow exactly the verifier's schedules, and find every optimum."""

from collections import Counter, namedtuple
from dataclasses import replace
from fractions import Fraction as F
from itertools import product
from random import Random

import pytest

from oas.coallocation.allocations import Run, allocations, runs_from_schedule, schedule_from_runs
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.models import counts_cpsat
from oas.coallocation.models import start_indexed as coallocation_start_indexed
from oas.core.errors import InputError, SolverError, TooLargeError
from oas.core.registry import COALLOCATION
from oas.core.result import Bound, Termination
from oas.core.rigid import Organization, RigidJob
from oas.core.verifier import verify
from oas.mosp.instance import MospInstance
from oas.mosp.models import cumulative_cpsat
from oas.mosp.models import start_indexed as mosp_start_indexed
from oas.mosp.runs import ClusterRun, local_schedule
from oas.solvers.isolation.client import run
from oas.solvers.task import Limits, Settings, Task
from oas.solving.evidence import Evidence
from oas.solving.methods import toolkit_methods
from oas.solving.model_run import run_model
from oas.solving.parts import exact_parts
from tests.coallocation import grids as coallocation
from tests.mosp import instances as mosp
from tests.mosp.instances import random_cluster_runs
from tests.mosp.instances import random_instance as random_mosp
from tests.slow import at_least, draws, every_fourth_quick
from tests.solving.rows import broken, every_cluster_start, every_start, model_of, rows_of, values_of
from tests.strategies import random_feasible_runs, random_instance

CPSAT, MIP, LIMITS = Settings("cpsat"), [Settings("highs"), Settings("cbc")], Limits(time=60)


# A formulation; random instances; of each some feasible schedule, feasible runs, and any runs; the model of a problem
# without reductions, and values of any runs in it; of a MIP the families of rows that runs may break.
Case = namedtuple("Case", "formulation instance first feasible anywhere free values families", defaults=((),))


def serial(instance):
    """The jobs one after another."""
    scaled, runs, now = instance.scaled(), [], 0
    for job in range(scaled.job_count):
        runs.append(Run(job, now, allocations(scaled, job)[0]))
        now = runs[-1].end
    return schedule_from_runs(instance, scaled, runs, "serial")


def heuristic_runs(instance, seed):
    """Allocations by lot may be dominated by others, and have no place in a model without those."""
    methods = toolkit_methods(COALLOCATION)
    return runs_from_schedule(instance, instance.scaled(), methods[seed % len(methods)](instance))


def any_runs(instance, rng):
    scaled = instance.scaled()
    spread = rng.choice((1, 2, 4))
    durations = [row[0] for row in scaled.durations]
    return [
        Run(job, rng.choice([0, *durations]) * rng.randrange(spread), rng.choice(allocations(scaled, job)))
        for job in range(scaled.job_count)
    ]


def any_cluster_runs(instance, rng):
    scaled = instance.scaled()
    spread = rng.choice((1, 3, 6))
    runs = []
    for job, width in enumerate(scaled.widths):
        fitting = [k for k, size in enumerate(scaled.processors) if size >= width]
        start = rng.choice(scaled.times) * rng.randrange(spread) + rng.choice((0, scaled.releases[job]))
        runs.append(ClusterRun(job, rng.choice(fitting), start))
    return runs


def cluster_values(spec, runs):
    values = {("start", (one.job,)): one.start // spec.unit for one in runs}
    values |= {("on", (one.job, one.cluster)): 1 for one in runs}
    last = max(one.start // spec.unit + spec.scaled.times[one.job] for one in runs)
    return values | {("makespan", ()): last}


COUNTS = Case(
    counts_cpsat.FORMULATION,
    random_instance,
    serial,
    random_feasible_runs,
    any_runs,
    lambda spec: spec,
    counts_cpsat.start_values,
)
CUMULATIVE = Case(
    cumulative_cpsat.FORMULATION,
    lambda seed: random_mosp(seed, max_jobs=4),
    local_schedule,
    lambda instance, seed: random_cluster_runs(instance.scaled(), seed),
    any_cluster_runs,
    lambda spec: replace(spec, identical_jobs=(), identical_clusters=()),
    cluster_values,
)
STARTS = COUNTS._replace(
    formulation=coallocation_start_indexed.FORMULATION,
    instance=lambda seed: coallocation.small(40, 12)[seed][0],
    feasible=heuristic_runs,
    free=every_start,
    values=values_of,
    families=("nodes", "links"),
)
CLUSTER_STARTS = CUMULATIVE._replace(
    formulation=mosp_start_indexed.FORMULATION,
    instance=random_mosp,
    free=every_cluster_start,
    values=values_of,
    families=("starts", "processors", "halves"),
)
CASES = pytest.mark.parametrize(
    "case", [COUNTS, CUMULATIVE, STARTS, CLUSTER_STARTS], ids=["counts", "cumulative", "starts", "cluster starts"]
)


def proves(case, instance, bound=F(0)):
    """Let each solver find the optimum and prove it, from `bound`; a bound that it was given is not its claim."""
    for settings in MIP if case.families else [CPSAT]:
        evidence = Evidence(instance)
        assert evidence.offer(case.first(instance), "first") is None
        evidence.bound = Bound("given", bound)
        ended = run_model(evidence, case.formulation, settings, LIMITS, lambda *_: None)
        assert ended.termination is Termination.FINISHED, ended.message
        optimum = exact_parts(instance).brute_force(instance)[0]
        assert evidence.makespan == optimum
        assert ended.claim is None if bound == optimum else ended.claim.bound == optimum


def violations_of(case, spec):
    """Return a function of values to the families of rows that they break; for CP-SAT just whether there are any."""
    if case.families:
        rows = rows_of(model_of(case.formulation, spec))
        return lambda values: broken(rows, values)

    def by_solver(values):
        payload = (case.formulation.builder, spec, values)
        outcome = run(Task("tests.solvers.cp_builders:fixed", payload), CPSAT, LIMITS)
        assert outcome.termination is Termination.FINISHED, outcome.message
        return {"some"} if outcome.infeasible else set()

    return by_solver


def several_powers(slot):
    """Three Γ inside each of two clusters, jobs that would need them all."""
    clusters = [
        Cluster("A", [NodeGroup(1, 1), NodeGroup(1, F(3, 4)), NodeGroup(1, F(1, 2))], 2),
        Cluster("B", [NodeGroup(1, F(1, 2)), NodeGroup(1, 1)], 2),
    ]
    jobs = [Job("a", 3, 4, F(1, 2), F(7, 10)), Job("b", 2, 3, 1), Job("c", 2, 3, 1), Job("d", 1, 5)]
    return CoallocationInstance(clusters, jobs, slot=slot)


def tight(bandwidth):
    """Four-task jobs that must be split, over links that carry one, or an uneven split of two."""
    clusters = [Cluster(name, [NodeGroup(size, 1)], bandwidth) for name, size in zip("ABC", (3, 3, 2), strict=True)]
    return CoallocationInstance(clusters, [Job(f"J{index}", 4, 2 + index, 3) for index in range(3)], slot=1)


def loaded(denominator):
    """Two jobs whose loads need fractions of this denominator, over links that carry one of them only."""
    share = F(denominator - 1, denominator)
    clusters = [Cluster(name, [NodeGroup(2, 1)], share) for name in "AB"]
    jobs = [Job("a", 2, 3, share / 2), Job("b", 2, 4, F(denominator + 1, 2 * denominator))]
    return CoallocationInstance(clusters, jobs, slot=1)


ORGANIZATIONS = [
    *(random_mosp(seed, max_jobs=4) for seed in range(6)),
    *(random_mosp(seed, max_jobs=4).with_locality(None) for seed in range(6)),
    *(
        random_mosp(500 + seed, max_jobs=5, releases=releases, reservations=held, equal=equal)
        for seed, releases, held, equal in product(range(2), *((False, True),) * 3)
    ),
    *(make() for make in (mosp.unequal, mosp.reserved, mosp.alike)),
]


@pytest.mark.parametrize(
    ("case", "instance"),
    [
        *((COUNTS, random_instance(seed)) for seed in range(6)),
        *((COUNTS, several_powers(slot)) for slot in (0, 1, F(1, 2), 7)),
        *((COUNTS, tight(bandwidth)) for bandwidth in (3, 4, 6, 7, 8)),
        *((COUNTS, coallocation.uniform(slot)) for slot in (1, 5)),
        *((COUNTS, make()) for make in (coallocation.mixed, coallocation.continuous, coallocation.alike)),
        (COUNTS, loaded(10**9 + 7)),  # large loads stay exact
        *every_fourth_quick(list(product((CUMULATIVE, CLUSTER_STARTS), ORGANIZATIONS))),
    ],
    ids=lambda one: one.formulation.name if isinstance(one, Case) else one.digest[:6],
)
def test_equals_brute_force(case, instance):
    proves(case, instance)


@CASES
def test_a_lower_bound_that_is_the_optimum_cuts_nothing_off(case):
    for seed in range(3):
        instance = case.instance(seed)
        proves(case, instance, exact_parts(instance).brute_force(instance)[0])


def accepted(instance, runs):
    """Whether nodes can be named for the runs and the verifier accepts the schedule."""
    try:
        schedule = exact_parts(instance).from_runs(instance, instance.scaled(), runs)
    except InputError:
        return False
    return not verify(instance, schedule)


def ticks(instance, schedule):
    return int(schedule.makespan / instance.scaled().tick)


def longest(scaled):
    return max(map(max, getattr(scaled, "durations", None) or [scaled.times]))


@CASES
def test_allows_exactly_what_the_verifier_accepts(case):
    verdicts, families = Counter(), Counter()
    for seed in range(draws(40)):
        instance, rng = case.instance(seed), Random(seed)
        scaled, parts, first = instance.scaled(), exact_parts(instance), case.first(instance)
        own = [case.feasible(instance, seed), *(case.anywhere(instance, rng) for _ in range(8 if case.families else 2))]
        every = [parts.to_runs(instance, scaled, first), *own]
        latest = max(one.start for runs in every for one in runs) + longest(scaled)
        spec = case.free(case.formulation.prepare(instance, scaled, max(latest, ticks(instance, first)), 0))
        violated = violations_of(case, spec)
        for runs in every:
            if any(run.start % getattr(spec, "unit", 1) for run in runs):
                continue  # starts between the model's units are rounded down, which may mend a schedule
            found = violated(case.values(spec, runs))
            assert (found == set()) is accepted(instance, runs), (seed, runs, found)
            verdicts[found == set()] += 1
            families.update(found)
    assert min(verdicts[True], verdicts[False]) >= at_least(20), verdicts
    assert all(families[name] >= at_least(20) for name in case.families), families


@CASES
def test_every_feasible_schedule_has_a_place_that_ends_no_later(case):
    """Also where starts are rounded down to the model's units; what is read back is accepted."""
    placed = missing = 0
    for seed in range(draws(40)):
        instance = case.instance(seed)
        if case is COUNTS and seed % 2:
            instance = replace(instance, jobs=tuple(replace(job, base_time=6 * job.base_time) for job in instance.jobs))
        scaled, parts = instance.scaled(), exact_parts(instance)
        runs = case.feasible(instance, seed)
        if not accepted(instance, runs):  # a deadline is missed
            runs = parts.to_runs(instance, scaled, case.first(instance))
        last = ticks(instance, parts.from_runs(instance, scaled, runs))
        spec = case.formulation.prepare(instance, scaled, last, 0)
        values = case.formulation.start_values(spec, runs)
        if values is None:
            missing += 1
            continue
        placed += 1
        violated = violations_of(case, spec)
        assert violated(values) == set()
        back = parts.from_runs(instance, scaled, case.formulation.read(spec, values))
        assert verify(instance, back) == []
        steps = [key for key in values if key[0] == "beyond"]
        stated = case.formulation.ticks_of(spec, int(len(steps) if case.families else values["makespan", ()]))
        assert ticks(instance, back) <= stated <= last
        if ticks(instance, back) == stated and (steps or not case.families):
            less = {max(steps): 0} if case.families else {("makespan", ()): values["makespan", ()] - 1}
            assert violated(values | less), "the makespan can be understated"
    assert missing == 0 or (case is STARTS and placed >= 15 * missing)


@pytest.mark.parametrize(("case", "packing"), [(STARTS, "nodes links"), (CLUSTER_STARTS, "processors late")])
def test_size_is_known_before_building(case, packing):
    for seed in range(20):
        instance = case.instance(seed)
        spec = case.formulation.prepare(instance, instance.scaled(), ticks(instance, case.first(instance)), 1)
        model = model_of(case.formulation, spec)
        starts = sum(len(starts) for *_, starts in spec.columns())
        assert (len(model.start), len(model.beyond)) == (starts, len(spec.ends))
        counted = [terms for family, terms, _, _ in rows_of(model) if family in packing.split()]
        assert sum(sum(name == "start" for name, _ in terms) for terms in counted) <= spec.nonzeros


def test_answers_that_are_no_schedule_are_noticed():
    instance = coallocation.mixed()
    with pytest.raises(SolverError, match="every task"):
        counts_cpsat.read(counts_cpsat.prepare(instance, instance.scaled(), 50, 0), {("count", (0, 0)): 1})
    spec = coallocation_start_indexed.prepare(instance, instance.scaled(), 50, 0)
    for starts in ([], [(0, 0, 0)], [(0, 0, 0), (0, 0, 1)]):
        with pytest.raises(SolverError, match="does not start every job exactly once"):
            coallocation_start_indexed.read(spec, {("start", one): 1.0 for one in starts})
    instance = mosp.alike()
    spec = cumulative_cpsat.prepare(instance, instance.scaled(), 20, 0)
    for on in ([], [0, 1]):
        with pytest.raises(SolverError, match="exactly once"):
            cumulative_cpsat.read(spec, {("on", (job, cluster)): 1 for job in range(4) for cluster in on})


def test_saturation_must_be_forbidden():
    instance = coallocation.mixed().with_saturation("slowdown")
    with pytest.raises(InputError, match="saturation: no model treats this policy; known: forbid"):
        counts_cpsat.prepare(instance, instance.scaled(), 50, 0)


TIMES = (F(10**15 + 37, 1000), F(10**15 + 61, 1000))
WIDE = [Job(f"J{index}", 4000, time) for index, time in enumerate(TIMES)]
LONG = [RigidJob(f"J{index}", time, 9000) for index, time in enumerate((10**14 + 31, 10**14 + 67))]


@pytest.mark.parametrize(
    ("case", "instance", "what"),
    [
        (COUNTS, loaded(10**19 + 51), "link bandwidth"),
        (COUNTS, CoallocationInstance([Cluster("A", [NodeGroup(4000, 1)], 0)], WIDE, slot=F(1, 1000)), "nodes"),
        (CUMULATIVE, MospInstance([Organization("A", 9000, LONG)]), "processors"),
    ],
    ids=["link bandwidth", "nodes", "processors"],
)
def test_numbers_beyond_64_bits_are_too_large_and_said_to_be(case, instance, what):
    with pytest.raises(TooLargeError, match=f"{what}: demand times ticks"):
        case.formulation.prepare(instance, instance.scaled(), ticks(instance, case.first(instance)), 0)
