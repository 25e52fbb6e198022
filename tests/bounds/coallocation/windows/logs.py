"""Certificates of searches by windows that have refuted a makespan of small instances."""

from functools import cache

from oas.bounds.coallocation.configurations.packing import Packing
from oas.exact.coallocation.brute_force import brute_force
from oas.exact.coallocation.chronological.search import Verdict
from oas.exact.coallocation.windows import WindowsSearch
from oas.generate import section4, tiny
from tests.exact.coallocation.weights import area_weights, level_weights

MANY = 10**9
WITH_CONFLICTS, WITH_SETS = 0, 178  # seeds of tiny instances


def search(scaled, ticks):
    """A search by windows for schedules of so many ticks, at its end."""
    made = WindowsSearch(scaled, [area_weights(scaled), level_weights(scaled)], ticks, Packing(scaled), compiled=False)
    return made, made.go_on(MANY)


@cache
def refuted(seed):
    """The instance, its optimum in ticks, and the certificate one tick below."""
    instance = tiny(seed=seed)
    scaled = instance.scaled()
    optimum = int(brute_force(instance)[0] / scaled.tick)
    made, verdict = search(scaled, optimum - 1)
    assert verdict is Verdict.REFUTED
    return instance, optimum, made.certificate()


@cache
def refuted_with_conflicts():
    """An instance of eight jobs, its optimum in ticks, and a certificate with conflicts one tick below."""
    instance = section4(seed=13, jobs=8, nodes=4, bandwidth="tight", slot_percent="25")
    optimum = 24
    made, verdict = search(instance.scaled(), optimum - 1)
    assert verdict is Verdict.REFUTED
    assert search(instance.scaled(), optimum)[1] is Verdict.FOUND
    return instance, optimum, made.certificate()
