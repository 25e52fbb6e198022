"""`check_heuristic`: run a user's heuristic over many instances and judge its answers."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.numbers import integer
from oas.core.registry import problem_named, problems
from oas.solving.method import Heuristic, Method
from oas.solving.methods import as_method, find_heuristic, find_method
from oas.solving.progress import SolveProgress
from oas.testing.cases import Judge, cases_of, known_makespans, standings
from oas.testing.parts import kit_parts
from oas.testing.report import Kind, Outcome, Report
from oas.testing.running import Runner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from oas.core.instances import Instance
    from oas.solving.methods import AnyHeuristic
    from oas.testing.cases import Case

MAX_CUT_OFF = 3
"""Number of calls that may exceed the time limit or end their process before the remaining instances are skipped."""
CUT_OFF = (Kind.TIME_LIMIT, Kind.DIED)
SHRINKABLE = (Kind.RULE, Kind.EXCEPTION, Kind.NO_SCHEDULE, Kind.CHANGED, Kind.AHEAD)
"""Kinds of findings that few and fast calls can reproduce."""
MAX_TRIALS = 150
"""Number of random instances among which a finding is searched again, to be shrunk."""


def check_heuristic(
    heuristic: AnyHeuristic,
    *,
    problem: str | None = None,
    instances: Iterable[Instance] = (),
    random: int = 50,
    medium: int = 6,
    gallery: bool = True,
    seed: int = 0,
    time_limit: float | None = 10.0,
    on_progress: Callable[[SolveProgress], None] | None = None,
) -> Report:
    """Run a heuristic on many instances, verify each schedule, and compare it with the optimum.

    Findings are broken rules, exceptions, answers that are not schedules, schedules that differ between runs with the
    same seed, changes to the instance, calls that exceed the time limit or end their process, and makespans above a
    guarantee of the method; for fair sharing, which is on-line, also decisions that depend on future events. One
    finding of each kind is shrunk to a small instance. The same arguments give the same report on every machine, except
    for seconds, for calls that reach the time limit, and for the small instances, whose search by Hypothesis depends on
    its version and on the loaded modules.

    Parameters
    ----------
    heuristic
        A function, a `Method` or `Heuristic`, the name of an installed heuristic, or ``package.module:function``; for
        fair sharing also the factory of a policy.
    problem
        ``coallocation``, ``mosp`` or ``fair``; required only for a plain function (default: ``coallocation``).
    instances
        Further instances; small ones are solved by brute force.
    random
        Number of tiny instances with every feature of the problem, each solved by brute force.
    medium
        Number of instances of the papers' set-ups, compared with proven bounds and the best known schedule.
    gallery
        Whether to run the papers' worst cases, which are all for organizations.
    seed
        Seed of the first random instance, and of each call.
    time_limit
        Wall-time limit in seconds of each call, which runs in a worker process. None: no limit, in this process; this
        is required for a function that cannot be imported, such as one defined in a notebook.
    on_progress
        Called before each instance.

    Returns
    -------
    Report
        ``print`` it, or call ``report.assert_ok()`` in a test.

    Raises
    ------
    InputError
        If the heuristic cannot be found, imported or called, or if an argument is invalid.
    """
    method = _method(heuristic, problem)
    seed = integer(seed, "seed", least=0)
    random, medium = integer(random, "random", least=0), integer(medium, "medium", least=0)
    if time_limit is not None and not time_limit > 0:
        raise InputError("must be above 0, or None", field="time_limit", value=time_limit)
    chosen = list(cases_of(method, instances, gallery=gallery, tiny=random, medium=medium, seed=seed))
    if not chosen:
        raise InputError("there is no instance to run it on", field="heuristic", value=method.name)
    with ExitStack() as stack:
        runners = (Runner(method.name, method.scheduler, time_limit, hash_seed=k) for k in (1, 2))
        first, second = map(stack.enter_context, runners)
        return _report(Judge(method, seed, first, second), chosen, on_progress)


def _method(heuristic: AnyHeuristic, problem: str | None) -> Method:
    """Return the method to test; the default problem of a plain function is co-allocation."""
    kind = problems()[0] if problem is None else problem_named(problem)
    if isinstance(heuristic, str):
        heuristic = find_method(heuristic, kind) if ":" in heuristic else find_heuristic(heuristic)
    if isinstance(heuristic, Heuristic):
        methods = heuristic.methods
        heuristic = methods[kind] if problem is not None and kind in methods else next(iter(methods.values()))
    if not isinstance(heuristic, Method):
        heuristic = as_method(getattr(heuristic, "__name__", repr(heuristic)), heuristic)
    if heuristic.problem is None:  # a plain function
        return replace(heuristic, problem=kind)
    if problem is not None and heuristic.problem is not kind:
        reason = f"{heuristic.name} schedules a {heuristic.problem.instance_type.__name__}"
        raise InputError(reason, field="problem", value=problem)
    return heuristic


def _report(judge: Judge, chosen: Sequence[Case], on_progress: Callable[[SolveProgress], None] | None) -> Report:
    began = time.monotonic()
    outcomes: list[Outcome] = []
    baselines = []
    for number, case in enumerate(chosen, start=1):
        findings = [outcome.finding for outcome in outcomes if outcome.finding is not None]
        if sum(finding.kind in CUT_OFF for finding in findings) >= MAX_CUT_OFF:
            break
        if on_progress is not None:
            stage = f"{number} of {len(chosen)}: {case.name}"
            on_progress(SolveProgress(stage, time.monotonic() - began, None, None))
        known = known_makespans(case, judge.seed)
        outcomes.append(judge.outcome(case.with_schedules(known.values())))
        baselines.append(known)
    return Report(
        judge.method,
        judge.seed,
        tuple(_shrunk(judge, outcomes)),
        standings(judge.method, outcomes, baselines),
        left_out=len(chosen) - len(outcomes),
    )


def _shrunk(judge: Judge, outcomes: Sequence[Outcome]) -> Iterator[Outcome]:
    """Yield the outcomes; for each cause, the one with the fewest jobs gets a small instance."""
    smallest: dict[tuple[Kind, str], Outcome] = {}
    for outcome in sorted(outcomes, key=lambda outcome: len(outcome.instance.jobs)):
        if outcome.finding is not None and outcome.finding.kind in SHRINKABLE:
            smallest.setdefault(outcome.finding.cause, outcome)
    for outcome in outcomes:
        cause = None if outcome.finding is None else outcome.finding.cause
        yield outcome if cause is None or smallest.get(cause) is not outcome else _with_smallest(judge, outcome, cause)


def _with_smallest(judge: Judge, outcome: Outcome, cause: tuple[Kind, str]) -> Outcome:
    """Return the outcome with the smallest known instance with a finding of this cause: its own, or a drawn one."""

    def is_faulty(instance: Instance) -> bool:
        finding = judge.finding_on(instance)
        return finding is not None and finding.cause == cause

    drawn = _smallest_draw(kit_parts(outcome.instance.problem).draw, is_faulty, judge.seed)
    known = [outcome.instance] if drawn is None else [drawn, outcome.instance]
    smallest = min(known, key=lambda instance: (len(instance.jobs), len(instance.cluster_sizes)))
    return replace(outcome, smallest=smallest, example=judge.finding_on(smallest))


def _smallest_draw(draw: Callable[[Random], Any], is_faulty: Callable[[Any], bool], seed: int) -> Any:
    """Return a drawn instance that is faulty, shrunk by Hypothesis; None if there is none among `MAX_TRIALS`."""
    from hypothesis import HealthCheck, Phase, find, settings, strategies
    from hypothesis.configuration import set_hypothesis_home_dir
    from hypothesis.errors import HypothesisException

    options = settings(
        max_examples=MAX_TRIALS,
        phases=(Phase.generate, Phase.shrink),
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    with TemporaryDirectory() as folder:
        set_hypothesis_home_dir(folder)  # its cache; otherwise it would make a folder in the current one
        try:
            instances = strategies.randoms(use_true_random=False).map(draw)
            return find(instances, is_faulty, settings=options, random=Random(seed))
        except HypothesisException:  # none is faulty, or the heuristic is not deterministic
            return None
        finally:
            set_hypothesis_home_dir(None)
