"""Brute force = HiGHS = CBC = a second model on tiny instances of fair sharing; no method is better, no bound wrong.

    python -m benchmarks.agreement.fair --count 500 --seed 0

4 to 8 jobs of 2 or 3 organizations, horizon 6 to 12, jobs of one processor and of several; some organizations are
identical. Each instance is asked for Σ ψ_sp, flow and makespan, among greedy schedules and among any. Each model starts
from the worst of some greedy schedules, without a bound, so that it has to find and to prove the optimum by itself.
Every schedule goes through the verifier. Exit code 1 if anything disagrees or gives up.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

from benchmarks.agreement.fair import on_off
from benchmarks.agreement.participants import (
    AGREED,
    MIP_SOLVERS,
    MISMATCH,
    SECONDS,
    TIME_LIMIT,
    ParticipantFinding,
    finding,
    raise_if_interrupted,
    run_name,
    table,
)
from heuristics.fair.engine import run_policy
from heuristics.registry import own_methods
from oas.bounds.fair.objectives import objective_bound
from oas.core.result import Bound, Termination
from oas.exact.fair.brute_force import brute_force
from oas.exact.fair.evidence import FairEvidence
from oas.exact.fair.model_run import run_model
from oas.exact.fair.optimum import FairOptions, find_optimum
from oas.models.fair import start_indexed
from oas.problems.fair.instance import FairInstance
from oas.problems.fair.objectives import Objective, ScheduleClass, class_violations, objective_value, open_at_horizon
from oas.problems.fair.problem import FAIR
from oas.problems.fair.runs import schedule_from_starts
from oas.problems.rigid import Organization, RigidJob
from oas.solvers.task import Limits, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.core.schedule import Schedule
    from oas.models.formulation import Formulation

COUNT = 500
ORDERS = 12
MODELS = (*((start_indexed.formulation, solver) for solver in MIP_SOLVERS), (on_off.formulation, "highs"))
LIMITLESS = {Objective.STRATEGY_PROOF: 10**6, Objective.FLOW: 0, Objective.MAKESPAN: 0}


def case(seed: int) -> FairInstance:
    """Return the instance of `seed`: every second one has wide jobs, every fifth identical organizations."""
    rng = Random(seed)
    wide, twins = seed % 2 == 1, seed % 5 == 0
    count = rng.choice((2, 2, 3))
    sizes = [rng.randint(1, 2 + wide) if wide or count == 2 else 1 for _ in range(count)]
    total = rng.randint(4, 7)
    shares = [total // count + (k < total % count) for k in range(count)]
    gaps = rng.choice(((0,), (0, 0, 1), (0, 1, 2)))
    queues = []
    for size, share in zip(sizes, shares, strict=True):
        release, queue = rng.choice(gaps), []
        for _ in range(share):
            queue.append((rng.randint(1, 5), rng.randint(1, size) if wide else 1, release))
            release += rng.choice(gaps)
        queues.append(queue)
    if twins:
        sizes[1], queues[1] = sizes[0], queues[0]
    organizations = [
        Organization(
            f"O{k}", size, [RigidJob(f"J{k}.{place}", time, width, at) for place, (time, width, at) in enumerate(queue)]
        )
        for k, (size, queue) in enumerate(zip(sizes, queues, strict=True))
    ]
    earliest = min(queue[0][2] for queue in queues)
    return FairInstance(organizations, max(earliest + 1, rng.randint(6, 12)), f"tiny fair sharing, seed {seed}")


class ByLot:
    """A policy that picks organizations by lot."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)

    def begin(self, machines: Sequence[int]) -> None:
        """Nothing to be done."""

    def released(self, now: int, organization: int, job: int, width: int) -> None:
        """Nothing to be done."""

    def started(self, now: int, organization: int, job: int, width: int) -> None:
        """Nothing to be done."""

    def ended(self, now: int, organization: int, job: int, width: int) -> None:
        """Nothing to be done."""

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        """Return any."""
        return self.rng.choice(waiting)


def greedy_schedules(instance: FairInstance, count: int = ORDERS) -> list[Schedule]:
    """Return schedules that pick organizations by lot."""
    ticks = instance.scaled()
    return [
        schedule_from_starts(instance, run_policy(ticks, ByLot, seed), f"by lot, seed {seed}") for seed in range(count)
    ]


def worst_start(instance: FairInstance, objective: Objective) -> Schedule | None:
    """Return the worst of some greedy schedules, of those that end every job for the makespan; None without one."""
    offered = greedy_schedules(instance)
    if objective is Objective.MAKESPAN:
        offered = [one for one in offered if not open_at_horizon(instance, one)]
    return max(offered, key=lambda one: objective.sign * objective_value(instance, one, objective), default=None)


def examine(instance: FairInstance, seconds: float = SECONDS) -> Iterator[ParticipantFinding]:
    """Compare everything with the optima of brute force."""
    for objective in Objective:
        start = worst_start(instance, objective)
        optima: dict[ScheduleClass, int] = {}
        for wanted in ScheduleClass:
            found = brute_force(instance, objective, wanted)
            if found is None:
                yield finding("brute force", "" if start is None else "misses a schedule that ends every job")
                continue
            value, schedule = found
            optima[wanted] = value
            yield finding("brute force", optimum_fault(instance, schedule, objective, wanted, value, value))
            yield finding("bounds", bound_fault(instance, objective, value))
            if start is not None:
                for make, solver in MODELS:
                    yield model(instance, make(objective, wanted), objective, wanted, solver, start, value, seconds)
                yield pipeline(instance, objective, wanted, start, value)
        if len(optima) == len(ScheduleClass):
            costs = [objective.sign * optima[wanted] for wanted in (ScheduleClass.ANY, ScheduleClass.GREEDY)]
            yield finding("any is at least as good as greedy", "" if costs[0] <= costs[1] else f"{costs}")
        if ScheduleClass.GREEDY in optima:
            yield from methods(instance, objective, optima[ScheduleClass.GREEDY])


def optimum_fault(
    instance: FairInstance, schedule: Schedule, objective: Objective, wanted: ScheduleClass, value: int, optimum: int
) -> str:
    """Return what is wrong with a schedule that is said to be of this value; nothing if all is well."""
    violations = class_violations(instance, schedule, wanted)
    if violations:
        return str(violations[0])
    is_value = objective_value(instance, schedule, objective)
    return "" if is_value == value == optimum else f"says {value} of a schedule of {is_value}, optimum {optimum}"


def bound_fault(instance: FairInstance, objective: Objective, optimum: int) -> str:
    """Return by how much the bound passes the optimum; nothing if it does not."""
    bound = int(objective_bound(instance.scaled(), objective).value)
    passed = objective.sign * bound > objective.sign * optimum
    return f"{objective}: {bound}, but the optimum is {optimum}" if passed else ""


def model(
    instance: FairInstance,
    formulation: Formulation,
    objective: Objective,
    wanted: ScheduleClass,
    solver: str | Settings,
    start: Schedule,
    optimum: int,
    seconds: float = SECONDS,
) -> ParticipantFinding:
    """Let a solver find and prove `optimum` by itself: from a poor schedule, and no bound."""
    settings = Settings(solver) if isinstance(solver, str) else solver
    participant = run_name(formulation.name, settings)
    evidence = FairEvidence(instance, objective, wanted, start)
    evidence.bound = Bound("none", Fraction(LIMITLESS[objective]))
    run = run_model(evidence, settings, Limits(seconds), lambda *_: None, formulation)
    raise_if_interrupted(run.termination)
    if run.termination is Termination.TIME_LIMIT:
        return ParticipantFinding(participant, TIME_LIMIT, run.message)
    if run.termination is not Termination.FINISHED:
        return ParticipantFinding(participant, MISMATCH, f"{run.termination.value}: {run.message}")
    value, bound = (objective.sign * cost for cost in (evidence.cost, evidence.least_cost))
    wrong = f"{objective}, {wanted}: finds {value}, proves {bound}, optimum {optimum}"
    return finding(participant, "" if value == bound == optimum else wrong)


def pipeline(
    instance: FairInstance, objective: Objective, wanted: ScheduleClass, start: Schedule, optimum: int
) -> ParticipantFinding:
    """Let the search for an optimum run as a user would, but for brute force."""
    found = find_optimum(FairEvidence(instance, objective, wanted, start), FairOptions("highs", SECONDS))
    wrong = f"{objective}, {wanted}: {found.value}, bound {found.bound}, optimum {optimum}; {found.message}"
    return finding("price of fairness", "" if found.value == found.bound == optimum else wrong)


def methods(instance: FairInstance, objective: Objective, optimum: int) -> Iterator[ParticipantFinding]:
    """Yield what is found of each greedy method: none is better than the greedy optimum."""
    for method in own_methods(FAIR):
        schedule = method(instance, seed=0)
        violations = class_violations(instance, schedule, ScheduleClass.GREEDY)
        fault = str(violations[0]) if violations else ""
        if not fault and not (objective is Objective.MAKESPAN and open_at_horizon(instance, schedule)):
            value = objective_value(instance, schedule, objective)
            better = objective.sign * value < objective.sign * optimum
            fault = f"{objective}: {value}, better than the optimum {optimum}" if better else ""
        yield finding(method.name, fault)


def features(instance: FairInstance) -> Iterator[str]:
    """Yield what `instance` has, as it came out."""
    yield f"{len(instance.jobs)} jobs"
    yield f"{len(instance.organizations)} organizations"
    yield "wide jobs" if any(job.processors > 1 for job in instance.jobs) else "jobs of one processor"
    yield "releases" if any(job.release for job in instance.jobs) else "no releases"
    queues = [tuple((job.time, job.processors, job.release) for job in one.jobs) for one in instance.organizations]
    if len(set(queues)) < len(queues):
        yield "identical organizations"
    for objective in Objective:
        start = worst_start(instance, objective)
        optima = [brute_force(instance, objective, wanted) for wanted in ScheduleClass]
        if start is None or None in optima:
            yield f"{objective}: not applicable"
            continue
        greedy, free = (one[0] for one in optima if one is not None)
        if objective_value(instance, start, objective) != greedy:
            yield f"{objective}: greedy schedules differ"
        if greedy != free:
            yield f"{objective}: greed costs"


def main(arguments: list[str] | None = None) -> int:
    """Examine instances and print the tables; 1 if any disagree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=COUNT, help="number of instances")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first; the others follow")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="limit for each model run")
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    every: list[ParticipantFinding] = []
    agreed = 0
    for seed in range(options.seed, options.seed + options.count):
        instance = case(seed)
        counts.update(features(instance))
        findings = list(examine(instance, options.seconds))
        for one in findings:
            if one.verdict != AGREED:
                print(f"{instance.name}: {one.participant}: {one.verdict}: {one.detail}", file=sys.stderr)
        agreed += all(one.verdict == AGREED for one in findings)
        every += findings
    width = max(map(len, counts), default=0)
    print("\n".join(f"{name:<{width}}{counts[name]:>8}" for name in sorted(counts)), end="\n\n")
    print(table(every))
    print(f"\n{options.count} instances; on {agreed} of them all agree")
    return int(agreed < options.count)
