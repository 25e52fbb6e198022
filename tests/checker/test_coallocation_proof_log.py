"""Proof logs of co-allocation: the rows hold for schedules, each rule for all solutions, and wrong proofs fail."""

from __future__ import annotations

from collections import Counter
from itertools import islice, product
from random import Random
from typing import TYPE_CHECKING

import pytest

from benchmarks.robustness.exact_proofs import attempts
from benchmarks.robustness.mosp_adversaries.proof_logs import packed
from oas.checker.coallocation_proof_log import GridRun, grid_rows, grid_runs
from oas.checker.cutting_planes import (
    ADD,
    ADD_LITERALS,
    DIVIDE,
    KEEP,
    MAX_BITS,
    MULTIPLY,
    SATURATE,
    CuttingPlanes,
    Inequality,
)
from oas.checker.effort import Effort, TooCostly
from oas.coallocation.generate.tiny import tiny
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.models import runs_exact
from oas.solvers import discovery
from oas.solvers.proof_steps import number_bytes
from oas.solving.brute_force import brute_force
from tests.checker.cases import are_refused, proven
from tests.checker.instances import own_coallocation
from tests.slow import draws

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from oas.checker.coallocation_instance import CoallocationInstance as OwnInstance

MOST_PLACINGS = 40_000


def satisfied(row: Inequality, values: Mapping[int, int] | Sequence[int]) -> bool:
    terms, least = row
    return sum(term * values[variable] for variable, term in terms.items()) >= least


def every_run(own: OwnInstance, job: int, makespan: int) -> list[GridRun]:
    """Return all runs of a job that end in time: every choice of nodes that the links allow, and every start."""
    ticks, runs = own.ticks, []
    for counts in product(*(range(one.count + 1) for one in ticks.classes)):
        if sum(counts) != ticks.tasks[job]:
            continue
        on = [
            sum(n for n, one in zip(counts, ticks.classes, strict=True) if one.cluster == k)
            for k in range(len(own.clusters))
        ]
        loads = [own.jobs[job].link_load(n) for n in on]
        if all(load <= cluster.bandwidth for load, cluster in zip(loads, own.clusters, strict=True)):
            slowest = max(one.level for n, one in zip(counts, ticks.classes, strict=True) if n)
            time = int(own.jobs[job].duration(ticks.powers[slowest], own.slot) / ticks.tick)
            asked = tuple(ticks.link_loads[job][n] for n in on)
            runs += [GridRun(job, counts, asked, start, start + time) for start in range(makespan - time + 1)]
    return runs


def is_feasible(own: OwnInstance, runs: Sequence[GridRun]) -> bool:
    """Whether runs overload no class and no link at any tick, by the instance's own numbers."""
    for moment in {run.start for run in runs}:
        now = [run for run in runs if run.start <= moment < run.end]
        for index, one in enumerate(own.ticks.classes):
            if sum(run.counts[index] for run in now) > one.count:
                return False
        for k, cluster in enumerate(own.clusters):
            places = [index for index, one in enumerate(own.ticks.classes) if one.cluster == k]
            loads = [own.jobs[run.job].link_load(sum(run.counts[place] for place in places)) for run in now]
            if sum(loads) > cluster.bandwidth:
                return False
    return True


def values_of(runs: Sequence[GridRun], chosen: Sequence[GridRun]) -> list[int]:
    """Return the values of all variables of the rows for a schedule."""
    values = [int(run in chosen) for run in runs]
    for job, own in enumerate(chosen):
        values += [int(own.start <= at) for at in sorted({run.start for run in runs if run.job == job})[:-1]]
    return values


def placings(own: OwnInstance, makespan: int) -> Iterator[tuple[GridRun, ...]]:
    """Yield all ways to run each job once, feasible or not; none if there are too many."""
    options = [every_run(own, job, makespan) for job in range(len(own.jobs))]
    total = 1
    for one in options:
        total *= len(one)
    if total <= MOST_PLACINGS:
        yield from product(*options)


def test_rows_are_satisfied_by_the_schedules_that_keep_their_assumptions_and_by_no_others() -> None:
    seen: Counter[str] = Counter()
    for seed in range(draws(150)):
        instance = tiny(seed=seed, jobs=3, nodes=4)
        own = own_coallocation(instance)
        kinds = list(zip(own.ticks.tasks, own.ticks.durations, own.ticks.link_loads, strict=True))
        least = int(brute_force(instance)[0] / own.ticks.tick)
        for makespan in (least - 1, least, least + 1):
            chosen = list(placings(own, makespan))
            feasible = [one for one in chosen if is_feasible(own, one)]
            runs = grid_runs(own.ticks, makespan, Effort())
            rows, variables = grid_rows(own.ticks, runs, Effort())
            listed, kept = set(runs), 0
            alike = [
                (first, second)
                for second in range(len(own.jobs))
                for first in range(second)
                if kinds[first] == kinds[second]
            ]
            for one in chosen:
                if listed.issuperset(one):
                    values = values_of(runs, one)
                    assert len(values) == variables
                    in_order = all(one[first].start <= one[second].start for first, second in alike)
                    solves = all(satisfied(row, values) for row in rows)
                    assert solves == (in_order and is_feasible(own, one)), (seed, makespan)
                    kept += solves
                    seen["refused"] += not solves
            assert (kept > 0) == (len(feasible) > 0), (seed, makespan)
            if chosen:
                assert (kept > 0) == (makespan >= least), (seed, makespan)
                seen["out of reach" if makespan < least else "within reach"] += 1
                seen["identical jobs"] += bool(alike)
                seen["left out"] += len(feasible) > kept
    assert all(seen[what] > draws(20) for what in ("refused", "out of reach", "within reach", "left out")), seen
    assert seen["identical jobs"] > draws(4), seen


def test_the_solver_gets_the_rows_of_the_checker() -> None:
    for seed in range(draws(120)):
        instance = tiny(seed=seed, jobs=6)
        own = own_coallocation(instance)
        most = min(30, sum(row[0] for row in own.ticks.durations))
        spec = runs_exact.prepare(instance, instance.scaled(), most, 0)
        for makespan in (most // 2, most - 1, most):
            question = runs_exact.build(spec).question(makespan)
            runs = grid_runs(own.ticks, makespan, Effort())
            given = [({variable: term for term, variable in row.terms}, row.least) for row in question.rows]
            assert (given, question.variables) == grid_rows(own.ticks, runs, Effort()), (seed, makespan)


def number(*values: int) -> bytes:
    return b"".join(map(number_bytes, values))


KEEP_0 = number(KEEP, 0)
# x + y ≥ 1, x + z ≥ 1, y + z ≥ 1, −x − y − z ≥ −1: no solution, but fractional ones.
ODD: list[Inequality] = [({0: 1, 1: 1}, 1), ({0: 1, 2: 1}, 1), ({1: 1, 2: 1}, 1), ({0: -1, 1: -1, 2: -1}, -1)]
SUM = number(ADD, 1, 0, 0, ADD, 1, 0, 1, ADD, 1, 0, 2)
ROUNDED = SUM + number(DIVIDE, 2, 0, KEEP, 0)  # x + y + z ≥ 2


def refutes(rows: Sequence[Inequality], steps: bytes, variables: int = 3) -> bool:
    return CuttingPlanes(rows, variables, Effort()).refutes(steps)


def test_a_refutation_by_hand() -> None:
    assert refutes(ODD, ROUNDED + number(ADD, 1, 0, len(ODD), ADD, 1, 0, 3) + KEEP_0)
    assert refutes([({0: 2, 1: 2, 2: -3}, 3)], number(ADD, 1, 0, 0, SATURATE, KEEP, 0)) is False
    # 3x + y ≥ 2 and y = 0 give x ≥ 1 by saturation and division; then −x ≥ 0.
    rows: list[Inequality] = [({0: 3, 1: 1}, 2), ({1: -1}, 0), ({0: -1}, 0)]
    assert refutes(rows, number(ADD, 1, 0, 0, ADD, 1, 0, 1, SATURATE, DIVIDE, 2, 0, ADD, 1, 0, 2) + KEEP_0)
    assert refutes(
        [({0: 1, 1: 1}, 2), ({0: -1}, 0)], number(ADD, 1, 0, 0, ADD_LITERALS, 1, 0, 1, 3, ADD, 1, 0, 1) + KEEP_0
    )
    assert refutes([({}, 1)], number(ADD, 1, 0, 0) + KEEP_0)


WRONG = {
    "no step": b"",
    "nothing is kept": SUM,
    "0 ≥ 0": KEEP_0,
    "a sum that has solutions": SUM + number(ADD, 1, 0, 3) + KEEP_0,
    "a factor of 0": number(ADD, 0, 0, 0) + KEEP_0,
    "a division by 0": SUM + number(DIVIDE, 0, 0) + KEEP_0,
    "a multiplication by 0": SUM + number(MULTIPLY, 0, 0) + KEEP_0,
    "a division that rounds too much": SUM + number(DIVIDE, 3, 0, ADD, 1, 0, 3) + KEEP_0,
    "a row that does not exist": ROUNDED + number(ADD, 1, 0, len(ODD) + 1) + KEEP_0,
    "a register before it is kept": number(ADD, 1, 0, len(ODD)) + KEEP_0,
    "a literal of no variable": SUM + number(ADD_LITERALS, 1, 0, 1, 6) + KEEP_0,
    "a step of no kind": ROUNDED + number(6),
    "further steps after the contradiction": ROUNDED
    + number(ADD, 1, 0, len(ODD), ADD, 1, 0, 3, KEEP, 0, ADD, 1, 0, 0, KEEP, 0),
    "negated literals that help": SUM + number(ADD_LITERALS, 5, 0, 3, 1, 2, 2) + KEEP_0,
    "saturation as if it raised the degree": number(ADD, 1, 0, 3, SATURATE, MULTIPLY, 9, 0, SATURATE) + KEEP_0,
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_uses_of_rules_refute_nothing(name: str) -> None:
    assert not refutes(ODD, WRONG[name])


def test_steps_that_are_cut_off_or_too_many() -> None:
    steps = ROUNDED + number(ADD, 1, 0, len(ODD), ADD, 1, 0, 3) + KEEP_0
    for end in range(len(steps)):
        assert not refutes(ODD, steps[:end])
    assert not refutes(ODD, steps + b"\x80")
    assert not refutes(ODD, SUM + number(MULTIPLY, 2**50, 0) * (MAX_BITS // 50 + 2) + KEEP_0)
    with pytest.raises(TooCostly):
        CuttingPlanes(ODD, 3, Effort(1_000)).refutes(SUM * 100)
    effort = Effort()
    effort.room = 1_000
    assert not CuttingPlanes(ODD, 3, effort).refutes((SUM + KEEP_0) * 100)
    with pytest.raises(TooCostly, match="memory"):
        CuttingPlanes(ODD, 3, effort).refutes(b"".join(SUM + number(KEEP, register) for register in range(100)))


def test_no_rule_loses_a_solution() -> None:
    """Random steps on random rows: what is kept holds for all 0-1 values that satisfy the rows."""
    draw = Random(3)
    rounded = saturated = contradictions = 0
    for _ in range(draws(1_500)):
        variables = draw.randint(1, 5)
        rows: list[Inequality] = []
        for _ in range(draw.randint(1, 4)):
            terms = {variable: draw.choice((-7, -4, -3, -2, -1, 1, 1, 2, 3, 5)) for variable in range(variables)}
            terms = {variable: term for variable, term in terms.items() if draw.random() < 0.7}
            rows.append((terms, draw.randint(-3, 4)))
        everything = product((0, 1), repeat=variables)
        solutions = [values for values in everything if all(satisfied(row, values) for row in rows)]
        planes = CuttingPlanes(rows, variables, Effort())
        for _ in range(12):
            before = dict(planes.terms), planes.least
            kind = draw.choice((ADD, ADD, ADD_LITERALS, MULTIPLY, DIVIDE, DIVIDE, SATURATE, SATURATE, KEEP))
            if kind == ADD:
                planes.add(
                    draw.randint(1, 4), draw.choice([*range(len(rows)), *(len(rows) + r for r in planes.registers)])
                )
            elif kind == ADD_LITERALS:
                planes.add_literal(draw.randint(1, 4), draw.randrange(2 * variables))
            elif kind == MULTIPLY:
                planes.multiply(draw.randint(1, 4))
            elif kind == DIVIDE:
                planes.divide(draw.randint(1, 5))
                rounded += before != (planes.terms, planes.least)
            elif kind == SATURATE:
                planes.saturate()
                saturated += before != (planes.terms, planes.least)
            else:
                contradiction = planes.keep(draw.randrange(3))
                assert not (contradiction and solutions)
                contradictions += contradiction
            for inequality in ((planes.terms, planes.least), *planes.registers.values()):
                assert all(satisfied(inequality, values) for values in solutions)
    assert min(rounded, saturated) > draws(900) and contradictions > draws(60)


SMALL = CoallocationInstance(
    [Cluster("A", [NodeGroup(2, 1)], 10)], [Job("a", 2, 3), Job("b", 1, 2), Job("c", 2, 2)], slot=1
)


def test_malformed_certificates() -> None:
    own = own_coallocation(SMALL)
    rows, _ = grid_rows(own.ticks, grid_runs(own.ticks, 2, Effort()), Effort())
    assert rows[0] == ({}, 1)  # the job a takes 3
    certificate = {"makespan": 2, "steps": packed(number(ADD, 1, 0, 0) + KEEP_0)}
    assert proven("proof log", SMALL, certificate) == 3
    assert proven("proof log", SMALL, certificate | {"makespan": 3}) == 0
    changes = [
        (("makespan",), -1, "certificate.makespan: must be at least 0"),
        (("makespan",), 2**53, "certificate.makespan: must be at most"),
        (("makespan",), 2**40, "it takes more steps to check"),
        (("steps",), "x", "certificate.steps: must be zlib-compressed bytes in base64"),
        (("steps",), packed(bytes(20_000_001)), "certificate.steps: must contain at most 20,000,000 bytes"),
    ]
    are_refused("proof log", SMALL, certificate, changes)
    slowed = CoallocationInstance(SMALL.clusters, SMALL.jobs, slot=1, saturation="slowdown")
    are_refused("proof log", slowed, certificate, [(("makespan",), 2, "links that must not be saturated")])


@pytest.mark.skipif(not discovery.usable("exact"), reason="Exact is not installed")
@pytest.mark.parametrize(("seed", "count"), [(5, 300), pytest.param(6, 3_000, marks=pytest.mark.slow)])
def test_changed_proofs_refute_no_makespan_within_reach(seed: int, count: int) -> None:
    made = list(islice(attempts(seed), count))
    assert not [one for one in made if one.proven > one.optimum]
    controls = [one for one in made if one.control]
    assert sum(one.proven > 0 for one in controls) > len(controls) // 40
