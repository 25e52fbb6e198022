"""FAIRSHARE: usage that decays, against shares."""

from __future__ import annotations

from fractions import Fraction as F
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heuristics.fair.decayed_usage import DecayedUsage
from heuristics.fair.engine import run_policy
from heuristics.fair.fair_share import FairShare, fair_share
from heuristics.fair.policy import PolicyError
from heuristics.registry import find_method
from oas.core.errors import InputError
from oas.problems.fair.problem import FAIR
from tests.heuristics.fair.plain import PlainShare, stepped, ticks
from tests.heuristics.fair.test_engine import INSTANCES

if TYPE_CHECKING:
    from oas.problems.fair.instance import FairInstance

HALF_LIVES = st.none() | st.integers(1, 12)
SHARES = st.lists(st.fractions(F(1, 3), 4, max_denominator=6), min_size=4, max_size=4)


@given(INSTANCES, HALF_LIVES, st.none() | SHARES)
def test_it_is_the_sum_over_units(instance: FairInstance, half_life: int | None, shares: list[F] | None) -> None:
    scaled = instance.scaled()
    own = None if shares is None else shares[: scaled.organization_count]
    plain = PlainShare(half_life=half_life, shares=own)
    assert run_policy(scaled, fair_share(half_life, own)).tolist() == stepped(scaled, plain)


@pytest.mark.parametrize(("half_life", "first"), [(None, 1), (4, 0), (3, 0), (20, 1)])
def test_old_usage_counts_less(half_life: int | None, first: int) -> None:
    """At 8 one processor comes free. a has used 6 units of [0, 4) and b 4 of [4, 8); with c they have equal shares.

    Half-life 4: 6 against 4·2. Half-life 3: 5 + 1·2 against 2·2 + 2·4. Half-life 20: as without.
    """
    jobs = [(0, 0, 4), (0, 0, 2), (2, 0, 99), (1, 4, 4), (2, 4, 99), (0, 7, 1), (1, 7, 1)]
    starts = run_policy(ticks([1, 1, 1], jobs, 60), fair_share(half_life)).tolist()
    assert starts[:5] == [0, 0, 0, 4, 4]
    assert starts[5:] == ([8, 9] if first == 0 else [9, 8])


def test_shares_are_processors_unless_given() -> None:
    """At 2 two processors come free. With the tick that begins a has used 2 units, and b 2 + 3 + 3.

    Shares 1 and 3: 2/1 < 8/3, so a starts; then 3/1 > 8/3, so b. At 3 likewise: 3/1 < 11/3, and 4/1 > 11/3. With 10
    shares to 1, a starts twice at 2.
    """
    jobs = [(0, 0, 2), (1, 0, 2), (1, 0, 9), (1, 0, 9), (0, 1, 1), (0, 1, 1), (1, 1, 1), (1, 1, 1)]
    scaled = ticks([1, 3], jobs, 40)
    assert run_policy(scaled, fair_share()).tolist() == [0, 0, 0, 0, 2, 3, 2, 3]
    assert run_policy(scaled, fair_share(shares=[F(1, 2), "0.05"])).tolist() == [0, 0, 0, 0, 2, 2, 3, 3]


def test_one_organization_does_not_get_all_that_is_idle_at_once() -> None:
    """What starts counts for the tick that begins: at 0 the two take turns, ties to the first."""
    jobs = [(0, 0, 3), (0, 0, 3), (1, 0, 3), (1, 0, 3)]
    assert run_policy(ticks([1, 1], jobs, 9), fair_share()).tolist() == [0, 3, 0, 3]


@given(st.integers(1, 9), st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), min_size=1), st.integers(0, 60))
def test_usage_is_the_weighted_sum_of_ticks(half_life: int, runs: list[tuple[int, int]], later: int) -> None:
    usage = DecayedUsage(1, half_life)
    events = sorted([(start, 2) for start, _ in runs] + [(start + time, -2) for start, time in runs])
    for moment, width in events:
        usage.started(moment, 0, width)
    until = events[-1][0] + later
    weights = [2 ** (tick // half_life) for start, time in runs for tick in range(start, start + time)]
    assert usage.at(until, [0]) == [2 * sum(weights)]


def test_thousands_of_half_lives_stay_exact() -> None:
    usage = DecayedUsage(2, 1)
    usage.started(0, 0, 1)
    usage.ended(5000, 0, 1)
    usage.started(5000, 1, 1)
    assert usage.at(5000, (0, 1)) == [2**5000 - 1, 0]
    assert usage.at(5001, (0, 1)) == [2**5000 - 1, 2**5000]


@pytest.mark.parametrize("name", ["FAIRSHARE(1)", "FAIRTREE(1)"])
def test_more_half_lives_than_memory_can_hold_are_refused(name: str) -> None:
    """A file of a few lines may name times of 10^10 ticks: usage would take a bit for each half-life."""
    jobs = [(0, 0, 8 * 10**9), (1, 0, 8 * 10**9), (0, 0, 1), (1, 0, 1)]
    factory = find_method(name, FAIR).run.factory  # type: ignore[attr-defined]
    with pytest.raises(PolicyError, match=r"at moment 8000000000: 8,.* more than 1,048,576 half-lives of 1; choose"):
        run_policy(ticks([1, 1], jobs, 10**11), factory)


@pytest.mark.parametrize(
    ("half_life", "shares", "words"),
    [
        (0, None, "half-life: must be at least 1 (got 0)"),
        (-3, None, "half-life: must be at least 1"),
        (2.5, None, "half-life: must be an integer"),
        (None, [1, 0], "shares[1]: a share must be above 0 (got '0')"),
        (None, [1, 0.5], "shares[1]: a float may be rounded"),
    ],
)
def test_what_makes_no_sense(half_life: int, shares: list[object], words: str) -> None:
    with pytest.raises(InputError) as caught:
        fair_share(half_life, shares)  # type: ignore[arg-type]
    assert words in str(caught.value)


def test_as_many_shares_as_organizations() -> None:
    with pytest.raises(InputError, match=r"policy mine.shares: must be 1, one for each organization \(got 2\)"):
        run_policy(ticks([1], [(0, 0, 1)], 3), fair_share(shares=[1, 2]), name="mine")


@pytest.mark.parametrize(
    ("name", "half_life", "shares"),
    [
        ("FAIRSHARE(604800)", 604800, None),
        ("fairshare ( none ; 1, 1/2 )", None, (1, F(1, 2))),
        ("FairShare(7; 0.25,3)", 7, (F(1, 4), 3)),
    ],
)
def test_it_is_found_by_its_parameters(name: str, half_life: int | None, shares: tuple[F, ...] | None) -> None:
    policy = find_method(name, FAIR).run.factory(0)  # type: ignore[attr-defined]
    assert isinstance(policy, FairShare)
    assert (policy._half_life, policy._shares) == (half_life, shares)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("FAIRSHARE(0)", "heuristic.half-life: must be at least 1"),
        ("FAIRSHARE(week)", "heuristic: a half-life is a whole number of ticks"),
        ("FAIRSHARE(1e3)", "heuristic: a half-life is a whole number of ticks"),
        ("FAIRSHARE()", "heuristic: a half-life is a whole number of ticks"),
        (f"FAIRSHARE({'9' * 19})", "at most 18 digits"),
        ("FAIRSHARE(5;)", "nothing follows the semicolon"),
        ("FAIRSHARE(5; 1, x)", "heuristic.shares[1]: not a number"),
        ("FAIRSHARE(5; 1,, 2)", "heuristic.shares[1]: not a number"),
        ("FAIRSHARE(5; -1)", "a share must be above 0"),
    ],
)
def test_names_that_make_no_sense(name: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        find_method(name, FAIR)
    assert words in str(caught.value)
