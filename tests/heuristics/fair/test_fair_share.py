"""FAIRSHARE: usage that decays, against shares; FAIRTREE: Slurm's walk through a tree of accounts."""

from fractions import Fraction as F
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heuristics.fair.fair_share import fair_share
from heuristics.fair.fair_tree import DecayedUsage, FairTree, Share, fair_tree
from oas.core.errors import InputError
from oas.core.registry import FAIR
from oas.fair.search.engine import run_policy
from oas.fair.search.policy import PolicyError
from oas.solving.methods import find_method
from tests.heuristics.fair.plain import PlainShare, stepped, ticks
from tests.heuristics.fair.test_policies import INSTANCES

HALF_LIVES = st.none() | st.integers(1, 12)
SHARES = st.lists(st.fractions(F(1, 3), 4, max_denominator=6), min_size=4, max_size=4)


@given(INSTANCES, HALF_LIVES, st.none() | SHARES)
def test_it_is_the_sum_over_units(instance, half_life, shares):
    scaled = instance.scaled()
    own = None if shares is None else shares[: scaled.organization_count]
    plain = PlainShare(half_life=half_life, shares=own)
    assert run_policy(scaled, fair_share(half_life, own)).tolist() == stepped(scaled, plain)


def test_thousands_of_half_lives_stay_exact():
    usage = DecayedUsage(1)
    usage.begin([1, 1])
    usage.started(0, 0, 0, 1)
    usage.ended(5000, 0, 0, 1)
    usage.started(5000, 1, 1, 1)
    assert [usage.usage_at(5000, [0]), usage.usage_at(5000, [1])] == [2**5000 - 1, 0]
    assert [usage.usage_at(5001, [0]), usage.usage_at(5001, [1])] == [2**5000 - 1, 2**5000]


@pytest.mark.parametrize("name", ["FAIRSHARE(1)", "FAIRTREE(1)"])
def test_more_half_lives_than_memory_can_hold_are_refused(name):
    """A file of a few lines may name times of 10^10 ticks: usage would take a bit for each half-life."""
    jobs = [(0, 0, 8 * 10**9), (1, 0, 8 * 10**9), (0, 0, 1), (1, 0, 1)]
    with pytest.raises(PolicyError, match=r"at moment 8000000000: 8,.* more than 1,048,576 half-lives of 1; choose"):
        find_method(name, FAIR).run.starts(ticks([1, 1], jobs, 10**11), seed=0)


@pytest.mark.parametrize(
    ("half_life", "shares", "words"),
    [
        (0, None, "half-life: must be at least 1 (got 0)"),
        (2.5, None, "half-life: must be an integer"),
        (None, [1, 0], "shares[1]: a share must be above 0 (got '0')"),
        (None, [1, 0.5], "shares[1]: a float may be rounded"),
    ],
)
def test_what_makes_no_sense(half_life, shares, words):
    with pytest.raises(InputError) as caught:
        fair_share(half_life, shares)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("FAIRSHARE(0)", "heuristic.half-life: must be at least 1"),
        ("FAIRSHARE(week)", "heuristic: a half-life is a whole number of ticks"),
        ("FAIRSHARE()", "heuristic: a half-life is a whole number of ticks"),
        (f"FAIRSHARE({'9' * 19})", "at most 18 digits"),
        ("FAIRSHARE(5;)", "nothing follows the semicolon"),
        ("FAIRSHARE(5; 1, x)", "heuristic.shares[1]: not a number"),
        ("FAIRSHARE(5; -1)", "a share must be above 0"),
    ],
)
def test_names_that_make_no_sense(name, words):
    with pytest.raises(InputError) as caught:
        find_method(name, FAIR)
    assert words in str(caught.value)


@given(INSTANCES, HALF_LIVES)
def test_a_flat_tree_is_fair_share(instance, half_life):
    scaled = instance.scaled()
    every = list(range(scaled.organization_count))
    flat = run_policy(scaled, fair_share(half_life)).tolist()
    assert run_policy(scaled, fair_tree(half_life, [every])).tolist() == flat
    assert run_policy(scaled, fair_tree(half_life, every[::-1])).tolist() == flat


def policy(tree, usage):
    """Return a policy whose organizations have this usage and no running jobs."""
    made = FairTree(tree=tree)
    made.begin([1] * len(usage))
    for organization, used in enumerate(usage):
        made.started(0, organization, 0, 1)
        made.ended(used, organization, 0, 1)
    return made


def test_an_account_goes_before_what_is_in_it():
    """a and b are one account of 2 shares with usage 4, c has 1 share and usage 3: 2/4 > 1/3, but alone a is behind c.

    LF = S/U is (2/3)/(4/7) = 7/6 for the account, and (1/3)/(3/7) = 7/9 for c.
    """
    assert policy(([0, 1], 2), [4, 0, 3]).pick(0, (0, 2)) == 0
    assert policy((0, 1, 2), [4, 0, 3]).pick(0, (0, 2)) == 2
    assert policy(([0, 1], 2), [4, 0, 3]).pick(0, (0, 1, 2)) == 1
    assert policy((Share([0, 1], 1), Share(2, "7/10")), [4, 0, 3]).pick(0, (0, 2)) == 0
    assert policy((Share([0, 1], 1), Share(2, "4/5")), [4, 0, 3]).pick(0, (0, 2)) == 2


def in_ranks(members, usage):
    """The walk as Slurm's page has it, with every level a number: rank by rank, all organizations."""

    def used(node):
        return usage[node] if isinstance(node, int) else sum(used(child) for _, child in node)

    def levels(account):
        total, shares = sum(used(node) for _, node in account), sum(share for share, _ in account)
        return [
            ((share / shares) / F(used(node), total) if used(node) else float("inf"), node) for share, node in account
        ]

    def walk(siblings):
        ranks = []
        for level in sorted({one for one, _ in siblings}, reverse=True):
            tied = [node for one, node in siblings if one == level]
            below = walk([child for node in tied if isinstance(node, list) for child in levels(node)])
            users = [node for node in tied if isinstance(node, int)]
            ranks += [users + below[0], *below[1:]] if below else [users]
        return ranks

    return walk(levels(members))


def draw_tree(rng):
    """Draw a tree over organizations 0, 1, …, in any order, with few sorts of shares; and how many there are."""
    count = rng.randint(2, 6)
    nodes = rng.sample(range(count), count)
    shares = rng.choice(([1], [1], [1, 2], [F(1, 2), 1, 3]))
    for _ in range(rng.randint(0, 5)):
        size = rng.randint(1, max(1, len(nodes) - 1))
        nodes = [[(F(rng.choice(shares)), one) for one in nodes[:size]], *nodes[size:]]
        rng.shuffle(nodes)
    return [(F(rng.choice(shares)), one) for one in nodes], count


def given_as(members):
    return tuple(Share(node if isinstance(node, int) else given_as(node), share) for share, node in members)


@pytest.mark.parametrize("seed", range(2))
def test_picks_follow_the_ranks(seed):
    rng = Random(seed)
    for _ in range(500):
        members, count = draw_tree(rng)
        usage = [rng.randint(0, rng.choice((1, 3))) for _ in range(count)]
        waiting = sorted(rng.sample(range(count), rng.randint(1, count)))
        ranks = in_ranks(members, usage)
        assert sorted(one for rank in ranks for one in rank) == list(range(count))
        first = next(sorted(set(rank) & set(waiting)) for rank in ranks if set(rank) & set(waiting))
        assert policy(given_as(members), usage).pick(0, waiting) == first[0], (members, usage, waiting)


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        ([0], "tree: organization 1 is not in it"),
        ([[0, 1], 1], "tree: organization 1 is more than once in it"),
        ([0, [1, 2]], "tree[1][1]: there are organizations 0 to 1 (got 2)"),
        ([0, -1], "tree[1]: there are organizations 0 to 1 (got -1)"),
        ([0, []], "tree[1]: must be the number of an organization, or a list of members (got [])"),
        ([0, True], "tree[1]: must be the number"),
        ([0, 1.0], "tree[1]: must be the number"),
        ([0, Share(1, 0)], "tree[1].shares: a share must be above 0"),
        ([0, Share([Share(1, "x")], 1)], "tree[1][0].shares: not a number"),
    ],
)
def test_trees_that_are_none(tree, words):
    with pytest.raises(InputError) as caught:
        run_policy(ticks([1, 1], [(0, 0, 1), (1, 0, 1)], 3), fair_tree(tree=tree), name="mine")
    assert str(caught.value).startswith("policy mine.tree") and words in str(caught.value)
