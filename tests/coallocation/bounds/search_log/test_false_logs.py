"""Logs that refuted a feasible makespan, because running sets that do not fit were heavier than M."""

import json
from fractions import Fraction
from itertools import islice, permutations
from pathlib import Path

import pytest

from benchmarks.robustness.log_adversary import FirstSchedule, trees
from oas.checker.brute_force import coallocation_enumeration
from oas.checker.coallocation_instance import (
    CoallocationCluster,
    CoallocationInstance,
    CoallocationJob,
    LinkSaturation,
)
from oas.checker.coallocation_log_rules import ApartSets, log_rules
from oas.checker.coallocation_search_log import check_coallocation_search_log
from oas.checker.coallocation_together import Together
from oas.checker.effort import Effort
from oas.checker.reading import Refused
from oas.coallocation.bounds.configurations import Weights
from oas.coallocation.bounds.configurations.packing import Packing
from oas.coallocation.exact.chronological_search import ChronologicalSearch, Verdict
from oas.coallocation.exact.relaxation import Relaxation
from oas.core.verifier import verify
from oas.io import load, load_schedule
from oas.io.documents import plain_certificate
from tests.checker.instances import own_instance
from tests.slow import at_least, draws

CASES = Path(__file__).parent / "cases"
# Jobs of the false log. M is 6, but b and d, which never run together, weigh 8. So do b or d on slow nodes and e: 9.
B, D, E = 3, 4, 5
MANY = 10**6


def document(name):
    return json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture
def false_log():
    return own_instance(load(CASES / "falselog_instance.json")), document("falselog_result")["proof"]["bound"]


def test_the_refuted_makespan_of_the_false_log_is_feasible(false_log):
    instance = load(CASES / "falselog_instance.json")
    schedule = load_schedule(CASES / "falselog_schedule8.json")
    assert verify(instance, schedule) == []
    assert schedule.makespan == false_log[1]["certificate"]["makespan"] == 8


def refusal(instance, certificate):
    with pytest.raises(Refused) as caught:
        check_coallocation_search_log(instance, certificate)
    return str(caught.value)


def test_the_false_log_is_refused(false_log):
    instance, bound = false_log
    certificate = bound["certificate"]
    assert "version: unknown value; known: 2 (got 1)" in refusal(instance, certificate)
    assert "weights[0].whole: jobs that run together in the tree may weigh more" in refusal(
        instance, {**certificate, "version": 2}
    )
    for level in (0, 1):  # b and d are apart at both, but e remains too heavy with one of them
        apart = {**certificate, "version": 2, "apart": [[[B, level], [D, level]]]}
        assert "weights[0].whole: jobs that run together in the tree may weigh more" in refusal(instance, apart)


def test_the_codes_of_the_false_log_prove_nothing_if_the_sets_that_are_too_heavy_are_apart(false_log):
    instance, bound = false_log
    apart = [[[B, 1], [D, 1]], [[B, 1], [E, 0]], [[D, 1], [E, 0]]]
    certificate = {**bound["certificate"], "version": 2, "apart": apart}
    assert check_coallocation_search_log(instance, certificate) == 0
    assert check_coallocation_search_log(instance, {**certificate, "apart": [*apart, *apart]}) == 0
    for left_out in apart:
        fewer = {**certificate, "apart": [items for items in apart if items != left_out]}
        assert "may weigh more" in refusal(instance, fewer)


def test_the_codes_of_the_false_log_prove_nothing_with_a_valid_maximum(false_log):
    instance, bound = false_log
    (weights,) = bound["certificate"]["weights"]
    for whole in (9, 10, 12):
        certificate = {**bound["certificate"], "version": 2, "weights": [{**weights, "whole": whole}]}
        try:
            assert check_coallocation_search_log(instance, certificate) == 0
        except Refused as error:
            assert "may weigh more" in str(error)


@pytest.mark.parametrize("listed", [True, False])
def test_the_relaxed_search_refutes_no_feasible_makespan(listed):
    """With all sets of three jobs that are too heavy listed, M stays valid; otherwise it grows."""
    scaled, certificate = load(CASES / "honest_instance.json").scaled(), document("honest_certificate")
    (weights,) = certificate["weights"]
    dual = Weights(tuple(map(tuple, weights["jobs"])), weights["whole"])
    relaxation = Relaxation(scaled, Packing(scaled).fits if listed else None)
    (valid,) = relaxation.valid([dual])
    assert (valid.whole == dual.whole) is listed
    search = ChronologicalSearch(
        scaled, [dual], certificate["makespan"], placed=False, relaxation=relaxation, compiled=False
    )
    assert search.resume(MANY) is Verdict.FOUND
    below = ChronologicalSearch(
        scaled, [dual], certificate["makespan"] - 1, placed=False, relaxation=relaxation, compiled=False
    )
    assert below.resume(MANY) is Verdict.REFUTED
    own = own_instance(load(CASES / "honest_instance.json"))
    assert check_coallocation_search_log(own, plain_certificate(below.certificate())) == certificate["makespan"]


def test_compiled_and_plain_agree_on_larger_sets_that_are_apart():
    scaled, certificate = load(CASES / "honest_instance.json").scaled(), document("honest_certificate")
    dual = Weights(((0,) * len(scaled.powers),) * scaled.job_count, 0)
    (weights,) = certificate["weights"]
    relaxation = Relaxation(scaled, Packing(scaled).fits)
    relaxation.valid([Weights(tuple(map(tuple, weights["jobs"])), weights["whole"])])
    assert len(relaxation.larger) == 4 and {len(items) for items in relaxation.larger} == {3}
    plain, compiled = (
        ChronologicalSearch(scaled, [dual], 12, placed=False, relaxation=relaxation, compiled=compiled)
        for compiled in (False, True)
    )
    assert plain.resume(5000) is compiled.resume(5000)
    assert plain.decisions == compiled.decisions > 100
    unlisted = ChronologicalSearch(scaled, [dual], 12, placed=False, compiled=False)
    unlisted.resume(5000)
    assert unlisted.decisions != plain.decisions


def test_no_log_of_the_adversary_proves_too_much():
    closed = 0
    for outcome in islice(trees(seed=3), draws(1500)):
        if outcome is not None:
            assert not outcome.false, (outcome.drawn.instance, outcome.certificate)
            closed += 1
    assert closed > at_least(15)


def test_the_adversary_finds_false_logs_of_the_first_version():
    assert any(outcome is not None and outcome.false for outcome in islice(trees(seed=0, former=True), 500))


def test_a_job_that_waited_for_a_link_alone_starts_in_the_placed_tree():
    """Jobs c and d need both fast nodes for 3 of 5 ticks, a the slow ones for 4; only the link of X delays b or a."""
    one, half = Fraction(1), Fraction(1, 2)
    clusters = [("X", ((1, one), (1, half))), ("Y", ((1, one),)), ("Z", ((1, half),))]
    jobs = [("a", 2, 4, 0), ("b", 2, 1, 1), ("c", 1, 3, 1), ("d", 1, 3, 1)]
    instance = CoallocationInstance(
        tuple(CoallocationCluster(name, groups, one) for name, groups in clusters),
        tuple(CoallocationJob(name, tasks, Fraction(time), one, Fraction(sigma)) for name, tasks, time, sigma in jobs),
        one,
        LinkSaturation(False, None, "paper"),
    )
    enumeration = coallocation_enumeration(instance, 100, Effort())
    enumeration.extend()
    assert enumeration.limit == 5
    together, apart = Together(instance.ticks, Effort()), ApartSets(4, 2)
    for order in permutations(range(4)):
        for mirrored in (0, 1):
            shorter = log_rules(together, 4, True, order, mirrored, apart, [])
            assert FirstSchedule(shorter, MANY).starts() == []
            starts = FirstSchedule(log_rules(together, 5, True, order, mirrored, apart, []), MANY).starts()
            assert {begun.job for _, begun in starts} == {0, 1, 2, 3}
