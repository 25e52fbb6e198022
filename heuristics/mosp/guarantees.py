"""Hypotheses of the MOSP methods, and their guarantees: the proven ratios to the optimum."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from oas.mosp.availability import availability
from oas.mosp.search.queueing import empty_profiles, highest_first, list_runs
from oas.solving.method import Guarantee

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.mosp.instance import MospInstance
    from oas.mosp.ticks import ScaledMosp
    from oas.solving.method import Requirement


def all_fit(scaled: ScaledMosp) -> bool:
    """Whether every job fits every cluster."""
    return max(scaled.widths) <= min(scaled.processors)


def starts_alone(scaled: ScaledMosp, organization: int, key: Callable[[int], int]) -> dict[int, int]:
    """Return the starts of an organization's jobs list-scheduled by this sort key, then index, on its own cluster."""
    jobs = sorted((job for job in range(scaled.job_count) if scaled.owners[job] == organization), key=key)
    runs = list_runs(empty_profiles(scaled), scaled, [organization], jobs)
    return {run.job: run.start for run in runs}


def highest_first_starts(scaled: ScaledMosp, organization: int) -> dict[int, int]:
    """Return the starts of an organization's jobs list-scheduled by HF on its own cluster."""
    return starts_alone(scaled, organization, lambda job: -scaled.widths[job])


def local_is_list(scaled: ScaledMosp, organization: int) -> bool:
    """Whether an organization's local schedule is a list schedule: no job could start at an earlier event."""
    local = scaled.local_starts
    if not local:
        return False
    return all(start == local[job] for job, start in starts_alone(scaled, organization, local.__getitem__).items())


def local_given(instance: MospInstance) -> str | None:
    """The instance contains local schedules; a single organization without locality may lack them."""
    return None if instance.local is not None else "requires local schedules"


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
        return "requires every job to fit every cluster (or two clusters)"
    return None


def identical(instance: MospInstance) -> str | None:
    """All clusters are of equal size."""
    return "requires clusters of equal size" if len(set(instance.scaled().processors)) > 1 else None


def highest_first_local(instance: MospInstance) -> str | None:
    """The local schedules are those of HF, ties by index."""
    scaled = instance.scaled()
    if scaled.local_starts and all(
        start == scaled.local_starts[job]
        for organization in range(scaled.cluster_count)
        for job, start in highest_first_starts(scaled, organization).items()
    ):
        return None
    return "requires local schedules by HF"


def high(instance: MospInstance) -> str | None:
    """Every job needs more than half of every cluster."""
    scaled = instance.scaled()
    if 2 * min(scaled.widths) > max(scaled.processors):
        return None
    return "requires every job to need more than half of a cluster"


def _all_hold(instance: MospInstance, *hypotheses: Requirement) -> bool:
    return all(hypothesis(instance) is None for hypothesis in hypotheses)


def one_cluster_list(instance: MospInstance) -> Guarantee | None:
    """Return the smallest ratio proved for every list schedule on one cluster, without releases.

    2 - 1/m without reservations (MOCCA paper, section 3.1; Theorem 2 of the reservations paper); 2 - 1/m(C*) if the
    reserved processors never increase, with m(t) free processors at t (Proposition 1); 2/α if αm processors are always
    free and no job is wider (Proposition 3). C* is unknown, but m(t) never decreases, so the value of m at the makespan
    of any schedule is valid.

    The paper derives Proposition 1 from an unproven claim: processors that become free after C* do not lengthen a list
    schedule. The proposition holds without it: for t < C* and the processors r(t) that jobs occupy,
    r(t) + m(C*) - m(t) + r(t + C*) > m(C*), which is integrated as in Theorem 2.
    """
    if len(instance.organizations) > 1 or any(instance.scaled().releases):
        return None
    return _list_ratio(instance, _free_at_the_end)


def batched_list(instance: MospInstance) -> Guarantee | None:
    """Return 2ρ for batches of list schedules on one cluster, ρ the ratio of a batch (reservations paper, section 2.1).

    The paper states it without reservations (Shmoys, Wein, Williamson 1995). Jobs released during a batch that begins
    at s need a minimum time L after s, so L ≤ C* - s, and the last two batches end by s + ρC* + ρ(C* - s). The proof
    requires that the optimum of a batch does not grow if it begins later, which holds if reservations never increase;
    ρ is then 2 - 1/m, because a batch may end after C*. With α, Proposition 3 bounds each batch by its own work and
    longest job, whenever it begins.
    """
    if len(instance.organizations) > 1:
        return None
    if not any(instance.scaled().releases):
        return one_cluster_list(instance)  # there is one batch
    ratio = _list_ratio(instance, _processors)
    carried = ", whose proof holds beside these reservations" if instance.reserved else ""
    words = f"in batches twice (reservations paper, section 2.1{carried})"
    return ratio and Guarantee(2 * ratio.value, f"{ratio.hypothesis}, {words}")


def _list_ratio(instance: MospInstance, free: Callable[[MospInstance], int]) -> Guarantee | None:
    """Return the ratio of list schedules without releases; `free` gives the processors for Proposition 1."""
    if not instance.reserved:
        return Guarantee(2 - Fraction(1, _processors(instance)), "one cluster, any list (MOCCA paper, section 3.1)")
    held = availability(instance.organizations[0])
    if held.non_increasing:
        words = "one cluster, any list, non-increasing reservations (reservations paper, Proposition 1)"
        return Guarantee(2 - Fraction(1, free(instance)), words)
    if held.alpha is not None:
        return Guarantee(2 / held.alpha, f"one cluster, any list, α = {held.alpha} (reservations paper, Proposition 3)")
    return None


def _processors(instance: MospInstance) -> int:
    return instance.organizations[0].processors


def _free_at_the_end(instance: MospInstance) -> int:
    """Return the number of free processors at the makespan of a list schedule by HF: at least that at the optimum."""
    scaled = instance.scaled()
    runs = list_runs(empty_profiles(scaled), scaled, [0], highest_first(scaled, range(scaled.job_count)))
    makespan = max(run.start + scaled.times[run.job] for run in runs)
    return availability(instance.organizations[0]).free_at(scaled.to_time(makespan))


def one_cluster_local(instance: MospInstance) -> Guarantee | None:
    """Return the ratio of one organization's local schedule, if it is a list schedule, as in `one_cluster_list`."""
    guarantee = one_cluster_list(instance)
    return guarantee if guarantee and local_is_list(instance.scaled(), 0) else None


def mocca_three(instance: MospInstance) -> Guarantee | None:
    """Return 3 for MOCCA on HF schedules (MOCCA paper, Theorem 1 and Proposition 9)."""
    scaled = instance.scaled()
    if not _all_hold(instance, static, highest_first_local):
        return None
    if all_fit(scaled):
        return Guarantee(Fraction(3), "local HF, every job fits every cluster (MOCCA paper, Theorem 1)")
    if scaled.cluster_count == 2:
        return Guarantee(Fraction(3), "local HF, two clusters (MOCCA paper, Proposition 9)")
    return None


def mocca_cut(instance: MospInstance, multiple: Fraction) -> Guarantee | None:
    """Return α for MOCCA(α), α ≥ 4, on any local schedules (MOCCA paper, Proposition 10).

    The paper proves it for 4. If a job had no place at α, the work on a cluster of m processors would exceed
    m/2 · (α − 2) · LB, which is at least m · LB for α ≥ 4. Below 4 the paper leaves it open.
    """
    if multiple < 4 or not _all_hold(instance, static) or not all_fit(instance.scaled()):
        return None
    carried = "" if multiple == 4 else ", whose proof holds for any cut from 4 on"
    return Guarantee(multiple, f"every job fits every cluster (MOCCA paper, Proposition 10{carried})")


def molba_two(instance: MospInstance) -> Guarantee | None:
    """Return 3 for MOLBA cut at 2LB if all jobs are low or there are two clusters (MOLBA paper, section 4)."""
    scaled = instance.scaled()
    if not _all_hold(instance, static, identical, highest_first_local):
        return None
    if 2 * max(scaled.widths) <= min(scaled.processors):
        return Guarantee(Fraction(3), "identical clusters, local HF, all jobs low (MOLBA paper, section 4.2)")
    if scaled.cluster_count == 2:
        return Guarantee(Fraction(3), "two identical clusters, local HF (MOLBA paper, section 4.2, no proof printed)")
    return None


def molba_three(instance: MospInstance) -> Guarantee | None:
    """Return 4 for MOLBA cut at 3LB (MOLBA paper, Proposition 5)."""
    if not _all_hold(instance, static, identical, highest_first_local):
        return None
    return Guarantee(Fraction(4), "identical clusters, local HF (MOLBA paper, Proposition 5)")


def molba_all_high(instance: MospInstance) -> Guarantee | None:
    """Return 2 - 1/n for n clusters if all jobs are high (MOLBA paper, section 4.2)."""
    if not _all_hold(instance, static, identical, high):
        return None
    value = 2 - Fraction(1, len(instance.organizations))
    return Guarantee(value, "identical clusters, all jobs high (MOLBA paper, section 4.2)")


def balanced_sequential(instance: MospInstance) -> Guarantee | None:
    """Return 2 - 1/Σ m_k for ILBA on sequential jobs (MOCCA paper, Proposition 12).

    In the proof no processor is idle before a job starts. ILBA does not change the first cluster, so the local
    schedules must be list schedules.
    """
    scaled = instance.scaled()
    if not _all_hold(instance, static) or max(scaled.widths) > 1:
        return None
    if not all(local_is_list(scaled, organization) for organization in range(scaled.cluster_count)):
        return None
    value = 2 - Fraction(1, sum(scaled.processors))
    return Guarantee(value, "sequential jobs, local list schedules (MOCCA paper, Proposition 12)")
