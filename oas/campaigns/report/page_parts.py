"""The part of a problem that the campaign report uses: groups of runs, and the page's data of instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.problems.registry import problems

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.problem import Problem


@dataclass(frozen=True)
class Group:
    """Runs that solve the same sort of instances."""

    name: str  # as the ledger's exports name it
    title: str  # as tables and figures name it
    file: str  # in the names of figures
    remark: str = ""  # beneath its table
    # heading of a further column: what is proven of the instance with the promises that these runs need not keep
    beside: str = ""


def _nothing(_instance: Any) -> dict[str, Any]:
    return {}


def _no_trait(_instance: Any) -> str:
    return ""


@dataclass(frozen=True)
class PageParts:
    """The part of a problem that a campaign's report uses."""

    groups: tuple[Group, ...]  # the last one is of runs on the relaxed instance, if relaxing changes anything
    # ``instance -> entries`` for the page's charts, in addition to clusters and jobs
    pack: Callable[[Any], dict[str, Any]] = _nothing
    trait: Callable[[Any], str] = _no_trait  # ``instance -> words`` that tell it from one of the same name


def page_parts(problem: Problem) -> PageParts:
    """Return the parts of a problem; one group under its title where it names none."""
    if not problem.has("page"):
        return PageParts((Group(problem.name, problem.title.capitalize(), problem.name),))
    found: PageParts = problem.part("page")
    return found


def groups() -> dict[str, Group]:
    """Return the groups of every problem by name, in the order of reports."""
    return {group.name: group for problem in problems() for group in page_parts(problem).groups}
