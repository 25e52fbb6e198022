"""The certificate's checker: right by hand, never fooled."""

from __future__ import annotations

import copy
import random
from fractions import Fraction as F

import pytest

from oas.bounds.coallocation.configurations import certificate as certificates
from oas.bounds.coallocation.configurations.certificate import value
from oas.bounds.coallocation.configurations.modes import job_modes
from oas.core.errors import InputError
from oas.core.result import Bound
from oas.exact.bound_check import recheck
from oas.exact.coallocation.brute_force import brute_force
from tests.problems.coallocation.grids import INSTANCES, THREE, TWO_SPEEDS

# Of TWO_SPEEDS: levels 0 (2 ticks) and 1 (4 ticks) of each of three jobs.
SPLIT = {
    "tree": [
        {"job": 0, "parts": [[0], [1]]},
        {"weights": [[1, 0], [1, 1], [1, 1]]},
        {"job": 1, "parts": [[1], [0]]},
        {"weights": [[0, 1], [0, 1], [2, 1]]},
        {"weights": [[0, 1], [1, 0], [1, 1]]},
    ]
}


def leaf(*weights: list[int]) -> dict[str, object]:
    return {"tree": [{"weights": list(weights)}]}


def stated(capacity: int) -> dict[str, object]:
    """A weight of 1 for each job, and a capacity that need not hold."""
    return {"tree": [{"weights": [[1], [1], [1]], "capacity": capacity}]}


def test_by_hand() -> None:
    assert value(THREE, leaf([1], [1], [1])) == 8  # 15 to be worked off, 2 at a time
    assert value(THREE, leaf([10**20], [10**20], [10**20])) == 8
    assert value(THREE, leaf([1], [1], [0])) == 5
    assert value(THREE, leaf([0], [0], [0])) == 5  # the longest job
    assert value(TWO_SPEEDS, leaf([2, 1], [2, 1], [2, 1])) == 4  # 12 by 3 at most
    assert value(TWO_SPEEDS, leaf([1, 1], [1, 1], [1, 1])) == 3
    assert value(TWO_SPEEDS, SPLIT) == 3  # 6/2, 4 + 4 + 4 by 3, 8/2
    assert value(THREE, stated(0)) == value(THREE, stated(1)) == value(THREE, stated(2)) == 8  # two jobs run at a time
    assert value(THREE, stated(3)) == 5  # the longest job
    slow = copy.deepcopy(SPLIT)
    slow["tree"][1]["weights"] = [[2, 0], [2, 1], [2, 1]]
    assert value(TWO_SPEEDS, slow) == 4


def test_random_certificates_never_pass_the_optimum() -> None:
    draw = random.Random(3)
    for instance in INSTANCES:
        optimum = brute_force(instance)[0]
        modes = job_modes(instance.scaled())
        for _ in range(4):
            nodes: list[dict[str, object]] = []
            stack = [certificates.every_mode(modes)]
            while stack:
                allowed = stack.pop()
                many = [job for job, kept in enumerate(allowed) if len(kept) > 1]
                if many and draw.random() < 0.6:
                    job = draw.choice(many)
                    kept = draw.sample(sorted(allowed[job]), len(allowed[job]))
                    cut = draw.randint(1, len(kept) - 1)
                    parts = [kept[:cut], kept[cut:]]
                    nodes.append({"job": job, "parts": [[modes[job][m].level for m in part] for part in parts]})
                    stack += [(*allowed[:job], frozenset(part), *allowed[job + 1 :]) for part in reversed(parts)]
                else:
                    weights = [
                        [draw.randint(0, 20) if m in kept else 0 for m in range(len(modes[job]))]
                        for job, kept in enumerate(allowed)
                    ]
                    nodes.append({"weights": weights, "capacity": draw.choice((0, 20, 60))})
            assert 0 < value(instance, {"tree": nodes}) <= optimum


def spoilt(path, new):
    certificate = copy.deepcopy(SPLIT)
    place = certificate
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = new
    return certificate


LOOP: list[object] = []
LOOP.append(LOOP)
WEIGHTS = [[1, 0], [1, 1], [1, 1]]
HOSTILE = {
    "no tree": {},
    "another field": {**SPLIT, "value": 9},
    "no list": {"tree": 3},
    "a text": {"tree": "weights"},
    "empty": {"tree": []},
    "a leaf dropped": {"tree": SPLIT["tree"][:-1]},
    "a leaf too many": {"tree": [*SPLIT["tree"], SPLIT["tree"][1]]},
    "two roots": {"tree": [SPLIT["tree"][1]] * 2},
    "a node that is none": spoilt(["tree", 1], 5),
    "both at once": spoilt(["tree", 1], {"weights": WEIGHTS, "job": 0, "parts": []}),
    "a negative capacity": spoilt(["tree", 1], {"weights": WEIGHTS, "capacity": -1}),
    "a capacity that is no integer": spoilt(["tree", 1], {"weights": WEIGHTS, "capacity": 3.0}),
    "a claimed value": spoilt(["tree", 1], {"weights": WEIGHTS, "value": 100}),
    "negative": spoilt(["tree", 1, "weights", 1, 0], -1),
    "float": spoilt(["tree", 1, "weights", 1, 0], 1.0),
    "fraction": spoilt(["tree", 1, "weights", 1, 0], F(1)),
    "truth": spoilt(["tree", 1, "weights", 1, 0], True),
    "digits": spoilt(["tree", 1, "weights", 1, 0], "1"),
    "huge": spoilt(["tree", 1, "weights", 1, 0], 10**5000),
    "a row missing": spoilt(["tree", 1, "weights"], WEIGHTS[:2]),
    "a row too many": spoilt(["tree", 1, "weights"], [*WEIGHTS, [1, 1]]),
    "an entry missing": spoilt(["tree", 1, "weights", 2], [1]),
    "an entry too many": spoilt(["tree", 1, "weights", 2], [1, 1, 1]),
    "a weight for a level given up": spoilt(["tree", 1, "weights", 0, 1], 1),
    "itself": spoilt(["tree", 1, "weights"], LOOP),
    "no such job": spoilt(["tree", 0, "job"], 3),
    "job before the first": spoilt(["tree", 0, "job"], -1),
    "job by a float": spoilt(["tree", 0, "job"], 0.0),
    "no such level": spoilt(["tree", 0, "parts"], [[0], [1, 2]]),
    "level by a truth": spoilt(["tree", 0, "parts"], [[False], [True]]),
    "a level left out": spoilt(["tree", 0, "parts"], [[0], []]),
    "a level left out without a part": spoilt(["tree", 0, "parts"], [[0]]),
    "a level twice": spoilt(["tree", 0, "parts"], [[0, 1], [1]]),
    "one part": spoilt(["tree", 0, "parts"], [[0, 1]]),
    "an empty part": spoilt(["tree", 0, "parts"], [[0, 1], []]),
    "a level that was given up": spoilt(["tree", 2], {"job": 0, "parts": [[0], [1]]}),
    "a split of one level": {"tree": [SPLIT["tree"][0]] * 2000},
}


@pytest.mark.parametrize("certificate", HOSTILE.values(), ids=HOSTILE)
def test_hostile(certificate: dict[str, object]) -> None:
    with pytest.raises(InputError, match="certificate"):
        value(TWO_SPEEDS, certificate)
    assert not recheck(TWO_SPEEDS, Bound("configurations", F(1), certificate))


def test_too_many_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificates, "MAX_NODES", 4)
    with pytest.raises(InputError, match="more than 4 nodes"):
        value(TWO_SPEEDS, SPLIT)


def test_recheck_by_name() -> None:
    bound = Bound("configurations", F(8), leaf([1], [1], [1]))
    assert recheck(THREE, bound)
    assert recheck(THREE, Bound("configurations", F(7), bound.certificate))
    assert not recheck(THREE, Bound("configurations", F(9), bound.certificate))
    assert not recheck(THREE, Bound("configurations", F(81, 10), bound.certificate))
    assert not recheck(THREE, Bound("area", F(8), bound.certificate))
    assert not recheck(THREE, Bound("configurations", F(5), None))
    assert not recheck(THREE, Bound("configurations", F(5), {}))
    assert not recheck(TWO_SPEEDS, bound)
