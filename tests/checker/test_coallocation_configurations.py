"""The bound *configurations* of co-allocation: the stand-alone checker against the toolkit's."""

import pytest
from oas.bounds.coallocation.configurations.certificate import value

from oas.bounds.coallocation.configurations.modes import job_modes
from oas.checker.coallocation_configurations import check_coallocation_configurations
from oas.checker.effort import Effort
from oas.checker.errors import Refused
from oas.library import Library
from tests.checker.instances import own_coallocation
from tests.checker.tampering import hold_together
from tests.slow import mostly_slow

NAMES = ["oas-wl3-5", "oas-32-3x20-tight-50-s0"]


def _checks(instance):
    own = own_coallocation(instance)
    return lambda one: value(instance, one), lambda one: check_coallocation_configurations(own, one)


@pytest.mark.parametrize("name", mostly_slow(NAMES, quick=NAMES[:1]))
def test_certificates_of_the_library(name):
    library = Library()
    instance, bound = library.instance(name), library.result(name).proof.bound
    assert bound.name == "configurations"
    theirs, ours = _checks(instance)
    assert ours(bound.certificate) >= bound.value
    refused, kept = hold_together(bound.certificate, theirs, ours, tick=instance.scaled().tick, each=1)
    assert refused > 30
    assert kept > 10


def test_trees_over_levels():
    instance = Library().instance("oas-wl3-5")
    modes = job_modes(instance.scaled())
    job = max(range(len(modes)), key=lambda one: len(modes[one]))
    levels = [mode.level for mode in modes[job]]
    assert len(levels) == 3

    def leaf(*kept):
        rows = [[instance.jobs[number].tasks] * len(row) for number, row in enumerate(modes)]
        rows[job] = [4 if level in kept else 0 for level in levels]
        return {"weights": rows, "capacity": 5}

    tree = [
        {"job": job, "parts": [levels[:1], levels[1:]]},
        leaf(*levels[:1]),
        {"job": job, "parts": [[levels[2]], [levels[1]]]},
        leaf(levels[2]),
        leaf(levels[1]),
    ]
    theirs, ours = _checks(instance)
    refused, kept = hold_together({"tree": tree}, theirs, ours, tick=instance.scaled().tick)
    assert refused > 200
    assert kept > 10


def test_what_takes_too_long_is_refused():
    effort = Effort(10)
    effort.spend(10)
    with pytest.raises(Refused, match="a patience of 1 allows"):
        effort.spend(1)
