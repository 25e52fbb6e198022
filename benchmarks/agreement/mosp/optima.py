"""Brute force = HiGHS = CBC = CP-SAT on random tiny MOSP instances; no heuristic below, no bound above.

    python -m benchmarks.agreement.mosp --count 500 --seed 0

At most 5 jobs. The instances go through every mix of clusters alike and not, locality 1, 3/2 and none, with and without
releases, with and without reservations; local policies are drawn. Each model starts from the longest schedule at hand
and from the bound 0, so that it has to find and to prove the optimum by itself. Every schedule, brute force's too, goes
through the verifier. Exit code 1 if anything disagrees or gives up.
"""

from __future__ import annotations

import argparse
from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random
from typing import TYPE_CHECKING

from benchmarks.agreement.participants import (
    AGREED,
    MIP_SOLVERS,
    SECONDS,
    ParticipantFinding,
    bounds,
    complain,
    cpsat_installed,
    finding,
    model,
    pipeline,
    schedule_fault,
    table,
)
from heuristics.method import NotApplicableError, NotPlacedError
from heuristics.registry import own_methods
from oas.core.verifier import verify
from oas.exact.mosp.brute_force import brute_force
from oas.generate.mosp.tiny import draw_tiny
from oas.problems.mosp.availability import availability
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import ClusterRun, local_schedule, schedule_from_cluster_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from oas.core.schedule import Schedule

MIXES = tuple(product((True, False), (None, Fraction(1), Fraction(3, 2)), (False, True), (False, True)))
MODELS = (*(("start-indexed", solver) for solver in MIP_SOLVERS), ("cumulative", "cpsat"))
MAX_JOBS = 5


def case(seed: int) -> MospInstance:
    """Return the instance of `seed`: successive seeds go through all mixes."""
    rounds, mix = divmod(seed, len(MIXES))
    equal, locality, releases, reservations = MIXES[mix]
    return draw_tiny(
        Random(seed),
        max_jobs=MAX_JOBS,
        equal=equal,
        costly=equal and not releases and not reservations and rounds % 2 == 0,
        localities=(locality,),
        releases=releases,
        reservations=reservations,
        name=f"tiny MOSP, seed {seed}",
    )


def longest_start(instance: MospInstance) -> Schedule:
    """Return the longest schedule at hand that keeps locality: a model that starts there has all the work before it.

    At hand are the local schedules, these put off as far as locality allows, and all jobs one after another.
    """
    offered = [] if instance.local is None else [local_schedule(instance), _put_off(instance)]
    offered.append(_serial(instance))
    return max((one for one in offered if not verify(instance, one)), key=lambda schedule: schedule.makespan)


def _put_off(instance: MospInstance) -> Schedule:
    """Each organization's local schedule as late as its deadline lets it be; reservations may be in the way."""
    scaled = instance.scaled()
    delays = [
        0 if deadline is None or alone is None else deadline - int(alone / scaled.tick)
        for deadline, alone in zip(scaled.deadlines, instance.local_makespans, strict=True)
    ]
    runs = [ClusterRun(job, k, scaled.local_starts[job] + delays[k]) for job, k in enumerate(scaled.owners)]
    return schedule_from_cluster_runs(instance, scaled, runs)


def _serial(instance: MospInstance) -> Schedule:
    """All jobs one after another, on their own clusters, after the last release and the last reservation."""
    scaled = instance.scaled()
    now = max((*scaled.releases, *(end for _, _, end, _ in scaled.reservations)))
    runs = []
    for job, owner in enumerate(scaled.owners):
        runs.append(ClusterRun(job, owner, now))
        now += scaled.times[job]
    return schedule_from_cluster_runs(instance, scaled, runs)


def examine(
    instance: MospInstance, models: Sequence[tuple[str, str]] = MODELS, seconds: float = SECONDS
) -> list[ParticipantFinding]:
    """Compare every model, heuristic and bound with the brute-force optimum of `instance`."""
    optimum, schedule = brute_force(instance)
    fault = schedule_fault(instance, schedule, optimum)
    if not fault and schedule.makespan != optimum:
        fault = f"says {optimum} of a schedule that takes {schedule.makespan}"
    start = longest_start(instance)
    return [
        finding("brute force", fault),
        *(model(instance, formulation, solver, start, optimum, seconds) for formulation, solver in models),
        pipeline(instance, optimum),
        *_heuristics(instance, optimum),
        *bounds(instance, optimum),
    ]


def _heuristics(instance: MospInstance, optimum: Fraction) -> Iterator[ParticipantFinding]:
    """Those that keep locality against the optimum; the others' schedules are verified without it."""
    free = instance.with_locality(None)
    for method in own_methods(MospInstance):
        try:
            schedule = method(instance)
        except (NotApplicableError, NotPlacedError):
            continue
        if method.respects_locality:
            yield finding(method.name, schedule_fault(instance, schedule, optimum))
        else:
            yield finding(method.name, schedule_fault(free, schedule, Fraction(0)))


def features(instance: MospInstance) -> Iterator[str]:
    """Yield what `instance` has, as it came out, not as it was asked for."""
    yield "locality none" if instance.locality is None else f"locality {instance.locality}"
    alike = len({one.processors for one in instance.organizations}) == 1
    yield "one cluster" if len(instance.organizations) == 1 else "clusters alike" if alike else "clusters not alike"
    yield "releases" if any(job.release for job in instance.jobs) else "no releases"
    reserved = any(one.reservations for one in instance.organizations)
    yield "reservations" if reserved else "no reservations"
    yield f"{len(instance.jobs)} jobs"
    if instance.local is not None:
        yield f"local {instance.provenance.get('local', 'given').partition(',')[0]}"
    if reserved and len(instance.organizations) == 1:
        held = availability(instance.organizations[0])
        kinds = (("α", held.alpha is not None), ("non-increasing", held.non_increasing), ("general", held.general))
        yield from (f"class {name}" for name, is_one in kinds if is_one)
    if any(job.processors > one.processors for job in instance.jobs for one in instance.organizations):
        yield "a job wider than some cluster"


def census(instances: Sequence[MospInstance]) -> str:
    """Return one line a feature: how many instances have it; then those in which model and locality matter."""
    counts: Counter[str] = Counter()
    for instance in instances:
        counts.update(features(instance))
        optimum, _ = brute_force(instance)
        counts["the start is longer than the optimum"] += longest_start(instance).makespan > optimum
        if instance.locality is not None:
            counts["locality costs"] += optimum > brute_force(instance.with_locality(None))[0]
    width = max(map(len, counts))
    return "\n".join(f"{name:<{width}}{counts[name]:>8}" for name in sorted(counts))


def run(
    count: int,
    seed: int,
    models: Sequence[tuple[str, str]] = MODELS,
    seconds: float = SECONDS,
    draw: Callable[[int], MospInstance] = case,
) -> Iterator[tuple[MospInstance, list[ParticipantFinding]]]:
    """Yield `count` instances from `seed` on, each with its findings."""
    for one in range(seed, seed + count):
        instance = draw(one)
        findings = examine(instance, models, seconds)
        complain(instance, findings)
        yield instance, findings


def all_agree(findings: Iterable[ParticipantFinding]) -> bool:
    """Whether no participant disagreed or gave up."""
    return all(finding.verdict == AGREED for finding in findings)


def main(
    arguments: list[str] | None = None,
    draw: Callable[[int], MospInstance] = case,
    description: str | None = __doc__,
    count: int = 500,
) -> int:
    """Examine instances that `draw` makes of seeds, `count` by default, and print the tables; 1 if any disagree."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=count, help="number of instances")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first; the others follow")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="limit for each model run")
    options = parser.parse_args(arguments)
    models = MODELS if cpsat_installed() else tuple(one for one in MODELS if one[1] != "cpsat")
    every = list(run(options.count, options.seed, models, options.seconds, draw))
    print(census([instance for instance, _ in every]), end="\n\n")
    print(table(finding for _, findings in every for finding in findings))
    answered = sum(all_agree(findings) for _, findings in every)
    print(f"\n{len(every)} instances; on {answered} of them all agree: brute force, {_names(models)}")
    return int(answered < len(every))


def _names(models: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{formulation}/{solver}" for formulation, solver in models)
