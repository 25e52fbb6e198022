"""The bound *search log* of co-allocation: optima confirmed, and nothing above them, whatever is changed or forged."""

import pytest

from oas.checker.coallocation_log_rules import read_log_rules
from oas.checker.coallocation_search_log import LOG_LATE, LOG_OPEN, LOG_SEEN, LOG_STOP, LogWalk
from oas.checker.effort import Effort
from oas.checker.reading import BadLog, LogReader
from oas.io.documents import plain_certificate
from tests.checker.cases import are_refused, never_above, proven
from tests.checker.instances import own_instance
from tests.coallocation.bounds.search_log.logs import refuted
from tests.slow import at_least, draws, mostly_slow

NAME = "search log"
MOMENTS = 30  # that may be referred to
MOST_BYTES = 120  # of a forged log


@pytest.mark.parametrize("placed", [True, False])
def test_optima_are_confirmed(placed):
    confirmed = 0
    for seed in range(100, 100 + draws(40)):
        found = refuted(seed, placed)
        if found is not None:
            instance, optimum, certificate = found
            assert proven(NAME, instance, certificate) == optimum * instance.scaled().tick
            confirmed += 1
    assert confirmed > at_least(15)


@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize("placed", [True, False])
@pytest.mark.parametrize("seed", mostly_slow([103, 117, 140], quick=[103]))
def test_changed_logs(seed, placed, more):
    """At the optimum none is accepted, whatever is changed but the makespan."""
    found = refuted(seed, placed)
    if found is None:
        pytest.skip("without nodes nothing is refuted here")
    instance, optimum, certificate = found
    certificate = {**certificate, "makespan": certificate["makespan"] + more}
    refused, kept = never_above(NAME, instance, certificate, optimum * instance.scaled().tick)
    assert refused > 200 and kept > 20


def test_malformed():
    instance, _, certificate = refuted(103)
    jobs, levels = instance.scaled().job_count, len(instance.scaled().powers)
    order = list(range(jobs))
    are_refused(
        NAME,
        instance,
        certificate,
        [
            ((), None, "certificate: must be an object"),
            (("more",), 1, "certificate.more: unknown field"),
            (("version",), 1, "certificate.version: unknown value; known: 2"),
            (("version",), True, "certificate.version: unknown value"),
            (("makespan",), -1, "certificate.makespan: must be at least 0"),
            (("makespan",), 2**53, "certificate.makespan: must be at most"),
            (("placed",), 1, "certificate.placed: must be true or false"),
            (("order",), order[:-1], f"certificate.order: must have {jobs} entries"),
            (("order",), [*order[:-1], 0], "certificate.order: must hold each job once"),
            (("mirrored",), jobs, "certificate.mirrored: must be at most"),
            (("weights",), [{}], r"certificate.weights\[0\].jobs: is missing"),
            (("weights", 0, "whole"), 0, r"certificate.weights\[0\].jobs\[0\]\[0\]: must be at most 0"),
            (("weights", 0, "jobs"), [], rf"certificate.weights\[0\].jobs: must have {jobs} entries"),
            (
                ("weights", 0),
                {"jobs": [[1] * levels] * jobs, "whole": 1},
                "jobs that run together in the tree may weigh more",
            ),
            (("apart",), [[[0, 0], [0, 0]]], r"certificate.apart\[0\]: must be two or more different jobs"),
            (("apart",), [[[0, 0]]], r"certificate.apart\[0\]: must be two or more different jobs"),
            (("apart",), [[[0, 0], [1]]], r"certificate.apart\[0\]\[1\]: must have 2 entries"),
            (("apart",), [[[0, levels], [1, 0]]], r"certificate.apart\[0\]\[0\]: must be at most"),
            (("apart",), [[[0, 0], [1, jobs]]], r"certificate.apart\[0\]\[1\]: must be at most"),
            (("codes",), "?", "certificate.codes"),
            (("seen",), 5, "certificate.seen"),
            (("seen",), "eJxjbAAAAIQAgg==", "certificate.seen: the last number is not complete"),
        ],
    )


def test_numbers_of_several_bytes():
    """Seven bits a byte, the lowest first; eight bytes at most."""
    reader = LogReader(bytes([5, 0x81, 2, *[0xFF] * 7, 0x7F, *[0x80] * 8]))
    assert [reader.number() for _ in range(3)] == [5, 1 + 2 * 128, 2**56 - 1]
    with pytest.raises(BadLog):
        reader.number()


class Forger:
    """Closes each branch in any way that the walk accepts, and opens it only where none is."""

    def __init__(self, instance, certificate, makespan):
        fields = {**plain_certificate(certificate), "makespan": makespan}
        self.rules = read_log_rules(own_instance(instance).ticks, fields, Effort())
        self.closings = [bytes([one + 1]) for one in range(len(self.rules.budget))]
        self.closings.append(bytes([LOG_STOP]))
        self.closings += [bytes([LOG_LATE, job]) for job in range(len(self.rules.order))]
        self.closings += [bytes([LOG_SEEN, number]) for number in range(MOMENTS)]

    def accepts(self, codes):
        """Whether the walk reads all of these bytes: it then reads the code that is added, which does not exist."""
        walk = LogWalk(self.rules, codes + b"\xfa", range(MOMENTS), Effort())
        return (not walk.refutes() and walk.reader.ended) or self.refutes(codes)

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
