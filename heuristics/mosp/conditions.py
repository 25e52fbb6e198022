"""Conditions that the papers' theorems and methods rest on, tested on an instance in ticks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.mosp.orders import highest_first
from heuristics.mosp.queueing import empty_profiles, list_runs

if TYPE_CHECKING:
    from oas.problems.mosp.ticks import ScaledMosp


def is_static(scaled: ScaledMosp) -> bool:
    """Whether there are neither releases nor reservations."""
    return not any(scaled.releases) and not scaled.reservations


def all_fit(scaled: ScaledMosp) -> bool:
    """Whether every job fits every cluster."""
    return max(scaled.widths) <= min(scaled.processors)


def all_low(scaled: ScaledMosp) -> bool:
    """Whether every job needs at most half of every cluster."""
    return 2 * max(scaled.widths) <= min(scaled.processors)


def all_high(scaled: ScaledMosp) -> bool:
    """Whether every job needs more than half of every cluster."""
    return 2 * min(scaled.widths) > max(scaled.processors)


def highest_first_starts(scaled: ScaledMosp, organization: int) -> dict[int, int]:
    """Return the starts of an organization's jobs list-scheduled by HF on its own cluster."""
    jobs = [job for job in range(scaled.job_count) if scaled.owners[job] == organization]
    runs = list_runs(empty_profiles(scaled), scaled, [organization], highest_first(scaled, jobs)) if jobs else []
    return {run.job: run.start for run in runs}


def local_is_highest_first(scaled: ScaledMosp) -> bool:
    """Whether there are local schedules, and they are those of HF, ties by index."""
    return bool(scaled.local_starts) and all(
        start == scaled.local_starts[job]
        for organization in range(scaled.cluster_count)
        for job, start in highest_first_starts(scaled, organization).items()
    )


def local_is_list(scaled: ScaledMosp, organization: int) -> bool:
    """Whether an organization's local schedule is a list schedule: no job could start at an earlier start or end."""
    jobs = [job for job in range(scaled.job_count) if scaled.owners[job] == organization]
    if not scaled.local_starts:
        return False
    jobs.sort(key=lambda job: scaled.local_starts[job])
    runs = list_runs(empty_profiles(scaled), scaled, [organization], jobs) if jobs else []
    return all(run.start == scaled.local_starts[run.job] for run in runs)
