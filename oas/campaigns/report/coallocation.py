"""Co-allocation in a campaign's report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.campaigns.report.page_parts import Group, PageParts

if TYPE_CHECKING:
    from oas.problems.coallocation.instance import CoallocationInstance


def pack(instance: CoallocationInstance) -> dict[str, Any]:
    """Return the slot size, if there is one."""
    return {"slot": str(instance.slot)} if instance.slot else {}


def trait(instance: CoallocationInstance) -> str:
    """Return the slot size in words."""
    return f"slot {instance.slot}" if instance.slot else "continuous time"


PAGE = PageParts((Group("coallocation", "Co-allocation", "coallocation"),), pack, trait)
