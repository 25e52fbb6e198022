"""Schedules to start from: all that a verifier accepts."""

from __future__ import annotations

from heuristics.registry import find_method, own_methods
from oas.core.verifier import verify
from oas.exact.start import candidates, heuristic_schedules
from oas.generate.mosp.uni import uni
from oas.problems.mosp.instance import MospInstance


def test_a_method_that_promises_no_locality_counts_where_it_keeps_it() -> None:
    instance = uni(seed=0, jobs=10, organizations=2, processors=8)
    found = dict(heuristic_schedules(instance))
    assert not any(verify(instance, schedule) for schedule in found.values())
    promised = {name: found[name] for name in found if find_method(name, MospInstance).respects_locality}
    assert min(one.makespan for one in found.values()) == 100 < 111 == min(one.makespan for one in promised.values())
    assert "LPT" not in found  # it ends at 99, but one organization later than at home
    assert find_method("LPT", MospInstance)(instance).makespan == 99
    assert "LPT" in dict(heuristic_schedules(instance.with_locality(None)))


def test_the_strongest_come_first_where_there_may_be_no_time_for_all():
    instance = uni(seed=0, jobs=10, organizations=2, processors=8)
    listed = [one.method for one in candidates(instance)]
    assert listed == [method.name for method in own_methods(MospInstance) if method.name in listed]
    assert listed[0] == "local" and listed[-1].startswith("ILBA")
    found = list(candidates(instance, strongest_first=True))
    promised = [name for name in reversed(listed) if find_method(name, MospInstance).respects_locality]
    others = [name for name in reversed(listed) if name not in promised]
    assert [one.method for one in found] == [*promised, *others]
    assert [one.method for one in found if one.promised] == promised
    loose = instance.with_locality(None)
    assert [one.method for one in candidates(loose, strongest_first=True)] == listed[::-1]
    assert all(one.promised for one in candidates(loose))
