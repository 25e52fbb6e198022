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

if TYPE_CHECKING:
    from oas.problems.mosp.instance import MospInstance
    from oas.problems.mosp.ticks import ScaledMosp


def one_cluster_list(instance: MospInstance) -> Guarantee | None:
    """2 - 1/m for any list schedule of one cluster (MOCCA paper, section 3.1)."""
    scaled = instance.scaled()
    if scaled.cluster_count > 1 or not is_static(scaled):
        return None
    return Guarantee(2 - Fraction(1, scaled.processors[0]), "one cluster, any list (MOCCA paper, section 3.1)")


def one_cluster_local(instance: MospInstance) -> Guarantee | None:
    """2 - 1/m for one organization's local schedule, if that is a list schedule."""
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
