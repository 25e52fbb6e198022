"""Brute force = phases by HiGHS = by CBC = search over grid moments = `oas.solve`, where links slow jobs down.

    python -m benchmarks.agreement.coallocation.saturation --count 1000 --seed 0

Tiny instances whose links are often saturated (`oas.generate.coallocation.saturated`), by turns in continuous time and
on slots, under both sharings and with several thresholds. Every formulation that takes an instance is run by every
solver of its family from a poor schedule and from the bound 0, so that it has to find and to prove the optimum by
itself; in continuous time its bound need only come within two millionths. The search over grid moments has to find a
schedule of the optimum's slots and to refute one slot less, without weights. Heuristics and bounds are held against the
optimum, and the optimum against those of related instances (`benchmarks.agreement.coallocation.saturation_relations`).
Prints tables, writes them with versions and seeds, and exits with 1 if anything disagrees or nothing could be compared.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.agreement.coallocation.saturation_relations import relations
from benchmarks.agreement.participants import (
    AGREED,
    MIP_SOLVERS,
    MISMATCH,
    TIME_LIMIT,
    TOO_LARGE,
    ParticipantFinding,
    bounds,
    complain,
    cpsat_installed,
    finding,
    model,
    schedule_fault,
    table,
)
from heuristics.registry import own_methods
from oas.core.errors import InputError, SolverError, TooLargeError
from oas.core.result import Status
from oas.exact.coallocation.chronological.search import Verdict
from oas.exact.coallocation.saturated.brute_force import brute_force
from oas.exact.coallocation.saturated.grid_search import GridSearch
from oas.exact.pipeline import solve
from oas.exact.versions import versions
from oas.generate.coallocation.saturated import saturated
from oas.models.registry import formulations
from oas.problems.coallocation.allocations import allocations
from oas.problems.coallocation.problem import COALLOCATION
from oas.problems.coallocation.progress import StartedRun, ends_of, schedule_from_starts
from oas.solvers.discovery import installed
from oas.solvers.task import MIP

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oas.core.schedule import Schedule
    from oas.models.formulation import Formulation
    from oas.problems.coallocation.instance import CoallocationInstance

COUNT = 1000
SECONDS = 60.0
THRESHOLDS = (None, None, Fraction(1, 2), Fraction(3, 4))
SLOTS = (Fraction(1), Fraction(3, 2))
RESULTS = Path(__file__).parents[2] / "results" / "agreement_saturation.md"
SEARCH, PIPELINE = "search over grid moments", "pipeline"


def case(seed: int) -> CoallocationInstance:
    """Return the instance of `seed`: even seeds have no slots; thresholds, then sharings, change by turns."""
    half, slotted = divmod(seed, 2)
    rest, threshold = divmod(half, len(THRESHOLDS))
    more, sharing = divmod(rest, 2)
    return saturated(
        seed=seed,
        jobs=4 if slotted or more % 4 == 0 else 3,
        nodes=2 + more % 2,
        slot=SLOTS[more % len(SLOTS)] if slotted else 0,
        threshold=THRESHOLDS[threshold],
        sharing="max-min" if sharing else "paper",
    )


def examine(instance: CoallocationInstance, seconds: float = SECONDS) -> list[ParticipantFinding]:
    """Compare every participant with the brute-force optimum of `instance`."""
    try:
        optimum, schedule = brute_force(instance)
    except TooLargeError as error:
        return [ParticipantFinding("brute force", TOO_LARGE, str(error))]
    return [
        finding("brute force", schedule_fault(instance, schedule, schedule.makespan) or _differs(schedule, optimum)),
        *_models(instance, optimum, seconds),
        *([grid_search(instance, optimum)] if instance.slot else []),
        pipeline(instance, optimum, seconds),
        *(
            finding(method.name, schedule_fault(instance, method(instance), optimum))
            for method in own_methods(COALLOCATION, instance.variant)
        ),
        *bounds(instance, optimum),
        *relations(instance, optimum),
    ]


def _differs(schedule: Schedule, optimum: Fraction) -> str:
    return "" if schedule.makespan == optimum else f"makespan {schedule.makespan}, optimum {optimum}"


def serial(instance: CoallocationInstance) -> Schedule:
    """Return a poor feasible schedule: the jobs one after another, each on the first of its fastest allocations."""
    scaled = instance.scaled()
    runs, now = [], Fraction(0)
    for job in range(scaled.job_count):
        runs.append(StartedRun(job, now, min(allocations(scaled, job), key=lambda one: one.duration)))
        now = max(ends_of(instance, runs))
    return schedule_from_starts(instance, runs, "serial")


def taking(instance: CoallocationInstance) -> list[tuple[Formulation, str]]:
    """Return the formulations that take the instance, with the solvers that are installed for each."""
    usable = {one.name for one in installed() if one.usable}
    return [
        (formulation, solver)
        for formulation in formulations(COALLOCATION, instance).values()
        for solver in (MIP_SOLVERS if formulation.family == MIP else ("cpsat",))
        if solver in usable
    ]


def _models(instance: CoallocationInstance, optimum: Fraction, seconds: float) -> Iterator[ParticipantFinding]:
    poor = serial(instance)
    for formulation, solver in taking(instance):
        yield model(instance, formulation.name, solver, poor, optimum, seconds)


def grid_search(instance: CoallocationInstance, optimum: Fraction) -> ParticipantFinding:
    """Let the search over grid moments find the optimum's slots and refute one slot less."""
    slots = optimum / instance.slot
    if slots.denominator != 1:
        return ParticipantFinding(SEARCH, MISMATCH, f"the optimum {optimum} is no number of slots")
    try:
        below, at = (GridSearch(instance, int(slots) - less) for less in (1, 0))
    except TooLargeError as error:
        return ParticipantFinding(SEARCH, TOO_LARGE, str(error))
    for search, expected in ((below, Verdict.REFUTED), (at, Verdict.FOUND)):
        while (verdict := search.go_on(10**6)) is Verdict.UNDECIDED:
            pass
        if verdict is not expected:
            return ParticipantFinding(SEARCH, MISMATCH, f"{verdict.name.lower()}, not {expected.name.lower()}")
    schedule = schedule_from_starts(instance, at.runs())
    return finding(SEARCH, schedule_fault(instance, schedule, optimum) or _differs(schedule, optimum))


def pipeline(instance: CoallocationInstance, optimum: Fraction, seconds: float = SECONDS) -> ParticipantFinding:
    """Let the pipeline solve the instance as a user would; what it does not close is no mismatch."""
    try:
        result = solve(instance, time_limit=seconds)
    except (InputError, SolverError) as error:
        return ParticipantFinding(PIPELINE, MISMATCH, f"{type(error).__name__}: {error}")
    said = f"{result.status.value}, bound {result.lower_bound}, makespan {result.objective}, optimum {optimum}"
    assert result.objective is not None and result.lower_bound is not None
    if not result.lower_bound <= optimum <= result.objective:
        return ParticipantFinding(PIPELINE, MISMATCH, said)
    if result.status is Status.OPTIMAL:
        return finding(PIPELINE, "" if result.objective == optimum else said)
    verdict = TIME_LIMIT if result.status is Status.FEASIBLE else MISMATCH
    return ParticipantFinding(PIPELINE, verdict, f"{said}; {result.message}")


def missing(instances: Iterable[CoallocationInstance]) -> list[str]:
    """Say what could not take part."""
    said = [
        f"{solver} is not installed"
        for solver in MIP_SOLVERS
        if solver not in {o.name for o in installed() if o.usable}
    ]
    for name, slotted in (("in continuous time", False), ("on slots", True)):
        own = [one for one in instances if bool(one.slot) == slotted]
        if own and not any(taking(one) for one in own):
            said.append(f"no formulation takes an instance {name}")
    return said


def run(
    count: int, seed: int = 0, seconds: float = SECONDS, minutes: float | None = None
) -> Iterator[tuple[CoallocationInstance, list[ParticipantFinding]]]:
    """Yield instances and the findings on them, from `seed` on, until there are `count` or the time is up."""
    began = time.monotonic()
    for own in range(seed, seed + count):
        if minutes is not None and time.monotonic() - began > 60 * minutes:
            return
        instance = case(own)
        findings = examine(instance, seconds)
        complain(instance, findings)
        yield instance, findings


def report(every: list[tuple[CoallocationInstance, list[ParticipantFinding]]]) -> str:
    """Return the tables, of instances with slots and without, and what they were made of."""
    parts = []
    for title, slotted in (("Continuous time", False), ("Slots", True)):
        own = [(instance, findings) for instance, findings in every if bool(instance.slot) == slotted]
        if own:
            seen = Counter(feature for instance, _ in own for feature in features(instance))
            made = ", ".join(f"{name}: {count}" for name, count in sorted(seen.items()))
            findings = [one for _, row in own for one in row]
            parts.append(f"{title}: {len(own)} instances ({made})\n\n{table(findings)}\n")
    return "\n".join([*parts, *(f"MISSING: {one}" for one in missing(one for one, _ in every))])


def features(instance: CoallocationInstance) -> list[str]:
    """Return what the instance has of what is drawn."""
    threshold = instance.saturation.threshold
    return [
        f"{len(instance.jobs)} jobs",
        instance.saturation.sharing,
        "no threshold" if threshold is None else f"threshold {threshold}",
    ]


def page(options: argparse.Namespace, count: int, text: str, loads: tuple[float, float]) -> str:
    """Return the page that is kept."""
    made = ", ".join(
        f"{name} {text}" for name, text in versions({o.name: o.version for o in installed() if o.usable}).items()
    )
    return f"""# Agreement where saturated links slow jobs down

Brute force (every sequence of phases with its linear program; with slots every start), every formulation by every
solver from a poor schedule and from the bound 0, the search over grid moments without weights, and `oas.solve`, each by
itself on tiny instances. "Agreed" for a model in continuous time: its schedule has the optimum, exactly, and its bound
is within two millionths of it. Heuristics and bounds are held against the optimum, and the optimum against those of
related instances: with one link wider, other thresholds, links without limit, saturation forbidden (by the brute force
of the plain problem).

    python -m benchmarks.agreement.coallocation.saturation --count {options.count} --seed {options.seed}

{count} instances, seeds {options.seed} to {options.seed + count - 1}; at most {options.seconds:g} s for each solver.
{made}. {os.cpu_count()} CPUs, shared with other work, load {loads[0]:.1f} at the beginning, {loads[1]:.1f} at the end.

```
{text}
```
"""


def main(arguments: list[str] | None = None) -> int:
    """Examine instances, print the tables and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=COUNT, help="number of instances")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first; the others follow")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="limit for each model run and each solve")
    parser.add_argument("--minutes", type=float, help="end after so long, with the instances examined by then")
    parser.add_argument("--output", type=Path, default=RESULTS, help="the page to write")
    options = parser.parse_args(arguments)
    cpsat_installed()  # says so if it is not
    load = os.getloadavg()[0]
    every = list(run(options.count, options.seed, options.seconds, options.minutes))
    text = report(every)
    print(text)
    options.output.write_text(page(options, len(every), text, (load, os.getloadavg()[0])), encoding="utf-8")
    verdicts = Counter(one.verdict for _, findings in every for one in findings)
    names = (AGREED, MISMATCH, TOO_LARGE, TIME_LIMIT)
    print(f"{len(every)} instances; " + ", ".join(f"{name}: {verdicts[name]}" for name in names))
    return int(verdicts[MISMATCH] > 0 or not verdicts[AGREED])


if __name__ == "__main__":
    sys.exit(main())
