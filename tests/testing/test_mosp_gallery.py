"""The worst cases that the test kit takes for a method of MOSP."""

from __future__ import annotations

from heuristics.registry import own_methods
from oas.problems.mosp.problem import MOSP
from oas.testing.mosp.parts import gallery


def test_methods_that_respect_locality_get_cases_with_local_schedules() -> None:
    methods = {method.name: method for method in own_methods(MOSP)}
    kept = [instance for instance, _ in gallery(methods["ILBA"])]
    every = [instance for instance, _ in gallery(methods["FCFS"])]
    assert methods["ILBA"].respects_locality > methods["FCFS"].respects_locality
    assert all(instance.local is not None for instance in kept)
    assert [instance for instance in every if instance.local is not None] == kept
    assert len(kept) < len(every)
