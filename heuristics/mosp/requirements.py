"""Hypotheses that methods declare: each returns None where it holds, otherwise the text of the method's refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.mosp.conditions import all_fit, all_high, local_is_highest_first

if TYPE_CHECKING:
    from oas.problems.mosp.instance import MospInstance


def local_given(instance: MospInstance) -> str | None:
    """The instance carries local schedules; one of an organization alone, without locality, may do without."""
    return None if instance.local is not None else "wants local schedules"


def static(instance: MospInstance) -> str | None:
    """There are neither releases nor reservations."""
    scaled = instance.scaled()
    if any(scaled.releases):
        return "knows no release dates"
    return "knows no reservations" if scaled.reservations else None


def fitting(instance: MospInstance) -> str | None:
    """Every job fits every cluster, or there are at most two clusters (MOCCA paper, section 5.1)."""
    scaled = instance.scaled()
    if scaled.cluster_count > 2 and not all_fit(scaled):
        return "wants every job to fit every cluster (or two clusters)"
    return None


def identical(instance: MospInstance) -> str | None:
    """All clusters are of one size."""
    return "wants clusters of one size" if len(set(instance.scaled().processors)) > 1 else None


def highest_first_local(instance: MospInstance) -> str | None:
    """The local schedules are those of HF."""
    return None if local_is_highest_first(instance.scaled()) else "wants local schedules by HF"


def high(instance: MospInstance) -> str | None:
    """Every job needs more than half of every cluster."""
    return None if all_high(instance.scaled()) else "wants every job to need more than half of a cluster"
