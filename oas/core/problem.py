"""A problem as one object: its name, and where each room of the toolkit finds its part of it."""

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

    A part is found by its place, ``package.module:attribute`` (a package alone for bounds and heuristics), when it is
    first needed: to know a problem loads nothing of it. A room whose part is left out refuses the problem by name.
    """

    name: str  # as files, campaigns and options name it
    title: str  # as sentences name it: ``co-allocation``
    instance: str  # the type of its instances, which satisfies `oas.core.instances.Instance`
    # cluster, nodes: what a cluster is called, in the singular, and its nodes, in the plural
    cluster: str = "cluster"
    nodes: str = "nodes"
    rules: str = ""  # the verifier's rules: ``(instance, schedule) -> list of Violation``
    # What confirms a schedule's certificate, ``(instance, schedule) -> line that says what holds``, or raises
    # `VerificationError`.
    certificates: str = ""
    document: str = ""  # how files hold its instances, `oas.io.documents.InstanceFormat`
    # A tuple of `oas.exact.parts.ExactParts`, by variants of the rules: unplaceable jobs, ticks to schedules and back,
    # brute force, exact search.
    exact: str = ""
    # A tuple of `oas.models.formulation.Formulation`; the first of each family of solvers is its default.
    formulations: str = ""
    bounds: str = ""  # the package of its lower bounds
    heuristics: str = ""  # the package of its heuristics
    figures: str = ""  # what a comparison says of a schedule, as `oas.studies.comparison.mosp_figures`
    tables: str = ""  # the columns and lines of its tables, `oas.show.comparison.ProblemTables`
    chart: str = ""  # how its Gantt charts look, `oas.plots.lanes.ChartStyle`
    page: str = ""  # what a campaign's page shows of its instances, `oas.campaigns.report.frame.PageParts`
    # A function that runs each kernel of its searches once on next to nothing, for `oas.exact.warm_up`.
    kernels: str = ""
    testing: str = ""  # cases and shrinking for the test kit, `oas.testing.parts.KitParts`
    # Which variants of its rules there are, such as saturation policies; the first is the plain one. What does not
    # declare others is valid for the plain one alone.
    variants: tuple[str, ...] = field(default=("",), compare=False)
    # Of a problem without a makespan to minimise, which no solve or comparison takes: the command that stands for them.
    # Its refusals name it.
    instead: str = ""

    def __str__(self) -> str:
        return self.title

    def has(self, room: str) -> bool:
        """Tell whether the problem has a part in a room."""
        return bool(getattr(self, room))

    def part(self, room: str) -> Any:
        """Return the problem's part of a room.

        Raises `InputError` if it has none there.
        """
        if not self.has(room):
            reason = f"{self.title} has no {room} in this toolkit"
            if self.instead:
                reason = f"{self.title} has no makespan to minimise; use: {self.instead}"
            raise InputError(reason, field="problem", value=self.name)
        return find_place(getattr(self, room))

    @property
    def instance_type(self) -> type:
        """The type of its instances."""
        return self.part("instance")


@cache
def find_place(place: str) -> Any:
    """Return what ``package.module:attribute`` names, or the package or module where no attribute is named.

    Raises `InputError` if it is not there.
    """
    module, colon, attribute = place.partition(":")
    try:
        return getattr(import_module(module), attribute) if colon else import_module(module)
    except (ImportError, AttributeError) as error:
        check_not_hidden()
        raise InputError(f"cannot be imported: {error}", field="problem", value=place) from error


def problem_of(value: object) -> Problem:
    """Return the problem of an instance or of a type of instances, or the problem itself if it is one.

    Raises `InputError` if it is nothing of the kind.
    """
    found = value if isinstance(value, Problem) else getattr(value, "problem", None)
    if not isinstance(found, Problem):
        name = value.__name__ if isinstance(value, type) else type(value).__name__
        raise InputError("a problem is needed, or a type of instances", field="problem", value=name)
    return found


def check_variant(instance: Any, who: str, valid: tuple[str, ...] = ()) -> None:
    """Refuse an instance whose rules are of a variant that a part of the toolkit does not implement.

    `who` is the part, as the message names it; `valid` are the variants that it is valid for, none for the plain
    one alone.

    Raises `InputError` if the instance's is not among them.
    """
    known = valid or instance.problem.variants[:1]
    if instance.variant not in known:
        reason = f"{who} does not implement it; it knows: {', '.join(known)}"
        raise InputError(reason, field=instance.variant_field, value=instance.variant)
