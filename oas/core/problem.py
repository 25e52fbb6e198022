"""Description of a scheduling problem: its name and the import paths of its parts in the packages of the toolkit."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from oas.core.errors import InputError
from oas.core.user_code import check_not_hidden


@dataclass(frozen=True)
class Problem:
    """A scheduling problem.

    A part is given by its import path, ``package.module:attribute`` (a package for bounds and heuristics), and imported
    on first use. Without a part other than the instance, packages use a default or refuse the problem.
    """

    name: str  # in files, campaigns and options
    title: str  # in sentences, such as ``co-allocation``
    instance: str  # type of the instances, which satisfies `oas.core.instances.Instance`
    # cluster, nodes: the problem's words for a cluster, in the singular, and its nodes, in the plural
    cluster: str = "cluster"
    nodes: str = "nodes"
    rules: str = ""  # the verifier's rules: ``(instance, schedule) -> list of Violation``
    # Check of a schedule's certificate: ``(instance, schedule) -> line of confirmation``; raises `VerificationError`.
    certificates: str = ""
    document: str = ""  # file format of the instances, an `oas.io.documents.InstanceFormat`
    # A tuple of `oas.solving.parts.ExactParts`, one for each group of variants.
    exact: str = ""
    # A tuple of `oas.solving.formulation.Formulation`; the first for each family of solvers is its default.
    formulations: str = ""
    bounds: str = ""  # package of the lower bounds
    heuristics: str = ""  # package of the heuristics
    figures: str = ""  # figures of a schedule in comparisons: ``(instance, schedule, *, keeps_promises) -> dict``
    # Execution of a schedule without the slot grid, for instances with a `slot` and a method `with_slot`:
    # ``(instance, schedule) -> schedule``, or None if times become too long.
    execution: str = ""
    tables: str = ""  # columns and lines of tables, an `oas.show.comparison.ProblemTables`
    chart: str = ""  # style of Gantt charts, an `oas.plots.lanes.ChartStyle`
    plots: tuple[str, ...] = ()  # further functions of `oas.plots`
    generators: str = ""  # package or module of the generators
    page: str = ""  # groups of runs in the report of a campaign, an `oas.campaigns.report.frame.PageParts`
    kernels: str = ""  # function that runs each kernel once on a tiny instance, for `oas.solving.warm_up`
    testing: str = ""  # instances and checks for the test kit, an `oas.testing.parts.KitParts`
    # Variants of the rules, such as saturation policies. The first is the default; a part of the toolkit that declares
    # no variants is valid for that one only.
    variants: tuple[str, ...] = field(default=("",), compare=False)
    # For a problem without a makespan to minimise: the command to use instead of solve and compare.
    instead: str = ""

    def __str__(self) -> str:
        return self.title

    def has(self, part: str) -> bool:
        """Return whether the problem has a part, given by the name of its attribute."""
        return bool(getattr(self, part))

    def part(self, part: str) -> Any:
        """Import and return a part of the problem, given by the name of its attribute.

        Raises `InputError` if the problem has no such part.
        """
        if not self.has(part):
            reason = f"{self.title} has no {part} in this toolkit"
            if self.instead:
                reason = f"{self.title} has no makespan to minimise; use: {self.instead}"
            raise InputError(reason, field="problem", value=self.name)
        return import_object(getattr(self, part))

    @property
    def instance_type(self) -> type:
        """The type of the problem's instances."""
        return self.part("instance")


@cache
def import_object(place: str) -> Any:
    """Import and return the object at ``package.module:attribute``, or a package or module.

    Raises `InputError` if it cannot be imported.
    """
    module, colon, attribute = place.partition(":")
    try:
        return getattr(import_module(module), attribute) if colon else import_module(module)
    except (ImportError, AttributeError) as error:
        check_not_hidden()
        raise InputError(f"cannot be imported: {error}", field="problem", value=place) from error


def problem_of(value: object) -> Problem:
    """Return the problem of an instance or of a type of instances; a problem is returned unchanged.

    Raises `InputError` for other values.
    """
    problem = value if isinstance(value, Problem) else getattr(value, "problem", None)
    if not isinstance(problem, Problem):
        name = value.__name__ if isinstance(value, type) else type(value).__name__
        raise InputError("a problem is needed, or a type of instances", field="problem", value=name)
    return problem


def check_variant(instance: Any, who: str, valid: tuple[str, ...] = ()) -> None:
    """Raise `InputError` if a part of the toolkit does not implement the instance's variant of the rules.

    `who` names the part in the message; `valid` are the variants that it implements, by default the first only.
    """
    implemented = valid or instance.problem.variants[:1]
    if instance.variant not in implemented:
        reason = f"{who} does not implement it; it knows: {', '.join(implemented)}"
        raise InputError(reason, field=instance.variant_field, value=instance.variant)
