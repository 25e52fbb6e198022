"""A log shared out among organizations, held against a plain loop over jobs."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from oas.core.errors import InputError
from oas.core.stream import JobStream
from oas.io.logs.sharing import Sharing, share


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
        ({"organizations": 0}, "organizations: must be at least 1"),
        ({"organizations": 3, "processors": 2}, "processors: must be at least 3"),
        ({"machines": "zipff"}, "machines: unknown; did you mean zipf.*or the processors of each, such as 8,4,4,1"),
        ({"machines": [8, 0]}, r"machines\[1\]: must be at least 1"),
        ({"machines": []}, "machines: at least one organization"),
        ({"machines": [2, 2], "organizations": 3}, "organizations: must be 2, as the list of machines has it"),
        ({"machines": [2, 2], "processors": 8}, "processors: must be 4, as the list of machines has it"),
        ({"machines": [10**9, 1]}, "processors: must be at most 1000000000 in all"),
        ({"wide": "split"}, "wide: unknown; known: copies, keep"),
        ({"since": 31}, "from: no job is submitted in the window from 31 on; the log's last is submitted at 30"),
        ({"since": 10, "length": 20}, "from: no job is submitted in the window from 10 on before 30"),
        ({"length": 0}, "length: must be at least 1"),
        ({"since": "1/2"}, "from: must be whole seconds"),
        ({"since": -1}, "from: must be at least 0"),
        ({"horizon": 0}, "horizon: must be at least 1"),
        ({"since": 0, "horizon": 5}, "horizon: no job is submitted before it"),
        ({"busy": "0.5"}, "length: must be given with busy"),
        ({"busy": 0, "length": 5}, "busy: must be positive"),
        ({"seed": -1}, "seed: must be at least 0"),
    ],
)
def test_bad_input_is_named(changes, message):
    with pytest.raises(InputError, match=f"^{message}"):
        share(SMALL, Sharing(**{"organizations": 2, **changes} if "machines" not in changes else changes))
