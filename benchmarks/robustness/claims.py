"""Search for wrong claims of the whole toolkit: every status and bound of `oas.solve` is compared with the truth.

    python -m benchmarks.robustness.claims --instances 2500 --seed 0 --threads 2

Three of four instances are tiny, drawn by `benchmarks.soak.drawing`; the truth is enumeration. The others have 6 to 12
jobs, and the truth is an interval between certificate and schedule, found with CP-SAT left out. Each instance is solved
by `oas.solve`, and one in four also by a named solver. A bound above the truth, a schedule below it, or a status that
does not follow is a *wrong claim*. Wrong claims of a single run, which results do not count, are listed separately.

`--without-cpsat` leaves CP-SAT out; `--any-version` also admits a refused version of OR-Tools. Exit code 1 if there is
a wrong claim.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.common import circumstances
from benchmarks.soak.drawing import drawn
from benchmarks.soak.poor_schedules import worst_start
from oas.coallocation.generate.section4 import section4
from oas.core.errors import InfeasibleError, InputError, TooLargeError
from oas.core.result import ProofKind, Result, Status
from oas.fair.exact.brute_force import brute_force as fair_brute_force
from oas.fair.exact.optimum import FairEvidence, FairOptions, find_optimum
from oas.fair.objectives import Objective, ScheduleClass
from oas.mosp.generate.reservations import reservations
from oas.mosp.generate.section7 import uni
from oas.solvers import discovery
from oas.solving import search, stages
from oas.solving.parts import exact_parts
from oas.solving.pipeline import solve

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from oas.core.instances import Instance

MEDIUM_EVERY, NAMED_EVERY = 4, 4
TRUTH_SECONDS = 20.0
NAMED = ("highs", "cbc", "cpsat")


class Truth(NamedTuple):
    """The interval in which the optimum lies; `low` is None for an infeasible instance."""

    low: Fraction | None
    high: Fraction | None


def main(arguments: Sequence[str] | None = None) -> int:
    """Solve the instances, print a line for each wrong claim and the counts, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first instance; the others follow")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10.0, help="limit of each solve")
    parser.add_argument("--without-cpsat", action="store_true")
    parser.add_argument("--any-version", action="store_true")
    options = parser.parse_args(arguments)
    if options.any_version:
        discovery.WRONG_CPSAT.clear()
    has_cpsat = discovery.usable("cpsat") and not options.without_cpsat
    counts: Counter[str] = Counter()
    began = time.monotonic()
    for seed in range(options.seed, options.seed + options.instances):
        for fault in _examine(seed, options.threads, options.seconds, has_cpsat, counts):
            print(f"seed {seed}: {fault}", flush=True)
        if (seed + 1 - options.seed) % 100 == 0:
            print(f"{seed + 1 - options.seed} instances, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    print(", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    used = [f"{info.name} {info.version}" for info in discovery.installed() if info.usable]
    print(f"{options}; {', '.join(used)}; {time.monotonic() - began:.0f} s; {circumstances()}")
    return int(counts["WRONG"] > 0)


def _use_cpsat(allowed: bool) -> None:
    """Let the pipeline and the searches use CP-SAT or not."""
    for module in (search, stages):
        choice = discovery.usable if allowed else lambda name: name != "cpsat" and discovery.usable(name)
        module.usable = choice  # type: ignore[attr-defined]


def _examine(seed: int, threads: int, seconds: float, has_cpsat: bool, counts: Counter[str]) -> list[str]:
    """Return the wrong claims about the instance of this seed, in words."""
    rng = Random(f"claims {seed}")
    tiny = seed % MEDIUM_EVERY > 0
    instance = drawn(seed).instance if tiny else _medium(rng)
    counts[f"{'tiny' if tiny else 'medium'} {instance.problem.name}"] += 1
    if instance.problem.name == "fair":
        return _examine_fair(instance, rng, seconds, counts)
    _use_cpsat(False)
    truth = _truth(instance, tiny)
    if truth is None:
        counts["no truth"] += 1
        return []
    _use_cpsat(has_cpsat)
    runs: list[dict[str, Any]] = [{"threads": threads}]
    if rng.randrange(NAMED_EVERY) == 0:
        runs.append({"solver": rng.choice(NAMED if has_cpsat else NAMED[:2])})
    faults = []
    for run in runs:
        try:
            result = solve(instance, time_limit=seconds, seed=rng.randrange(1000), on_interrupt="raise", **run)
        except (InputError, TooLargeError):
            counts["refused"] += 1
            continue
        counts[f"{result.status.value}{' (claimed)' if result.is_claimed else ''}"] += 1
        fault = fault_of(result, truth)
        if fault:
            counts["WRONG"] += 1
            faults.append(f"{run}: {fault}; {result.message}")
        elif truth.high is not None:
            wrong = [claim for claim in result.proof.unconfirmed if claim.bound > truth.high] if result.proof else []
            counts["wrong but not counted"] += len(wrong)
            counts["exposed"] += "no claim of" in result.message
    return faults


def fault_of(result: Result, truth: Truth) -> str:
    """Return the wrong claim of a result in words; empty if there is none."""
    stated = f"{result.status.value}, makespan {result.objective}, bound {result.lower_bound}, {result.proof}"
    if truth.low is None or truth.high is None:
        return "" if result.status in (Status.INFEASIBLE, Status.NO_SOLUTION) else f"{stated}; it is infeasible"
    low, high = result.lower_bound, result.objective
    above = low is not None and low > truth.high
    below = high is not None and high < truth.low
    optimal = result.status is Status.OPTIMAL and low != high
    return f"{stated}; the optimum is in [{truth.low}, {truth.high}]" if above or below or optimal else ""


def _medium(rng: Random) -> Instance:
    jobs = rng.randint(6, 12)
    draw = rng.randrange(3)
    if draw == 0:
        slot = rng.choice((10, 25, 50, 100))
        return section4(
            seed=rng.randrange(10**6), jobs=min(jobs, 9), bandwidth=rng.choice(("std", "tight")), slot_percent=slot
        )
    if draw == 1:
        size = rng.choice((8, 32, 128))
        return uni(seed=rng.randrange(10**6), jobs=jobs, organizations=rng.choice((1, 2, 3)), processors=size)
    return reservations(seed=rng.randrange(10**6), jobs=jobs, releases=rng.random() < 0.5)


def _truth(instance: Instance, tiny: bool) -> Truth | None:
    """Return the interval that certainly contains the optimum; None if enumeration is too large."""
    if tiny:
        try:
            optimum, _ = exact_parts(instance).brute_force(instance)
        except InfeasibleError:
            return Truth(None, None)
        except TooLargeError:
            return None
        return Truth(optimum, optimum)
    result = solve(instance, time_limit=TRUTH_SECONDS, on_interrupt="raise")
    assert result.proof is not None and result.lower_bound is not None and result.proof.bound is not None
    certified = result.proof.bound.value if result.proof.kind is ProofKind.SOLVER else result.lower_bound
    return Truth(certified, result.objective)


def _examine_fair(instance: Any, rng: Random, seconds: float, counts: Counter[str]) -> list[str]:
    """Compare the optimum of a random objective with enumeration, by HiGHS or CBC."""
    objective, schedule_class = rng.choice(list(Objective)), rng.choice(list(ScheduleClass))
    start = worst_start(instance, objective)
    try:
        best = fair_brute_force(instance, objective, schedule_class)
    except TooLargeError:
        best = None
    if start is None or best is None:
        counts["no truth"] += 1
        return []
    evidence = FairEvidence(instance, objective, schedule_class, start)
    found = find_optimum(evidence, FairOptions(rng.choice(NAMED[:2]), time_limit=seconds))
    counts[f"fair {found.status.value}"] += 1
    wrong = objective.sign * (found.bound - best[0]) > 0 or (found.proven and found.value != best[0])
    if not wrong:
        return []
    counts["WRONG"] += 1
    return [f"{objective}, {schedule_class}: {found.value}, bound {found.bound}, optimum {best[0]}; {found.message}"]


if __name__ == "__main__":
    sys.exit(main())
