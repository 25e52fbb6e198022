"""The configuration bound: between the trivial bounds and the optimum, and what the program over all sets says."""

from dataclasses import replace
from fractions import Fraction as F
from math import ceil

import pytest

from oas.coallocation.bounds.configurations import configuration_bound, every_mode, job_modes, longest
from oas.coallocation.bounds.configurations.packing import Packing
from oas.coallocation.generate.section4 import section4
from oas.core.result import Termination
from oas.solvers.isolation.client import run
from oas.solvers.task import Limits, Settings, Task
from oas.solving.brute_force import brute_force
from oas.solving.lower_bound import best_bound
from oas.solving.recheck import recheck
from tests.coallocation.bounds.naive import subsets
from tests.coallocation.grids import INSTANCES, THREE, TWO_SPEEDS
from tests.slow import draws
from tests.solving.redirected import redirect

FAR = F(10**15)
FUNCTIONS = "tests.coallocation.bounds.configurations.worker_side"


def configurations(instance, whole):
    """The bound in ticks by a program that lists every configuration."""
    scaled = instance.scaled()
    modes, packing = job_modes(scaled), Packing(scaled)
    payload = (modes, [one for one in subsets(modes) if packing.fits(one)], whole)
    outcome = run(Task(f"{FUNCTIONS}:all_configurations", payload), Settings("highs"), Limits(60))
    assert outcome.termination is Termination.FINISHED and outcome.objective is not None
    return outcome.objective


def test_by_hand():
    three = configuration_bound(THREE, FAR)
    assert (three.bound.value, three.termination) == (8, Termination.FINISHED)
    assert configuration_bound(TWO_SPEEDS, FAR).bound.value == 4


def test_between_the_trivial_bounds_and_the_optimum():
    met = 0
    instances = INSTANCES[: draws(len(INSTANCES))]
    for instance in instances:
        optimum = brute_force(instance)[0]
        found = configuration_bound(instance, optimum)
        assert best_bound(instance).value <= max(found.bound.value, best_bound(instance).value) <= optimum
        assert found.bound.value <= optimum, instance.name
        assert recheck(instance, found.bound)
        met += found.bound.value == optimum
    assert met > len(instances) * 2 // 3, met


@pytest.mark.slow
def test_as_every_configuration_says(monkeypatch):
    branched = 0
    for instance in [*INSTANCES[::3], TWO_SPEEDS]:
        tick = instance.scaled().tick
        relaxed, whole = (configurations(instance, one) for one in (False, True))
        full = configuration_bound(instance, FAR)
        modes = job_modes(instance.scaled())
        least = longest(modes, every_mode(modes))
        assert full.bound.value / tick == max(least, ceil(whole - 1e-6)), instance.name
        for name, value in (("root_only", relaxed), ("many_jobs", relaxed)):
            with monkeypatch.context() as patch:
                redirect(patch, f"{FUNCTIONS}:{name}")
                found = configuration_bound(instance, FAR)
            assert found.bound.value / tick == max(least, ceil(value - 1e-6)), (instance.name, name)
            branched += name == "root_only" and found.bound.value < full.bound.value
    assert branched


def proven(scaled, dual):
    """What weights by level prove: the work by what the heaviest of all sets weighs, found by trying them."""
    modes, packing = job_modes(scaled), Packing(scaled)
    heaviest = max(sum(dual.weights[job][level] for job, level in one) for one in subsets(modes) if packing.fits(one))
    assert dual.whole == heaviest
    work = (min(mode.ticks * row[mode.level] for mode in own) for own, row in zip(modes, dual.weights, strict=True))
    return F(sum(work), dual.whole)


def test_alternative_weights_prove_as_much():
    found = 0
    for seed in range(6):
        instance = section4(seed=seed, jobs=7, slot_percent=10, bandwidth="tight" if seed % 2 else "std")
        scaled = instance.scaled()
        bound = configuration_bound(instance, FAR, alternatives=6)
        assert configuration_bound(instance, FAR).bound.value == bound.bound.value
        root, *others = (ceil(proven(scaled, one)) for one in bound.duals)
        assert all(one >= root for one in others)
        assert len(set(bound.duals)) == len(bound.duals) <= 7
        found += len(others)
    assert found > 6


@pytest.mark.parametrize("bandwidth", ["std", "tight"])
def test_without_slots(bandwidth):
    """Millions of ticks: the bound is still exact where it meets what every configuration says."""
    instance = section4(seed=0, jobs=8, bandwidth=bandwidth, slot_percent=0)
    found = configuration_bound(instance, FAR)
    whole = configurations(instance, True)
    assert abs(found.bound.value / instance.scaled().tick - whole) <= max(1, whole * 1e-6)
    assert recheck(instance, found.bound)


def test_it_stops_where_the_schedule_is():
    instance = section4(seed=0, jobs=16, slot_percent=0)
    full = configuration_bound(instance, FAR)
    easy = configuration_bound(instance, full.bound.value * F(9, 10))
    assert full.bound.value * F(9, 10) <= easy.bound.value < full.bound.value
    assert len(easy.bound.certificate["tree"]) < len(full.bound.certificate["tree"])


def test_wide_jobs_on_tight_links():
    """A bound that needs pairs of wide jobs refuted: with "maybe" for the hard ones it ended at 329."""
    instance = section4(seed=3, jobs=64, clusters=6, nodes=20, bandwidth="tight", slot_percent=25)
    found = configuration_bound(instance, 380 * instance.slot)
    assert found.termination is Termination.FINISHED
    assert found.bound.value >= 380 * instance.slot
    assert recheck(instance, found.bound)


def test_limits():
    instance = section4(seed=0, jobs=16, slot_percent=0)
    found = configuration_bound(instance, FAR)
    hurried = configuration_bound(instance, FAR, seconds=0.01)
    assert hurried.termination is Termination.TIME_LIMIT
    assert 0 < hurried.bound.value <= found.bound.value
    assert recheck(instance, hurried.bound)


@pytest.mark.slow
def test_a_lying_linear_program_cannot_make_a_wrong_bound(monkeypatch):
    redirect(monkeypatch, f"{FUNCTIONS}:lying")
    weaker = 0
    for instance in INSTANCES[::2]:
        optimum = brute_force(instance)[0]
        for upper in (optimum, FAR):
            found = configuration_bound(instance, upper, alternatives=2)
            assert found.termination is Termination.FINISHED
            for one in found.duals[1:]:
                assert proven(instance.scaled(), one) <= optimum / instance.scaled().tick
            assert 0 < found.bound.value <= optimum
            assert recheck(instance, found.bound)
        weaker += found.bound.value < optimum
    assert weaker > 5


def test_what_was_found_before_a_crash_is_kept(monkeypatch):
    redirect(monkeypatch, f"{FUNCTIONS}:broken")
    found = configuration_bound(THREE, FAR)
    assert (found.termination, found.bound.value) == (Termination.ERROR, 8)
    assert "ZeroDivisionError" in found.message


def test_a_search_that_is_cut_off_returns_the_bound_that_it_reported_last(monkeypatch):
    instance = section4(seed=0, jobs=16, slot_percent=0)
    full = configuration_bound(instance, FAR)
    redirect(monkeypatch, f"{FUNCTIONS}:stopped_after_some_reports")
    found = configuration_bound(instance, FAR)
    assert found.termination is Termination.INTERRUPTED
    assert 0 < found.bound.value < full.bound.value
    assert recheck(instance, found.bound)
    assert not recheck(instance, replace(found.bound, value=full.bound.value))


def test_a_search_that_is_stopped_before_its_first_program_ends(monkeypatch):
    redirect(monkeypatch, f"{FUNCTIONS}:stopped_at_once")
    found = configuration_bound(section4(seed=1, jobs=60, nodes=20, slot_percent=10), FAR, seconds=30)
    assert (found.termination, found.message) == (Termination.INTERRUPTED, "")
