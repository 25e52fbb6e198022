"""The price of forbidding saturation: compared with brute force, and the report of open optima."""

from fractions import Fraction as F
from random import Random

import pytest

import oas
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.saturation import PLAIN
from oas.core.result import Status
from oas.solving.brute_force import brute_force
from oas.solving.study import Interval, Optimum, ratio_of
from tests.slow import mostly_slow

THRESHOLDS = (1, "3/4", "1/2", None)


def draw(seed):
    """Three jobs on three clusters of two or three nodes: links that two jobs saturate, one job in some."""
    rng = Random(seed)
    clusters = [
        Cluster(name, [NodeGroup(rng.randint(1, 2), 1)], rng.choice((1, F(3, 2), 2, 3))) for name in ("P", "Q", "R")
    ]
    jobs = [
        Job(name, rng.randint(1, 3), rng.randint(2, 8), rng.choice((0, 1, 1)), rng.choice((0, F(1, 2), 1)))
        for name in "ABC"
    ]
    return CoallocationInstance(clusters, jobs, rng.choice((0, 2)))


@pytest.mark.parametrize("sharing", ["paper", "max-min"])
@pytest.mark.parametrize("seed", mostly_slow(range(12), quick=range(2)))
def test_every_point_is_the_optimum_by_brute_force(seed, sharing):
    instance = draw(seed)
    study = oas.price_of_saturation(instance, THRESHOLDS, sharing=sharing, time_limit=60)
    for one in (study.forbid, *study):
        under = instance.with_saturation(one.saturation)
        if one.status is Status.INFEASIBLE:
            with pytest.raises(oas.OasError, match="no allocation"):
                brute_force(under)
            continue
        best = brute_force(under)[0]
        assert one.lower_bound <= best <= one.makespan == one.schedule.makespan
        assert one.optimum.proven == (one.status is Status.OPTIMAL)
        assert oas.verify(under, one.schedule) == []
        if study.forbid.makespan is not None:
            truth = brute_force(instance)[0] / best
            assert 1 <= one.ratio.low <= truth <= one.ratio.high
    ends = [one.makespan for one in study if one.makespan is not None]
    assert ends == sorted(ends, reverse=True)
    bounds = [one.lower_bound for one in study]
    assert bounds == sorted(bounds, reverse=True)
    assert [one.saturation.sharing for one in study] == [sharing] * 4


def pair(bandwidth=1):
    """Two jobs of three nodes that cannot run together unless a link is saturated: 24 in turn, or 18 at half speed."""
    clusters = [Cluster(name, [NodeGroup(2, 1)], bandwidth) for name in "PQR"]
    return CoallocationInstance(clusters, [Job(name, 3, 12, 1, F(1, 2)) for name in "AB"], name="pair")


def test_the_pair_by_hand():
    """A on P and one node of Q, B on R and the other: Q is asked for 2 of 1, SC = 2, 12·(1/2 + 1/2·2) = 18."""
    study = oas.price_of_saturation(pair(), ["3/4", "1/2", None, 1, "0.5"])
    assert [one.threshold for one in study] == [1, F(3, 4), F(1, 2), None]
    assert [one.makespan for one in (study.forbid, *study)] == [24, 24, 24, 18, 18]
    assert [one.ratio for one in study] == [Interval(F(1), F(1))] * 2 + [Interval(F(4, 3), F(4, 3))] * 2
    assert study.forbid.saturation == PLAIN and study.forbid.ratio == Interval(F(1), F(1))
    assert all(one.status is Status.OPTIMAL and one.proof for one in study) and not study.interrupted
    assert all(one.heuristic and one.heuristic_makespan >= one.makespan for one in study)
    assert len(study.results) < 5  # threshold 1 is forbid, whose bound and schedule serve it


def test_an_open_optimum_makes_the_ratio_an_interval():
    forbid, slowdown = Optimum(F(10), F(14)), Optimum(F(8), F(11))
    assert ratio_of(forbid, slowdown) == Interval(F(1), F(7, 4))
    assert ratio_of(Optimum(F(12), F(14)), slowdown) == Interval(F(12, 11), F(7, 4))
    assert ratio_of(forbid, Optimum(F(0), F(3))) is None and ratio_of(Optimum(F(0), None), slowdown) is None


def test_ctrl_c_keeps_what_is_finished():
    """It comes as the second policy is reported."""

    def stop(seen):
        if seen.stage.endswith("(2 of 3)"):
            raise KeyboardInterrupt

    study = oas.price_of_saturation(pair(), ["1/2", None], on_progress=stop)
    assert study.interrupted and study.forbid.status is Status.OPTIMAL
    assert len(study) == 2 and all(one.makespan is not None and one.makespan <= 24 for one in study)
