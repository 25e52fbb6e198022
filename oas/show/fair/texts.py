"""Display of instances as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.formats import show_count, show_time
from oas.show.texts import first_lines, text, title

if TYPE_CHECKING:
    from oas.problems.fair.instance import FairInstance


def instance_text(instance: FairInstance) -> str:
    """Return the size of an instance, its horizon and its first organizations."""
    organizations = (
        f"{one.id}: {show_count(one.processors, 'processor')}, {show_count(len(one.jobs), 'job')} from"
        f" {show_time(one.jobs[0].release)} on"
        for one in instance.organizations
    )
    count = len(instance.organizations)
    return text(f"{title(instance)}: {size_of(instance)}", first_lines(organizations, count))


def size_of(instance: FairInstance) -> str:
    """Return jobs, organizations, processors and the horizon."""
    jobs = f"{show_count(len(instance.jobs), 'job')} of {show_count(len(instance.organizations), 'organization')}"
    return f"{jobs}, {show_count(instance.node_count, 'processor')}, horizon {instance.horizon:,}"
