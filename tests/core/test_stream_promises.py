"""The check of a promise accepts what the policy makes and nothing else."""

import numpy as np
import pytest

from oas.core import promise_kernels, stream_promises
from oas.core.errors import InputError
from oas.core.stream import no_reservations
from oas.core.stream_promises import PROMISES, broken_promises
from oas.core.stream_rules import stream_violations
from tests import streams
from tests.slow import every_fourth_quick
from tests.streams import naive, random_case, stream_of


def broken(policy, stream, starts, machine, reservations=None, loops=promise_kernels):
    blocks = no_reservations() if reservations is None else reservations
    return broken_promises(policy, stream.started(starts), machine, blocks, loops)


def test_they_are_those_tested():
    assert set(PROMISES) == set(streams.POLICIES)
    with pytest.raises(InputError, match="policy: unknown"):
        broken("RND", stream_of((0, 1, 1)), [0], 1)


@pytest.mark.parametrize("seed", every_fourth_quick(range(12)))
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
@pytest.mark.parametrize("seed", every_fourth_quick(range(12)))
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
        assert broken_promises(policy, stream.started(starts), 8, reservations) == plain
        assert bool(plain) == (starts is later)


@pytest.mark.parametrize("policy", ["conservative", "FCFS-strict"])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_known_of_shorter_jobs_holds_for_longer_ones_alone(monkeypatch, policy, seed):
    """With fewer rows than running times, jobs of one row differ."""
    monkeypatch.setattr(stream_promises, "ROWS", 4)
    stream, reservations = random_case(seed, count=100, longest=40, load=1.5)
    own = naive(policy, stream.at_once(), 8, reservations)
    assert not broken(policy, stream.at_once(), own, 8, reservations)
    later = own.copy()
    later[int(np.argmax(own))] += 1
    assert broken(policy, stream.at_once(), later, 8, reservations)


def test_messages():
    stream = stream_of((0, 10, 2), (1, 5, 1))
    (idle,) = broken("FCFS", stream, [0, 10], 3)
    assert str(idle) == (
        "[idle] jobs that wait while they would fit for their whole run: 1, the first 2, which starts at 10"
        " and could at 1"
    )
    (early,) = broken("conservative", stream, [0, 10], 3)
    assert str(early) == (
        "[promise] jobs that do not start as early as the jobs before them allow: 1, the first 2, which starts at 10"
        " and could at 1"
    )


def test_conservative_a_later_job_delays_an_earlier_one():
    stream = stream_of((0, 10, 2), (1, 5, 3), (2, 9, 1))
    assert not broken("conservative", stream, [0, 10, 15], 3)
    assert broken("conservative", stream, [0, 11, 2], 3)[0].jobs == ("2",)


def test_strict_starts_never_decrease():
    stream = stream_of((0, 10, 2), (1, 5, 3), (2, 8, 1))
    assert not broken("FCFS-strict", stream, [0, 10, 15], 3)
    assert broken("FCFS-strict", stream, [0, 10, 2], 3)[0].jobs == ("3",)


def test_easy_the_first_of_the_queue_is_delayed():
    stream = stream_of((0, 10, 2), (1, 5, 3), (2, 9, 1))
    assert not broken("EASY", stream, [0, 10, 15], 3)
    assert broken("EASY", stream, [0, 11, 2], 3)[0].rule == "promise"


def test_a_list_is_gone_through_in_its_order():
    """Both jobs wait for 4, and one processor is free then: it goes to the first in the order."""
    stream = stream_of((0, 4, 1), (1, 9, 1), (2, 3, 1))
    assert not broken("FCFS", stream, [0, 4, 13], 1)
    assert broken("FCFS", stream, [0, 7, 4], 1)[0].jobs == ("2",)
    assert not broken("SPT", stream, [0, 7, 4], 1)
    assert broken("SPT", stream, [0, 4, 13], 1)[0].jobs == ("3",)


def test_nothing_runs_yet_and_something_waits():
    stream = stream_of((5, 1, 1), (7, 1, 1))
    for policy in PROMISES:
        assert not broken(policy, stream, [5, 7], 1)
        assert broken(policy, stream, [6, 7], 1), policy
        assert broken(policy, stream, [5, 8], 1), policy


def test_windows_are_whole():
    """A reservation at 3 keeps a job of time 4 from starting before; one of time 3 has to."""
    block = np.array([(3, 5, 1)])
    for policy in PROMISES:
        assert not broken(policy, stream_of((0, 4, 2)), [5], 2, block)
        assert broken(policy, stream_of((0, 4, 2)), [6], 2, block)
        assert not broken(policy, stream_of((0, 3, 2)), [0], 2, block)
        assert broken(policy, stream_of((0, 3, 2)), [5], 2, block)
