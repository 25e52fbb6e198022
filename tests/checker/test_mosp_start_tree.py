"""The bound by a tree over starts: what the checker proves is the optimum or less."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from oas.bounds.mosp.start_tree import arrays, kernels
from oas.bounds.mosp.start_tree.arrays import make_memory, make_problem
from oas.bounds.mosp.start_tree.intervals import interval_measures
from oas.bounds.mosp.start_tree.measures import Part
from oas.bounds.mosp.start_tree.prices import flat_measures, kinds_of_weights
from oas.bounds.mosp.start_tree.search import write_codes
from oas.bounds.mosp.start_tree.timeline import Timeline
from oas.checker.errors import Refused
from oas.generate.mosp.reservations import reservations
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.ticks import coarsened
from oas.problems.rigid import Organization, Reservation, RigidJob
from tests.checker.cases import are_refused, never_above, proven
from tests.checker.mosp_cases import THREE
from tests.problems.mosp.one_cluster import alone, optimum, unit
from tests.slow import mostly_slow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOM = 5_000  # nodes


@pytest.fixture(autouse=True)
def small_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search finds states by a table that is large, and costs time to make; hardly any share a place in this."""
    monkeypatch.setattr(arrays, "HEADS", 65_537)


def trees(instance: MospInstance, draw: Random, horizons: Sequence[int]) -> Iterator[tuple[dict[str, Any], bytes]]:
    """Yield certificates of the makespans that are refuted, by measures of several kinds, and their codes."""
    scaled = coarsened(instance.scaled())[0]
    for mirrored in (False, True):
        for horizon in horizons:
            line = Timeline.of(scaled, horizon, mirrored=mirrored)
            jobs = scaled.job_count
            order = draw.sample(range(jobs), draw.choice((jobs, jobs, draw.randint(1, jobs))))
            kinds = kinds_of_weights(line, ())
            nothing = [(Part((0,) * jobs, ()),)]
            measures = draw.choice((nothing, flat_measures(line, kinds), interval_measures(line, kinds)))
            memory = make_memory(len(order), horizon, np.zeros(ROOM, dtype=np.uint8), ROOM)
            problem = make_problem(line, measures, order)
            kernels.begin(problem, memory)
            if memory.state[kernels.STATUS] == kernels.SEARCHING:
                kernels.search(problem, memory, ROOM)
            if memory.state[kernels.STATUS] != kernels.REFUTED:
                break
            codes = memory.code[: int(memory.state[kernels.NODES])].tobytes()
            documents = [[part.document for part in measure] for measure in measures]
            made = {"makespan": horizon, "mirrored": mirrored, "order": order, "measures": documents}
            yield {**made, "codes": write_codes(codes)}, codes


def changed(codes: bytes, draw: Random) -> bytes:
    """Return codes with one replaced, left out, or one more."""
    place = draw.randrange(len(codes))
    middle = draw.choice((bytes([draw.randrange(6)]), b"", codes[place : place + 1] + bytes([draw.randrange(4)])))
    return codes[:place] + middle + codes[place + 1 :]


@pytest.mark.parametrize("seeds", mostly_slow([range(12), range(12, 60)], quick=[range(12)]))
def test_trees_prove_what_was_searched_and_changed_ones_never_more_than_the_optimum(seeds: range) -> None:
    draw = Random(len(seeds))
    count = accepted = 0
    for seed in seeds:
        instance, best = alone(seed), optimum(seed)
        for certificate, codes in trees(instance, draw, range(max(1, best - 3), best + 3)):
            assert proven("start tree", instance, certificate) == (certificate["makespan"] + 1) * unit(seed)
            for _ in range(5):
                other = {**certificate, "codes": write_codes(changed(codes, draw))}
                other["makespan"] += draw.choice((0, 1, 1))
                other["mirrored"] ^= draw.random() < 0.2
                found = never_refused(instance, other)
                assert found <= best * unit(seed), (seed, certificate, other)
                count, accepted = count + 1, accepted + bool(found)
    assert accepted > 5 and count - accepted > 50


def never_refused(instance: MospInstance, certificate: dict[str, Any]) -> Any:
    """What a certificate proves; 0 for one of which the prices go beyond the makespan or the codes are none."""
    try:
        return proven("start tree", instance, certificate)
    except Refused:
        return 0


def test_nodes_that_are_dominated() -> None:
    """Two gaps of 35 for 70 units of work, of which no subset makes 35: many orders lead to the same state."""
    jobs = [RigidJob(f"J{k}", time, 3) for k, time in enumerate((6, 10, 15, 21, 7, 11))]
    gaps = MospInstance([Organization("O", 3, jobs, [Reservation(35, 36, 3)])], locality=None)
    dominated = 0
    for certificate, codes in trees(gaps, Random(1), [71]):
        dominated += codes.count(kernels.DOMINATED)
        assert proven("start tree", gaps, certificate) == 72
    assert dominated > 10
    # Two of the times make 35 where 14 takes the place of 10: a schedule ends by 71, and no code closes its nodes.
    other = [RigidJob(f"J{k}", time, 3) for k, time in enumerate((6, 14, 15, 21, 7, 7))]
    full = MospInstance([Organization("O", 3, other, [Reservation(35, 36, 3)])], locality=None)
    for place, code in enumerate(codes):
        if code in (kernels.EXPANDED, kernels.DOMINATED):
            closed = {**certificate, "codes": write_codes(codes[:place] + b"\2" + codes[place + 1 :])}
            assert proven("start tree", full, closed) == 0
            assert proven("start tree", gaps, closed) in (0, 72)


def test_changed_and_malformed_certificates() -> None:
    draw = Random(5)
    found = [(one, seed) for seed in range(12) for one in trees(alone(seed), draw, [optimum(seed) - 1])]
    (certificate, codes), seed = max(found, key=lambda one: len(one[0][1]))
    assert len(codes) > 8
    instance = alone(seed)
    refused, kept = never_above("start tree", instance, certificate, optimum(seed) * unit(seed))
    assert refused > 100 and kept > 20
    jobs, horizon = len(instance.jobs), certificate["makespan"]
    part = ("measures", 0, 0)
    changes = [
        (("makespan",), 0, "certificate.makespan: must be at least 1"),
        (("makespan",), 20_001, "certificate.makespan: must be at most 20,000 units"),
        (("mirrored",), 1, "certificate.mirrored: must be true or false"),
        (("order",), [], "certificate.order: must hold some of the jobs, none twice"),
        (("order",), [0, 0], "certificate.order: must hold some of the jobs, none twice"),
        (("order", 0), jobs, r"certificate.order\[0\]: must be at most"),
        (("codes",), "x", "certificate.codes: must be zlib-compressed bytes in base64"),
        (("codes",), write_codes(b""), "certificate.codes: must hold a byte at least"),
        (("measures",), [], "certificate.measures: must be a list of 1 to 200 entries"),
        (("measures", 0), [], r"certificate.measures\[0\]: must be a list of 1 to 200 entries"),
        ((*part, "weights"), [1], rf"measures\[0\]\[0\].weights: must have {jobs} entries"),
        ((*part, "weights", 0), 2**55, r"measures\[0\]\[0\].weights\[0\]: must be at most"),
        ((*part, "prices"), [[0, horizon + 1, 1]], r"prices\[0\]: must be \[from, to, price\] after the one before"),
        ((*part, "prices"), [[0, 1, 1], [0, 1, 1]], r"prices\[1\]: must be \[from, to, price\] after the one before"),
        ((*part,), {"weights": [2**50] * jobs, "prices": [[0, 1, 2**50]]}, "of a measure are too large"),
    ]
    are_refused("start tree", instance, certificate, changes)
    change = (("order",), [0], "only one cluster can be weighed")
    are_refused("start tree", THREE, {**certificate, "makespan": 5}, [change])


def test_larger_trees_with_releases_and_reservations() -> None:
    instance = reservations(seed=3, jobs=14, processors=16, availability="general", releases=True)
    nodes = 0
    for certificate, codes in trees(instance, Random(5), [120, 150]):
        nodes += len(codes)
        ticks = coarsened(instance.scaled())[0].tick
        assert proven("start tree", instance, certificate) == (certificate["makespan"] + 1) * ticks
    assert nodes > 40
