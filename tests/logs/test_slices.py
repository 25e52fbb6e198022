"""Instances cut from logs, windows of logs, and logs shared out among organizations, against plain loops over jobs."""

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from fractions import Fraction as F
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oas.core.errors import InputError
from oas.core.rigid import Reservation
from oas.core.verifier import verify
from oas.logs.log import read_log
from oas.logs.logged import Collected, LoggedJob
from oas.logs.sharing import Sharing, share
from oas.logs.slices import Slice, cut, follow, parse_recipe, read_recipe, recipe_of, write_recipe
from oas.logs.windows import choose, window_of
from oas.queueing.stream import JobStream
from tests.logs.log_writers import batsim, busy_cluster, sacct, scheduled, swf
from tests.logs.test_logs import line, log_of

HEADER = "; Acknowledge: Ada Example\n; MaxProcs: 8\n"


@pytest.fixture
def plain(tmp_path):
    """40 jobs of 10 users: job k is user k mod 10's, submitted at 100 + 10k, on 1 to 8 processors for k s."""
    rows = [
        line(number=k, submit=100 + 10 * k, run=k, processors=1 + k % 8, user=k % 10, group=k % 2) for k in range(1, 41)
    ]
    return log_of(tmp_path, HEADER + "\n".join(rows))


def numbers(log, **window):
    return sorted(int(job.id[1:]) for job in cut(log, Slice(**window)).jobs)


def test_owners_are_dealt_evenly_and_stay_together(plain):
    instance = cut(plain, Slice(organizations=3, count=40, processors=None))
    users = [{int(job.id[1:]) % 10 for job in one.jobs} for one in instance.organizations]
    assert sorted(map(len, users)) == [3, 3, 4]
    assert set.union(*users) == set(range(10))
    other = cut(plain, Slice(organizations=3, count=40, processors=None, seed=1))
    assert [one.jobs for one in other.organizations] != [one.jobs for one in instance.organizations]
    groups = cut(plain, Slice(organizations=2, count=40, by="group", processors=None))
    assert all(len({int(job.id[1:]) % 2 for job in one.jobs}) == 1 for one in groups.organizations)


def test_digests_stay(plain):
    """Published recipes must go on giving their instances."""
    released = {"organizations": 2, "first": 7, "count": 20, "by": "group", "keep_releases": True, "local": "RND"}
    windows = [Slice(count=40, processors=None), Slice(**released, processors=None, seed=3)]
    assert [cut(plain, window).digest[:16] for window in windows] == ["0eb6c57efb98c56c", "36e967b4b2f4d68d"]


def test_what_is_left_out_is_counted(tmp_path):
    rows = [
        line(number=1, run=-1),
        line(number=2, run=0),
        line(number=3, processors=-1, req_processors=-1),
        line(number=4, processors=0, req_processors=3),
        line(number=5, processors=9),
        line(number=6, user=-1),
        line(number=7, submit=-1),
        line(number=8, status=2),
        line(number=8, status=0),
        line(number=9),
        line(number=10),
    ]
    log = log_of(tmp_path, HEADER + "\n".join(rows))
    instance = cut(log, Slice(organizations=1, count=2, keep_releases=True))
    assert [(job.id, job.processors) for job in instance.jobs] == [("J4", 3), ("J8", 4)]
    assert json.loads(instance.provenance["left_out"]) == {
        "running time unknown": 1,
        "running time 0": 1,
        "processors unknown or 0": 1,
        "wider than the smallest cluster": 1,
        "user unknown": 1,
        "submit time unknown": 1,
        "part of an execution": 1,
    }
    assert numbers(log, organizations=1, count=3) == [4, 7, 8]  # without releases the submit time is not needed
    assert numbers(log, organizations=1, count=2, where={"status": 1}) == [4, 7]
    second = cut(log, Slice(organizations=1, count=1, zero_run_time="second"))
    assert [(job.id, job.time) for job in second.jobs] == [("J2", 1)]
    assert numbers(log, organizations=1, count=1, processors=9, first=5) == [5]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"organizations": 11}, "organizations"),
        ({"by": "colour"}, "by"),
        ({"first": -1}, "first"),
        ({"first": 39}, "count"),
        ({"count": 0}, "count"),
        ({"processors": (4, 4)}, "processors"),
        ({"processors": (4, 4, 4, 4, 0)}, "processors[4]"),
        ({"keep_releases": 1}, "keep_releases"),
        ({"zero_run_time": "two"}, "zero_run_time"),
        ({"where": {"colour": 1}}, "where"),
        ({"where": {"user": "1"}}, "where.user"),
        ({"local": "BEST"}, "local"),
    ],
)
def test_bad_slices_are_named(plain, arguments, field):
    with pytest.raises(InputError) as caught:
        cut(plain, Slice(**{"count": 20, **arguments}))
    assert caught.value.field == field


def test_the_processors_of_the_system_are_shared_out(plain):
    whole = cut(plain, Slice(organizations=3, count=10, processors=None))
    shared = cut(plain, Slice(organizations=3, count=10))
    size = whole.organizations[0].processors
    assert [one.processors for one in whole.organizations] == [size] * 3
    assert shared.node_count == size
    assert [one.processors for one in shared.organizations] == sorted(((size + k) // 3 for k in range(3)), reverse=True)
    assert all(job.processors <= size // 3 for job in shared.jobs)
    with pytest.raises(InputError, match="too few to split") as caught:
        cut(plain, Slice(organizations=size + 1, count=10))
    assert caught.value.field == "organizations"


def test_a_recipe_makes_the_instance_again(plain, tmp_path):
    window = Slice(organizations=3, count=15, processors=(8, 7, 6), keep_releases=True, where={"group": 1})
    recipe = recipe_of(plain, window)
    path = tmp_path / "recipe.json"
    path.write_bytes(write_recipe(recipe))
    assert read_recipe(path) == recipe
    assert follow(read_recipe(path), plain) == cut(plain, recipe.window)
    assert "J1" not in path.read_text()  # no data of the log
    with pytest.raises(InputError, match="only 15 such jobs"):  # of 20 odd numbers 5 ask for 8 processors
        recipe_of(plain, replace(window, count=16))


def test_a_recipe_knows_its_log_and_its_instance(plain, tmp_path):
    recipe = recipe_of(plain, Slice(organizations=2, count=10))
    other = log_of(tmp_path, HEADER + "\n".join(line(number=k, user=k % 3) for k in range(1, 30)), "other.swf")
    with pytest.raises(InputError) as caught:
        follow(recipe, other)
    assert caught.value.field == "sha256"
    changed = write_recipe(recipe).replace(b'"count": 10', b'"count": 11')
    with pytest.raises(InputError) as caught:
        follow(parse_recipe(changed), plain)
    assert caught.value.field == "digest"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"version": 1', b'"version": 2', "version"),
        (b'"count": 10', b'"count": "10"', "slice.count"),
        (b'"oas-recipe"', b'"oas-instance"', "oas-instance"),
        (b"{", b"[", "not valid JSON"),
        (b'"count": 10', b'"count": 10, "count": 10', "twice"),
        (b'"count": 10', b'"count": ' + b"[" * 100_000, "nested more than 50"),
        (b'"made"', b'"\xff"', "not UTF-8"),
    ],
)
def test_bad_recipes_are_refused(plain, old, new, message):
    data = write_recipe(recipe_of(plain, Slice(organizations=2, count=10)))
    assert old in data
    with pytest.raises(InputError, match=message):
        parse_recipe(data.replace(old, new, 1))


def log_of_jobs(jobs, processors=4):
    found = Collected()
    for job in jobs:
        found.add(job, "id", "start", "end")
    return found.log("made", "0" * 64, "swf", processors)


# Before the window: a runs into it. In it: b and c. After it: d starts before c does, e when all is over; f goes on.
JOBS = [
    LoggedJob("a", 0, 0, 15, 2),
    LoggedJob("b", 10, 11, 20, 1),
    LoggedJob("c", 12, 22, 30, 3),
    LoggedJob("d", 13, 16, 22, 2),
    LoggedJob("e", 14, 30, 40, 4),
    LoggedJob("f", 15, 25, None, 1),
]


def test_everybody_else_keeps_what_he_held():
    window = window_of(log_of_jobs(JOBS), range(1, 3))
    assert window.instance is not None and window.schedule is not None
    assert (window.name, window.jobs, window.origin, window.makespan) == ("b to c", 2, 10, 20)
    (cluster,) = window.instance.organizations
    assert [(job.id, job.time, job.processors, job.release) for job in cluster.jobs] == [("b", 9, 1, 0), ("c", 8, 3, 2)]
    assert cluster.reservations == (Reservation(0, 5, 2), Reservation(6, 12, 2), Reservation(15, 20, 1))
    assert {run.job: run.start for run in window.schedule.placements} == {"b": 1, "c": 12}
    assert not window.violations and not verify(window.instance, window.schedule)
    assert window.instance.local == {"b": 1, "c": 12}


def test_more_in_use_than_there_are_is_a_violation():
    window = window_of(log_of_jobs(JOBS), range(1, 3), processors=3)
    assert window.instance is None and window.schedule is None
    (broken,) = window.violations
    assert broken.rule == "capacity" and "4 of 3 processors at 25" in broken.message and "1 moment," in broken.message
    assert not window_of(log_of_jobs(JOBS), range(1, 2), processors=3).violations  # b alone, among a and d
    with pytest.raises(InputError, match="must be given"):
        window_of(log_of_jobs(JOBS, None), range(1, 3))


def test_processors_that_serve_two_are_a_violation():
    twice = [LoggedJob("a", 0, 0, 9, 2, (0, 1)), LoggedJob("b", 0, 3, 9, 1, (1,)), LoggedJob("c", 0, 9, 10, 1, (9,))]
    window = window_of(log_of_jobs(twice), range(3))
    assert window.instance is not None
    assert sorted(one.rule for one in window.violations) == ["capacity", "unknown_node"]


def test_choosing():
    log = log_of_jobs(JOBS)
    assert choose(log, jobs=2, windows=2) == [range(2), range(2, 4)]
    assert choose(log, jobs=2, windows=9) == [range(2), range(2, 4), range(4, 5)]
    assert choose(log, jobs=2, windows=1, skip=1) == [range(1, 3)]
    assert choose(log, jobs=9, windows=9, since=12, until=14) == [range(2, 4)]
    running = log_of_jobs([*JOBS[:2], LoggedJob("r", 11, 11, None, 1), *JOBS[2:]])
    assert choose(running, jobs=3, windows=2) == [range(2), range(3, 6)]
    for asked in ({"jobs": 0}, {"windows": 0}, {"skip": -1}, {"skip": 6}, {"since": 99}):
        with pytest.raises(InputError):
            choose(log, **{"jobs": 2, "windows": 2, **asked})


def random_job(rng, name):
    """Return a job of up to 4 processors; one of twelve still runs."""
    submit, start = rng.randint(0, 20), rng.randint(0, 9)
    end = None if rng.random() < 1 / 12 else submit + start + rng.randint(1, 12)
    return LoggedJob(name, submit, submit + start, end, rng.randint(1, 4))


@pytest.mark.parametrize("seed", range(60))
def test_busy_windows_are_those_of_all_windows(seed):
    """Enumerated: the first that is busy enough, then the first beyond it; or else the busiest of all."""
    rng = Random(seed)
    log = log_of_jobs([random_job(rng, str(k)) for k in range(rng.randint(1, 14))])
    jobs, windows, skip, busy = rng.randint(1, 4), rng.randint(1, 4), rng.randint(0, 2), F(rng.randint(1, 16), 8)
    ended = [job.end is not None for job in log.jobs]
    count = len(log.jobs)
    if not any(ended[skip:]):
        with pytest.raises(InputError, match="no job is left"):
            choose(log, jobs=jobs, windows=windows, skip=skip, busy=busy)
        return
    everywhere = [range(a, b) for a in range(skip, count) for b in range(a + 1, count + 1) if all(ended[a:b])]
    stretches = [one for one in everywhere if not any(set(one) < set(other) for other in everywhere)]
    every = [one for one in everywhere if len(one) == jobs or (len(one) < jobs and one in stretches)]
    loads = {one: window_of(log, one, 99).load * F(99, 4) for one in every}
    expected = []
    for one in sorted(every, key=lambda places: places.start):
        if loads[one] >= busy and not any(set(one) & set(other) for other in expected):
            expected.append(one)
    chosen = choose(log, jobs=jobs, windows=windows, skip=skip, busy=busy)
    if expected:
        assert chosen == expected[:windows]
    else:
        most = max(loads.values())
        assert chosen == [min((one for one in every if loads[one] == most), key=lambda places: places.start)]


@settings(max_examples=25)
@given(
    st.integers(0, 10**6),
    st.integers(1, 9),
    st.integers(1, 12),
    st.sampled_from(["FCFS", "SJF", "LPT", "EASY", "conservative"]),
)
def test_what_is_written_is_read(seed, jobs, processors, method):
    """Whatever the format: the same starts, the same makespan, and the verifier accepts; on Batsim's own processors."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        for write, unit in ((batsim, F(1, 1000)), (swf, F(1, 100)), (sacct, F(1))):
            instance = busy_cluster(seed, jobs, processors, unit)
            schedule = scheduled(instance, method)
            path.write_text(write(instance, schedule) if write is sacct else write(instance, schedule, F(1234, 100)))
            log = read_log(path)
            window = window_of(log, range(jobs), processors)
            assert window.instance is not None and window.schedule is not None
            assert not verify(window.instance, window.schedule)
            first = instance.jobs[0].release
            assert window.schedule.makespan == window.makespan == schedule.makespan - first
            bare = {job.id.removeprefix("w0!").removeprefix("J"): job for job in window.instance.jobs}
            assert len(bare) == jobs
            for job in instance.jobs:
                read = bare[job.id]
                run = window.schedule[read.id]
                assert (read.time, read.processors, read.release) == (job.time, job.processors, job.release - first)
                assert run.start == schedule[job.id].start - first
                assert write is not batsim or run.nodes == schedule[job.id].nodes


def stream_of(*jobs, machine=8, second=1):
    """A stream of (submit, time, processors, user)."""
    submit, time, width, user = zip(*jobs, strict=True)
    return JobStream(np.arange(10, 10 + len(jobs)), submit, time, width, user, machine=machine, second=second)


def drawn(seed, count=60, users=9):
    draw = np.random.default_rng(seed)
    submit = np.sort(draw.integers(100, 300, count))
    user = draw.integers(-1, users, count)
    return stream_of(*zip(submit, draw.integers(1, 40, count), draw.integers(1, 5, count), user, strict=True))


SMALL = stream_of((5, 10, 1, 1), (5, 20, 3, 2), (7, 30, 1, 3), (9, 5, 2, 1), (30, 4, 1, 2))


def rows(ticks):
    return list(
        zip(ticks.owner.tolist(), ticks.release.tolist(), ticks.time.tolist(), ticks.width.tolist(), strict=True)
    )


@pytest.mark.parametrize("wide", ["copies", "keep"])
@pytest.mark.parametrize("seed", range(5))
def test_every_job_of_the_window_is_there_once_a_processor(seed, wide):
    stream = drawn(seed)
    found = share(stream, Sharing(organizations=3, machines=[4, 3, 1], wide=wide, since=130, length=90, seed=seed))
    ticks, owner_of = found.ticks, {}
    assert ticks.machines.tolist() == [4, 3, 1] and ticks.horizon == 90
    expected = Counter()
    for submit, time, width, user in zip(
        stream.submit.tolist(), stream.time.tolist(), stream.processors.tolist(), stream.owner.tolist(), strict=True
    ):
        if 130 <= submit < 220 and user >= 0:
            expected[submit - 130, time, user] += width
    work = Counter()
    for owner, release, time, width in rows(ticks):
        work[owner, release, time] += width
        assert width == 1 or wide == "keep"
    # Which organization a user is of: one at most, and the same for all jobs.
    for (release, time, user), units in expected.items():
        owner_of.setdefault(user, {one for one in range(3) if (one, release, time) in work})
        owner_of[user] &= {one for one in range(3) if (one, release, time) in work}
        assert owner_of[user], (release, time, units)
    assert sum(work.values()) == sum(expected.values())


def test_users_are_dealt_evenly_by_lot_over_the_whole_log():
    stream = drawn(3, count=200, users=10)
    dealt = {}
    for seed in range(6):
        whole = share(stream, Sharing(organizations=4, seed=seed))
        part = share(stream, Sharing(organizations=4, seed=seed, since=200, length=50))
        assert whole.users == part.users and sum(whole.users) == 10
        assert max(whole.users) - min(whole.users) == 1
        dealt[seed] = rows(whole.ticks)
    assert len({tuple(one) for one in dealt.values()}) > 1
    assert dealt[2] == rows(share(stream, Sharing(organizations=4, seed=2)).ticks)


def test_the_first_busy_window_or_else_the_busiest():
    stream = stream_of((0, 10, 1, 1), (12, 5, 2, 1), (25, 10, 8, 1), (38, 10, 8, 2), machine=8)
    window = Sharing(organizations=2, length=10)
    # Loads of [0, 10), [10, 20), …: 1/8, 1/8, 1, 1.
    for busy, since in ((Fraction(1, 8), 0), ("1/4", 20), (1, 20), (2, 20)):
        found = share(stream, Sharing(**{**vars(window), "busy": busy}))
        assert (found.since, found.lacking) == (since, 2 if busy == 2 else None)
    assert share(stream, Sharing(organizations=2, length=10, since=22, busy="1/2")).since == 22
    assert share(stream, Sharing(organizations=2, length=10, since=1, busy="1/100")).since == 11  # none in [1, 11)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"organizations": 4}, "organizations: the log has only 3 users, and every organization needs one"),
        ({"organizations": 3, "processors": 2}, "processors: must be at least 3"),
        ({"machines": "zipff"}, "machines: unknown; did you mean zipf.*or the processors of each, such as 8,4,4,1"),
        ({"machines": [2, 2], "organizations": 3}, "organizations: must be 2, as the list of machines has it"),
        ({"machines": [2, 2], "processors": 8}, "processors: must be 4, as the list of machines has it"),
        ({"machines": [10**9, 1]}, "processors: must be at most 1000000000 in all"),
        ({"wide": "split"}, "wide: unknown; known: copies, keep"),
        ({"since": 31}, "from: no job is submitted in the window from 31 on; the log's last is submitted at 30"),
        ({"since": "1/2"}, "from: must be whole seconds"),
        ({"since": 0, "horizon": 5}, "horizon: no job is submitted before it"),
        ({"busy": "0.5"}, "length: must be given with busy"),
        ({"busy": 0, "length": 5}, "busy: must be positive"),
    ],
)
def test_bad_input_is_named(changes, message):
    with pytest.raises(InputError, match=f"^{message}"):
        share(SMALL, Sharing(**{"organizations": 2, **changes} if "machines" not in changes else changes))
