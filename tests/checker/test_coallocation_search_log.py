"""The bound *search log* of co-allocation: the stand-alone checker against the toolkit's, and against a forger."""

import pytest

from oas.bounds.coallocation.search_log.certificate import value
from oas.checker.coallocation_log_rules import read_log_rules
from oas.checker.coallocation_log_walk import LOG_LATE, LOG_OPEN, LOG_SEEN, LOG_STOP, LogWalk
from oas.checker.coallocation_search_log import check_coallocation_search_log
from oas.checker.effort import Effort
from oas.io.certificates import certificate_to_file
from tests.bounds.coallocation.search_log.logs import refuted
from tests.checker.instances import own_coallocation
from tests.checker.tampering import hold_together
from tests.slow import mostly_slow

MOMENTS = 30  # that may be referred to
MOST_BYTES = 120  # of a forged log


@pytest.mark.parametrize("placed", [True, False])
@pytest.mark.parametrize("seed", mostly_slow([103, 117, 140], quick=[103]))
def test_changed_logs(seed, placed):
    found = refuted(seed, placed)
    if found is None:
        pytest.skip("without nodes nothing is refuted here")
    instance, optimum, certificate = found
    own = own_coallocation(instance)
    tick = instance.scaled().tick
    assert check_coallocation_search_log(own, certificate_to_file(certificate)) == optimum * tick
    refused, kept = hold_together(
        certificate,
        lambda one: value(instance, one),
        lambda one: check_coallocation_search_log(own, one),
        tick=tick,
        each=1,
    )
    assert refused > 200
    assert kept > 20


class Forger:
    """Closes each branch in any way that the walk accepts, and opens it only where none is."""

    def __init__(self, instance, certificate, makespan):
        fields = {**certificate_to_file(certificate), "makespan": makespan}
        self.rules = read_log_rules(own_coallocation(instance).scaled(), fields, Effort())
        self.closings = [bytes([one + 1]) for one in range(len(self.rules.budget))]
        self.closings.append(bytes([LOG_STOP]))
        self.closings += [bytes([LOG_LATE, job]) for job in range(len(self.rules.tasks))]
        self.closings += [bytes([LOG_SEEN, number]) for number in range(MOMENTS)]

    def accepts(self, codes):
        """Whether the walk reads all of these bytes."""
        walk = LogWalk(self.rules, codes, range(MOMENTS), Effort())
        return walk.refutes() or walk.asks_for_more

    def refutes(self, codes):
        """Whether they close the whole tree."""
        return LogWalk(self.rules, codes, range(MOMENTS), Effort()).refutes()

    def forge(self):
        """Whether a forged log refutes the makespan."""
        codes = b""
        if any(one < 0 for one in self.rules.budget):
            return True
        while not self.refutes(codes) and len(codes) < MOST_BYTES:
            good = (one for one in self.closings if self.accepts(codes + one))
            closing = next(good, bytes([LOG_OPEN]))
            codes += closing
            if not self.accepts(codes):
                return False
        return self.refutes(codes)


@pytest.mark.parametrize("seed", mostly_slow([104, 109, 113], quick=[104, 109]))
def test_nothing_is_forged_at_the_optimum(seed):
    instance, optimum, certificate = refuted(seed, weighed=False)
    assert not Forger(instance, certificate, optimum).forge()
    assert Forger(instance, certificate, optimum - 1).forge()
