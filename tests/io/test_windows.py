"""Windows of a log: the instance and the schedule are what was logged, and the others hold what they held."""

from __future__ import annotations

from fractions import Fraction as F
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oas.core.errors import InputError
from oas.core.verifier import verify
from oas.io.logs.logged import Collected, JobLog, LoggedJob
from oas.io.logs.logs import read_log
from oas.io.logs.windows import choose, window_of
from oas.problems.rigid import Reservation
from tests.io.log_writers import batsim, busy_cluster, sacct, scheduled, swf

if TYPE_CHECKING:
    from collections.abc import Sequence


def log_of(jobs: Sequence[LoggedJob], processors: int | None = 4) -> JobLog:
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


def test_everybody_else_keeps_what_he_held() -> None:
    window = window_of(log_of(JOBS), range(1, 3))
    assert window.instance is not None and window.schedule is not None
    assert (window.name, window.jobs, window.origin, window.makespan) == ("b to c", 2, 10, 20)
    (cluster,) = window.instance.organizations
    assert [(job.id, job.time, job.processors, job.release) for job in cluster.jobs] == [("b", 9, 1, 0), ("c", 8, 3, 2)]
    assert cluster.reservations == (Reservation(0, 5, 2), Reservation(6, 12, 2), Reservation(15, 20, 1))
    assert {run.job: run.start for run in window.schedule.placements} == {"b": 1, "c": 12}
    assert not window.violations and not verify(window.instance, window.schedule)
    assert window.instance.local == {"b": 1, "c": 12}


def test_more_in_use_than_there_are_is_a_violation() -> None:
    window = window_of(log_of(JOBS), range(1, 3), processors=3)
    assert window.instance is None and window.schedule is None
    (broken,) = window.violations
    assert broken.rule == "capacity" and "4 of 3 processors at 25" in broken.message and "1 moment," in broken.message
    assert not window_of(log_of(JOBS), range(1, 2), processors=3).violations  # b alone, among a and d
    with pytest.raises(InputError, match="must be given"):
        window_of(log_of(JOBS, None), range(1, 3))


def test_processors_that_serve_two_are_a_violation() -> None:
    twice = [LoggedJob("a", 0, 0, 9, 2, (0, 1)), LoggedJob("b", 0, 3, 9, 1, (1,)), LoggedJob("c", 0, 9, 10, 1, (9,))]
    window = window_of(log_of(twice), range(3))
    assert window.instance is not None
    assert sorted(one.rule for one in window.violations) == ["capacity", "unknown_node"]


def test_choosing() -> None:
    log = log_of(JOBS)
    assert choose(log, jobs=2, windows=2) == [range(2), range(2, 4)]
    assert choose(log, jobs=2, windows=9) == [range(2), range(2, 4), range(4, 5)]
    assert choose(log, jobs=2, windows=1, skip=1) == [range(1, 3)]
    assert choose(log, jobs=9, windows=9, since=12, until=14) == [range(2, 4)]
    running = log_of([*JOBS[:2], LoggedJob("r", 11, 11, None, 1), *JOBS[2:]])
    assert choose(running, jobs=3, windows=2) == [range(2), range(3, 6)]
    for asked in ({"jobs": 0}, {"windows": 0}, {"skip": -1}, {"skip": 6}, {"since": 99}):
        with pytest.raises(InputError):
            choose(log, **{"jobs": 2, "windows": 2, **asked})  # type: ignore[arg-type]


def random_job(rng: Random, name: str) -> LoggedJob:
    """Return a job of up to 4 processors; one of twelve still runs."""
    submit, start = rng.randint(0, 20), rng.randint(0, 9)
    end = None if rng.random() < 1 / 12 else submit + start + rng.randint(1, 12)
    return LoggedJob(name, submit, submit + start, end, rng.randint(1, 4))


@pytest.mark.parametrize("seed", range(60))
def test_busy_windows_are_those_of_all_windows(seed: int) -> None:
    """Enumerated: the first that is busy enough, then the first beyond it; or else the busiest of all."""
    rng = Random(seed)
    log = log_of([random_job(rng, str(k)) for k in range(rng.randint(1, 14))])
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
    expected: list[range] = []
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
def test_what_is_written_is_read(seed: int, jobs: int, processors: int, method: str) -> None:
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
