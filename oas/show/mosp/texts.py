"""Display of instances as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.formats import show_count, show_exact, show_time
from oas.show.texts import first_lines, text, title

if TYPE_CHECKING:
    from oas.problems.mosp.instance import MospInstance


def instance_text(instance: MospInstance) -> str:
    """Return the size of an instance, its first organizations and its locality."""
    pairs = zip(instance.organizations, instance.local_makespans, strict=True)
    organizations = (
        f"{one.id}: {show_count(one.processors, 'processor')}, {show_count(len(one.jobs), 'job')}"
        + ("" if alone is None else f", alone done at {show_time(alone)}")
        for one, alone in pairs
    )
    count = len(instance.organizations)
    locality = "no locality" if instance.locality is None else f"locality {show_exact(instance.locality)}"
    jobs = f"{show_count(len(instance.jobs), 'job')} of {show_count(count, 'organization')}"
    size = f"{jobs}, {show_count(instance.node_count, 'processor')}, {locality}"
    return text(f"{title(instance)}: {size}", first_lines(organizations, count))
