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
from oas.checker.mosp_cluster_sets import check_mosp_cluster_sets
from oas.checker.mosp_configurations import check_mosp_configurations
from oas.checker.mosp_instance import MospInstance
from oas.checker.mosp_pair_tree import check_mosp_pair_tree
from oas.checker.mosp_partitions import check_mosp_partitions
from oas.checker.mosp_set_tree import check_mosp_set_tree
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
from oas.checker.mosp_two_dimensional import check_mosp_two_dimensional
from oas.checker.mosp_windows import check_mosp_windows
from oas.checker.reading import Refused, refused

PLAIN_RULES = ("mosp", "forbid")
SLOWED_RULES = ("slowdown", "slowdown, max-min")

# By problem and name: the variants of the rules that it is valid for, and the function that computes it.
SIMPLE_BOUNDS: dict[tuple[str, str], tuple[tuple[str, ...], Callable[[Any], Fraction]]] = {
    ("coallocation", "area"): (PLAIN_RULES + SLOWED_RULES, coallocation_area),
    ("coallocation", "longest job"): (PLAIN_RULES + SLOWED_RULES, coallocation_longest_job),
    ("coallocation", "wide jobs"): (PLAIN_RULES + SLOWED_RULES, coallocation_wide_jobs),
    ("mosp", "area"): (PLAIN_RULES, mosp_area),
    ("mosp", "dual feasible functions"): (PLAIN_RULES, mosp_dual_feasible),
    ("mosp", "gaps"): (PLAIN_RULES, mosp_gaps),
    ("mosp", "high jobs"): (PLAIN_RULES, mosp_high_jobs),
    ("mosp", "k-longest"): (PLAIN_RULES, mosp_k_longest),
    ("mosp", "longest job"): (PLAIN_RULES, mosp_longest_job),
    ("mosp", "paper LB"): (PLAIN_RULES, mosp_paper),
}
# The same for bounds with certificates: (instance, certificate) -> proven value in the instance's time unit.
CERTIFIED_BOUNDS: dict[tuple[str, str], tuple[tuple[str, ...], Callable[[Any, Any], Fraction]]] = {
    ("coallocation", "configurations"): (PLAIN_RULES + SLOWED_RULES, check_coallocation_configurations),
    ("coallocation", "search log"): (PLAIN_RULES + SLOWED_RULES, check_coallocation_search_log),
    ("coallocation", "shared links"): (SLOWED_RULES, check_coallocation_shared_links),
    ("coallocation", "windows"): (PLAIN_RULES + SLOWED_RULES, check_coallocation_windows),
    ("mosp", "cluster sets"): (PLAIN_RULES, check_mosp_cluster_sets),
    ("mosp", "configurations"): (PLAIN_RULES, check_mosp_configurations),
    ("mosp", "pair tree"): (PLAIN_RULES, check_mosp_pair_tree),
    ("mosp", "partitions"): (PLAIN_RULES, check_mosp_partitions),
    ("mosp", "set tree"): (PLAIN_RULES, check_mosp_set_tree),
    ("mosp", "start tree"): (PLAIN_RULES, check_mosp_start_tree),
    ("mosp", "two-dimensional"): (PLAIN_RULES, check_mosp_two_dimensional),
    ("mosp", "windows"): (PLAIN_RULES, check_mosp_windows),
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
    problem, variant = ("mosp", "mosp") if isinstance(instance, MospInstance) else ("coallocation", instance.variant)
    key = (problem, bound.name)
    if bound.certificate is None:
        return "it has no certificate"
    valid = SIMPLE_BOUNDS[key][0] if key in SIMPLE_BOUNDS else CERTIFIED_BOUNDS.get(key, ((), None))[0]
    if variant not in valid:
        return "there is no bound of this name for the instance's rules"
    try:
        if key in SIMPLE_BOUNDS:
            value = SIMPLE_BOUNDS[key][1](instance)
        else:
            value = CERTIFIED_BOUNDS[key][1](instance, bound.certificate)
    except TooCostly:
        raise
    except Refused as error:
        return str(error)
    proven = on_grid(value, instance.scaled().tick)
    return "" if bound.value <= proven else f"{proven} is proven"


def on_grid(value: Fraction, grid: Fraction) -> Fraction:
    """Return the least multiple of `grid` that is at least `value`; `value` itself if there is no grid, 0."""
    return -(-value // grid) * grid if grid else value
