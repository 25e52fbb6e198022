"""Proof logs: each rule of the checker keeps every schedule, and is needed by some refutation that it refuses."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.robustness.mosp_adversaries.proof_logs import LogWriter, packed, written
from oas.checker.effort import Effort, TooCostly
from oas.checker.mosp_instance import ticks_in_units
from oas.checker.mosp_proof_log import mosp_axis
from oas.checker.proof_log import AT_LEAST, AT_MOST, IS, IS_NOT, Atom, Axis, AxisJob, Bounds, Derivation
from oas.core.rigid import Organization, RigidJob
from oas.mosp.generate.tiny import random_instance
from oas.mosp.instance import MospInstance
from oas.solving.brute_force import brute_force
from tests.checker.cases import are_refused, never_above, proven
from tests.checker.instances import own_mosp
from tests.slow import draws

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Starts = tuple[int, ...]


def draw_axis(draw: Random) -> Axis:
    """Draw two to four jobs, the last two perhaps identical, on an axis with fixed loads and shut moments."""
    length, processors = draw.randint(5, 9), draw.randint(1, 4)
    changes: dict[int, int] = {}
    for _ in range(draw.choice((0, 0, 1, 2))):
        begin, width = draw.randrange(length), draw.randint(1, processors)
        end = draw.randint(begin + 1, length)
        changes[begin] = changes.get(begin, 0) + width
        changes[end] = changes.get(end, 0) - width
    jobs = []
    for _ in range(draw.randint(1, 3)):
        shut = sorted({(a, draw.randint(a + 1, length)) for a in draw.choices(range(length), k=draw.choice((0, 0, 1)))})
        jobs.append(AxisJob(draw.randint(2, 4), draw.randint(1, processors), tuple(shut)))
    if draw.random() < 0.5:
        last, place = jobs.pop(), len(jobs)
        jobs += [last._replace(after=place + 1), last._replace(before=place)]
    return Axis(length, processors, changes, tuple(jobs))


def possible(axis: Axis, starts: Starts = ()) -> Iterator[Starts]:
    """Yield all starts that keep every rule of the axis, moment by moment."""
    loads = [sum(change for at, change in axis.changes.items() if at <= t) for t in range(axis.length)]
    for start, job in zip(starts, axis.jobs, strict=False):
        for moment in range(start, start + job.time):
            loads[moment] += job.width
    if len(starts) == len(axis.jobs):
        yield starts
        return
    job = axis.jobs[len(starts)]
    first = 0 if job.before is None or job.before >= len(starts) else starts[job.before]
    for start in range(first, axis.length - job.time + 1):
        moments = range(start, start + job.time)
        if job.after is not None and job.after < len(starts) and start > starts[job.after]:
            continue
        shut = any(begin <= moment < end for moment in moments for begin, end in job.shut)
        if not shut and all(loads[moment] + job.width <= axis.processors for moment in moments):
            yield from possible(axis, (*starts, start))


def keeps(atom: Atom, starts: Starts) -> bool:
    """Whether starts satisfy an atom."""
    start = starts[atom.job]
    return {
        AT_LEAST: start >= atom.moment,
        AT_MOST: start <= atom.moment,
        IS: start == atom.moment,
        IS_NOT: start != atom.moment,
    }[atom.comparison]


def draw_atom(draw: Random, axis: Axis) -> Atom:
    return Atom(draw.randrange(len(axis.jobs)), draw.randrange(4), draw.randint(-1, axis.length))


def within(bounds: Bounds, starts: Starts) -> bool:
    """Whether starts are among those that the bounds leave."""
    return all(
        low <= start <= high and (job, start) not in bounds.excluded
        for job, (low, start, high) in enumerate(zip(bounds.low, starts, bounds.high, strict=True))
    )


def test_no_rule_loses_starts_that_satisfy_all_assumptions() -> None:
    draw = Random(1)
    pushed = resolved = contradictions = feasible = 0
    for _ in range(draws(1_200)):
        axis = draw_axis(draw)
        everything = list(possible(axis))
        assumed = [draw_atom(draw, axis) for _ in range(draw.randint(0, 2))]
        clauses = [[draw_atom(draw, axis) for _ in range(draw.randint(2, 4))] for _ in range(4)]
        derivation = Derivation(axis, Effort())
        kept = [
            starts
            for starts in everything
            if all(keeps(atom, starts) for atom in assumed)
            and not any(all(keeps(atom, starts) for atom in clause) for clause in clauses)
        ]
        bounds = Bounds(axis)
        contradiction = any([bounds.add(atom) for atom in assumed])
        for _ in range(20):
            if contradiction:
                break
            before = [*bounds.low, *bounds.high], len(bounds.excluded)
            if draw.random() < 0.7:
                contradiction = bounds.add(bounds.push(draw.randrange(len(axis.jobs)), upper=draw.random() < 0.5))
                pushed += before != ([*bounds.low, *bounds.high], len(bounds.excluded))
            else:
                contradiction = derivation.resolve(draw.choice(clauses), bounds)
                resolved += before != ([*bounds.low, *bounds.high], len(bounds.excluded))
        if contradiction:
            contradictions += 1
            assert not kept
        else:
            feasible += bool(kept)
            assert all(within(bounds, starts) for starts in kept)
            for atom in [draw_atom(draw, axis) for _ in range(5)]:
                assert not bounds.holds(atom) or all(keeps(atom, starts) for starts in kept)
    assert min(pushed, resolved, contradictions, feasible) > draws(200)


def test_of_an_atom_and_its_contrary_one_holds() -> None:
    for comparison, moment, start in product(range(4), range(-1, 5), range(5)):
        atom = Atom(0, comparison, moment)
        assert keeps(atom, (start,)) != keeps(atom.contrary(), (start,))


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_an_axis_has_starts_if_and_only_if_a_schedule_ends_in_time(first: int) -> None:
    """The orders of identical jobs and clusters lose no makespan, nor do separate clusters on one axis gain any."""
    for seed in range(first, first + draws(45)):
        instance = random_instance(seed, max_jobs=4, max_time=4)
        best, _ = brute_force(instance)
        ticks, unit = ticks_in_units(own_mosp(instance).ticks)
        least = int(best / own_mosp(instance).ticks.tick) // unit
        for makespan in range(max(0, least - 2), least + 2):
            axis = mosp_axis(ticks, makespan)
            found = any(True for _ in possible(axis))
            assert found == (makespan >= least), seed


# Two jobs of 3 and 2 moments on one processor and five moments: each start is at most 2 and 3.
TWO = Axis(5, 1, {}, (AxisJob(3, 1, ()), AxisJob(2, 1, ())))
FULL = Axis(4, 1, {}, TWO.jobs)  # the same on four: there is no schedule
LATER = Atom(0, AT_LEAST, 1)
PUSH_0, PUSH_0_UP, PUSH_1, PUSH_1_UP, LAST = range(5)


def refutes(axis: Axis, *clauses: tuple[Sequence[Atom], Sequence[int]]) -> bool:
    return Derivation(axis, Effort()).refutes(b"".join(written(*one) for one in clauses))


def test_a_refutation_by_hand() -> None:
    assert refutes(FULL, ([], [PUSH_1]))  # the first job surely runs from 1 to 3, whatever its start
    assert not refutes(TWO, ([], [PUSH_1, PUSH_0, PUSH_1_UP, PUSH_0_UP]))
    assert refutes(TWO._replace(length=4), ([LATER], [PUSH_1]), ([], [LAST, PUSH_1]))


WRONG: dict[str, tuple[Axis, list[tuple[Sequence[Atom], Sequence[int]]]]] = {
    "no step": (FULL, []),
    "no hint": (FULL, [([], [])]),
    "a clause that does not follow": (TWO, [([LATER], [PUSH_1])]),
    "the last clause has an atom": (FULL, [([LATER], [PUSH_1])]),
    "a clause before its derivation": (FULL, [([], [LAST])]),
    "a clause that does not exist": (FULL, [([LATER], [PUSH_1]), ([], [LAST + 1])]),
    "a clause of which two atoms are open": (
        TWO,
        [([Atom(0, AT_LEAST, 1), Atom(0, AT_MOST, 1)], [PUSH_1]), ([], [LAST, PUSH_0, PUSH_1])],
    ),
    "an excluded value inside": (TWO, [([Atom(0, IS, 1)], [PUSH_1]), ([], [LAST, PUSH_0, PUSH_0_UP, PUSH_1])]),
    "a job that does not run yet": (TWO, [([Atom(0, AT_LEAST, 0)], [PUSH_1, PUSH_1_UP])]),
    "processors that are enough": (FULL._replace(processors=2), [([], [PUSH_1, PUSH_0])]),
    "a job against itself": (Axis(3, 1, {}, (AxisJob(3, 1, ()),)), [([], [0, 1])]),
    "jobs that only look identical": (TWO, [([Atom(1, AT_MOST, 0), Atom(0, AT_LEAST, 2)], [PUSH_1, PUSH_0_UP])]),
    "a moment that is open": (
        TWO._replace(jobs=(AxisJob(3, 1, ((4, 5),)), TWO.jobs[1])),
        [([], [PUSH_0, PUSH_0_UP, PUSH_1, PUSH_1_UP])],
    ),
    "a load that leaves a processor": (Axis(4, 2, {0: 1, 4: -1}, (AxisJob(4, 1, ()),)), [([], [0, 1])]),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_uses_of_rules_refute_nothing(name: str) -> None:
    axis, clauses = WRONG[name]
    assert not refutes(axis, *clauses)


def test_right_uses_of_the_same_rules() -> None:
    identical = (AxisJob(3, 1, (), after=1), AxisJob(3, 1, (), before=0))
    assert refutes(TWO._replace(jobs=identical), ([Atom(0, AT_LEAST, 2), Atom(1, AT_MOST, 1)], [PUSH_1]), ([], [0, 2]))
    assert refutes(Axis(4, 2, {0: 2, 4: -2}, (AxisJob(4, 1, ()),)), ([], [0]))
    assert refutes(Axis(4, 1, {}, (AxisJob(4, 1, ((3, 4),)),)), ([], [0]))
    cases = ([Atom(0, IS, 1)], [PUSH_1]), ([Atom(0, AT_LEAST, 1)], [LAST, PUSH_1])
    assert refutes(FULL, *cases, ([], [LAST, PUSH_1]))


def test_steps_that_are_cut_off_or_too_many() -> None:
    steps = written([LATER], [PUSH_1]) + written([], [LAST, PUSH_1])
    assert Derivation(FULL, Effort()).refutes(steps)
    for end in range(1, len(steps)):
        assert not Derivation(FULL, Effort()).refutes(steps[:end])
    assert not Derivation(FULL, Effort()).refutes(steps + b"\x80")
    with pytest.raises(TooCostly):
        Derivation(FULL, Effort(1_000)).refutes(written([Atom(0, IS_NOT, 9)], [0] * 9) * 9)
    with pytest.raises(TooCostly):  # before the hints are read; the first one is of no clause
        Derivation(FULL, Effort(1_000)).refutes(written([], [99] * 25))


def log_of(instance: MospInstance, makespan: int, seed: int = 0) -> dict[str, Any] | None:
    """Return a certificate that refutes a makespan in units by the adversary's search; None if it finds none."""
    writer = LogWriter(mosp_axis(ticks_in_units(own_mosp(instance).ticks)[0], makespan), Random(seed))
    return {"makespan": makespan, "steps": packed(writer.steps)} if writer.refutes() else None


def test_changed_and_malformed_certificates() -> None:
    jobs = [RigidJob(f"J{n}", time, width) for n, (time, width) in enumerate([(3, 2), (3, 2), (2, 2), (4, 1), (5, 1)])]
    instance = MospInstance([Organization("A", 3, jobs[:2]), Organization("B", 2, jobs[2:])], locality=None)
    certificate = log_of(instance, 5)
    assert certificate is not None and log_of(instance, 6) is None
    assert proven("proof log", instance, certificate) == 6
    refused, kept = never_above("proof log", instance, certificate, 6, each=3)
    assert refused > 10 and kept > 100
    changes = [
        (("makespan",), -1, "certificate.makespan: must be at least 0"),
        (("makespan",), 2**53, "certificate.makespan: must be at most"),
        (("steps",), "x", "certificate.steps: must be zlib-compressed bytes in base64"),
        (("steps",), packed(b""), "certificate.steps: must have at least one clause"),
        (("steps",), packed(bytes(20_000_001)), "certificate.steps: must contain at most 20,000,000 bytes"),
    ]
    are_refused("proof log", instance, certificate, changes)
