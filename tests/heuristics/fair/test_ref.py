"""REF against Algorithm 1 moment by moment, in all coalitions; what its paper states; what it refuses."""

from fractions import Fraction as F
from itertools import combinations_with_replacement, product
from math import isqrt, lcm

import numpy as np
import pytest

from heuristics.fair import coalition_kernels as kernels
from heuristics.fair import coalitions
from heuristics.fair.coalitions import CoalitionRun
from heuristics.fair.engine import run_policy
from heuristics.fair.ref import reference, reference_rule
from oas.core.errors import InputError, TooLargeError
from oas.generate.fair import not_supermodular, orderings_below, orderings_read, random_instance, subset_sum_ticks
from oas.problems.fair.stream_rules import ticks_violations
from oas.problems.fair.ticks import FairTicks
from oas.problems.fair.utilities import strategy_proof_over_time
from tests.heuristics.fair.plain import ByLot, PlainReference, shapley
from tests.heuristics.fair.plain import ticks as ticks_of
from tests.slow import every_fourth_quick


def bits(coalition):
    return sum(1 << u for u in coalition)


def members(mask):
    return frozenset(u for u in range(mask.bit_length()) if mask >> u & 1)


def alone(ticks, coalition):
    """The coalition's organizations and jobs, and which jobs these are."""
    own = np.isin(ticks.owner, sorted(coalition))
    numbers = np.array([sorted(coalition).index(u) if u in coalition else -1 for u in range(ticks.organization_count)])
    columns = (numbers[ticks.owner[own]], ticks.release[own], ticks.time[own], ticks.width[own])
    return FairTicks(ticks.machines[sorted(coalition)], *columns, ticks.horizon), own


def busy(seed, organizations, jobs, load=1.0, *, wide=False, mean=20.0):
    """Many jobs of few organizations of one to four processors; mostly too much for them."""
    draw = np.random.default_rng(seed)
    machines = draw.integers(1, 5, organizations)
    owner = draw.integers(0, organizations, jobs)
    time = 1 + draw.exponential(mean, jobs).astype(int)
    width = 1 + (draw.integers(0, 4, jobs) % machines[owner] if wide else 0 * owner)
    span = max(1, int((time * width).sum() / machines.sum() / load))
    release = np.sort(draw.integers(0, span, jobs))
    order = np.lexsort((owner, release))
    return FairTicks(machines, owner[order], release, time[order], width[order], span + span // 4)


def same(one, other):
    assert one.starts.tolist() == other.starts.tolist()
    assert one.values.tolist() == other.values.tolist()
    assert (one.contributions, one.utilities) == (other.contributions, other.utilities)
    assert one.decisions == other.decisions and one.contended == other.contended


@pytest.mark.parametrize("first", every_fourth_quick(range(0, 260, 10)))
def test_it_is_algorithm_1(first):
    """Starts, v and ψ of every coalition, φ, and every contended decision of all together with its margin."""
    for seed in range(first, first + 10):
        ticks = random_instance(seed, max_processors=2 + seed % 2).scaled()
        plain = PlainReference(ticks)
        moments = range(ticks.horizon + 1)
        run = reference(ticks, moments, compiled=bool(seed % 3))
        assert run.starts.tolist() == plain.runs[plain.everyone].row()
        assert run.contended == plain.contended and 0 <= run.settled <= run.contended
        assert run.stride == 1
        assert [(one.job, one.chosen, one.rival, one.margin) for one in run.decisions] == plain.decisions
        everyone = sorted(plain.everyone)
        for moment in moments:
            values = plain.values(moment)
            contributions = shapley(values, plain.everyone)
            assert run.contributions_at[moment] == tuple(contributions[u] for u in everyone)
            assert run.utilities_at[moment] == tuple(plain.runs[plain.everyone].psi(u, moment) for u in everyone)
        assert {one: int(run.values[bits(one)]) for one in values} == values
        assert (run.utilities, run.contributions) == (run.utilities_at[-1], run.contributions_at[-1])
        for coalition, expected in plain.runs.items():
            own, jobs = alone(ticks, coalition)
            found = reference(own, compiled=False)
            assert found.starts.tolist() == np.array(expected.row())[jobs].tolist()
            assert found.utilities == tuple(expected.psi(u, ticks.horizon) for u in sorted(coalition))


def test_every_pick_is_one_of_algorithm_1():
    """Algorithm 2's pick is among those with the least distance (line 14)."""
    plain = [PlainReference(random_instance(seed, wide=False).scaled()) for seed in range(60)]
    assert sum(one.contended for one in plain) > 300
    assert all(not one.off for one in plain)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_plain_and_compiled_loops_agree(seed, wide):
    ticks = busy(seed, 5, 120, wide=wide)
    one, other = (reference(ticks, [0, 7, ticks.horizon // 2], compiled=value) for value in (False, True))
    same(one, other)
    assert one.contributions_at == other.contributions_at
    assert not ticks_violations(ticks, one.starts)


@pytest.mark.parametrize("target", [1, 400])
def test_chunks_do_not_matter(monkeypatch, target):
    """With long chunks an old φ leaves more open, and that is decided exactly."""
    ticks = busy(5, 6, 400, 1.2, wide=True)
    usual = reference(ticks, compiled=True)
    monkeypatch.setattr(coalitions, "TARGET", target)
    found = reference(ticks, compiled=True)
    same(usual, found)
    exact = found.contended - found.settled
    assert exact > 100 if target >= 400 else exact < found.contended / 3


@pytest.mark.slow
def test_gaps_that_are_cut_change_nothing(monkeypatch):
    """Organizations that only lend processors for long get far above the others: in more than one number may hold."""
    jobs = [(u, 5000 * n, 12_500) for n in range(300) for u in (0, 1)]
    jobs += [(u, 1_500_000 + 2500 * n, 10_000 + u) for n in range(60) for u in range(5)]
    ticks = ticks_of([1, 1, 2, 1, 3], jobs, 2_000_000)
    usual = reference(ticks, compiled=True)
    assert len(set(usual.starts[-300:].tolist())) > 100
    for name, value in {"CHUNK_MOST": 2**32, "FAR": 1, "CUT": 2**41}.items():
        monkeypatch.setattr(coalitions, name, value)
    same(usual, reference(ticks, compiled=True))
    run = CoalitionRun(ticks, reference_rule(5), compiled=True)
    run.up_to(1_500_000)
    high = run.game.members[-1, :, kernels.HIGH]
    assert high.max() - high.min() > 5 * coalitions.FAR


def scaled_up(ticks, factor):
    return FairTicks(
        ticks.machines, ticks.owner, ticks.release * factor, ticks.time * factor, ticks.width, ticks.horizon * factor
    )


class TestLargeNumbers:
    def test_beyond_64_bits_it_is_exact(self):
        """With times of 2^40 and more ψ passes 2^63; one job and an organization without any are done by hand."""
        long = 2**40
        ticks = ticks_of([1, 2], [(0, 5, 3 * long)], 4 * long)
        run = reference(ticks)
        d = 4 * long - 5
        worth = d * (d + 1) // 2 - (d - 3 * long) * (d - 3 * long + 1) // 2
        assert worth > 2**63
        assert run.utilities == (worth, 0) and run.contributions == (F(worth), F(0))
        assert run.values.tolist() == [0, worth, 0, worth]

    def test_too_much_for_python_integers_is_refused(self):
        ticks = scaled_up(busy(1, 12, 2000), 2**30)
        with pytest.raises(TooLargeError, match=r"may pass 64 bits.*v may reach .*e\+.*4,096,000 starts are too many"):
            reference(ticks)

    @pytest.mark.parametrize("k", [3, 4])
    def test_near_the_bound_nothing_wraps(self, k):
        """The longest times that are run on 64 bits: the same as in Python integers."""
        draw = np.random.default_rng(k)
        machines = draw.integers(1, 3, k).tolist()
        total = sum(machines)
        drift = coalitions.CHUNK_MOST // (4 * lcm(*range(1, k + 1)) * total)
        horizon = min(drift, isqrt(2 * coalitions.LARGEST // total) - 2)
        columns = draw.integers(k, size=40), draw.integers(horizon, size=40), draw.integers(1, horizon // 4, 40)
        jobs = sorted(zip(*(column.tolist() for column in columns), strict=True), key=lambda job: (job[1], job[0]))
        ticks = ticks_of(machines, jobs, horizon)
        assert CoalitionRun(ticks, reference_rule(k), compiled=True).game.rows.dtype == np.int64
        same(reference(ticks, compiled=True), reference(ticks, compiled=False))
        longer = ticks_of(machines, jobs, horizon + 10)
        assert CoalitionRun(longer, reference_rule(k), compiled=True).game.rows.dtype == object


class TestRefused:
    def test_more_than_20_organizations_with_their_cost(self):
        ticks = ticks_of([1] * 21, [(0, 0, 1)] * 1000, 5)
        with pytest.raises(
            InputError, match=r"at most 20: REF schedules each of the 2\^21 - 1 coalitions, at most 1.0e\+09"
        ):
            reference(ticks)

    def test_too_much_memory(self):
        ticks = busy(1, 10, 50)
        with pytest.raises(
            TooLargeError, match=r"schedules of 1,024 coalitions take [0-9,]+ bytes; the limit is 100,000"
        ):
            reference(ticks, memory_limit=100_000)

    def test_memory_that_grows_too_much(self, monkeypatch):
        monkeypatch.setattr(coalitions, "TARGET", 10**6)
        monkeypatch.setattr(coalitions, "ENTRIES", 0)
        ticks = busy(2, 4, 300)
        with pytest.raises(TooLargeError, match="the limit is 1") as small:
            reference(ticks, memory_limit=1)
        enough = int(str(small.value).partition("take ")[2].partition(" bytes")[0].replace(",", ""))
        with pytest.raises(TooLargeError, match=f"the limit is {enough + 99:,}"):
            reference(ticks, memory_limit=enough + 99)
        assert reference(ticks, memory_limit=10 * enough).contended > 0

    @pytest.mark.parametrize(
        ("moments", "reason"), [([-1], "at least 0"), ([31], "after the horizon, 30"), ([0.5], "integer")]
    )
    def test_moments(self, moments, reason):
        with pytest.raises(InputError, match=reason):
            reference(ticks_of([1], [(0, 0, 1)], 30), moments)


@pytest.mark.parametrize("compiled", [False, True])
def test_progress_and_interruption(compiled):
    """What is reached ascends to the horizon; whatever the callback raises ends the run."""
    ticks, seen = busy(3, 4, 200), []
    usual = reference(ticks, compiled=compiled, on_progress=seen.append)
    assert seen == sorted(seen) and seen[-1] == ticks.horizon

    def interrupt(moment):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reference(ticks, compiled=compiled, on_progress=interrupt)
    same(usual, reference(ticks, compiled=compiled))


NUMBERS = [*combinations_with_replacement((1, 2, 3, 5), 2), *((n,) for n in (1, 2, 3, 5)), (1, 2, 4), (2, 3, 3)]
REDUCTIONS = [(numbers, bound) for numbers, bound in product(NUMBERS, range(1, 5)) if bound <= sum(numbers)]


@pytest.mark.parametrize("first", every_fourth_quick(range(0, 100, 25)))
def test_with_unit_jobs_any_greedy_schedule_gives_the_same_value(first):
    """Proposition 5.4, of every coalition at every moment: REF against picks by lot."""
    for seed in range(first, first + 25):
        ticks = random_instance(seed, unit=True, wide=False, max_jobs=8).scaled()
        moments = range(ticks.horizon + 1)
        for mask in range(1, 1 << ticks.organization_count):
            own, _ = alone(ticks, members(mask))
            run = reference(own, moments)
            by_lot = strategy_proof_over_time(own, run_policy(own, ByLot, seed), np.array(moments))
            assert [sum(row) for row in run.utilities_at] == by_lot.sum(axis=0).tolist()


def test_the_game_is_not_supermodular():
    """Proposition 5.5, a, b, c as bits 0, 1, 2."""
    values = reference(not_supermodular()).values
    assert [int(values[mask]) for mask in (0b101, 0b110, 0b111, 0b100)] == [4, 4, 7, 0]


@pytest.mark.parametrize(("numbers", "bound"), every_fourth_quick(REDUCTIONS))
def test_contributions_tell_subset_sums(numbers, bound):
    """Theorem 5.1: the contribution of *a* counts the sets of numbers whose sum is below x."""
    ticks, large = subset_sum_ticks(numbers, bound)
    contribution = reference(ticks).contributions[len(numbers)]
    assert orderings_read(contribution, numbers, large) == orderings_below(numbers, bound)


def test_the_reduction_as_printed_fails_on_some():
    wrong = []
    tried = [*REDUCTIONS[::4], ((3, 5), 2)]
    for numbers, bound in tried:
        ticks, large = subset_sum_ticks(numbers, bound, repaired=False)
        contribution = reference(ticks).contributions[len(numbers)]
        if orderings_read(contribution, numbers, large) != orderings_below(numbers, bound):
            wrong.append((numbers, bound))
    assert ((3, 5), 2) in wrong and len(wrong) < len(tried)
