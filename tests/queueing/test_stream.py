"""Streams of jobs with reservations: columns, the verifier's rules, and the promises of policies."""

import numpy as np
import pytest

from oas.core.errors import InputError
from oas.queueing import promises as stream_promises
from oas.queueing.promises import PROMISES, broken_promises, stream_violations
from oas.queueing.stream import JobStream, checked_reservations, held_over_time, no_reservations
from tests.streams import POLICIES, naive, random_case, stream_of

JOBS = ((0, 3, 2), (4, 1, 1))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"submit": [5, 4]}, r"submit\[1\]: must ascend \(got 4\)"),
        ({"submit": [-1, 4]}, r"submit\[0\]: must be from 0 on and below 2\^62 \(got -1\)"),
        ({"time": [3, 0]}, r"time\[1\]: must be from 1 on and below 2\^62 \(got 0\)"),
        ({"time": [3, 2**62]}, r"time\[1\]: must be from 1 on and below 2\^62 \(got 4611686018427387904\)"),
        ({"processors": [0, 1]}, r"processors\[0\]: must be from 1 on"),
        ({"processors": [1.5, 1]}, r"processors: must be whole numbers \(got 'float64'\)"),
        ({"owner": [0]}, "owner: must be one row of 2 numbers"),
        ({"starts": [0, -1]}, r"starts\[1\]: must be from 0 on"),
    ],
)
def test_bad_columns(columns, message):
    good = {"ids": [1, 2], "submit": [0, 4], "time": [3, 1], "processors": [2, 1], "owner": [0, 0]}
    with pytest.raises(InputError, match=message):
        JobStream(**{**good, **columns})


@pytest.mark.parametrize(
    ("reservations", "message"),
    [
        ([(0, 5, 1), (3, 3, 1)], r"reservations\[1\], end: must be after the start \(got 3\)"),
        ([(0, 5, 0)], r"reservations\[0\], processors: must be at least 1 \(got 0\)"),
        ([(0, 5, 5)], r"reservations\[0\], processors: must be at most 4, the processors of the machine \(got 5\)"),
        ([(2, 9, 3), (0, 5, 2)], r"reservations\[0\], processors: with it 5 processors are reserved at 2, of 4"),
        ([(-1, 5, 1)], r"reservations\[0, 0\]: must be from 0 on"),
        ([(0, 5)], "reservations: must be an array of three columns"),
    ],
)
def test_bad_reservations(reservations, message):
    with pytest.raises(InputError, match=message):
        checked_reservations(reservations, 4)


def test_reservations_that_fit():
    given = [(0, 5, 2), (5, 9, 4), (0, 3, 2), (3, 5, 2)]
    assert checked_reservations(given, 4).tolist() == [list(one) for one in given]
    assert checked_reservations([], 4).shape == (0, 3)
    begins, ends, widths = checked_reservations(given, 4).T
    moments, held = held_over_time(begins, ends, widths)
    assert (moments.tolist(), held.tolist()) == ([0, 3, 5, 9], [4, 4, 4, 0])


LOG = stream_of((0, 4, 2), (1, 3, 1), (2, 5, 3))
DONE = {"ids": [1, 2, 3], "submit": [0, 1, 2], "time": [4, 3, 5], "processors": [2, 1, 3], "starts": [0, 1, 4]}


def broken_rules(machine=3, reservations=(), **changes):
    done = JobStream(**{"owner": [0] * len(changes.get("ids", "abc")), **DONE, **changes})
    blocks = np.array(reservations, dtype=np.int64).reshape(-1, 3)
    return {one.rule: one for one in stream_violations(LOG, done, machine, blocks)}


FOUR = {name: [*values, values[-1]] for name, values in DONE.items()}


@pytest.mark.parametrize(
    ("changes", "jobs"),
    [
        ({name: values[:2] for name, values in DONE.items()}, {"missing_job": ("3",)}),
        ({"ids": [1, 2, 9]}, {"missing_job": ("3",), "unknown_job": ("9",)}),
        ({"machine": 6, **FOUR}, {"duplicate_job": ("3",)}),
        ({"time": [4, 2, 5]}, {"duration": ("2",)}),
        ({"processors": [2, 1, 2]}, {"tasks": ("3",)}),
        ({"machine": 6, "starts": [0, 0, 4]}, {"start": ("2",)}),
    ],
)
def test_each_rule_names_the_jobs_that_break_it(changes, jobs):
    assert {rule: found.jobs for rule, found in broken_rules(**changes).items()} == jobs


def test_capacity():
    found = broken_rules(starts=[0, 1, 3])
    assert set(found) == {"capacity"}
    assert found["capacity"].message == ("6 of 3 processors are held at 3; more than there are at 1 moments, at most 6")
    assert found["capacity"].jobs == ("1", "2", "3")


@pytest.mark.parametrize(
    ("reservation", "fits"),
    [((9, 10, 1), True), ((8, 10, 1), False), ((4, 5, 1), False), ((6, 7, 1), False), ((0, 1, 1), True)],
)
def test_reservations_hold_processors(reservation, fits):
    assert set(broken_rules(reservations=[reservation])) == (set() if fits else {"capacity"})


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("seed", range(3))
def test_mutations_of_what_policies_make(policy, seed):
    """Of a schedule that breaks nothing: a job before its submission, and two at once, wider than the machine."""
    stream, reservations = random_case(seed)
    done = stream.started(naive(policy, stream, 8, reservations))
    assert not stream_violations(stream, done, 8, reservations)
    late = np.flatnonzero(stream.submit)[0]
    starts = done.known_starts.copy()
    starts[late] = stream.submit[late] - 1
    rules = {one.rule for one in stream_violations(stream, stream.started(starts), 8, no_reservations())}
    assert "start" in rules
    wide = np.add.outer(stream.processors, stream.processors) > 8
    one, other = np.argwhere(np.triu(wide, 1))[seed]
    starts = done.known_starts.copy()
    starts[one] = starts[other]
    rules = {one.rule for one in stream_violations(stream, stream.started(starts), 8, no_reservations())}
    assert "capacity" in rules


def broken(policy, stream, starts, machine, reservations=None, compiled=False):
    blocks = no_reservations() if reservations is None else reservations
    return broken_promises(policy, stream.started(starts), machine, blocks, compiled)


@pytest.mark.parametrize("seed", range(3))
def test_each_promise_leaves_the_schedule_of_its_policy_alone(seed):
    """Every policy's schedule, held against every policy's promise."""
    load = (0.7, 1.0, 2.5)[seed % 3]
    stream, reservations = random_case(seed, count=25 + seed % 20, load=load, reservations=seed % 6)
    made = {policy: naive(policy, stream, 8, reservations) for policy in PROMISES}
    for policy, own in made.items():
        for starts in made.values():
            kept = not broken(policy, stream, starts, 8, reservations)
            assert kept == np.array_equal(starts, own), policy


@pytest.mark.parametrize("policy", PROMISES)
@pytest.mark.parametrize("seed", range(3))
def test_a_job_moved_breaks_the_promise(policy, seed):
    """One job later or earlier, wherever the rules still hold."""
    stream, reservations = random_case(seed, count=40, load=1.2)
    own = naive(policy, stream, 8, reservations)
    draw = np.random.default_rng(seed)
    moves = [(job, by) for job in range(len(stream)) for by in range(-6, 7) if by and own[job] + by >= 0]
    tried = 0
    for job, by in draw.permutation(moves):
        starts = own.copy()
        starts[job] += by
        if tried < 5 and not stream_violations(stream, stream.started(starts), 8, reservations):
            assert broken(policy, stream, starts, 8, reservations), job
            tried += 1
    assert tried


@pytest.mark.parametrize("policy", PROMISES)
def test_compiled_loops_find_the_same(policy):
    stream, reservations = random_case(5, count=120)
    own = naive(policy, stream, 8, reservations)
    later = own.copy()
    later[60:] += 500
    for starts in (own, later):
        plain = broken(policy, stream, starts, 8, reservations)
        assert broken(policy, stream, starts, 8, reservations, compiled=True) == plain
        assert bool(plain) == (starts is later)


@pytest.mark.parametrize("policy", ["conservative", "FCFS-strict"])
@pytest.mark.parametrize("seed", range(2))
def test_what_is_known_of_shorter_jobs_holds_for_longer_ones_alone(monkeypatch, policy, seed):
    """With fewer rows than running times, jobs of one row differ."""
    monkeypatch.setattr(stream_promises, "ROWS", 4)
    stream, reservations = random_case(seed, count=100, longest=40, load=1.5)
    own = naive(policy, stream.submitted_together(), 8, reservations)
    assert not broken(policy, stream.submitted_together(), own, 8, reservations)
    later = own.copy()
    later[int(np.argmax(own))] += 1
    assert broken(policy, stream.submitted_together(), later, 8, reservations)
