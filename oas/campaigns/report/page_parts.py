"""The part of a problem that the campaign report uses: groups of runs, and the page's data of instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.problems.registry import problems

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.problem import Problem
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.mosp.instance import MospInstance


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
    found: PageParts = problem.part("page")
    return found


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
