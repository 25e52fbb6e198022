"""The bound *windows* of co-allocation: the stand-alone checker against the toolkit's."""

import pytest
from oas.bounds.coallocation.windows.certificate import value

from oas.checker.coallocation_windows import check_coallocation_windows
from oas.checker.effort import Effort
from oas.checker.errors import Refused
from oas.io.certificates import certificate_to_file
from tests.bounds.coallocation.windows.logs import WITH_CONFLICTS, WITH_SETS, refuted, refuted_with_conflicts
from tests.checker.instances import own_coallocation
from tests.checker.tampering import hold_together, tampered, verdict
from tests.slow import mostly_slow

FEW = (WITH_CONFLICTS, WITH_SETS)


@pytest.mark.parametrize("seeds", mostly_slow([range(60), range(60, 600)], quick=[range(60)]), ids=str)
def test_what_a_search_has_refuted_is_confirmed(seeds):
    for seed in seeds:
        instance, optimum, certificate = refuted(seed)
        found = check_coallocation_windows(own_coallocation(instance), certificate_to_file(certificate))
        assert found == instance.scaled().to_time(optimum)
    instance, optimum, certificate = refuted_with_conflicts()
    found = check_coallocation_windows(own_coallocation(instance), certificate_to_file(certificate))
    assert found == instance.scaled().to_time(optimum)


@pytest.mark.parametrize("seed", mostly_slow([*FEW, *range(1, 30)], quick=FEW))
@pytest.mark.parametrize("more", [0, 1])
def test_changed_certificates(seed, more):
    """At the optimum none is accepted, whatever is changed but the makespan."""
    instance, optimum, certificate = refuted(seed)
    certificate = {**certificate, "makespan": certificate["makespan"] + more}
    own, tick = own_coallocation(instance), instance.scaled().tick
    refused, kept = hold_together(
        certificate,
        lambda one: value(instance, one),
        lambda one: check_coallocation_windows(own, one),
        tick=tick,
        each=1,
    )
    assert refused > 200 and kept > 20
    for what, other in tampered(certificate_to_file(certificate), each=1):
        bound = verdict(lambda one: check_coallocation_windows(own, one), other)
        assert bound is None or bound <= optimum * tick, what


def test_a_log_that_takes_too_long_is_refused(monkeypatch):
    instance, _, certificate = refuted_with_conflicts()
    monkeypatch.setattr("oas.checker.coallocation_windows.WINDOWS_STEPS", 10_000)
    with pytest.raises(Refused, match="patience"):
        check_coallocation_windows(own_coallocation(instance), certificate_to_file(certificate))
    monkeypatch.setattr(Effort, "patience", 1_000)
    assert check_coallocation_windows(own_coallocation(instance), certificate_to_file(certificate))
