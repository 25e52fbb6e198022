"""The type of a formulation, size checks before a model is built, and preparation in the solver's process.

A formulation defines how a model is built in the solver's process, and how its answers are read.

Listing the elements of a model can exceed any time limit, so it runs in the solver's process and is supervised like a
solver.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError, TooLargeError, unknown_name
from oas.core.problem import check_variant
from oas.solvers.task import MIP, family_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.problem import Problem
    from oas.core.schedule import Schedule
    from oas.core.verifier import Violation
    from oas.solvers.isolation.protocol import Session
    from oas.solvers.task import Key


STARTS = "the job starts"  # kind of the variables that say when a job starts


@dataclass(frozen=True)
class Meaning:
    """Meaning of a variable of a model, in the instance's time unit; None for fields that do not apply."""

    kind: str  # in words; `STARTS` for the start of a job
    job: str | None = None  # id
    nodes: dict[str, int] | None = None  # number of nodes by cluster
    start: Fraction | None = None
    end: Fraction | None = None
    makespan: Fraction | None = None


@dataclass(frozen=True)
class Formulation:
    """A model of one problem, and how its answers are read.

    Its runs are those of `oas.coallocation.allocations` or `oas.mosp.runs`.

    Attributes
    ----------
    name
        Name on the command line and in results.
    builder
        ``package.module:function`` that turns the spec returned by `prepare` into a model, in the solver's process: a
        Pyomo model, or a `oas.solvers.cpsat.CpTask` for the family ``cpsat``.
        Its objective, minimised, takes only integer values, unless it is `continuous`.
    prepare
        ``(instance, scaled, horizon, lower_bound) -> spec``: horizon and bound in ticks, the horizon a feasible
        makespan. Raises `TooLargeError` before anything large is built.
    read
        ``(spec, values) -> runs`` of an incumbent. Raises `SolverError` if the values are not those of a schedule.
    start_values
        ``(spec, runs) -> values`` of a feasible schedule as a warm start; None if the model does not contain it.
    ticks_of
        ``(spec, objective) -> ticks``: the makespan that corresponds to an integer objective value. It also converts a
        lower bound on the objective to one on the makespan.
    summary
        One line for ``--help``.
    family
        The family of solvers that support it, `oas.solvers.task.MIP`, `CPSAT`, `PUMPKIN` or `EXACT`.
    certified
        Name of the bound that a solver's certificate proves; empty if its solvers make none.
    variants
        The supported `Problem.variants`; empty for the plain one only.
    continuous
        Whether the objective is time, for instances without ticks: horizon and bound of `prepare` are Fractions in the
        time unit of the instance, and `ticks_of` converts any objective value to such a time. A margin is subtracted
        from the bound of a solver (`oas.solving.model_run`), so it never proves an optimum alone.
    refusal
        ``instance -> text``: why it does not support an instance of a supported variant; empty if it does. None if it
        supports all of them.
    schedule
        ``(instance, runs) -> schedule``; None for the function of the problem's `oas.solving.parts.ExactParts`.
    placed
        ``(formulation, instance, plan) -> Placed``: the formulation in which jobs keep the nodes of a plan and only
        starts are chosen; None if given nodes are not supported.
    prepare_full
        `prepare` without reductions: a model with every allocation and every start of the grid by the horizon, in which
        jobs and clusters have no order. None if there is none.
    latest_end
        ``instance -> time`` by which every schedule has ended in which no job can start earlier, whatever precedences
        and nodes are required in addition: the default horizon of the model by `prepare_full`. None if it has none.
    meanings
        ``(instance, spec) -> (key, Meaning)`` of the variables; None if a user cannot look them up.
    rules
        ``(instance, schedule) -> violations`` for the schedules of an altered model; None for those of the verifier.
    strengthen
        ``(spec, session) -> spec`` with further rows, which every schedule of the model satisfies and which its linear
        relaxation violates; called in the solver's process. None if there are none.
    tighten
        The same with a greater lower bound on the makespan, proven in exact arithmetic; not for models of users, whose
        bound is stated. None if there is none.
    reductions
        Sentences: what `prepare` leaves out, and why some schedule of minimum makespan remains.
    assumptions
        Sentences: what a user who alters the model must know, also of the one by `prepare_full`.
    """

    name: str
    builder: str
    prepare: Callable[[Any, Any, Any, Any], Any]
    read: Callable[[Any, Mapping[Key, float]], list[Any]]
    start_values: Callable[[Any, Sequence[Any]], dict[Key, float] | None]
    ticks_of: Callable[[Any, Any], Any]
    summary: str
    family: str = MIP
    certified: str = ""
    variants: tuple[str, ...] = ()
    continuous: bool = False
    refusal: Callable[[Any], str] | None = None
    schedule: Callable[[Any, Any], Schedule] | None = None
    placed: Callable[[Formulation, Any, Schedule], Placed] | None = None
    prepare_full: Callable[[Any, Any, Any, Any], Any] | None = None
    latest_end: Callable[[Any], Fraction] | None = None
    meanings: Callable[[Any, Any], Iterable[tuple[Key, Meaning]]] | None = None
    rules: Callable[[Any, Any], list[Violation]] | None = None
    strengthen: Callable[[Any, Session], Any] | None = None
    tighten: Callable[[Any, Session], Any] | None = None
    reductions: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Placed:
    """A formulation for given nodes."""

    formulation: Formulation  # its lower bounds hold for schedules on these nodes only
    schedule: Schedule  # some schedule on them, to be verified


Groups = tuple[tuple[int, ...], ...]


def ticks_of_units(spec: Any, objective: int) -> int:
    """Return the makespan in ticks of an objective that counts units of `spec.unit` ticks."""
    return objective * int(spec.unit)


def beyond_meanings(ends: Sequence[int], to_time: Callable[[int], Fraction]) -> Iterator[tuple[Key, Meaning]]:
    """Yield the meanings of the variables that count attainable makespans (`oas.solving.model_builder`)."""
    for index, end in enumerate(ends):
        yield ("beyond", (index,)), Meaning("the makespan is this or more", makespan=to_time(end))


# Sentences that several formulations share.
ORDER_OF_JOBS = "Of identical jobs, the earlier in the instance starts no later: assumes that nothing tells them apart."
ORDER_OF_CLUSTERS = "Identical clusters are used in a fixed order: assumes that nothing tells them apart."
NORMAL_STARTS = "Jobs start only at moments that some left-shifted schedule has: assumes that no job must wait."
UNIT_STARTS = "Starts are multiples of the common divisor of all times: assumes that no other times are required."
LATER_ENDS = "A job may end later in the model than in its schedule: an objective must not reward late ends."


def in_order(groups: Groups, runs: Sequence[Any]) -> dict[int, Any]:
    """Return the runs by job, those of identical jobs exchanged so that the earlier index starts no later."""
    by_job = {run.job: run for run in runs}
    for group in groups:
        ordered = sorted((by_job[job] for job in group), key=lambda run: (run.start, run.job))
        by_job.update({job: replace(run, job=job) for job, run in zip(group, ordered, strict=True)})
    return by_job


def alike(kinds: Sequence[Hashable]) -> Groups:
    """Return groups of two or more indices of equal kinds."""
    groups: dict[Hashable, list[int]] = {}
    for index, kind in enumerate(kinds):
        groups.setdefault(kind, []).append(index)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def check_size(formulation: str, what: str, count: int, most: int) -> None:
    """Raise `TooLargeError` if a model would have more than `most` of the elements that `what` names in the plural."""
    if count > most:
        raise TooLargeError(f"the {formulation} model would have {count:,} {what}, above {most:,}")


# Maximum weights in constraints that strengthen a question to CP-SAT, of the first and of a second run. With weights up
# to 10^6, CP-SAT 9.15 calls feasible makespans infeasible, earlier versions with weights near 2^46.
MOST_WEIGHT, SECOND_WEIGHT = 10_000, 7_919

# CP-SAT adds up demand · time over all jobs in 64 bits; this limit leaves a factor of 16.
MAX_ENERGY = 2**59


def check_energy(what: str, capacity: int, horizon: int, energy: int) -> None:
    """Raise `TooLargeError` if a sum over jobs and ticks could pass 2^59.

    The resource has `capacity` for `horizon` ticks; all jobs together can take at most `energy`, Σ demand · ticks.
    """
    largest = max(capacity * horizon, energy)
    if largest > MAX_ENERGY:
        raise TooLargeError(
            f"{what}: demand times ticks comes to {largest:.1e}, too much for the 64 bits of CP-SAT"
            f" (at most {MAX_ENERGY:.1e}); coarser times, slots or bandwidths are needed"
        )


# Import path of `prepare`, for `oas.solvers.isolation.client.call`.
PREPARE = f"{__name__}:prepare"


@dataclass(frozen=True)
class Preparation:
    """A formulation's `prepare` and `start_values`, importable in the solver's process, and their arguments."""

    prepare: Callable[[Any, Any, Any, Any], Any]
    start_values: Callable[[Any, Sequence[Any]], Any]
    instance: Instance
    horizon: int | Fraction  # the makespan of `runs`
    lower_bound: int | Fraction
    runs: Sequence[Any]  # a feasible schedule to start from
    strengthen: Callable[[Any, Session], Any] | None = None  # `tighten` or `strengthen` of the formulation, if wanted


def prepare(given: Preparation, session: Session) -> tuple[Any, Any]:
    """Return the model's spec, and its warm start or None (worker side).

    Raises `TooLargeError` if the model would pass its caps.
    """
    spec = given.prepare(given.instance, given.instance.scaled(), given.horizon, given.lower_bound)
    if given.strengthen is not None:
        spec = given.strengthen(spec, session)
    return spec, given.start_values(spec, given.runs)


# Import path of `strengthen`.
STRENGTHEN = f"{__name__}:strengthen"


def strengthen(given: tuple[Callable[[Any, Session], Any], Any], session: Session) -> Any:
    """Return a spec with further rows, given a formulation's `strengthen` and the spec (worker side)."""
    function, spec = given
    return function(spec, session)


def formulations(problem: Problem, instance: Instance | None = None) -> Mapping[str, Formulation]:
    """Return the formulations of `problem` by name, or those that support `instance`.

    The first one of each family that supports an instance is the default for the solvers of the family.
    """
    if not problem.has("formulations"):
        return {}
    known = problem.part("formulations")
    return {one.name: one for one in known if instance is None or not reason_against(one, instance)}


def find_formulation(name: str, problem: Problem, instance: Instance | None = None) -> Formulation:
    """Return the formulation for `problem` called `name`, even if it does not support `instance`.

    Raises `InputError` for an unknown name; the message lists the formulations that support the instance.
    """
    known = formulations(problem)
    if name not in known:
        raise unknown_name(name, formulations(problem, instance), "formulation")
    return known[name]


def default_formulation(problem: Problem, family: str = MIP, instance: Instance | None = None) -> Formulation:
    """Return the default formulation for `problem` and solvers of `family`.

    It is the first of the family that supports `instance`; without an instance, the first of the family.

    Raises `InputError` if the problem has no formulation for them, or none that supports the instance.
    """
    reasons = []
    for one in problem.part("formulations"):
        if one.family == family:
            reason = "" if instance is None else reason_against(one, instance)
            if not reason:
                return one
            reasons.append(f"{one.name}: {reason}")
    under = f" under {instance.variant} ({'; '.join(reasons)})" if instance is not None and reasons else ""
    raise InputError(f"{problem.title} has none for these solvers{under}", field="formulation", value=family)


def reason_against(formulation: Formulation, instance: Instance) -> str:
    """Return why `formulation` does not support `instance`; empty if it does."""
    known = formulation.variants or instance.problem.variants[:1]
    if instance.variant not in known:
        return f"it knows {', '.join(known)}"
    return "" if formulation.refusal is None else formulation.refusal(instance)


def check_takes(formulation: Formulation, instance: Instance) -> None:
    """Check that `formulation` supports `instance`.

    Raises `InputError` if it does not support the variant of the instance's rules, naming both, or refuses the instance
    for another reason.
    """
    check_variant(instance, f"the formulation {formulation.name}", formulation.variants)
    reason = reason_against(formulation, instance)
    if reason:
        raise InputError(f"does not take this instance: {reason}", field="formulation", value=formulation.name)


def check_match(solver: str, formulation: Formulation, problem: Problem, instance: Instance | None = None) -> None:
    """Check that `solver` supports `formulation`.

    Raises `InputError` if it does not, with the supported combinations, for this instance if given.
    """
    family = family_of(solver)
    if formulation.family != family:
        own = " or ".join(one.name for one in formulations(problem, instance).values() if one.family == family)
        others = "highs, cbc and other MIP solvers" if formulation.family == MIP else formulation.family
        raise InputError(
            f"{solver} takes {own}; {formulation.name} is for {others}", field="formulation", value=formulation.name
        )
