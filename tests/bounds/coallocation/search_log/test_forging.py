"""A forger who tries every way to close a branch cannot prove more than the optimum.

At each byte that the checker asks for, all closings are tried, and a branch is opened only when none is accepted. At
the optimum a sound checker ends at a schedule; one that accepts a wrong closing would be led to a refutation.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from oas.bounds.coallocation.configurations.packing import Packing
from oas.bounds.coallocation.search_log import certificate as checker
from oas.bounds.coallocation.search_log import replay
from oas.exact.coallocation.chronological.search import ChronologicalSearch, Verdict, Weights
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.bounds.coallocation.search_log.logs import MANY, refuted
from tests.slow import every_fourth_quick

MOMENTS = 60  # that may be referred to
MOST_CODES = 400  # of a forged log: longer ones are given up


class Forger:
    """Walks logs of any bytes for one instance and makespan."""

    def __init__(self, instance, certificate, makespan):
        fields = {**certificate, "makespan": makespan}
        self.scaled = instance.scaled()
        self.rules = checker.read_rules(self.scaled, makespan, fields["order"], fields)
        self.closings = [bytes([one + 1]) for one in range(len(self.rules.budget))]
        self.closings.append(bytes([replay.STOP]))
        self.closings += [bytes([replay.LATE, job]) for job in range(self.scaled.job_count)]
        self.closings += [bytes([replay.SEEN, number]) for number in range(MOMENTS)]

    def walk(self, codes):
        """How the walk ends."""
        key, states = checker.make_states(self.rules, list(range(MOMENTS)), 10**6)
        read = np.frombuffer(codes, dtype=np.uint8)
        return int(replay.walk(self.rules, checker.make_path(self.rules), states, read, key, 10**6)[0])

    def forge(self):
        """How the forged log ends."""
        codes = b""
        if (self.rules.budget < 0).any():
            return replay.REFUTED
        while (status := self.walk(codes)) == replay.TOO_SHORT and len(codes) < MOST_CODES:
            accepted = (one for one in self.closings if self.walk(codes + one) in (replay.TOO_SHORT, replay.REFUTED))
            codes += next(accepted, bytes([replay.OPEN]))
        return status


@pytest.mark.parametrize("weighed", [True, False])
@pytest.mark.parametrize("seed", every_fourth_quick(range(100, 129)))
def test_nothing_is_forged_at_the_optimum(seed, weighed):
    found = refuted(seed, weighed=weighed)
    instance, optimum, certificate = found
    assert Forger(instance, certificate, optimum).forge() in (replay.HAS_SCHEDULE, replay.TOO_SHORT)
    # Below it the forger finds a proof, for there all branches can be closed.
    assert Forger(instance, certificate, optimum - 1).forge() in (replay.REFUTED, replay.TOO_SHORT)


@pytest.mark.parametrize("placed", [True, False])
def test_jobs_that_only_links_keep_apart(placed):
    """Two jobs on three clusters of three nodes: each needs two clusters, and no link carries both."""
    clusters = [Cluster(name, [NodeGroup(3, 1)], Fraction(4, 3)) for name in "abc"]
    instance = CoallocationInstance(clusters, [Job("x", 4, 2, 1), Job("y", 4, 1, 1)], 1)
    nothing = Weights(((0,), (0,)), 0)
    packing = Packing(instance.scaled())
    search = ChronologicalSearch(
        instance.scaled(),
        [nothing],
        2,
        placed=placed,
        together=lambda *pair: packing.fits(pair),
        compiled=False,
    )
    assert search.go_on(MANY) is Verdict.REFUTED
    certificate = search.certificate()
    assert checker.check(instance.scaled(), certificate) == (2, replay.REFUTED)
    assert Forger(instance, certificate, 2).forge() == replay.REFUTED
    assert Forger(instance, certificate, 3).forge() == replay.HAS_SCHEDULE


def test_forged_logs_end():
    """What is given up after very many bytes shows nothing; nearly all logs are shorter."""
    ends = [
        Forger(instance, certificate, optimum).forge()
        for instance, optimum, certificate in (refuted(seed, weighed=False) for seed in range(100, 115))
    ]
    assert ends.count(replay.HAS_SCHEDULE) >= 12
