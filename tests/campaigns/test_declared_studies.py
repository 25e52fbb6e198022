"""Samples, seeds, targets, time limits by another method, smoke tests and the remaining time: read, planned, driven."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction

import pytest

from oas.campaigns.driver import LEAST_SECONDS, drive
from oas.campaigns.engines import Engine
from oas.campaigns.ledger import Ledger
from oas.campaigns.plan import SMOKE_SECONDS, part, plan, smoke
from oas.campaigns.runs import blank
from oas.core.errors import InputError
from oas.core.result import Termination
from tests.campaigns.runs import campaign_of

STUDY = """
name = "study"
[limits]
time = 30
[[instances]]
generator = "uni"
sample = "uni, n = {jobs}, locality {locality}"
seeds = "100-101"
seed_format = "1{processors:04}{organizations:03}{jobs:04}{seed:04}"
parameters = { organizations = 2, jobs = [4, 5], processors = 8 }
locality = [1, "none"]
[[instances]]
generator = "section4"
sample = "section 4"
parameters = { jobs = 3 }
saturation = ["forbid", { policy = "slowdown", threshold = "1/2" }]
[[methods]]
exact = "cpsat"
same_time_as = "exact"
[[methods]]
exact = "auto"
[[targets]]
measure = "proven"
method = "exact"
samples = "uni*"
at_least = "92 %"
[[targets]]
measure = "total_seconds"
method = "exact"
at_most = "cpsat"
"""


@pytest.fixture
def study(tmp_path):
    return campaign_of(tmp_path, STUDY)


def test_samples_and_seeds(study):
    by_sample = {}
    for source in study.sources:
        by_sample.setdefault(source.sample, []).append(source)
    assert {name: len(own) for name, own in by_sample.items()} == {
        "uni, n = 4, locality 1": 2,
        "uni, n = 4, locality none": 2,
        "uni, n = 5, locality 1": 2,
        "uni, n = 5, locality none": 2,
        "section 4": 2,
    }
    assert [one.parameters["seed"] for one in by_sample["uni, n = 5, locality none"]] == [
        1_0008_002_0005_0100,
        1_0008_002_0005_0101,
    ]
    assert [str(one.make().saturation) for one in by_sample["section 4"]] == ["forbid", "slowdown, threshold 1/2"]
    kept, free = by_sample["uni, n = 4, locality 1"][0].make(), by_sample["uni, n = 4, locality none"][0].make()
    assert kept.locality == 1
    assert free.locality is None
    assert kept.relaxed().digest == free.digest


def test_targets(study):
    share, time = study.targets
    assert (share.at_least, share.at_most, time.at_most) == (Fraction(23, 25), None, "cpsat")
    assert [share.covers(sample) for sample in ("uni, n = 4, locality 1", "section 4")] == [True, False]
    assert time.covers("section 4")


def test_smoke_size_has_one_short_instance_of_each_sample(study):
    small = smoke(study)
    assert small.name == "study-smoke"
    assert len(small.sources) == len({source.sample for source in small.sources}) == 5
    assert {method.limits.seconds for method in small.methods} == {SMOKE_SECONDS}
    assert len(smoke(study, samples=2).sources) == 2


def test_a_part_has_the_samples_that_are_named(study):
    assert {source.sample for source in part(study, ["section*", "uni, n = 4, locality 1"]).sources} == {
        "section 4",
        "uni, n = 4, locality 1",
    }
    with pytest.raises(InputError, match="no sample has such a name"):
        part(study, ["section*", "swf*"])


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('samples = "uni*"', 'samples = "swf*"', ("targets[0].samples", "swf*")),
        ('measure = "proven"', 'measure = "speed"', ("targets[0].measure", "speed")),
        ('at_most = "cpsat"', 'at_most = "highs"', ("targets[1].at_most", "highs")),
        ('same_time_as = "exact"', 'same_time_as = "cpsat"', ("cpsat.same_time_as", "cpsat")),
        ("n = {jobs}", "n = {tasks}", ("instances[0].sample", "tasks")),
        ("{seed:04}", "{seed:04}x", ("instances[0].seed_format", "0100x")),
        ('"forbid", {', '"allow", {', ("saturation", "allow")),
    ],
)
def test_what_is_wrong_is_named(tmp_path, old, new, named):
    assert old in STUDY
    with pytest.raises(InputError) as caught:
        for source in campaign_of(tmp_path, STUDY.replace(old, new)).sources:
            source.make()
    assert all(word in str(caught.value) for word in named)


def made(batch):
    """Records of runs that take 7 s if they may."""
    seconds = [min(Fraction(7), order.time_limit) for order in batch.orders]
    limits.update({order.key: order.time_limit for order in batch.orders})
    return [
        replace(blank(order, Termination.FINISHED), seconds=float(took))
        for order, took in zip(batch.orders, seconds, strict=True)
    ]


limits = {}


def drive_counted(orders, ledger):
    with ThreadPoolExecutor(1) as executor:
        return drive(orders, ledger, Engine("counted", lambda: 2, executor, made))


def test_a_competitor_gets_the_time_that_the_other_method_took(study, tmp_path):
    """First all runs together; then the competitor's alone, on the times that the ledger has."""
    with Ledger(tmp_path / "study.ledger", write=True) as ledger:
        orders = plan(study, ledger)
        leaders = {order.key: order for order in orders if order.method.label == "exact"}
        followers = [order for order in orders if order.method.label == "cpsat"]
        assert len(leaders) == len(followers) == 10
        assert all(leaders[order.method.limits.time_of].digest == order.digest for order in followers)
        assert drive_counted(orders, ledger) == 20
        assert {limits[order.key] for order in followers} == {Fraction(7)}
        assert {limits[key] for key in leaders} == {Fraction(30)}
        assert drive_counted(orders, ledger) == 0
    with Ledger(tmp_path / "again.ledger", write=True) as ledger:
        plan(study, ledger)
        ledger.add([replace(blank(order), seconds=0.1) for order in leaders.values()])
        assert drive_counted(orders, ledger) == 10
        assert {limits[order.key] for order in followers} == {LEAST_SECONDS}


CAMPAIGN = """
name = "few"
[limits]
time = 60
[[instances]]
generator = "tiny"
seeds = "0-5"
[[methods]]
heuristics = ["FCFS"]
[[methods]]
exact = "highs"
"""
SECONDS = {"FCFS": 1.0, "highs": 10.0}  # of each run of a method
SLOTS = 4


def timed(batch):
    """The records of runs that took those seconds."""
    return [replace(blank(one, Termination.FINISHED), seconds=SECONDS[one.method.label]) for one in batch.orders]


@pytest.fixture
def seen(tmp_path):
    """Every progress that is reported while the campaign is driven."""
    reports = []
    with Ledger(tmp_path / "few.ledger", write=True) as ledger, ThreadPoolExecutor(1) as executor:
        orders = plan(campaign_of(tmp_path, CAMPAIGN), ledger)
        drive(orders, ledger, Engine("measured", lambda: SLOTS, executor, timed), reports.append)
    assert (len(reports), reports[-1].done) == (len(orders) + 1, len(orders))
    return reports


def test_a_time_is_said_only_when_every_method_that_is_left_was_measured(seen):
    left = Counter({name: 6 for name in SECONDS})
    for one in seen:
        if one.last is not None:
            left[one.last.method] -= 1
        open_methods = [name for name, count in left.items() if count]
        if any(left[name] == 6 for name in open_methods):
            assert one.left is None
        else:
            work = sum(left[name] * SECONDS[name] for name in open_methods) / SLOTS
            longest = max([SECONDS[name] for name in open_methods], default=0)
            assert one.left == max(work, longest)
