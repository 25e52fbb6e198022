"""`check_heuristic`: run a user's heuristic over many instances and judge its answers."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from heuristics.method import Heuristic, Method
from heuristics.registry import as_method, find_heuristic, find_method
from oas.core.errors import InputError
from oas.core.numbers import integer
from oas.exact.progress import SolveProgress
from oas.problems.registry import problem_named, problems
from oas.testing.cases import SHRINKABLE, Judge, cases_of, known_makespans, shrink, standings
from oas.testing.report import Kind, Outcome, Report
from oas.testing.running import Runner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from heuristics.method import Scheduler
    from oas.core.instances import Instance
    from oas.testing.cases import Case

    AnyHeuristic = str | Heuristic | Method | Scheduler

TIME_LIMIT = 10.0
MOST_CUT_OFF = 3
"""After so many calls that passed the time limit or ended their process the rest is left out: it would take long."""
CUT_OFF = (Kind.TIME_LIMIT, Kind.DIED)


def check_heuristic(
    heuristic: AnyHeuristic,
    *,
    problem: str | None = None,
    instances: Iterable[Instance] = (),
    random: int = 50,
    medium: int = 6,
    gallery: bool = True,
    seed: int = 0,
    time_limit: float | None = TIME_LIMIT,
    on_progress: Callable[[SolveProgress], None] | None = None,
) -> Report:
    """Run a heuristic over many instances, verify all it returns, and compare it with the optimum.

    Looked for are broken rules, exceptions, answers that are no schedule, schedules that differ from run to run with
    the same seed, changes to the instance, calls that pass the time limit or end their process, and makespans above a
    guarantee that the method claims; for fair sharing, which is on line, also decisions that rest on what has not
    happened yet. The first finding of each sort is shrunk to a small instance.

    The same arguments give the same report on every machine, but for seconds, and for what a time limit cuts off.

    Parameters
    ----------
    heuristic
        A function, a `Method` or `Heuristic`, the name of an installed heuristic, or ``package.module:function``; for
        fair sharing also a policy's factory.
    problem
        ``coallocation``, ``mosp`` or ``fair``. A `Method` says it itself, and a policy is for fair sharing; a function
        without it is for co-allocation.
    instances
        More instances; the optimum is known of those that brute force can solve.
    random
        How many tiny instances with every feature of the problem, each solved by brute force.
    medium
        How many instances of the papers' set-ups, compared with proven bounds and the best schedule known.
    gallery
        Whether to run the papers' worst cases, which are all of organizations.
    seed
        Of the first random instance; the others follow. Also for each call.
    time_limit
        Seconds of wall time for each call, which runs in a process of its own and is ended when they pass. None: no
        limit, in this process; a function that cannot be imported, such as one of a notebook, needs that.
    on_progress
        Called before each instance.

    Returns
    -------
    Report
        ``print`` it, or ``report.assert_ok()`` in a test.

    Raises
    ------
    InputError
        For a heuristic that cannot be found, imported or called, or an option that makes no sense.
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
    """Return what is to be run, and on which problem: the first, co-allocation, for a function that does not say."""
    kind = problems()[0] if problem is None else problem_named(problem)
    found: AnyHeuristic = heuristic
    if isinstance(heuristic, str):
        found = find_method(heuristic, kind) if ":" in heuristic else find_heuristic(heuristic)
    if isinstance(found, Heuristic):
        every = found.methods
        found = every[kind] if problem is not None and kind in every else next(iter(every.values()))
    if not isinstance(found, Method):
        found = as_method(getattr(found, "__name__", repr(found)), found)
    if found.problem is None:  # a bare function
        return replace(found, problem=kind)
    if problem is not None and found.problem is not kind:
        reason = f"{found.name} schedules a {found.problem.instance_type.__name__}"
        raise InputError(reason, field="problem", value=problem)
    return found


def _report(judge: Judge, chosen: Sequence[Case], on_progress: Callable[[SolveProgress], None] | None) -> Report:
    began = time.monotonic()
    outcomes: list[Outcome] = []
    baselines = []
    for number, case in enumerate(chosen, start=1):
        if sum(one.finding is not None and one.finding.kind in CUT_OFF for one in outcomes) >= MOST_CUT_OFF:
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
    """Yield the outcomes; the one with fewest jobs of each sort of finding has its instance shrunk."""
    smallest: dict[tuple[Kind, str], Outcome] = {}
    for one in outcomes:
        if one.finding is not None and one.finding.kind in SHRINKABLE:
            best = smallest.setdefault(one.finding.sort, one)
            if len(one.instance.jobs) < len(best.instance.jobs):
                smallest[one.finding.sort] = one
    for one in outcomes:
        if one.finding is not None and smallest.get(one.finding.sort) is one:
            shrunk = shrink(one.instance, partial(_is_of_sort, judge, one.finding.sort))
            found = judge.finding_on(shrunk)
            yield replace(one, smallest=shrunk, example=() if found is None else found.example)
        else:
            yield one


def _is_of_sort(judge: Judge, sort: object, instance: Instance) -> bool:
    found = judge.finding_on(instance)
    return found is not None and found.sort == sort
