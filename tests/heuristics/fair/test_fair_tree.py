"""FAIRTREE: Slurm's walk through a tree of accounts, its ties, and trees that are none."""

from __future__ import annotations

from fractions import Fraction as F
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given

from heuristics.fair.engine import run_policy
from heuristics.fair.fair_share import fair_share
from heuristics.fair.fair_tree import FairTree, Share, fair_tree
from heuristics.registry import find_method
from oas.core.errors import InputError
from oas.problems.fair.problem import FAIR
from tests.heuristics.fair.plain import ticks
from tests.heuristics.fair.test_engine import INSTANCES
from tests.heuristics.fair.test_fair_share import HALF_LIVES

if TYPE_CHECKING:
    from oas.problems.fair.instance import FairInstance

Node = Any
"""A number, or a list of pairs (shares, node)."""


@given(INSTANCES, HALF_LIVES)
def test_a_flat_tree_is_fair_share(instance: FairInstance, half_life: int | None) -> None:
    scaled = instance.scaled()
    every = list(range(scaled.organization_count))
    flat = run_policy(scaled, fair_share(half_life)).tolist()
    assert run_policy(scaled, fair_tree(half_life)).tolist() == flat
    assert run_policy(scaled, fair_tree(half_life, [every])).tolist() == flat
    assert run_policy(scaled, fair_tree(half_life, every[::-1])).tolist() == flat


def policy(tree: Node, usage: list[int]) -> FairTree:
    """A policy whose organizations have used so much, and run nothing."""
    made = FairTree(tree=tree)
    made.begin([1] * len(usage))
    for organization, used in enumerate(usage):
        made.started(0, organization, 0, 1)
        made.ended(used, organization, 0, 1)
    return made


def test_an_account_goes_before_what_is_in_it() -> None:
    """a and b are one account of 2 shares with usage 4, c has 1 share and usage 3: 2/4 > 1/3, but alone a is behind c.

    LF = S/U is (2/3)/(4/7) = 7/6 for the account, and (1/3)/(3/7) = 7/9 for c.
    """
    assert policy(([0, 1], 2), [4, 0, 3]).pick(0, (0, 2)) == 0
    assert policy((0, 1, 2), [4, 0, 3]).pick(0, (0, 2)) == 2
    assert policy(([0, 1], 2), [4, 0, 3]).pick(0, (0, 1, 2)) == 1
    assert policy((Share([0, 1], 1), Share(2, "7/10")), [4, 0, 3]).pick(0, (0, 2)) == 0
    assert policy((Share([0, 1], 1), Share(2, "4/5")), [4, 0, 3]).pick(0, (0, 2)) == 2


def test_an_organization_has_the_rank_of_the_first_of_an_account_of_its_level() -> None:
    """Organization 2 has the level of the account of 0 and 1, whose first is 1: 2 goes before 0, and ties with 1."""
    tied = policy(([0, 1], 2), [3, 1, 2])
    assert tied.pick(0, (0, 2)) == 2
    assert tied.pick(0, (1, 2)) == 1
    assert tied.pick(0, (0, 1, 2)) == 1


def test_accounts_of_one_level_are_merged() -> None:
    """Two accounts of equal usage: their members come by their own levels, not account by account."""
    merged = policy(([0, 1], [2, 3]), [4, 2, 3, 3])
    assert [merged.pick(0, one) for one in ((0, 1, 2, 3), (0, 2, 3), (0, 3), (0,))] == [1, 2, 3, 0]
    apart = policy(([0, 1], [2, 3]), [4, 2, 3, 4])
    assert [apart.pick(0, one) for one in ((0, 1, 2, 3), (0, 2, 3))] == [1, 0]


def test_without_usage_the_level_is_infinite() -> None:
    assert policy(([0, 1], Share(2, 99)), [0, 1, 1]).pick(0, (1, 2)) == 2
    assert policy(([0, 1], Share(2, 99)), [0, 1, 1]).pick(0, (0, 1)) == 0
    assert policy((Share(0, 1), Share([1, 2], 5)), [0, 0, 0]).pick(0, (1, 2)) == 1
    assert policy((Share(0, 1), Share([1, 2], 5)), [0, 0, 0]).pick(0, (0, 2)) == 0


def in_ranks(members: list[tuple[F, Node]], usage: list[int]) -> list[list[int]]:
    """The walk as Slurm's page has it, with every level a number: rank by rank, all organizations."""

    def used(node: Node) -> int:
        return usage[node] if isinstance(node, int) else sum(used(child) for _, child in node)

    def levels(account: list[tuple[F, Node]]) -> list[tuple[F | float, Node]]:
        total, shares = sum(used(node) for _, node in account), sum(share for share, _ in account)
        return [
            ((share / shares) / F(used(node), total) if used(node) else float("inf"), node) for share, node in account
        ]

    def walk(siblings: list[tuple[F | float, Node]]) -> list[list[int]]:
        ranks: list[list[int]] = []
        for level in sorted({one for one, _ in siblings}, reverse=True):
            tied = [node for one, node in siblings if one == level]
            below = walk([child for node in tied if isinstance(node, list) for child in levels(node)])
            users = [node for node in tied if isinstance(node, int)]
            ranks += [users + below[0], *below[1:]] if below else [users]
        return ranks

    return walk(levels(members))


def draw_tree(rng: Random) -> tuple[list[tuple[F, Node]], int]:
    """Draw a tree over organizations 0, 1, …, in any order, with few sorts of shares; and how many there are."""
    count = rng.randint(2, 6)
    nodes: list[Node] = rng.sample(range(count), count)
    shares = rng.choice(([1], [1], [1, 2], [F(1, 2), 1, 3]))
    for _ in range(rng.randint(0, 5)):
        size = rng.randint(1, max(1, len(nodes) - 1))
        nodes = [[(F(rng.choice(shares)), one) for one in nodes[:size]], *nodes[size:]]
        rng.shuffle(nodes)
    return [(F(rng.choice(shares)), one) for one in nodes], count


def given_as(members: list[tuple[F, Node]]) -> tuple[Share, ...]:
    return tuple(Share(node if isinstance(node, int) else given_as(node), share) for share, node in members)


@pytest.mark.parametrize("seed", range(4))
def test_picks_follow_the_ranks(seed: int) -> None:
    rng = Random(seed)
    for _ in range(500):
        members, count = draw_tree(rng)
        usage = [rng.randint(0, rng.choice((1, 3))) for _ in range(count)]
        waiting = sorted(rng.sample(range(count), rng.randint(1, count)))
        ranks = in_ranks(members, usage)
        assert sorted(one for rank in ranks for one in rank) == list(range(count))
        first = next(sorted(set(rank) & set(waiting)) for rank in ranks if set(rank) & set(waiting))
        assert policy(given_as(members), usage).pick(0, waiting) == first[0], (members, usage, waiting)


@given(INSTANCES, HALF_LIVES)
def test_it_runs_with_accounts(instance: FairInstance, half_life: int | None) -> None:
    """Accounts of one member change nothing."""
    scaled = instance.scaled()
    count = scaled.organization_count
    assume(count > 1)
    alone = [[[one]] for one in range(count)]
    assert (run_policy(scaled, fair_tree(half_life, alone)) == run_policy(scaled, fair_tree(half_life))).all()


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        ([0], "tree: organization 1 is not in it"),
        ([[0, 1], 1], "tree: organization 1 is more than once in it"),
        ([0, [1, 2]], "tree[1][1]: there are organizations 0 to 1 (got 2)"),
        ([0, -1], "tree[1]: there are organizations 0 to 1 (got -1)"),
        ([0, []], "tree[1]: must be the number of an organization, or a list of members (got [])"),
        ([0, "1"], "tree[1]: must be the number"),
        ([0, True], "tree[1]: must be the number"),
        ([0, 1.0], "tree[1]: must be the number"),
        ([0, Share(1, 0)], "tree[1].shares: a share must be above 0"),
        ([0, Share([Share(1, "x")], 1)], "tree[1][0].shares: not a number"),
    ],
)
def test_trees_that_are_none(tree: list[object], words: str) -> None:
    with pytest.raises(InputError) as caught:
        run_policy(ticks([1, 1], [(0, 0, 1), (1, 0, 1)], 3), fair_tree(tree=tree), name="mine")
    assert str(caught.value).startswith("policy mine.tree") and words in str(caught.value)


@pytest.mark.parametrize(
    ("name", "half_life", "tree"),
    [
        ("FairTree", None, None),
        ("FAIRTREE(60)", 60, None),
        ("fairtree(none; [[0, 1], 2])", None, ([0, 1], 2)),
    ],
)
def test_it_is_found_by_its_parameters(name: str, half_life: int | None, tree: tuple[object, ...] | None) -> None:
    made = find_method(name, FAIR).run.factory(0)  # type: ignore[attr-defined]
    assert isinstance(made, FairTree)
    assert (made._half_life, made._tree) == (half_life, tree)


@pytest.mark.parametrize("text", ["[[0, 1], 2", "0", '{"a": 1}', "[" * 100_000])
def test_names_with_trees_that_are_none(text: str) -> None:
    with pytest.raises(InputError, match="a tree is a list of organizations and lists"):
        find_method(f"FAIRTREE(none; {text})", FAIR)
