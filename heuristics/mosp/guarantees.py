"""Hypotheses of the methods of MOSP, and their guarantees: the ratio to the optimum that the papers prove."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from heuristics.method import Guarantee
from heuristics.mosp.queueing import empty_profiles, list_runs
from heuristics.mosp.ticks import highest_first
from oas.problems.mosp.availability import availability

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.problems.mosp.instance import MospInstance
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
    runs = list_runs(empty_profiles(scaled), scaled, [organization], highest_first(scaled, jobs))
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
    runs = list_runs(empty_profiles(scaled), scaled, [organization], jobs)
    return all(run.start == scaled.local_starts[run.job] for run in runs)


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


def one_cluster_list(instance: MospInstance) -> Guarantee | None:
    """The least ratio proved of every list schedule of one cluster, without releases.

    2 - 1/m without reservations (MOCCA paper, section 3.1; Theorem 2 of the reservations paper); 2 - 1/m(C*) where they
    never increase, m(t) the processors free at t (Proposition 1); 2/α where αm processors are always free and no job is
    wider (Proposition 3). C* is not known, but m(t) never decreases: m at the makespan of any schedule will do.

    The print derives Proposition 1 from the claim, for which it gives no proof, that processors that come free after
    C* do not lengthen a list schedule. It holds without it: for t < C* and the processors r(t) that jobs hold,
    r(t) + m(C*) - m(t) + r(t + C*) > m(C*), which is integrated as in Theorem 2.
    """
    if not _one_cluster(instance) or any(instance.scaled().releases):
        return None
    return _list_ratio(instance, _free_at_the_end)


def batched_list(instance: MospInstance) -> Guarantee | None:
    """2ρ for batches of list schedules on one cluster, ρ the ratio of a batch (reservations paper, section 2.1).

    The paper states it without reservations (Shmoys, Wein, Williamson 1995). Jobs released during a batch that begins
    at s need their own least time L after s, so that L ≤ C* - s, and the last two batches end by s + ρC* + ρ(C* - s).
    That needs a batch that begins later to take no longer at the optimum. So it is where reservations never increase;
    ρ is then 2 - 1/m, for a batch may end after C*. With α, Proposition 3's proof bounds each batch by its own work and
    longest job, whenever it begins.
    """
    if not _one_cluster(instance):
        return None
    if not any(instance.scaled().releases):
        return one_cluster_list(instance)  # there is one batch
    ratio = _list_ratio(instance, _processors)
    carried = ", whose proof holds beside these reservations" if instance.reserved else ""
    words = f"in batches twice (reservations paper, section 2.1{carried})"
    return ratio and Guarantee(2 * ratio.value, f"{ratio.hypothesis}, {words}")


def _one_cluster(instance: MospInstance) -> bool:
    return len(instance.organizations) == 1


def _list_ratio(instance: MospInstance, free: Callable[[MospInstance], int]) -> Guarantee | None:
    """Return the ratio of list schedules without releases; `free` are the processors that count in Proposition 1."""
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
    """Return how many processors are free at the end of some schedule, no fewer than at the optimum."""
    scaled = instance.scaled()
    runs = list_runs(empty_profiles(scaled), scaled, [0], highest_first(scaled, range(scaled.job_count)))
    makespan = max(run.start + scaled.times[run.job] for run in runs)
    return availability(instance.organizations[0]).free_at(scaled.to_time(makespan))


def one_cluster_local(instance: MospInstance) -> Guarantee | None:
    """The ratio of one organization's local schedule, if that is a list schedule, as `one_cluster_list`."""
    guarantee = one_cluster_list(instance)
    return guarantee if guarantee and local_is_list(instance.scaled(), 0) else None


def mocca_three(instance: MospInstance) -> Guarantee | None:
    """3 for MOCCA on HF schedules (MOCCA paper, Theorem 1 and Proposition 9)."""
    scaled = instance.scaled()
    if not is_static(scaled) or not local_is_highest_first(scaled):
        return None
    if all_fit(scaled):
        return Guarantee(Fraction(3), "local HF, every job fits every cluster (MOCCA paper, Theorem 1)")
    if scaled.cluster_count == 2:
        return Guarantee(Fraction(3), "local HF, two clusters (MOCCA paper, Proposition 9)")
    return None


def mocca_cut(instance: MospInstance, multiple: Fraction) -> Guarantee | None:
    """α for MOCCA(α), α ≥ 4, on any local schedules (MOCCA paper, Proposition 10).

    The proof is printed for 4. If a job found no place at α, the work on a cluster of m processors would exceed
    m/2 · (α − 2) · LB, which is m · LB from 4 on. Below 4 the paper does not know.
    """
    scaled = instance.scaled()
    if multiple < 4 or not is_static(scaled) or not all_fit(scaled):
        return None
    carried = "" if multiple == 4 else ", whose proof holds for any cut from 4 on"
    return Guarantee(multiple, f"every job fits every cluster (MOCCA paper, Proposition 10{carried})")


def molba_two(instance: MospInstance) -> Guarantee | None:
    """3 for MOLBA with its cut at 2LB where all jobs are low or there are two clusters (MOLBA paper, section 4)."""
    scaled = instance.scaled()
    if not _molba_applies(scaled):
        return None
    if all_low(scaled):
        return Guarantee(Fraction(3), "identical clusters, local HF, all jobs low (MOLBA paper, section 4.2)")
    if scaled.cluster_count == 2:
        return Guarantee(Fraction(3), "two identical clusters, local HF (MOLBA paper, section 4.2, no proof printed)")
    return None


def molba_three(instance: MospInstance) -> Guarantee | None:
    """4 for MOLBA with its cut at 3LB (MOLBA paper, Proposition 5)."""
    if not _molba_applies(instance.scaled()):
        return None
    return Guarantee(Fraction(4), "identical clusters, local HF (MOLBA paper, Proposition 5)")


def molba_all_high(instance: MospInstance) -> Guarantee | None:
    """2 - 1/n for n clusters where all jobs are high (MOLBA paper, section 4.2)."""
    scaled = instance.scaled()
    if not _identical(scaled) or not all_high(scaled):
        return None
    return Guarantee(
        2 - Fraction(1, scaled.cluster_count), "identical clusters, all jobs high (MOLBA paper, section 4.2)"
    )


def balanced_sequential(instance: MospInstance) -> Guarantee | None:
    """2 - 1/Σ m_k for ILBA on sequential jobs (MOCCA paper, Proposition 12).

    The proof has no processor idle before a job starts, so the local schedules must be list schedules: ILBA leaves the
    first cluster as it is.
    """
    scaled = instance.scaled()
    if not is_static(scaled) or max(scaled.widths) > 1:
        return None
    if not all(local_is_list(scaled, organization) for organization in range(scaled.cluster_count)):
        return None
    value = 2 - Fraction(1, sum(scaled.processors))
    return Guarantee(value, "sequential jobs, local list schedules (MOCCA paper, Proposition 12)")


def _identical(scaled: ScaledMosp) -> bool:
    return is_static(scaled) and len(set(scaled.processors)) == 1


def _molba_applies(scaled: ScaledMosp) -> bool:
    return _identical(scaled) and local_is_highest_first(scaled)
