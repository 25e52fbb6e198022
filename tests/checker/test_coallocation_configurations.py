"""The bound *configurations* of co-allocation: right by hand, confirmed in the library, never above the optimum."""

from random import Random

import pytest

from oas.checker import coallocation_configurations
from oas.checker.effort import Effort
from oas.checker.reading import Refused
from oas.library import Library
from oas.solving.brute_force import brute_force
from tests.checker.cases import are_refused, never_above, proven
from tests.coallocation.grids import INSTANCES, THREE, TWO_SPEEDS
from tests.slow import at_least, draws, mostly_slow

NAME = "configurations"
NAMES = ["oas-wl3-50", "oas-32-3x20-tight-50-s0", "oas-64-3x80-tight-10-s0", "oas-64-6x20-tight-50-s0"]
# Of TWO_SPEEDS: levels 0 (2 ticks) and 1 (4 ticks) of each of three jobs.
WEIGHTS = [[1, 0], [1, 1], [1, 1]]
SPLIT = {
    "tree": [
        {"job": 0, "parts": [[0], [1]]},
        {"weights": WEIGHTS},
        {"job": 1, "parts": [[1], [0]]},
        {"weights": [[0, 1], [0, 1], [2, 1]]},
        {"weights": [[0, 1], [1, 0], [1, 1]]},
    ]
}


def leaf(*weights, **capacity):
    return {"tree": [{"weights": list(weights), **capacity}]}


@pytest.mark.parametrize(
    ("instance", "certificate", "value"),
    [
        (THREE, leaf([1], [1], [1]), 8),  # 15 to be worked off, 2 at a time
        (THREE, leaf([10**20], [10**20], [10**20]), 8),
        (THREE, leaf([1], [1], [0]), 5),
        (THREE, leaf([0], [0], [0]), 5),  # the longest job
        (THREE, leaf([1], [1], [1], capacity=1), 8),  # two jobs run at a time
        (THREE, leaf([1], [1], [1], capacity=3), 5),
        (TWO_SPEEDS, leaf([2, 1], [2, 1], [2, 1]), 4),  # 12 by 3 at most
        (TWO_SPEEDS, leaf([1, 1], [1, 1], [1, 1]), 3),
        (TWO_SPEEDS, SPLIT, 3),  # 6/2, 4 + 4 + 4 by 3, 8/2
        (TWO_SPEEDS, {"tree": [SPLIT["tree"][0], {"weights": [[2, 0], [2, 1], [2, 1]]}, *SPLIT["tree"][2:]]}, 4),
    ],
)
def test_by_hand(instance, certificate, value):
    assert proven(NAME, instance, certificate) == value


@pytest.mark.parametrize("name", mostly_slow(NAMES, quick=NAMES[:2]))
def test_certificates_of_the_library(name):
    library = Library()
    instance, result = library.instance(name), library.result(name)
    assert proven(NAME, instance, result.proof.bound.certificate) == result.proof.bound.value
    refused, kept = never_above(NAME, instance, result.proof.bound.certificate, result.objective)
    assert refused > 30 and kept > 10


def test_trees_drawn_at_random_never_pass_the_optimum():
    """Also not with a node changed; some meet it."""
    draw = Random(3)
    met = 0
    for instance in INSTANCES:
        optimum, scaled = brute_force(instance)[0], instance.scaled()
        levels = range(len(scaled.powers))
        for _ in range(draws(12)):
            nodes, waiting = [], [{}]
            while waiting:
                left = waiting.pop()
                many = [job for job in range(scaled.job_count) if len(left.get(job, levels)) > 1]
                if many and draw.random() < 0.6:
                    job = draw.choice(many)
                    kept = draw.sample(list(left.get(job, levels)), len(left.get(job, levels)))
                    parts = [kept[:1], kept[1:]]
                    nodes.append({"job": job, "parts": parts})
                    waiting += [{**left, job: part} for part in reversed(parts)]
                else:
                    weights = [
                        [draw.randint(0, 20) * (level in left.get(job, levels)) for level in levels]
                        for job in range(scaled.job_count)
                    ]
                    nodes.append({"weights": weights, "capacity": draw.choice((0, 20, 60))})
            try:
                value = proven(NAME, instance, {"tree": nodes})
            except Refused:  # not every level is a mode
                continue
            assert 0 < value <= optimum
            met += value == optimum
    assert met > at_least(3)


def test_malformed():
    are_refused(
        NAME,
        TWO_SPEEDS,
        SPLIT,
        [
            ((), {}, "certificate.tree: is missing"),
            ((), {**SPLIT, "value": 9}, "certificate.value: unknown field"),
            (("tree",), "weights", "certificate.tree: must be a list"),
            (("tree",), [], "does not cover every case"),
            (("tree",), SPLIT["tree"][:-1], "does not cover every case"),
            (("tree",), [*SPLIT["tree"], SPLIT["tree"][1]], r"tree\[5\]: no case is left for it"),
            (("tree",), [SPLIT["tree"][0]] * 2000, r"tree\[1\].parts: must have at most 1 entries"),
            (("tree", 1), 5, r"tree\[1\]: must be an object"),
            (("tree", 1, "job"), 0, r"tree\[1\].job: unknown field"),
            (("tree", 1, "capacity"), -1, r"tree\[1\].capacity: must be at least 0"),
            (("tree", 1, "capacity"), True, r"tree\[1\].capacity: must be an integer"),
            (("tree", 1, "weights"), WEIGHTS[:2], r"weights: must have 3 entries"),
            (("tree", 1, "weights", 2), [1], r"weights\[2\]: must have 2 entries"),
            (("tree", 1, "weights", 1, 0), -1, r"weights\[1\]\[0\]: must be at least 0"),
            (("tree", 1, "weights", 1, 0), True, r"weights\[1\]\[0\]: must be an integer"),
            (("tree", 1, "weights", 1, 0), "1", r"weights\[1\]\[0\]: must be an integer"),
            (("tree", 1, "weights", 1, 0), 10**40, r"weights\[1\]\[0\]: must be at most"),
            (("tree", 1, "weights", 0, 1), 1, r"weights\[0\]: a weight for a level that the job does not have here"),
            (("tree", 0, "job"), 3, r"tree\[0\].job: there is no such job"),
            (("tree", 0, "job"), -1, r"tree\[0\].job: must be at least 0"),
            (("tree", 0, "parts"), [[0], [1, 2]], r"parts\[1\]: must be choices that the job has here"),
            (("tree", 0, "parts"), [[0], [0]], r"parts\[1\]: must be choices that the job has here"),
            (("tree", 0, "parts"), [[0, 1], []], r"parts\[1\]: must be choices that the job has here"),
            (("tree", 0, "parts"), [[False], [1]], r"parts\[0\]: must be an integer"),
            (("tree", 0, "parts"), [[0]], "at least two parts that leave out no choice"),
            (("tree", 0, "parts"), [[0, 1]], "at least two parts that leave out no choice"),
            (("tree", 2), {"job": 0, "parts": [[0], [1]]}, r"tree\[2\].parts: must have at most 1 entries"),
        ],
    )


def test_limits(monkeypatch):
    monkeypatch.setattr(coallocation_configurations, "MOST_CHOICE_NODES", 4)
    with pytest.raises(Refused, match="at most 4 entries"):
        proven(NAME, TWO_SPEEDS, SPLIT)
    effort = Effort(10)
    effort.spend(10)
    with pytest.raises(Refused, match="a patience of 1 allows"):
        effort.spend(1)
