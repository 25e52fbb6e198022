"""Beams that fill clusters of MOSP: every rule kept, deterministic, plain and compiled loops alike."""

import pytest

from oas.core.verifier import check
from oas.mosp.generate.reservations import reservations
from oas.mosp.generate.section7 import uni
from oas.mosp.runs import ClusterRun, schedule_from_cluster_runs
from oas.mosp.search import filling, pool_beam, ruin_recreate
from oas.mosp.search.filling import EventBeam
from oas.mosp.search.pool_beam import PoolBeam
from oas.mosp.search.ruin_recreate import RuinSearch
from tests.slow import every_fourth_quick, mostly_slow

CLASSES = ("alpha", "non-increasing", "general")


def drawn(seed, jobs=20):
    """The three classes in turn, with releases and without."""
    return reservations(
        seed=seed, jobs=jobs, processors=16, availability=CLASSES[seed % 3], releases=seed // 3 % 2 == 1
    )


def ended(beam, goal):
    beam.begin(goal)
    while not beam.finished:
        beam.sweep()
    return beam


def rows_of(beam):
    first = beam._bank * beam._width
    return range(first, first + beam._kept)


@pytest.fixture
def narrow(monkeypatch):
    """Beams that plain loops can carry, and rounds short enough to come to them."""
    for module in (filling, pool_beam):
        monkeypatch.setattr(module, "WIDTH", 6)
        monkeypatch.setattr(module, "KIDS", 3)
    monkeypatch.setattr(ruin_recreate, "ROUND", 100)
    monkeypatch.setattr(ruin_recreate, "ROUND_PER_JOB", 1)


def pool_drawn(seed, jobs=24):
    return uni(seed=seed, jobs=jobs, organizations=2 + seed % 3, processors=16)


def about(scaled):
    """A goal that some jobs do not fit into as a rule: what they need if no processor is ever idle."""
    area = sum(time * width for time, width in zip(scaled.times, scaled.widths, strict=True))
    return max(*scaled.times, area // sum(scaled.processors))


both = pytest.mark.parametrize("kind", [EventBeam, PoolBeam])


@both
@pytest.mark.parametrize("seed", every_fourth_quick(range(12)))
def test_complete_schedules_pass_the_verifier(narrow, kind, seed):
    """On several clusters without deadlines, in twice the time, all jobs find a place."""
    instance = drawn(seed) if kind is EventBeam else pool_drawn(seed).relaxed()
    scaled = instance.scaled()
    goal = 10**6 if kind is EventBeam else 2 * about(scaled)
    placed = ended(kind(scaled, seed, compiled=False), goal).placed
    runs = [ClusterRun(job, *place) for job, place in enumerate(placed)]
    assert check(instance, schedule_from_cluster_runs(instance, scaled, runs)).makespan <= goal * scaled.tick


def sweep_in_step(plain, compiled, goal):
    """Run two beams to the end; after each sweep their arrays are equal."""
    plain.begin(goal)
    compiled.begin(goal)
    while not plain.finished:
        assert plain.sweep() == compiled.sweep()
        assert [list(row) for row in plain._memory] == [list(row) for row in compiled._memory]
    assert compiled.finished


@both
@pytest.mark.parametrize("seed", every_fourth_quick(range(12)))
def test_plain_and_compiled_loops_agree(narrow, kind, seed):
    scaled = (drawn(seed) if kind is EventBeam else pool_drawn(seed)).scaled()
    plain, compiled = (kind(scaled, seed, compiled=one) for one in (False, True))
    for goal in (10**6, 200) if kind is EventBeam else (about(scaled), about(scaled) + 9):
        sweep_in_step(plain, compiled, goal)
        assert plain.placed == compiled.placed


@pytest.mark.parametrize("seed", every_fourth_quick(range(12)))
def test_of_all_schedules_the_one_with_least_undone_is_returned(narrow, seed):
    scaled = drawn(seed).scaled()
    goal = sum(time * width for time, width in zip(scaled.times, scaled.widths, strict=True)) // 16
    beam = ended(EventBeam(scaled, seed, compiled=False), goal)

    def undone(starts):
        runs = zip(starts, scaled.times, scaled.widths, strict=True)
        return sum(time * width for start, time, width in runs if start < 0 or start + time > goal)

    rows = rows_of(beam)
    found = [undone(beam._memory.start[row * scaled.job_count : (row + 1) * scaled.job_count]) for row in rows]
    assert len(set(found)) > 1
    assert undone([start for _, start in beam.placed]) == min(found)


def faults(scaled, runs, goal):
    """Return the violations of the placed jobs, tick by tick."""
    free = [[size] * goal for size in scaled.processors]
    found = []
    for job, (cluster, start) in enumerate(runs):
        if cluster == scaled.cluster_count:
            continue
        end, deadline = start + scaled.times[job], scaled.deadlines[scaled.owners[job]]
        if start < 0 or end > goal:
            found.append(f"{job} out of the goal")
            continue
        if deadline is not None and end > deadline:
            found.append(f"{job} late")
        for moment in range(start, end):
            free[cluster][moment] -= scaled.widths[job]
    return found + [f"cluster {k} full" for k, row in enumerate(free) if min(row) < 0]


@pytest.mark.parametrize("seed", every_fourth_quick(range(8)))
def test_what_is_placed_keeps_goal_deadlines_and_processors(narrow, seed):
    scaled = pool_drawn(seed).scaled()
    goal = about(scaled)
    runs = ended(PoolBeam(scaled, seed, compiled=False), goal).placed
    left = [cluster for cluster, _ in runs].count(scaled.cluster_count)
    assert faults(scaled, runs, goal) == []
    assert left < scaled.job_count // 3


@pytest.mark.parametrize("seed", every_fourth_quick(range(4)))
@pytest.mark.parametrize("compiled", mostly_slow([False, True], quick=[True]))
@pytest.mark.parametrize("several", mostly_slow([False, True], quick=[False]))
@pytest.mark.usefixtures("narrow")
def test_rounds_of_beams_find_the_same_however_calls_are_cut(monkeypatch, seed, compiled, several):
    """No call finds a worse schedule; each passes the verifier; plain and compiled search agree at the end."""
    instance = pool_drawn(seed, jobs=30) if several else drawn(3 * seed, jobs=30)
    if several:
        monkeypatch.setattr(ruin_recreate, "MANY_JOBS", 10)
    scaled = instance.scaled()
    once = RuinSearch(scaled, seed, compiled=compiled)
    once.improve(0, 800)
    often = RuinSearch(scaled, seed, compiled=False)
    last = often.makespan
    for steps in (1, 99, 1, 150, 3, 346, 200):
        runs = often.improve(0, steps)
        found = check(instance, schedule_from_cluster_runs(instance, scaled, runs)).makespan
        assert found == often.makespan * scaled.tick
        assert often.makespan <= last
        last = often.makespan
    assert often._beam is not None
    assert often.best == once.best
    assert (often.tried, often._annealed, often._owed) == (once.tried, once._annealed, once._owed)
    assert often._annealed < often.tried
