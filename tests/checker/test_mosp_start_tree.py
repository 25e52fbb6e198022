"""The bound by a tree over starts: the stand-alone checker against the toolkit's."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from oas.bounds.mosp.start_tree.certificate import value, write_codes

from oas.bounds.mosp.start_tree import arrays, kernels
from oas.bounds.mosp.start_tree.arrays import make_memory, make_problem
from oas.bounds.mosp.start_tree.intervals import interval_measures
from oas.bounds.mosp.start_tree.measures import Part
from oas.bounds.mosp.start_tree.prices import flat_measures, kinds_of_weights
from oas.bounds.mosp.start_tree.timeline import Timeline
from oas.checker.errors import Refused
from oas.checker.mosp_start_tree import check_mosp_start_tree
from oas.core.errors import InputError
from oas.generate.mosp.reservations import reservations
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.ticks import coarsened
from oas.problems.rigid import Organization, Reservation, RigidJob
from tests.checker.instances import own_mosp
from tests.checker.tampering import hold_together
from tests.problems.mosp.one_cluster import alone, optimum
from tests.slow import mostly_slow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

ROOM = 5_000  # nodes


@pytest.fixture(autouse=True)
def small_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toolkit finds states by a table that is large, and costs time to make; hardly any share a place in this."""
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
            memory = make_memory(len(order), horizon, np.zeros(ROOM, dtype=np.uint8), ROOM, replay=False)
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


def verdict(check: Any, instance: Any, certificate: dict[str, Any]) -> Fraction | None:
    try:
        found: Fraction = check(instance, certificate)
        return found
    except (InputError, Refused):
        return None


@pytest.mark.parametrize("seeds", mostly_slow([range(12), range(12, 60)], quick=[range(12)]))
def test_trees_and_changed_trees_prove_the_same(seeds: range) -> None:
    draw = Random(len(seeds))
    count = accepted = 0
    for seed in seeds:
        instance = alone(seed)
        own = own_mosp(instance)
        best = optimum(seed)
        for certificate, codes in trees(instance, draw, range(max(1, best - 3), best + 3)):
            assert check_mosp_start_tree(own, certificate) == value(instance, certificate) > 0
            for _ in range(5):
                other = {**certificate, "codes": write_codes(changed(codes, draw))}
                other["makespan"] += draw.choice((0, 0, 0, 1, -1))
                other["mirrored"] ^= draw.random() < 0.2
                theirs = verdict(value, instance, other)
                assert verdict(check_mosp_start_tree, own, other) == theirs, (seed, certificate, other)
                count, accepted = count + 1, accepted + bool(theirs)
    assert accepted > 5
    assert count - accepted > 50


def test_nodes_that_are_dominated() -> None:
    """Two gaps of 35 for 70 units of work, of which no subset makes 35: many orders lead to the same state."""
    jobs = [RigidJob(f"J{k}", time, 3) for k, time in enumerate((6, 10, 15, 21, 7, 11))]
    instance = MospInstance([Organization("O", 3, jobs, [Reservation(35, 36, 3)])], locality=None)
    own = own_mosp(instance)
    dominated = accepted = 0
    for (certificate, codes), draw in zip(trees(instance, Random(1), [71]), map(Random, range(9)), strict=False):
        dominated += codes.count(kernels.DOMINATED)
        assert check_mosp_start_tree(own, certificate) == value(instance, certificate) == 72
        for place in [place for place, code in enumerate(codes) if code in (kernels.EXPANDED, kernels.DOMINATED)]:
            other = {**certificate, "codes": write_codes(codes[:place] + b"\2" + codes[place + 1 :])}
            theirs = value(instance, other)
            assert check_mosp_start_tree(own, other) == theirs
            accepted += theirs > 0
        for _ in range(10):
            other = {**certificate, "codes": write_codes(changed(codes, draw))}
            assert check_mosp_start_tree(own, other) == value(instance, other)
    assert dominated > 10
    assert accepted


def test_changed_certificates() -> None:
    draw = Random(5)
    found = [(one, seed) for seed in range(12) for one in trees(alone(seed), draw, [optimum(seed) - 1])]
    (certificate, codes), seed = max(found, key=lambda one: len(one[0][1]))
    assert len(codes) > 8
    instance = alone(seed)
    own = own_mosp(instance)
    refused, kept = hold_together(
        certificate,
        lambda one: value(instance, one),
        lambda one: check_mosp_start_tree(own, one),
        tick=instance.scaled().tick,
        each=1,
    )
    assert refused > 100
    assert kept > 20


def test_larger_trees_with_releases_and_reservations() -> None:
    instance = reservations(seed=3, jobs=14, processors=16, availability="general", releases=True)
    own, draw = own_mosp(instance), Random(5)
    nodes = 0
    for certificate, codes in trees(instance, draw, [120, 150]):
        nodes += len(codes)
        for other in (codes, changed(codes, draw), changed(codes, draw)):
            document = {**certificate, "codes": write_codes(other)}
            assert verdict(check_mosp_start_tree, own, document) == verdict(value, instance, document)
    assert nodes > 100
