"""The search by windows, compared with all schedules of tiny problems, and its log with the checker of logs."""

import zlib
from random import Random

import pytest

from oas.bounds.windows.tree import Outcome
from oas.checker.effort import Effort
from oas.checker.windows_log import WindowsRules, WindowsWalk
from tests.bounds.windows.problems import random_problem
from tests.slow import mostly_slow

MANY = 10**6
BLOCKS = mostly_slow([range(60), range(1000, 1600)], quick=[range(60)])


def is_schedule(problem, leaf):
    """Whether all runs of a leaf are those of a schedule."""
    return tuple(leaf) in problem.schedules


def walk_of(problem, log):
    """The checker's walk through a log."""
    jobs, modes = range(len(problem.times)), range(len(problem.times[0]))
    rules = WindowsRules(
        horizon=problem.horizon,
        times=problem.times,
        windows=[{mode: one for mode, one in enumerate(row) if one[0] <= one[1]} for row in problem.windows],
        weightings=problem.weightings,
        apart=[
            [
                sum(
                    1 << other * len(modes) + beside
                    for other in jobs
                    for beside in modes
                    if problem.apart[job, mode, other, beside]
                )
                for mode in modes
            ]
            for job in jobs
        ],
        conflicts=problem.conflicts,
    )
    return WindowsWalk(rules, log, Effort())


def confirmed(problem, log):
    """Whether the checker accepts a log."""
    return walk_of(problem, log).refutes()


def changed(log, random):
    """A few copies of the bytes with one change each."""
    for _ in range(12):
        own = bytearray(log)
        at = random.randrange(len(own))
        match random.randrange(4):
            case 0:
                own[at] = random.choice([*range(8), 128, 255])
            case 1:
                del own[at:]
            case 2:
                del own[at]
            case 3:
                own[at:at] = own[random.randrange(len(own)) :][:5]
        yield bytes(own)


@pytest.mark.parametrize("seeds", BLOCKS, ids=str)
def test_what_has_no_schedule_is_refuted(seeds):
    """Where there is one, a search ends at it or at starts that are none; no log of another problem refutes it."""
    refuted = found = kept = 0
    for seed in seeds:
        problem, random = random_problem(seed), Random(seed)
        tree = problem.tree()
        outcome = tree.go_on(MANY)
        assert outcome in (Outcome.REFUTED, Outcome.LEAF)
        if outcome is Outcome.LEAF:
            found += is_schedule(problem, tree.leaf())
            continue
        assert not problem.schedules, seed
        refuted += 1
        log = zlib.decompress(tree.log())
        assert confirmed(problem, log)
        longer = random_problem(seed)
        longer.horizon += 1
        longer.windows = [[(first, last + (last >= first)) for first, last in row] for row in longer.windows]
        wider = random_problem(seed)
        wider.weightings = [(weights, capacity + 2) for weights, capacity in wider.weightings]
        for other in (problem, longer, wider):
            for bad in [log, *(changed(log, random) if log else ())]:
                holds = confirmed(other, bad)
                kept += holds
                assert not (holds and other.schedules), seed
    assert refuted > len(seeds) // 5 and found > len(seeds) // 5 and kept > 30


def test_a_job_without_a_window_needs_no_log():
    problem = random_problem(0)
    problem.windows[0] = [(0, -1) for _ in problem.windows[0]]
    tree = problem.tree()
    assert tree.go_on(1) is Outcome.REFUTED
    assert confirmed(problem, zlib.decompress(tree.log()))
    assert not confirmed(problem, b"\x00\x00\x00\x01")


def forged(problem, random):
    """Whether entries drawn at random, of which each holds, close all rows."""
    sizes = (len(problem.weightings), problem.horizon + 1, len(problem.times), len(problem.times[0]))
    kinds = {0: "wtt", 1: "wttjm", 2: "jmj", 3: "jj", 4: "jt", 5: "jm", 6: "c"}
    most = {"w": sizes[0], "t": sizes[1], "j": sizes[2], "m": sizes[3], "c": max(1, len(problem.conflicts))}
    log = b""
    for _ in range(150):
        code = random.choice([0, 0, 1, 1, 1, 2, 2, 3, 4, 5, 6])
        entry = bytes([code, *(random.randrange(most[kind]) for kind in kinds[code])])
        if confirmed(problem, log + entry):
            return True
        if is_valid(problem, log + entry):
            log += entry
    return False


def is_valid(problem, log):
    """Whether each entry of a log is valid: the walk then reads the code that is added, which does not exist."""
    walk = walk_of(problem, log + b"\x07")
    return not walk.refutes() and walk.reader.at == len(log) + 1


def test_nothing_is_forged():
    closed = 0
    for seed in range(12):
        problem = random_problem(seed)
        is_closed = forged(problem, Random(seed))
        assert not (is_closed and problem.schedules)
        closed += is_closed
    assert closed


@pytest.mark.slow
def test_compiled_searches_do_the_same():
    for seed in range(60):
        plain, fast = (random_problem(seed, jobs=4).tree(compiled) for compiled in (False, True))
        assert plain.go_on(MANY) is fast.go_on(MANY)
        assert plain.rows == fast.rows
        assert plain.log() == fast.log()
