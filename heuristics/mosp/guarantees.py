"""The papers' guarantees of their methods: for an instance the ratio to the optimum, or None where none is proved."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from heuristics.method import Guarantee
from heuristics.mosp.conditions import (
    all_fit,
    all_high,
    all_low,
    is_static,
    local_is_highest_first,
    local_is_list,
)
from heuristics.mosp.orders import highest_first
from heuristics.mosp.queueing import empty_profiles, list_runs
from oas.problems.mosp.availability import availability

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.problems.mosp.instance import MospInstance
    from oas.problems.mosp.ticks import ScaledMosp


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
