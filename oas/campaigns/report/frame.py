"""The current runs of a campaign, each compared with the optimum or bound proven for its instance.

A heuristic that looks at the global makespan alone solves another problem: the same organizations without locality.
Its runs are compared with the optimum of that instance, if the campaign has it too, never with the other. Reports keep
the two apart by groups of runs, which are the part of a problem that a campaign's report uses.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from oas.core.result import ProofKind, Status, Termination
from oas.problems.registry import problems

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from fractions import Fraction

    import pandas

    from oas.campaigns.plan import Order
    from oas.campaigns.record import Record
    from oas.core.instances import Instance
    from oas.core.problem import Problem
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.mosp.instance import MospInstance


@dataclass(frozen=True)
class Reference:
    """The values that the exact runs prove for an instance."""

    optimum: Fraction | None = None  # proven; None if no run proved one
    bound: Fraction | None = None  # the best proven lower bound; None if there is none


@dataclass(frozen=True)
class Run:
    """A finished run and its distance from the proven optimum or bound."""

    # order, record: the order, under its present label, and the record of the run (without the schedule)
    order: Order
    record: Record
    group: str  # see `Group`
    relaxed: str  # digest of the instance that it solves: its own, or that without locality
    # objective, lower_bound, certified_bound: exact; None if there is none
    objective: Fraction | None
    lower_bound: Fraction | None
    certified_bound: Fraction | None = None
    reference: Reference = Reference()  # the optimum and bound proven for the instance that it solves
    # for a method that promises no locality: what is proven of the instance with it, which is another problem
    beside: Reference | None = None

    @property
    def gap(self) -> Fraction | None:
        """Makespan / proven optimum − 1; None without either."""
        return _above(self.objective, self.reference.optimum)

    @property
    def bound_gap(self) -> Fraction | None:
        """Makespan / best proven bound − 1, where the bound may be weak: the gap is at most this."""
        return _above(self.objective, self.reference.bound)

    @property
    def beside_gap(self) -> Fraction | None:
        """Makespan / optimum with locality − 1, for a method that promises none; it may be negative."""
        return None if self.beside is None else _above(self.objective, self.beside.optimum)

    @property
    def own_gap(self) -> Fraction | None:
        """Makespan / lower bound of this run − 1; None if either is missing."""
        return _above(self.objective, self.lower_bound)

    @property
    def certified_gap(self) -> Fraction | None:
        """Makespan / certified bound of this run − 1; None if either is missing."""
        return _above(self.objective, self.certified_bound)

    @property
    def sample(self) -> str:
        """Name of the sample that the instance belongs to."""
        return self.order.origin.sample

    @property
    def gap_to(self) -> str:
        """The value that the gap is measured from: ``optimum``, ``bound``, or empty if there is neither."""
        if self.gap is not None:
            return "optimum"
        return "bound" if self.bound_gap is not None else ""

    @property
    def proven(self) -> bool:
        """Whether this run itself proved its schedule optimal."""
        return self.record.status == Status.OPTIMAL

    @property
    def certified(self) -> bool:
        """Whether a certificate proves the schedule optimal."""
        return self.proven and self.record.proof == ProofKind.CERTIFICATE

    @property
    def outcome(self) -> str:
        """The outcome of the run: its termination, or that it finished without a schedule."""
        record = self.record
        if record.status == Status.INFEASIBLE:
            return "infeasible"
        if record.termination == Termination.FINISHED and self.objective is None:
            return "no schedule"
        return record.termination


@dataclass(frozen=True)
class Runs:
    """All runs of a campaign, and the optima and bounds proven for its instances."""

    runs: tuple[Run, ...]  # those asked for now and made, in the order of the campaign
    asked: Mapping[tuple[str, str], int]  # number of runs asked for, by sample and method
    missing: Mapping[str, int]  # asked for and not made, by method
    # made for an instance and a method that the campaign has, but not what it asks for now (another version of the
    # package or of the source, other limits, parameters or seeds); by method. They count nowhere.
    stale: Mapping[str, int]
    others: int  # runs in the ledger of instances or methods that the campaign does not have
    instances: Mapping[str, Instance]  # by digest
    # digest of the relaxed instance (without locality, if it has any), by digest of the instance
    relaxed: Mapping[str, str]
    references: Mapping[str, Reference]  # by digest of the instance

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """Those that have runs."""
        found = {run.group for run in self.runs}
        return tuple(group for group in groups() if group in found)

    @cached_property
    def by_sample(self) -> dict[tuple[str, str], list[Run]]:
        """The runs by sample and method, in the order of the campaign."""
        found: dict[tuple[str, str], list[Run]] = {}
        for run in self.runs:
            found.setdefault((run.sample, run.order.method.label), []).append(run)
        places = {sample: place for place, sample in enumerate(dict.fromkeys(run.sample for run in self.runs))}
        return dict(sorted(found.items(), key=lambda item: places[item[0][0]]))

    def open_ticks(self, run: Run) -> Fraction | None:
        """Return the ticks (slots, if the instance has them) between bound and schedule of a run.

        None if either is missing, or if they differ and the instance has no ticks (slowdown in continuous time).
        """
        if run.objective is None or run.lower_bound is None:
            return None
        difference, tick = run.objective - run.lower_bound, self.instances[run.order.digest].scaled().tick
        if not difference:
            return difference
        return difference / tick if tick else None

    @cached_property
    def contradictions(self) -> tuple[str, ...]:
        """Contradictions between verified schedules, proven bounds, exact runs and published bounds."""
        found = []
        for run in self.runs:
            name = f"{run.order.instance}, {run.order.method.label}"
            proven = run.reference
            if run.objective is not None and proven.bound is not None and run.objective < proven.bound:
                found.append(f"{name}: makespan {run.objective} is below the proven bound {proven.bound}")
            if run.proven and run.objective is not None and run.objective != proven.optimum:
                found.append(f"{name}: claims the optimum {run.objective}; another run proves {proven.optimum}")
            lower, upper = run.order.origin.published
            if run.objective is not None and lower is not None and run.objective < lower:
                found.append(f"{name}: makespan {run.objective} is below the published bound {lower}")
            if run.lower_bound is not None and upper is not None and run.lower_bound > upper:
                found.append(f"{name}: bound {run.lower_bound} is above the published makespan {upper}")
            free = self.references.get(self.relaxed[run.order.digest], Reference()).bound
            if run.objective is not None and free is not None and (proven.bound or 0) <= run.objective < free:
                found.append(f"{name}: makespan {run.objective} is below the bound {free} without locality")
        return tuple(found)

    def frame(self) -> pandas.DataFrame:
        """Return one row a run. Numbers that are exact stay exact: times are Fractions."""
        import pandas

        return pandas.DataFrame([_row(run) for run in self.runs], columns=list(COLUMNS), dtype=object)


COLUMNS = (
    "instance", "digest", "problem", "sample", "parameters", "method", "kind", "seed", "repetition", "status",
    "termination", "objective", "lower_bound", "certified_bound", "proof", "optimum", "best_bound", "gap", "bound_gap",
    "gap_to", "gap_with_locality", "keeps_locality", "seconds", "peak_memory", "solver", "formulation", "message",
    "package", "checkout", "recorded", "key",
)  # fmt: skip


def _row(run: Run) -> dict[str, object]:
    record = run.record
    return {
        **{name: getattr(record, name) for name in COLUMNS if hasattr(record, name)},
        "instance": run.order.instance,
        "problem": run.group,
        "sample": run.sample,
        "parameters": json.dumps({**run.order.origin.parameters, **run.order.origin.changes}, default=str),
        "method": run.order.method.label,
        "objective": run.objective,
        "lower_bound": run.lower_bound,
        "certified_bound": run.certified_bound,
        "optimum": run.reference.optimum,
        "best_bound": run.reference.bound,
        "gap": run.gap,
        "bound_gap": run.bound_gap,
        "gap_to": run.gap_to,
        "gap_with_locality": run.beside_gap,
    }


def _above(objective: Fraction | None, reference: Fraction | None) -> Fraction | None:
    return None if objective is None or not reference else objective / reference - 1


@dataclass(frozen=True)
class Group:
    """Runs that solve the same sort of instances."""

    name: str  # as the ledger's exports name it
    title: str  # as tables and figures name it
    file: str  # in the names of figures
    remark: str = ""  # beneath its table
    # heading of a further column: what is proven of the instance with the promises that these runs need not keep
    beside: str = ""


@dataclass(frozen=True)
class PageParts:
    """The part of a problem that a campaign's report uses."""

    groups: tuple[Group, ...]  # the last one is of runs on the relaxed instance, if relaxing changes anything
    # ``instance -> entries`` for the page's charts, in addition to clusters and jobs
    pack: Callable[[Any], dict[str, Any]] = lambda _: {}
    trait: Callable[[Any], str] = lambda _: ""  # ``instance -> words`` that tell it from one of the same name


def page_parts(problem: Problem) -> PageParts:
    """Return the parts of a problem; one group under its title where it names none."""
    if not problem.has("page"):
        return PageParts((Group(problem.name, problem.title.capitalize(), problem.name),))
    return problem.part("page")


def groups() -> dict[str, Group]:
    """Return the groups of every problem by name, in the order of reports."""
    return {group.name: group for problem in problems() for group in page_parts(problem).groups}


def coallocation_trait(instance: CoallocationInstance) -> str:
    """Return the slot size in words."""
    return f"slot {instance.slot}" if instance.slot else "continuous time"


COALLOCATION = PageParts(
    (Group("coallocation", "Co-allocation", "coallocation"),),
    lambda instance: {"slot": str(instance.slot)} if instance.slot else {},
    coallocation_trait,
)


def pack_mosp(instance: MospInstance) -> dict[str, Any]:
    """Return the owner of each job, and when each organization's jobs must have ended."""
    return {
        "owners": [instance.owner[job.id] for job in instance.jobs],
        "deadlines": [
            str(moment) if one.jobs and moment is not None else None
            for one, moment in zip(instance.organizations, instance.deadlines, strict=True)
        ],
    }


def mosp_trait(instance: MospInstance) -> str:
    """Return the locality in words."""
    return "without locality" if instance.locality is None else f"locality {instance.locality}"


MOSP = PageParts(
    (
        Group("mosp", "Organizations", "organizations"),
        Group(
            "mosp without locality",
            "Organizations, no locality",
            "organizations-free",
            "These methods promise no locality, or the instance asks for none. Their gap is to the optimum without "
            "locality, where the campaign has it. The last column holds them against the optimum with locality, which "
            "is another problem's: they may be below it.",
            "beside locality's optimum",
        ),
    ),
    pack_mosp,
    mosp_trait,
)
