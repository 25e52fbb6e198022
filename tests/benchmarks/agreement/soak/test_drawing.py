"""What seeds give: the same instance each time, of the shape that is said, small enough for brute force."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from fractions import Fraction as F
from typing import Any

from benchmarks.agreement.soak.drawing import DRAW, KINDS, PROBLEMS, drawn, problem_of_seed
from oas.io import dumps, loads

EVERY: list[Any] = [drawn(seed) for seed in range(400)]
DIGESTS = "3baa5669b9e3aa1a"


def of(shape: str) -> list[Any]:
    found = [one for one in EVERY if one.shape == shape]
    assert len(found) >= 4
    return found


def test_a_seed_gives_the_same_instance_as_ever() -> None:
    every = hashlib.sha256("".join(one.instance.digest for one in EVERY).encode()).hexdigest()
    assert (DRAW, every[:16]) == (1, DIGESTS), "raise DRAW: finished seeds of older rows are other instances"


def test_all_shapes_of_all_problems_are_drawn_and_can_be_written() -> None:
    shapes = defaultdict(set)
    for one in EVERY:
        assert one.problem == one.instance.problem.name == problem_of_seed(one.seed)
        assert loads(dumps(one.instance)) == one.instance
        shapes[one.problem].add(one.shape)
    assert set(shapes) == set(PROBLEMS)
    for problem, known, _ in KINDS:
        assert shapes[problem] >= set(known)


def test_the_shapes_are_what_they_say() -> None:
    assert {one.instance.node_count for one in of("one node")} == {1}
    assert {cluster.bandwidth for one in of("links of 0") for cluster in one.instance.clusters} == {0}
    assert all(
        len({(job.tasks, job.base_time) for job in one.instance.jobs}) == 1
        for one in of("equal jobs")
        if one.problem == "coallocation"
    )
    assert any(
        len(set(cluster.node_powers)) > 1 for one in of("several Γ in a cluster") for cluster in one.instance.clusters
    )
    fine = [one.instance for one in of("large denominators") if one.problem == "mosp"]
    assert all(max(job.time.denominator for job in one.jobs) >= 97 for one in fine)
    assert {one.instance.locality for one in of("locality 4/3")} == {F(4, 3)}
    for one in of("reservations block a cluster"):
        clusters = [own for own in one.instance.organizations if own.reservations]
        assert clusters and all(own.reservations[0].processors == own.processors for own in clusters)
    assert any(job.release for one in of("scattered releases") for job in one.instance.jobs)
    policies = {one.instance.saturation.sharing for one in EVERY if one.shape.startswith("slowdown")}
    assert policies == {"paper", "max-min"}
    assert all(one.instance.horizon <= 12 + 30 for one in EVERY if one.problem == "fair")
