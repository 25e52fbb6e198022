"""REF and its certificate against Algorithm 1 moment by moment, RAND against Algorithm 3; what is refused."""

from dataclasses import replace
from fractions import Fraction as F
from math import isqrt, lcm

import numpy as np
import pytest

from heuristics.fair.coalition_methods import METHOD
from oas.core.errors import InputError, TooLargeError, VerificationError
from oas.core.registry import FAIR
from oas.core.schedule import Schedule
from oas.fair.generate import random_instance
from oas.fair.search import certificate as certificates
from oas.fair.search import coalition_kernels as kernels
from oas.fair.search import coalitions
from oas.fair.search.certificate import Decision, ReferenceCertificate, confirm, recompute, verify_reference
from oas.fair.search.coalitions import CoalitionRun
from oas.fair.search.reference import reference, reference_rule
from oas.fair.search.sampling import random_orderings, sampled_starts
from oas.fair.stream_rules import ticks_violations
from oas.fair.ticks import FairTicks
from oas.solving.methods import find_method
from tests.heuristics.fair.plain import PlainReference, plain_sampled, shapley
from tests.heuristics.fair.plain import ticks as ticks_of
from tests.slow import every_fourth_quick, mostly_slow


def bits(coalition):
    return sum(1 << u for u in coalition)


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
    """Reported moments ascend to the horizon; an exception in the callback ends the run."""
    ticks, seen = busy(3, 4, 200), []
    usual = reference(ticks, compiled=compiled, on_progress=seen.append)
    assert seen == sorted(seen) and seen[-1] == ticks.horizon

    def interrupt(moment):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reference(ticks, compiled=compiled, on_progress=interrupt)
    same(usual, reference(ticks, compiled=compiled))


TICKS = busy(11, 4, 150, 1.2, wide=True)


@pytest.fixture(scope="module")
def run():
    return reference(TICKS)


@pytest.mark.parametrize("first", every_fourth_quick(range(0, 120, 10)))
def test_the_second_algorithm_is_algorithm_1(first):
    for seed in range(first, first + 10):
        ticks = random_instance(seed).scaled()
        plain = PlainReference(ticks)
        values = {bits(one): value for one, value in plain.values(ticks.horizon).items()}
        for compiled in (False, True):
            starts, found, decisions = recompute(ticks, 1, compiled=compiled)
            assert starts == plain.runs[plain.everyone].row()
            assert dict(enumerate(found)) == values
            assert decisions == [Decision(*one) for one in plain.decisions]


@pytest.mark.parametrize("organizations", mostly_slow([6, 8], quick=[6]))
def test_a_large_run_passes(organizations):
    ticks = busy(3, organizations, 700, 1.1, wide=True, mean=300.0)
    seen = []
    found = reference(ticks)
    assert verify_reference(ticks, found.starts, found.certificate, on_progress=seen.append) == []
    assert seen == sorted(seen) and seen[-1] > ticks.horizon // 2


@pytest.mark.parametrize("seed", range(3))
def test_beyond_64_bits(seed):
    ticks = scaled_up(random_instance(seed, max_organizations=3).scaled(), 2**45 + 1)
    found = reference(ticks)
    assert verify_reference(ticks, found.starts, found.certificate) == []


def test_another_start(run):
    starts = run.starts.tolist()
    starts[7] += 1
    (found,) = verify_reference(TICKS, starts, run.certificate)
    assert found.rule == "reference" and found.jobs == ("7",)
    assert str(run.starts[7]) in found.message
    (found,) = verify_reference(TICKS, starts[:-1], run.certificate)
    assert found.rule == "reference" and "149, and must be 150" in found.message


@pytest.mark.parametrize("coalition", [0, 1, 6, 15])
def test_another_value(run, coalition):
    values = list(run.certificate.values)
    values[coalition] += 1
    (found,) = verify_reference(TICKS, run.starts, replace(run.certificate, values=tuple(values)))
    assert found.rule == "value" and f"({coalition})" in found.message
    (found,) = verify_reference(TICKS, run.starts, replace(run.certificate, values=tuple(values[:15])))
    assert found.rule == "value"


@pytest.mark.parametrize("change", [{"margin": F(1, 12)}, {"rival": 9}, {"chosen": 9}, {"job": 9000}])
def test_another_decision(run, change):
    decisions = list(run.decisions)
    before = decisions[20]
    decisions[20] = replace(before, **{name: getattr(before, name) + value for name, value in change.items()})
    (found,) = verify_reference(TICKS, run.starts, replace(run.certificate, decisions=tuple(decisions)))
    assert found.rule == "margin" and "(20)" in found.message


def test_decisions_left_out(run):
    for decisions in (run.decisions[1:], (), run.decisions[:-1]):
        (found,) = verify_reference(TICKS, run.starts, replace(run.certificate, decisions=decisions))
        assert found.rule == "margin"
    for stride in (2, 0, -1):
        assert verify_reference(TICKS, run.starts, replace(run.certificate, stride=stride))[0].rule == "margin"


@pytest.mark.parametrize("compiled", [False, True])
def test_a_stride_beyond_64_bits_records_one_decision(compiled):
    if compiled:  # in plain Python any stride is possible
        certificates.kernels.proceed.compiled(
            certificates._arrays(TICKS, 1, certificates.potential_weights(4)[1], np.int64), 0, 1, 12, 1
        )
    assert recompute(TICKS, 2**70, compiled=compiled)[2] == recompute(TICKS, 1, compiled=False)[2][:1]


def test_what_is_too_large_is_refused(monkeypatch):
    ticks = scaled_up(busy(1, 12, 1500), 2**28)
    with pytest.raises(TooLargeError, match=r"numbers may reach .*e\+.*3,072,000 starts are too many"):
        recompute(ticks, 1)
    monkeypatch.setattr(certificates, "ROWS_MOST", 1000)
    with pytest.raises(TooLargeError, match="the limit is 1,000"):
        recompute(TICKS, 1)


def certified(**changes):
    """Return REF's schedule of an instance, its certificate changed."""
    schedule = METHOD(INSTANCE)
    return Schedule(schedule.placements, schedule.method, {**(schedule.certificate or {}), **changes})


INSTANCE = random_instance(4)


def test_a_schedule_carries_its_certificate():
    run = reference(INSTANCE.scaled())
    schedule = certified()
    assert schedule == METHOD(INSTANCE) and schedule.certificate is not None
    assert ReferenceCertificate.from_data(schedule.certificate) == run.certificate
    values, decisions = len(run.certificate.values), len(run.decisions)
    assert decisions > 0 and confirm(INSTANCE, schedule) == (
        f"REF: confirmed by a second algorithm, with v of all {values} coalitions"
        f" and the margins of {decisions} decisions"
    )
    with pytest.raises(VerificationError, match=r"does not hold:\n  \[margin\] noted decisions .*: there are 0"):
        confirm(INSTANCE, certified(decisions=[]))
    with pytest.raises(VerificationError, match=r"\[value\] coalitions have another v: there are 2, and must be "):
        confirm(INSTANCE, certified(values="0 1"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "RAND(3)"}, "certificate.method: of fair sharing, REF alone is confirmed"),
        ({"values": [1, 2]}, "certificate.values: must be whole numbers with blanks between"),
        ({"values": "1 2.5"}, "certificate.values: must be whole numbers with blanks between"),
        ({"values": "1" * 5000}, "certificate.values: must be whole numbers with blanks between"),
        ({"stride": 0}, "certificate.stride: must be at least 1"),
        ({"stride": "1"}, "certificate.stride: "),
        ({"decisions": {}}, "certificate.decisions: must be a list"),
        ({"decisions": [[1, 2, 3]]}, r"certificate.decisions\[0\]: must be job, organization, its best rival"),
        ({"decisions": [[1, 2, -3, "1/2"]]}, r"certificate.decisions\[0\]: must be at least 0"),
        ({"decisions": [[1, 2, 3, "half"]]}, r"certificate.decisions\[0\]: not a number"),
    ],
)
def test_a_certificate_that_cannot_be_read(changes, message):
    with pytest.raises(InputError, match=message):
        confirm(INSTANCE, certified(**changes))


@pytest.mark.parametrize("first", every_fourth_quick(range(0, 200, 20)))
def test_it_is_algorithm_3(first):
    """Few and many orderings, some of them twice; jobs of all times and widths."""
    for seed in range(first, first + 20):
        ticks = random_instance(seed).scaled()
        orderings = random_orderings(ticks.organization_count, 1 + seed % 6, seed)
        expected = plain_sampled(ticks, orderings)
        for compiled in (False, True):
            assert sampled_starts(ticks, orderings, compiled=compiled).tolist() == expected


@pytest.mark.slow
def test_large_and_compiled():
    """More organizations than REF takes, and than half a word has bits."""
    organizations = 62
    ticks = busy(3, organizations, 200, wide=True)
    orderings = random_orderings(organizations, 3, 1)
    starts = sampled_starts(ticks, orderings, compiled=True)
    assert starts.tolist() == sampled_starts(ticks, orderings, compiled=False).tolist()
    assert not ticks_violations(ticks, starts)


def test_beyond_64_bits_it_is_exact():
    """All times are longer by one factor."""
    for seed in range(5):
        ticks = scaled_up(random_instance(seed, max_organizations=3).scaled(), 2**50)
        starts = sampled_starts(ticks, random_orderings(ticks.organization_count, 3, seed))
        assert not ticks_violations(ticks, starts)
        assert set((starts[starts >= 0] % 2**50).tolist()) <= {0}


@pytest.mark.parametrize(
    ("organizations", "orderings", "words"),
    [
        (3, [(0, 1)], r"orderings\[0\]: must hold each of 3 organizations once"),
        (3, [(0, 1, 2), (0, 0, 1)], r"orderings\[1\]: must hold each of 3 organizations once"),
        (1, [], "at least one is needed"),
        (63, random_orderings(63, 1), "at most 62"),
    ],
)
def test_orderings_that_are_refused(organizations, orderings, words):
    with pytest.raises(InputError, match=words):
        sampled_starts(ticks_of([1] * organizations, [(0, 0, 1)], 3), orderings)


@pytest.mark.parametrize("name", ["RAND(0)", "RAND(-3)", "RAND(1/2)", "RAND(x)", "RAND()", "RAND(2000000)"])
def test_bad_numbers(name):
    with pytest.raises(InputError, match="heuristic"):
        find_method(name, FAIR)
