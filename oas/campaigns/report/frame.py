"""Current runs of a campaign, compared with the optimum or bound proven for their instance.

A heuristic that considers only the global makespan solves a relaxed problem: the same organizations without locality.
Its runs are compared with the optimum of the relaxed instance, if the campaign has that instance. Reports distinguish
the two problems by groups of runs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from oas.core.registry import problems
from oas.core.result import ProofKind, Status, Termination

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from fractions import Fraction

    import pandas

    from oas.campaigns.plan import Order
    from oas.campaigns.record import Record
    from oas.coallocation.instance import CoallocationInstance
    from oas.core.instances import Instance
    from oas.core.problem import Problem
    from oas.mosp.instance import MospInstance


@dataclass(frozen=True)
class Reference:
    """Values that the exact runs prove for an instance."""

    optimum: Fraction | None = None
    bound: Fraction | None = None  # the best lower bound


@dataclass(frozen=True)
class Run:
    """A finished run and its distance from the proven optimum or bound."""

    order: Order  # with the method's present label
    record: Record  # without the schedule
    group: str  # name of its `Group`
    relaxed: str  # digest of the instance that it solves, possibly without locality
    objective: Fraction | None
    lower_bound: Fraction | None
    certified_bound: Fraction | None = None
    reference: Reference = Reference()  # of the instance that it solves
    with_locality: Reference | None = None  # of the instance with locality, for a method that may violate locality

    @property
    def gap(self) -> Fraction | None:
        """Makespan / proven optimum − 1; None if either is missing."""
        return _above(self.objective, self.reference.optimum)

    @property
    def bound_gap(self) -> Fraction | None:
        """Makespan / best proven bound − 1, an upper bound on the gap."""
        return _above(self.objective, self.reference.bound)

    @property
    def gap_with_locality(self) -> Fraction | None:
        """Makespan / optimum with locality − 1, for a method that may violate locality; it may be negative."""
        return None if self.with_locality is None else _above(self.objective, self.with_locality.optimum)

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
        """Name of the instance's sample."""
        return self.order.origin.sample

    @property
    def gap_to(self) -> str:
        """Reference of the gap: ``optimum``, ``bound``, or empty if neither is known."""
        if self.gap is not None:
            return "optimum"
        return "bound" if self.bound_gap is not None else ""

    @property
    def proven(self) -> bool:
        """Whether this run proved its schedule optimal."""
        return self.record.status == Status.OPTIMAL

    @property
    def certified(self) -> bool:
        """Whether a certificate proves the schedule optimal."""
        return self.proven and self.record.proof == ProofKind.CERTIFICATE

    @property
    def outcome(self) -> str:
        """The termination, ``infeasible``, or ``no schedule`` for a run that finished without one."""
        record = self.record
        if record.status == Status.INFEASIBLE:
            return "infeasible"
        if record.termination == Termination.FINISHED and self.objective is None:
            return "no schedule"
        return record.termination


@dataclass(frozen=True)
class Runs:
    """Runs of a campaign, and the optima and bounds proven for its instances."""

    runs: tuple[Run, ...]  # planned and finished, in the order of the campaign
    planned: Mapping[tuple[str, str], int]  # number of planned runs, by sample and method
    missing: Mapping[str, int]  # number of planned runs that are not finished, by method
    # number of runs of the campaign's instances and methods that are no longer planned (other version of the package,
    # source code, limits, parameters or seeds), by method; they are ignored
    stale: Mapping[str, int]
    others: int  # number of runs of instances or methods that the campaign does not have
    instances: Mapping[str, Instance]  # by digest
    relaxed: Mapping[str, str]  # digest of the instance without locality, by digest of the instance
    references: Mapping[str, Reference]  # by digest of the instance

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups that have runs."""
        used = {run.group for run in self.runs}
        return tuple(group for group in groups() if group in used)

    @cached_property
    def by_sample(self) -> dict[tuple[str, str], list[Run]]:
        """The runs by sample and method, in the order of the campaign."""
        by_sample: dict[str, dict[tuple[str, str], list[Run]]] = {}
        for run in self.runs:
            by_method = by_sample.setdefault(run.sample, {})
            by_method.setdefault((run.sample, run.order.method.label), []).append(run)
        return {key: runs for by_method in by_sample.values() for key, runs in by_method.items()}

    def open_ticks(self, run: Run) -> Fraction | None:
        """Return the number of ticks (or slots) between bound and makespan of a run.

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
        """Contradictions between verified schedules, proven bounds and exact runs."""
        messages = []
        for run in self.runs:
            name = f"{run.order.instance}, {run.order.method.label}"
            proven, makespan = run.reference, run.objective
            if makespan is None:
                continue
            if proven.bound is not None and makespan < proven.bound:
                messages.append(f"{name}: makespan {makespan} is below the proven bound {proven.bound}")
            if run.proven and makespan != proven.optimum:
                messages.append(f"{name}: claims the optimum {makespan}; another run proves {proven.optimum}")
            free = self.references.get(self.relaxed[run.order.digest], Reference()).bound
            if free is not None and (proven.bound or 0) <= makespan < free:
                messages.append(f"{name}: makespan {makespan} is below the bound {free} without locality")
        return tuple(messages)

    def frame(self) -> pandas.DataFrame:
        """Return a row for each run, with times as Fractions and gaps as floats."""
        import pandas

        return pandas.DataFrame([_row(run) for run in self.runs], columns=list(COLUMNS), dtype=object)


COLUMNS = (
    "instance", "digest", "problem", "sample", "parameters", "method", "kind", "seed", "repetition", "status",
    "termination", "objective", "lower_bound", "certified_bound", "proof", "optimum", "best_bound", "gap", "bound_gap",
    "gap_to", "gap_with_locality", "keeps_locality", "seconds", "check_seconds", "peak_memory", "solver", "formulation",
    "message", "package", "checkout", "recorded", "key",
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
        "gap": _float(run.gap),
        "bound_gap": _float(run.bound_gap),
        "gap_to": run.gap_to,
        "gap_with_locality": _float(run.gap_with_locality),
        "seconds": record.solve_seconds,
    }


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _above(objective: Fraction | None, reference: Fraction | None) -> Fraction | None:
    return None if objective is None or not reference else objective / reference - 1


@dataclass(frozen=True)
class Group:
    """Runs that solve the same kind of problem."""

    name: str  # in exports
    title: str  # in tables and figures
    file: str  # in the names of figures
    remark: str = ""  # below its table
    with_locality: str = ""  # heading of a further column with gaps to the optimum of the instance with locality


@dataclass(frozen=True)
class PageParts:
    """A problem's data and functions for campaign reports."""

    groups: tuple[Group, ...]  # the last one is of runs on the relaxed instance
    trait: Callable[[Any], str] = lambda _: ""  # text that distinguishes instances of the same name


def page_parts(problem: Problem) -> PageParts:
    """Return the parts of a problem; by default one group under the problem's title."""
    if not problem.has("page"):
        return PageParts((Group(problem.name, problem.title.capitalize(), problem.name),))
    return problem.part("page")


def groups() -> dict[str, Group]:
    """Return all groups by name, in the order of reports."""
    return {group.name: group for problem in problems() for group in page_parts(problem).groups}


def coallocation_trait(instance: CoallocationInstance) -> str:
    """Return the slot size in words."""
    return f"slot {instance.slot}" if instance.slot else "continuous time"


COALLOCATION = PageParts(
    (Group("coallocation", "Co-allocation", "coallocation"),),
    coallocation_trait,
)


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
            "locality, where the campaign has it. The last column compares them with the optimum with "
            "locality; they may be below it, because they solve a less constrained problem.",
            "above the optimum with locality",
        ),
    ),
    mosp_trait,
)
