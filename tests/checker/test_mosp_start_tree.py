"""The bound by a tree over starts: what the checker proves is the optimum or less."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from oas.checker.effort import Effort
from oas.checker.mosp_measures import Timeline as OwnTimeline
from oas.checker.mosp_measures import measure_tables
from oas.checker.mosp_start_tree import PartialSchedule, StartTree
from oas.checker.reading import Refused
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.mosp.bounds import start_tree
from oas.mosp.bounds.start_tree import kernels, make_memory, make_problem, write_codes
from oas.mosp.bounds.start_tree.measures import Part, Timeline
from oas.mosp.bounds.start_tree.prices import flat_measures, interval_measures, kinds_of_weights
from oas.mosp.instance import MospInstance
from oas.mosp.ticks import coarsened
from tests.checker.cases import are_refused, never_above, proven
from tests.checker.instances import own_mosp
from tests.checker.mosp_cases import THREE
from tests.mosp.instances import alone, optimum, unit
from tests.slow import mostly_slow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOM = 5_000  # nodes


@pytest.fixture(autouse=True)
def small_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search finds states by a table that is large, and costs time to make; hardly any share a place in this."""
    monkeypatch.setattr(start_tree, "HEADS", 65_537)


def trees(instance: MospInstance, draw: Random, horizons: Sequence[int]) -> Iterator[tuple[dict[str, Any], bytes]]:
    """Yield certificates of the makespans that are refuted, by measures of several kinds, and their codes."""
    scaled = coarsened(instance.scaled())[0]
    for mirrored in (False, True):
        for horizon in horizons:
            line = Timeline(scaled, horizon, mirrored=mirrored)
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


def closes_all(instance: MospInstance, horizon: int, draw: Random) -> bool:
    """Whether a tree is closed if each node is that may be, by any of the rules."""
    ticks, mirrored = own_mosp(instance).ticks, draw.random() < 0.5
    line = Timeline(coarsened(instance.scaled())[0], horizon, mirrored=mirrored)
    kinds = kinds_of_weights(line, ())
    parts = [[part.document for part in one] for one in (*flat_measures(line, kinds), *interval_measures(line, kinds))]
    own, jobs = OwnTimeline.of(ticks, horizon, mirrored=mirrored), ticks.job_count
    order = draw.sample(range(jobs), jobs)
    tables = measure_tables(parts[:200], own, order, Effort())
    tree = StartTree(own, order, tables, Effort())
    path = [(root := tree.root(), tree.children(root))]
    while path:
        node, children = path[-1]
        child = next(children, None)
        if child is None:
            path.pop()
            if node.first:
                tree.keep(node)
            continue
        if not child.waiting:
            return False
        for code in draw.sample(range(1, 3 + len(tables)), 2 + len(tables)):
            if tree.closes(child, code):
                break
        else:
            path.append((child, tree.children(child)))
    return True


@pytest.mark.parametrize("seeds", mostly_slow([range(40), range(40, 160)], quick=[range(40)]))
def test_the_rules_close_no_node_above_a_schedule(seeds: range) -> None:
    draw = Random(len(seeds))
    for seed in seeds:
        best = optimum(seed)
        assert not closes_all(alone(seed), best, draw), seed
        assert best == 1 or closes_all(alone(seed), best - 1, draw), seed


def test_what_dominates() -> None:
    """An earlier node, no later and no dearer, whose running jobs hold no more processors from the later moment on."""
    draw = Random(3)
    jobs = [RigidJob(f"J{k}", 4, draw.randint(1, 3)) for k in range(8)]
    line = OwnTimeline.of(own_mosp(MospInstance([Organization("O", 9, jobs)], None)).ticks, 20, mirrored=False)
    counts = {False: 0, True: 0}
    for _ in range(2_000):
        tree = StartTree(line, range(8), [], Effort())
        nodes = []
        for moment in (draw.randint(0, 6), draw.randint(3, 6)):
            running = sorted(((draw.randint(3, 12), job) for job in draw.sample(range(6), 3)), reverse=True)
            nodes.append(PartialSchedule(moment, True, (), (6, 7), draw.randint(10, 12), tuple(running), ()))
        first, second = nodes
        tree.keep(first)
        held = [
            [sum(jobs[job].processors for end, job in node.running if end > unit) for unit in range(second.moment, 13)]
            for node in nodes
        ]
        dominates = first.moment <= second.moment and first.total <= second.total
        dominates = dominates and all(one <= other for one, other in zip(*held, strict=True))
        assert tree.is_dominated(second) == dominates
        counts[dominates] += 1
    assert min(counts.values()) > 100


def test_nodes_that_are_dominated() -> None:
    """Two gaps of 35 for 70 units of work, of which no subset makes 35: many orders lead to the same state."""
    jobs = [RigidJob(f"J{k}", time, 3) for k, time in enumerate((6, 10, 15, 21, 7, 11))]
    instance = MospInstance([Organization("O", 3, jobs, [Reservation(35, 36, 3)])], locality=None)
    dominated = accepted = 0
    for certificate, codes in trees(instance, Random(1), [71]):
        dominated += codes.count(kernels.DOMINATED)
        assert proven("start tree", instance, certificate) == 72
        for place in [place for place, code in enumerate(codes) if code in (kernels.EXPANDED, kernels.DOMINATED)]:
            other = {**certificate, "codes": write_codes(codes[:place] + b"\2" + codes[place + 1 :])}
            accepted += proven("start tree", instance, other) == 72
    assert dominated > 10 and accepted


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
        (("makespan",), 20_001, "certificate.makespan: must be at most 20,000 units"),
        (("order",), [], "certificate.order: must have some of the jobs, none twice"),
        (("codes",), "x", "certificate.codes: must be zlib-compressed bytes in base64"),
        (("codes",), write_codes(b""), "certificate.codes: must have at least one byte"),
        (("measures",), [[]] * 201, "certificate.measures: must have at most 200 entries"),
        ((*part, "prices"), [[0, horizon + 1, 1]], r"prices\[0\]: must be \[from, to, price\], ascending"),
        ((*part,), {"weights": [2**50] * jobs, "prices": [[0, 1, 2**50]]}, "of a measure are too large"),
    ]
    are_refused("start tree", instance, certificate, changes)
    change = (("order",), [0], "is for instances of one cluster")
    are_refused("start tree", THREE, {**certificate, "makespan": 5}, [change])
