"""Policies as methods: the toolkit's, and a user's own under its dotted name."""

from __future__ import annotations

import pickle
from functools import partial
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any

import pytest

import heuristics
from heuristics import registry
from heuristics.fair.adoption import is_factory
from heuristics.fair.fcfs import FirstPresented
from heuristics.fair.policy import Watcher
from heuristics.fair.policy_method import method_of
from heuristics.registry import as_method, find_method, methods, own_methods
from oas.core.errors import InputError
from oas.core.verifier import verify
from oas.generate.coallocation.tiny import tiny
from oas.generate.fair.tiny import random_instance
from oas.problems.fair.problem import FAIR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heuristics.fair.policy import Policy

INSTANCE = random_instance(5)


class LastFirst(Watcher):
    """The last organization first.

    More about it.
    """

    def __init__(self, seed: int) -> None: ...

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        return waiting[-1]


def last_first(seed: int) -> Policy:
    """A function that makes policies."""
    return LastFirst(seed)


def with_options(seed: int, depth: int = 3, *more: int, **others: int) -> Policy:
    return LastFirst(seed)


shared = partial(with_options, depth=4)


def a_function(instance: Any, *, seed: int = 0) -> Any:
    return find_method("FCFS", FAIR)(instance, seed=seed)


def test_those_of_the_toolkit() -> None:
    names = [method.name for method in own_methods(FAIR)]
    assert [one for one in names if one in {"DIRECTCONTR", "FCFS", "ROUNDROBIN", "FAIRSHARE"}] == [
        "DIRECTCONTR",
        "FCFS",
        "ROUNDROBIN",
        "FAIRSHARE",
    ]
    for name in ("DIRECTCONTR", "FCFS", "ROUNDROBIN", "FAIRSHARE", "FAIRSHARE(5)", "FAIRTREE", "FAIRTREE(5; [[0]])"):
        method = find_method(name, FAIR)
        assert method.problem is FAIR and method.summary and not method.clairvoyant
        one = random_instance(1, max_organizations=1)
        assert verify(one, method(one, seed=3)) == []
        assert method(one, seed=3).method == method.name
        assert pickle.loads(pickle.dumps(method.scheduler))(one, seed=3) == method(one, seed=3)


@pytest.mark.parametrize("name", ["LastFirst", "last_first", "with_options", "shared"])
def test_a_users_own_by_dotted_name(name: str) -> None:
    method = find_method(f"{__name__}:{name}", FAIR)
    assert method.name == f"{__name__}:{name}" and method.problem is FAIR
    assert method(INSTANCE) == method_of(LastFirst, method.name)(INSTANCE)
    assert verify(INSTANCE, method(INSTANCE)) == []


def test_its_summary_is_its_docstring() -> None:
    assert find_method(f"{__name__}:LastFirst", FAIR).summary == "The last organization first."
    assert find_method(f"{__name__}:last_first", FAIR).summary == "A function that makes policies."
    assert find_method(f"{__name__}:shared", FAIR).summary == ""
    assert method_of(LastFirst, "mine", "in short").summary == "in short"


def test_a_function_stays_a_function() -> None:
    method = find_method(f"{__name__}:a_function", FAIR)
    assert method.run is a_function and method.problem is None
    assert method(INSTANCE) == find_method("FCFS", FAIR)(INSTANCE)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (LastFirst, True),
        (shared, True),
        (FirstPresented, True),
        (a_function, False),
        (lambda instance, seed=0: None, False),
        (lambda seed, other: None, False),
        (lambda *, seed: None, False),
        (lambda: None, False),
        (print, False),
        (int, False),
        (3, False),
    ],
)
def test_what_makes_policies(found: object, expected: bool) -> None:
    assert is_factory(found) is expected


def test_of_a_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("installed", f"{__name__}:last_first", registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == registry.ENTRY_POINTS else [])
    methods.cache_clear()
    try:
        assert [one.name for one in methods(FAIR)][-1] == "installed"
        assert "installed" not in {one.name for one in methods(type(tiny(seed=1)))}
    finally:
        methods.cache_clear()


def test_under_its_python_name() -> None:
    assert heuristics.ROUNDROBIN(INSTANCE) == find_method("ROUNDROBIN", FAIR)(INSTANCE)
    assert heuristics.FCFS(INSTANCE) == find_method("FCFS", FAIR)(INSTANCE)


def test_it_schedules_nothing_else() -> None:
    with pytest.raises(InputError, match="mine is a policy of fair sharing: it schedules a FairInstance"):
        as_method("mine", last_first)(tiny(seed=1))
