"""The check of a bound: by the checker where it knows the bound, by the module that declares it where it does not."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from typing import TYPE_CHECKING

import pytest

from oas.bounds.lower_bound import CertifiedBound, LowerBound
from oas.checker import bound_checks, effort
from oas.core.errors import InputError
from oas.core.result import Bound, Termination
from oas.exact import bound_check
from oas.exact.bound_check import Verdict, check_in_worker, objection, recheck_within
from oas.library import Library
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.solvers.outcome import CallOutcome

if TYPE_CHECKING:
    from collections.abc import Mapping


@pytest.fixture
def instance() -> CoallocationInstance:
    return Library().instance("oas-wl3-5")


@pytest.fixture
def proven() -> Bound:
    bound = Library().result("oas-wl3-5").proof.bound
    assert bound.name == "configurations"
    return bound


def test_by_the_checker(instance: CoallocationInstance, proven: Bound) -> None:
    assert objection(instance, proven) == ""
    assert "is proven" in objection(instance, replace(proven, value=proven.value + 1))
    assert objection(instance, replace(proven, certificate=None)) == "it has no certificate"
    assert "certificate.tree: must be a list" in objection(instance, replace(proven, certificate={"tree": 1}))
    assert "no bound for this instance has that name" in objection(instance, replace(proven, name="guess"))


def test_in_the_worker(instance: CoallocationInstance, proven: Bound, monkeypatch: pytest.MonkeyPatch) -> None:
    assert recheck_within(instance, proven, 60, None) == (Verdict.CONFIRMED, "")
    found = recheck_within(instance, replace(proven, value=proven.value + 1), 60, None)
    assert found.verdict is Verdict.REFUSED and "is proven" in found.reason
    monkeypatch.setattr(bound_check, "check_in_worker", None)  # here, not in the worker
    assert recheck_within(instance, proven, 60, None).verdict is Verdict.CONFIRMED


def test_too_costly_or_not_in_time(
    instance: CoallocationInstance, proven: Bound, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effort.Effort.__init__, "__defaults__", (1,))
    found = check_in_worker((instance, proven), None)  # type: ignore[arg-type]
    assert found.verdict is Verdict.TOO_COSTLY and "allows" in found.reason
    killed = CallOutcome(Termination.TIME_LIMIT, None, 1.0, "")
    monkeypatch.setattr(bound_check, "call", lambda *_: killed)
    assert recheck_within(instance, proven, 1, None).verdict is Verdict.UNDECIDED


def test_patience_allows_no_more_memory() -> None:
    cluster = Cluster("C", [NodeGroup(4, 1)], 40)
    jobs = [Job(f"J{number}", 1, 2, bandwidth=1) for number in range(300)]
    slowed = CoallocationInstance([cluster], jobs, 1, "slowdown")
    orders = {"tree": [{"before": [0, 3]}] * 20_000}
    reason = objection(slowed, Bound("shared links", F(2), orders))
    assert reason == "certificate: checking it takes too much memory"


def test_too_little_memory(instance: CoallocationInstance, proven: Bound, monkeypatch: pytest.MonkeyPatch) -> None:
    def all_gone(*_: object) -> F:
        raise MemoryError

    key = ("coallocation", "configurations")
    monkeypatch.setitem(bound_checks.CERTIFIED_BOUNDS, key, (bound_checks.PLAIN_RULES, all_gone))
    assert objection(instance, proven) == "to check it takes more memory than there is"


def test_bounds_of_other_packages(instance: CoallocationInstance, monkeypatch: pytest.MonkeyPatch) -> None:
    def value(_: object, certificate: Mapping[str, object]) -> F:
        if set(certificate) != {"value"}:
            raise InputError("must have a value", field="certificate")
        return F(str(certificate["value"]))

    own = (LowerBound("one", lambda _: F(1)), CertifiedBound("stated", value))
    monkeypatch.setattr(bound_check, "all_bounds", lambda _: own)
    assert objection(instance, Bound("one", F(1), {})) == ""
    assert objection(instance, Bound("stated", F(7), {"value": 7})) == ""
    assert "must have a value" in objection(instance, Bound("stated", F(7), {}))
    assert "is proven" in objection(instance, Bound("stated", instance.slot * 2, {"value": 7}))
