"""Organizations in a campaign's report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.campaigns.report.page_parts import Group, PageParts

if TYPE_CHECKING:
    from oas.problems.mosp.instance import MospInstance

KEPT = Group("mosp", "Organizations", "organizations")
FREE = Group(
    "mosp without locality",
    "Organizations, no locality",
    "organizations-free",
    "These methods promise no locality, or the instance asks for none. Their gap is to the optimum without "
    "locality, where the campaign has it. The last column holds them against the optimum with locality, which is "
    "another problem's: they may be below it.",
    "beside locality's optimum",
)


def pack(instance: MospInstance) -> dict[str, Any]:
    """Return the owner of each job, and when each organization's jobs must have ended."""
    return {
        "owners": [instance.owner[job.id] for job in instance.jobs],
        "deadlines": [
            str(moment) if one.jobs and moment is not None else None
            for one, moment in zip(instance.organizations, instance.deadlines, strict=True)
        ],
    }


def trait(instance: MospInstance) -> str:
    """Return the locality in words."""
    return "without locality" if instance.locality is None else f"locality {instance.locality}"


PAGE = PageParts((KEPT, FREE), pack, trait)
