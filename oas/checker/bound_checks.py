"""Every lower bound that a result may name, and how it is confirmed."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from oas.checker.answers import StatedBound
from oas.checker.coallocation_configurations import check_coallocation_configurations
from oas.checker.coallocation_instance import CoallocationInstance
from oas.checker.coallocation_search_log import check_coallocation_search_log
from oas.checker.coallocation_shared_links import check_coallocation_shared_links
from oas.checker.coallocation_simple import coallocation_area, coallocation_longest_job, coallocation_wide_jobs
from oas.checker.coallocation_windows import check_coallocation_windows
from oas.checker.effort import TooCostly
from oas.checker.mosp_instance import MospInstance
from oas.checker.mosp_pair_tree import check_mosp_pair_tree
from oas.checker.mosp_partitions import check_mosp_partitions
from oas.checker.mosp_set_tree import check_mosp_cluster_sets, check_mosp_set_tree
from oas.checker.mosp_simple import (
    mosp_area,
    mosp_dual_feasible,
    mosp_gaps,
    mosp_high_jobs,
    mosp_k_longest,
    mosp_longest_job,
    mosp_paper,
)
from oas.checker.mosp_start_tree import check_mosp_start_tree
from oas.checker.mosp_weighed import check_mosp_configurations, check_mosp_two_dimensional
from oas.checker.mosp_windows import check_mosp_windows
from oas.checker.reading import Refused, refused

# By problem and name: the function that computes a bound that has an empty certificate.
SIMPLE_BOUNDS: dict[tuple[str, str], Callable[[Any], Fraction]] = {
    ("coallocation", "area"): coallocation_area,
    ("coallocation", "longest job"): coallocation_longest_job,
    ("coallocation", "wide jobs"): coallocation_wide_jobs,
    ("mosp", "area"): mosp_area,
    ("mosp", "dual feasible functions"): mosp_dual_feasible,
    ("mosp", "gaps"): mosp_gaps,
    ("mosp", "high jobs"): mosp_high_jobs,
    ("mosp", "k-longest"): mosp_k_longest,
    ("mosp", "longest job"): mosp_longest_job,
    ("mosp", "paper LB"): mosp_paper,
}
# The same for bounds with certificates: (instance, certificate) -> proven value in the instance's time unit.
CERTIFIED_BOUNDS: dict[tuple[str, str], Callable[[Any, Any], Fraction]] = {
    ("coallocation", "configurations"): check_coallocation_configurations,
    ("coallocation", "search log"): check_coallocation_search_log,
    ("coallocation", "shared links"): check_coallocation_shared_links,
    ("coallocation", "windows"): check_coallocation_windows,
    ("mosp", "cluster sets"): check_mosp_cluster_sets,
    ("mosp", "configurations"): check_mosp_configurations,
    ("mosp", "pair tree"): check_mosp_pair_tree,
    ("mosp", "partitions"): check_mosp_partitions,
    ("mosp", "set tree"): check_mosp_set_tree,
    ("mosp", "start tree"): check_mosp_start_tree,
    ("mosp", "two-dimensional"): check_mosp_two_dimensional,
    ("mosp", "windows"): check_mosp_windows,
}


def check_bound(instance: CoallocationInstance | MospInstance, bound: StatedBound) -> None:
    """Refuse a bound that exact arithmetic does not confirm."""
    try:
        reason = find_objection(instance, bound)
    except TooCostly as error:
        reason = str(error)
    if reason:
        raise refused("", f"the bound {bound.name} = {bound.value} is not confirmed: {reason}")


def find_objection(instance: CoallocationInstance | MospInstance, bound: StatedBound) -> str:
    """Return why exact arithmetic does not confirm a bound; empty if it does.

    The value that is proven, rounded up to the time grid, must be at least that of the bound.
    """
    key = (instance.problem, bound.name)
    if bound.certificate is None:
        return "it has no certificate"
    try:
        if key in SIMPLE_BOUNDS:
            proven = SIMPLE_BOUNDS[key](instance)
        elif key in CERTIFIED_BOUNDS:
            proven = CERTIFIED_BOUNDS[key](instance, bound.certificate)
        else:
            return "there is no bound of this name for the instance's rules"
    except TooCostly:
        raise
    except Refused as error:
        return str(error)
    tick = instance.scaled().tick
    if tick:
        proven = -(-proven // tick) * tick
    return "" if bound.value <= proven else f"{proven} is proven"
