"""Search logs are accepted as they were written, and whatever is changed in them never proves too much."""

from __future__ import annotations

import random

import pytest

from oas.bounds.coallocation.search_log import certificate as checker
from oas.bounds.coallocation.search_log import replay
from oas.core.errors import InputError
from oas.exact.coallocation.chronological.search import ChronologicalSearch, Verdict
from oas.generate import tiny
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.bounds.coallocation.search_log.logs import (
    MANY,
    codes_of,
    refuted,
    seen_of,
    with_codes,
    with_seen,
)
from tests.exact.coallocation.chronological.weights import area_weights
from tests.slow import every_fourth_quick

SEEDS = range(100, 140)


def proven(instance, certificate):
    """The bound in ticks; 0 where the certificate is refused."""
    try:
        makespan, status = checker.check(instance.scaled(), certificate)
    except InputError:
        return 0
    return makespan + 1 if status == replay.REFUTED else 0


@pytest.mark.parametrize("placed", [True, False])
@pytest.mark.parametrize("weighed", [True, False])
@pytest.mark.parametrize("seed", every_fourth_quick(SEEDS[:21]))
def test_what_a_search_has_refuted_is_accepted(seed, placed, weighed, monkeypatch):
    found = refuted(seed, placed, weighed)
    if found is None:
        return
    instance, optimum, certificate = found
    for walk in (replay.walk.plain, replay.walk.compiled):
        monkeypatch.setattr(replay, "walk", walk)
        assert proven(instance, certificate) == optimum
    assert checker.value(instance, certificate) == instance.scaled().to_time(optimum)


def test_logs_use_every_rule():
    codes = {code for seed in SEEDS for code in codes_of(refuted(seed)[2])}
    unweighed = {code for seed in SEEDS for code in codes_of(refuted(seed, weighed=False)[2])}
    assert codes >= {replay.OPEN, 1, 2, replay.STOP}
    assert unweighed >= {replay.OPEN, replay.LATE, replay.SEEN}


@pytest.mark.parametrize("seed", every_fourth_quick(SEEDS[:21]))
def test_no_log_reaches_beyond_the_optimum(seed):
    instance, optimum, certificate = refuted(seed, weighed=False)
    for more in (1, 2, 10):
        assert proven(instance, {**certificate, "makespan": optimum - 1 + more}) == 0


@pytest.mark.parametrize("seed", every_fourth_quick(SEEDS[:21]))
def test_changed_bytes_never_prove_too_much(seed):
    drawn = random.Random(seed)
    for weighed in (True, False):
        instance, optimum, certificate = refuted(seed, weighed=weighed)
        codes = codes_of(certificate)
        if not codes:
            continue
        kept = 0
        for _ in range(40):
            changed = bytearray(codes)
            at, other = drawn.randrange(len(codes)), drawn.randrange(len(codes))
            match drawn.randrange(5):
                case 0:
                    changed[at] = drawn.choice([0, 1, 2, 3, 252, 253, 254, 255])
                case 1:
                    del changed[at : at + drawn.randint(1, 5)]
                case 2:
                    changed[at:at] = changed[other : other + drawn.randint(1, 5)]
                case 3:
                    changed[at], changed[other] = changed[other], changed[at]
                case 4:
                    changed += bytes(drawn.choices([0, 1, 255], k=drawn.randint(1, 3)))
            bound = proven(instance, with_codes(certificate, changed))
            assert bound <= optimum
            kept += bound > 0
        assert kept < 40
        # One tick more is never proven, whatever closes the branches.
        longer = {**certificate, "makespan": optimum}
        for _ in range(20):
            changed = bytes(drawn.choices([0, 1, 2, 253, 254, 255], k=len(codes)))
            assert proven(instance, with_codes(longer, changed)) == 0


@pytest.mark.parametrize(("seed", "placed"), [(100, True), (101, True), (102, True), (100, False), (101, False)])
def test_a_log_ends_with_the_tree(seed, placed):
    """No part of it that is its beginning is enough, and nothing may follow it."""
    instance, optimum, certificate = refuted(seed, placed, weighed=False)
    codes = codes_of(certificate)
    assert codes and proven(instance, certificate) == optimum
    for end in range(len(codes)):
        assert proven(instance, with_codes(certificate, codes[:end])) == 0
    for code in (replay.OPEN, 1, replay.STOP):
        assert proven(instance, with_codes(certificate, codes + bytes([code]))) == 0


def test_moments_that_are_not_kept_cannot_be_referred_to():
    tried = 0
    for seed in SEEDS:
        instance, _, certificate = refuted(seed, weighed=False)
        seen = seen_of(certificate)
        if seen:
            tried += 1
            assert proven(instance, with_seen(certificate, seen[1:])) == 0
            assert proven(instance, with_seen(certificate, [one + 10**6 for one in seen])) == 0
    assert tried


def test_a_proof_of_another_instance_is_none():
    accepted = 0
    for seed in SEEDS:
        _, _, certificate = refuted(seed)
        other, optimum, _ = refuted(seed + 1 if seed + 1 in SEEDS else SEEDS[0])
        bound = proven(other, certificate)
        assert bound <= optimum
        accepted += bound > 0
    assert accepted < len(SEEDS) / 2


def test_weights_that_claim_too_little_are_refused():
    instance, _, certificate = refuted(100)
    weights = certificate["weights"]
    for change in (
        {**weights[0], "whole": weights[0]["whole"] - 1},
        {**weights[0], "whole": 2**61},
        {**weights[0], "jobs": [[2**62 for _ in row] for row in weights[0]["jobs"]]},
        {**weights[0], "jobs": weights[0]["jobs"][1:]},
    ):
        with pytest.raises(InputError, match="weights"):
            checker.value(instance, {**certificate, "weights": [change]})


def test_pairs_that_can_run_together_are_refused():
    instance, _, certificate = refuted(100)
    with pytest.raises(InputError, match="can run together"):
        checker.value(instance, {**certificate, "apart": [[0, 0, 0, 0]]})
    two = CoallocationInstance([Cluster("a", [NodeGroup(2, 1)], 2)], [Job("x", 1, 2), Job("y", 1, 1)], 1).scaled()
    search = ChronologicalSearch(two, [area_weights(two)], 1, placed=False, compiled=False)
    assert search.go_on(MANY) is Verdict.REFUTED
    certificate = search.certificate()
    assert checker.check(two, certificate) == (1, replay.REFUTED)
    with pytest.raises(InputError, match="can run together"):
        checker.check(two, {**certificate, "apart": [[0, 0, 1, 0]]})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("version", 2),
        ("makespan", -1),
        ("makespan", 2**53),
        ("makespan", True),
        ("placed", 1),
        ("order", [0, 0]),
        ("order", "abc"),
        ("mirrored", 99),
        ("weights", {}),
        ("apart", [[0, 0]]),
        ("codes", "%"),
        ("codes", "YWJj"),
        ("codes", None),
        ("seen", "YWJj"),
    ],
)
def test_malformed_fields_are_named(field, value):
    instance, _, certificate = refuted(100)
    with pytest.raises(InputError, match=field):
        checker.value(instance, {**certificate, field: value})


def test_missing_and_unknown_fields_are_refused():
    instance, _, certificate = refuted(100)
    with pytest.raises(InputError):
        checker.value(instance, {**certificate, "more": 1})
    with pytest.raises(InputError):
        checker.value(instance, {name: value for name, value in certificate.items() if name != "seen"})


def test_a_log_that_unpacks_to_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(checker, "MAX_CODES", 1000)
    instance, _, certificate = refuted(100)
    with pytest.raises(InputError, match="at most 1,000 bytes"):
        checker.value(instance, with_codes(certificate, bytes(10**6)))


def test_a_walk_ends_at_its_limit(monkeypatch):
    long = next(seed for seed in SEEDS if len(codes_of(refuted(seed, weighed=False)[2])) > 50)
    instance, _, certificate = refuted(long, weighed=False)
    monkeypatch.setattr(checker, "MAX_ROWS", 10)
    assert checker.check(instance.scaled(), certificate)[1] == replay.TOO_LONG


def test_choices_of_nodes_that_are_passed_over_count(monkeypatch):
    """Most of the choices for a job too large for each of the first clusters overload links that carry nothing."""
    clusters = [Cluster(f"C{k}", [NodeGroup(72 if k == 14 else 12, 1)], 0) for k in range(15)]
    instance = CoallocationInstance(clusters, [Job("J", 72, 5, 1, 1)], 1)
    nothing = {"mirrored": 0, "weights": [], "apart": [], "seen": with_seen({}, [])["seen"]}
    certificate = with_codes({"version": 1, "makespan": 9, "placed": True, "order": [0], **nothing}, [replay.OPEN] * 9)
    monkeypatch.setattr(checker, "MAX_ROWS", 1_000)
    assert checker.check(instance.scaled(), certificate)[1] == replay.TOO_LONG


def test_numbers_are_written_as_they_are_read():
    drawn = random.Random(1)
    numbers = sorted({drawn.randrange(2 ** drawn.randint(1, 34)) for _ in range(500)})
    assert seen_of(with_seen({}, numbers)) == numbers
    for bad in (bytes([0, 1, 0]), bytes([255]), bytes([255] * 6 + [1])):
        with pytest.raises(InputError, match="seen"):
            checker.read_numbers(bad)


def test_tiny_instances_are_those_of_the_generator():
    assert refuted(100)[0].digest == tiny(seed=100).digest
