"""Every MOSP heuristic and bound on random instances of all sizes and kinds: what is promised is kept.

    python -m benchmarks.agreement.mosp.guarantees --count 2000 --seed 0

Schedules are verified, those of methods that keep locality with it, the others without. Bounds are re-checked and held
against every schedule; bounds ≤ optimum ≤ schedules where the optimum is known, from brute force up to 5 jobs, from a
solver up to 9. Every guarantee in force is asserted twice: against the lower bound that its proof speaks of, which is
the stronger claim, and against the optimum where that is known. Exit code 1 on any violation.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.agreement.mosp.random_instances import case, kind_of
from heuristics.method import NotApplicableError, NotPlacedError
from heuristics.mosp.orders import GLOBAL_ORDERS
from heuristics.registry import own_methods
from oas.bounds.lower_bound import lower_bounds
from oas.core.numbers import ceil_to
from oas.core.result import Bound, Status
from oas.core.verifier import verify
from oas.exact.bound_check import recheck
from oas.exact.mosp.brute_force import brute_force
from oas.exact.pipeline import solve
from oas.problems.mosp.instance import MospInstance

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from heuristics.method import Method

BRUTE_FORCE_JOBS, SOLVER_JOBS = 5, 9
SECONDS = 10.0
# Lower bounds that proofs speak of: the papers' LB, but of high jobs, which run one at a time on a cluster, theirs, and
# of list schedules of one cluster those that know reservations.
PROVED_AGAINST: dict[str, tuple[str, ...]] = {
    "MOLBA-high": ("high jobs", "longest job"),
    **dict.fromkeys(("local", *GLOBAL_ORDERS), ("area", "longest job")),
}


@dataclass(frozen=True)
class Trial:
    """The outcome of one method on one instance.

    Attributes
    ----------
    method
        Its name.
    outcome
        ``applied``, ``not applicable`` or ``not placed``.
    makespan
        Of its schedule.
    optimum
        Of the instance, without locality for a method that does not heed it; None where it is not known.
    bound
        What its theorem's proof speaks of.
    promised
        The guarantee in force, if any.
    """

    method: str
    outcome: str
    makespan: Fraction | None = None
    optimum: Fraction | None = None
    bound: Fraction | None = None
    promised: Fraction | None = None


@dataclass
class Report:
    """The observations on one instance.

    Attributes
    ----------
    kind
        Of the instance.
    optimum, free
        Its optimum, with its locality and without; None where not known.
    bounds
        Value of each bound, on the grid of ticks.
    trials
        One a method.
    faults
        Whatever should never happen.
    """

    kind: str
    optimum: Fraction | None = None
    free: Fraction | None = None
    bounds: dict[str, Fraction] = field(default_factory=dict)
    trials: list[Trial] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def optimum_of(instance: MospInstance, seconds: float = SECONDS) -> Fraction | None:
    """Return the optimum, by brute force or proven by a solver; None for many jobs or out of time."""
    if len(instance.jobs) <= BRUTE_FORCE_JOBS:
        return brute_force(instance)[0]
    if len(instance.jobs) > SOLVER_JOBS:
        return None
    result = solve(instance, time_limit=seconds)
    return result.objective if result.status is Status.OPTIMAL else None


def examine(instance: MospInstance, kind: str = "", methods: Sequence[Method] | None = None, seed: int = 0) -> Report:
    """Run every method and every bound on `instance`."""
    free = instance.with_locality(None)
    report = Report(kind, optimum_of(instance))
    report.free = report.optimum if instance.locality is None else optimum_of(free)
    if report.optimum is not None and report.free is not None and report.free > report.optimum:
        report.faults.append(f"the optimum without locality is {report.free}, above {report.optimum} with it")
    _bounds(instance, report)
    for method in own_methods(MospInstance) if methods is None else methods:
        _method(instance if method.respects_locality else free, method, seed, report)
    shortest = min((trial.makespan for trial in report.trials if trial.makespan is not None), default=None)
    for name, value in report.bounds.items():
        for limit in (report.free, report.optimum, shortest):
            if limit is not None and value > limit:
                report.faults.append(f"{name} bound: {value}, above {limit}")
    return report


def _bounds(instance: MospInstance, report: Report) -> None:
    tick = instance.scaled().tick
    for bound in lower_bounds(MospInstance):
        value = ceil_to(bound.compute(instance), tick)
        report.bounds[bound.name] = value
        if not recheck(instance, Bound(bound.name, value, certificate={})):
            report.faults.append(f"{bound.name} bound: its re-check rejects {value}")
        if recheck(instance, Bound(bound.name, value + tick, certificate={})):
            report.faults.append(f"{bound.name} bound: its re-check accepts {value + tick}, not only {value}")


def _method(instance: MospInstance, method: Method, seed: int, report: Report) -> None:
    """Run `method` and note what came of it; `instance` has the locality that it has to keep."""
    promise = method.guarantee(instance) if method.guarantee else None
    try:
        schedule = method(instance, seed=seed)
    except (NotApplicableError, NotPlacedError) as error:
        outcome = "not placed" if isinstance(error, NotPlacedError) else "not applicable"
        report.trials.append(Trial(method.name, outcome))
        if promise:
            report.faults.append(f"{method.name}: promises {promise.value}, but: {error}")
        return
    violations = verify(instance, schedule)
    if violations:
        report.faults.append(f"{method.name}: {violations[0]}")
    makespan = schedule.makespan
    optimum = report.optimum if method.respects_locality else report.free
    bound = max(_exact_bound(instance, name) for name in PROVED_AGAINST.get(method.name, ("paper LB",)))
    if optimum is not None and makespan < optimum:
        report.faults.append(f"{method.name}: makespan {makespan}, below the optimum {optimum}")
    if promise:
        # No proof needs locality: the optimum without it is the smaller one.
        for what, value in (("the optimum without locality", report.free), ("its bound", bound)):
            if value is not None and makespan > promise.value * value:
                report.faults.append(f"{method.name}: makespan {makespan}, above {promise.value} · {what}, {value}")
    value = promise.value if promise else None
    report.trials.append(Trial(method.name, "applied", makespan, optimum, bound, value))


def _exact_bound(instance: MospInstance, name: str) -> Fraction:
    """A bound before it is rounded up to the grid: what the theorems speak of."""
    (value,) = (bound.compute(instance) for bound in lower_bounds(MospInstance) if bound.name == name)
    return value


def kind_table(reports: Iterable[Report]) -> str:
    """Return one line a kind: instances, and of how many the optimum is known."""
    counts: Counter[str] = Counter()
    known: Counter[str] = Counter()
    for report in reports:
        counts[report.kind] += 1
        known[report.kind] += report.optimum is not None
    rows = [[kind, str(count), str(known[kind])] for kind, count in counts.items()]
    return markdown(["kind", "instances", "optimum known"], rows)


def method_table(reports: Sequence[Report]) -> str:
    """Return one line a method: how often it ran, its worst ratios, and what is promised beside what was seen."""
    header = [
        "method",
        "applied",
        "not applicable",
        "not placed",
        "worst / optimum",
        "promised",
        "guarantee / observed",
    ]
    by_name: dict[str, list[Trial]] = {}
    for report in reports:
        for trial in report.trials:
            by_name.setdefault(trial.method, []).append(trial)
    rows = []
    for name, trials in by_name.items():
        outcomes = Counter(trial.outcome for trial in trials)
        ratios = [trial.makespan / trial.optimum for trial in trials if trial.makespan and trial.optimum]
        promised = [trial for trial in trials if trial.promised]
        rows.append(
            [
                name,
                *(str(outcomes[outcome]) for outcome in ("applied", "not applicable", "not placed")),
                f"{float(max(ratios)):.3f}" if ratios else "–",
                str(len(promised)),
                _closest(promised),
            ]
        )
    return markdown(header, rows)


def _closest(promised: Sequence[Trial]) -> str:
    """Guarantee above 1 and ratio to the proof's bound, where the latter comes closest to the former."""
    found = [
        (trial.makespan / trial.bound / trial.promised, trial.promised, trial.makespan / trial.bound)
        for trial in promised
        if trial.makespan and trial.bound and trial.promised and trial.promised > 1
    ]
    if not found:
        return "–"
    _, value, ratio = max(found)
    return f"{value} / {float(ratio):.3f}"


def bound_table(reports: Sequence[Report]) -> str:
    """Return one line a bound: how often it was compared with a known optimum, met it, and how far off it was."""
    rows = []
    for name in reports[0].bounds:
        known = [(report.bounds[name], report.free) for report in reports if report.free is not None]
        met = sum(value == free for value, free in known)
        worst = f"{min(float(value / free) for value, free in known):.3f}" if known else "–"
        rows.append([name, str(len(reports)), str(len(known)), str(met), worst])
    return markdown(["bound", "computed", "optimum known", "meets it", "least / optimum"], rows)


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def summary(reports: Sequence[Report]) -> str:
    """Return the counts in one line."""
    trials = [trial for report in reports for trial in report.trials]
    schedules = sum(trial.outcome == "applied" for trial in trials)
    promises = sum(trial.promised is not None for trial in trials)
    known = sum(report.optimum is not None for report in reports)
    faults = sum(len(report.faults) for report in reports)
    return (
        f"{len(reports)} instances, {known} with a known optimum; {schedules} schedules verified, "
        f"{promises} guarantees held against their bounds; violations: {faults}"
    )


def main(arguments: list[str] | None = None) -> int:
    """Examine instances and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="number of instances")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first; the others follow")
    options = parser.parse_args(arguments)
    reports = []
    for seed in range(options.seed, options.seed + options.count):
        reports.append(examine(case(seed), kind_of(seed), seed=seed))
        for fault in reports[-1].faults:
            print(f"{kind_of(seed)}, seed {seed}: {fault}", file=sys.stderr, flush=True)
    print(kind_table(reports), method_table(reports), bound_table(reports), summary(reports), sep="\n\n")
    return int(any(report.faults for report in reports))


if __name__ == "__main__":
    sys.exit(main())
