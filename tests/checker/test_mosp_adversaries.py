"""Certificates of MOSP made by adversaries: none proves more than the optimum, and broken rules are noticed."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.robustness.mosp_adversaries.__main__ import attempts
from benchmarks.robustness.mosp_adversaries.certificates import ADVERSARIES
from oas.checker import mosp_partitions, mosp_weighed
from oas.checker.brute_force import Enumeration
from oas.checker.mosp_partitions import Sharing
from oas.checker.mosp_simple import fekete_schepers, rounded_ends
from oas.checker.mosp_start_tree import StartTree
from oas.checker.proof_log import Atom, Bounds
from tests.slow import at_least, draws

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest import MonkeyPatch

    from oas.checker.mosp_possible_sets import PossibleSets

COUNTS = (
    dict.fromkeys(ADVERSARIES, 240)
    | dict.fromkeys(("simple bounds", "configurations", "two-dimensional"), 600)
    | {"start tree": 600}
)


@pytest.mark.parametrize("name", ADVERSARIES)
def test_no_certificate_proves_more_than_the_optimum(name: str) -> None:
    made = list(islice(attempts(name, 1), draws(COUNTS[name])))
    assert not [one for one in made if one.is_false]
    assert sum(one.proven > 0 for one in made) > at_least(12)


def test_dual_feasible_functions_are_superadditive() -> None:
    for size in range(1, 15):
        functions = [[rounded_ends(size, e, q) for q in range(size + 1)] for e in range(1, size // 2 + 1)]
        functions += [[fekete_schepers(size, k, q) for q in range(size + 1)] for k in range(1, 20)]
        for row in functions:
            assert row[0] == 0
            assert all(row[a] + row[b] <= row[a + b] for a in range(size + 1) for b in range(size + 1 - a))


def too_small(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function for weights of which the greatest is replaced by 0."""

    def changed(weights: list[int], *others: Any) -> Any:
        at = weights.index(max(weights))
        return function([*weights[:at], 0, *weights[at + 1 :]], *others)

    return changed


def lighter_set(sets: PossibleSets, weights: Any, heaviest: Any = mosp_partitions.heaviest_cluster_set) -> int:
    """Return the maximum weight of a set, reduced by 1."""
    return max(0, heaviest(sets, weights) - 1)


def ignore_releases(self: StartTree, waiting: list[int], since: list[int], idle: int, moment: int) -> bool:
    """Apply the rule about holes as if all jobs were released."""
    jobs = [(self.jobs[job], since[self._kind[job]]) for job in waiting]
    return any(job.width <= idle and begin + job.time <= moment for job, begin in jobs)


def one_too_far(bounds: Bounds, job: int, *, upper: bool, push: Any = Bounds.push) -> Atom:
    """Push the earliest start of a job, if at all, by one moment too many."""
    atom: Atom = push(bounds, job, upper=upper)
    return atom if upper or atom.moment == bounds.low[job] else atom._replace(moment=atom.moment + 1)


FAULTS: dict[str, Callable[[MonkeyPatch], None]] = {  # name of an adversary, perhaps followed by the part of its bound
    "configurations": lambda patch: patch.setattr(
        mosp_weighed, "heaviest_side_by_side", too_small(mosp_weighed.heaviest_side_by_side)
    ),
    "two-dimensional": lambda patch: patch.setattr(
        mosp_weighed, "heaviest_in_turn", too_small(mosp_weighed.heaviest_in_turn)
    ),
    "partitions, weights": lambda patch: patch.setattr(mosp_partitions, "heaviest_cluster_set", lighter_set),
    "partitions": lambda patch: patch.setattr(
        Sharing, "_has_room", lambda self, cluster, members, rest: bool(rest) and len(self.clusters) > cluster + 1
    ),
    "proof log": lambda patch: patch.setattr(Bounds, "push", one_too_far),
    "start tree": lambda patch: patch.setattr(StartTree, "leaves_a_hole", ignore_releases),
    "enumeration": lambda patch: patch.setattr(Enumeration, "_usage", lambda *_: None),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_broken_rule_is_noticed(name: str, monkeypatch: MonkeyPatch) -> None:
    FAULTS[name](monkeypatch)
    assert any(one.is_false for one in islice(attempts(name.split(",")[0], 0), 400))
