"""Streams of jobs, and reservations beside them, take whole numbers only, and say what is wrong with others."""

import numpy as np
import pytest

from oas.core.errors import InputError
from oas.core.stream import JobStream, checked_reservations, held_over_time
from tests.streams import stream_of

JOBS = ((0, 3, 2), (4, 1, 1))


def test_what_it_says():
    stream = stream_of(*JOBS, machine=4, name="two").started([1, 4])
    assert (len(stream), stream.ends.tolist(), stream.waits.tolist()) == (2, [4, 5], [1, 0])
    assert repr(stream) == "JobStream two: 2 jobs, with starts, 4 processors"
    assert stream.at_once().submit.tolist() == [0, 0] and stream.at_once().starts is None
    frame = stream.to_frame()
    assert list(frame) == ["id", "submit", "time", "start", "end", "processors", "owner", "wait"]
    assert frame["end"].to_list() == [4, 5]
    assert list(stream_of(*JOBS).to_frame()) == ["id", "submit", "time", "processors", "owner"]


def test_decimals_in_frames():
    stream = stream_of((5, 10, 1), second=10).started([15])
    assert stream.to_frame().loc[0, ["submit", "end", "wait"]].to_list() == [0.5, 2.5, 1.0]


def test_columns_cannot_be_written_to_and_are_copies():
    times = np.array([3, 1])
    stream = JobStream([1, 2], [0, 4], times, [2, 1], [0, 0])
    times[0] = 7
    assert stream.time.tolist() == [3, 1]
    with pytest.raises(ValueError, match="read-only"):
        stream.time[0] = 7


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


def test_no_jobs_and_no_starts():
    with pytest.raises(InputError, match="ids: there is no job"):
        JobStream([], [], [], [], [])
    with pytest.raises(InputError, match="starts: no policy has given"):
        _ = stream_of(*JOBS).waits


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
