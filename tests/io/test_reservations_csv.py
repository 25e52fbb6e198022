"""Reservations as comma-separated values, and simulated jobs written as such."""

import csv

import numpy as np
import pytest

from oas.core.errors import InputError
from oas.io.reservations import read_reservations
from oas.io.simulated_jobs import write_jobs
from tests.streams import stream_of


def written(folder, text):
    path = folder / "reservations.csv"
    path.write_text(text)
    return path


def test_columns_by_name(tmp_path):
    path = written(tmp_path, 'why,end,processors, start \nupdate,9,4,5\n\n"power, cooling",7,2,0\n')
    assert read_reservations(path, 6).tolist() == [[5, 9, 4], [0, 7, 2]]
    assert read_reservations(path, 6, second=10).tolist() == [[50, 90, 4], [0, 70, 2]]
    assert read_reservations(written(tmp_path, "start,end,processors\n"), 6).shape == (0, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("start,end\n1,2\n", "line 1: has no column processors"),
        ("start,end,processors\n1,2\n", "line 2: must have 3 values, as the heading has columns, not 2"),
        ("start,end,processors\n1,2,3\n1,x,3\n", r"line 3, end: must be a whole number from 0 on.* \(got 'x'\)"),
        ("start,end,processors\n-1,2,3\n", r"line 2, start: must be a whole number from 0 on.* \(got '-1'\)"),
        ("start,end,processors\n1.5,2,3\n", r"line 2, start: must be a whole number from 0 on.* \(got '1.5'\)"),
        (f"start,end,processors\n1,{2**62},3\n", "line 2, end: must be a whole number from 0 on, in at most 15"),
        ("start,end,processors\n\n5,5,3\n", r"line 3, end: must be after the start \(got 5\)"),
        ("start,end,processors\n5,4,3\n", r"line 2, end: must be after the start \(got 4\)"),
        ("start,end,processors\n1,2,0\n", r"line 2, processors: must be at least 1 \(got 0\)"),
        ("start,end,processors\n1,2,7\n", r"line 2, processors: must be at most 6, the processors of the machine"),
        (
            "start,end,processors\n1,5,3\n9,12,3\n4,7,4\n",
            r"line 4, processors: with it 7 processors are reserved at 4, of 6 \(got 4\)",
        ),
        ('start,end,processors\n1,"2,3\n', "line 2: not comma-separated values"),
        ("start,end,processors\n1,\xff,3\n", "line 2, end: must be a whole number"),
    ],
)
def test_bad_files(tmp_path, text, message):
    path = written(tmp_path, text)
    with pytest.raises(InputError, match=message) as error:
        read_reservations(path, 6)
    assert error.value.file == str(path)


def test_times_beyond_what_can_be_counted(tmp_path):
    path = written(tmp_path, f"start,end,processors\n0,{10**15 - 1},1\n")
    assert read_reservations(path, 1).tolist() == [[0, 10**15 - 1, 1]]
    with pytest.raises(InputError, match=r"line 2, end: beyond 2\^62 ticks"):
        read_reservations(path, 1, second=10**6)


def test_a_hundred_thousand(tmp_path):
    rows = [(10 * number, 10 * number + 15, 1 + number % 3) for number in range(100_000)]
    path = written(tmp_path, "start,end,processors\n" + "\n".join(f"{a},{b},{c}" for a, b, c in rows))
    assert np.array_equal(read_reservations(path, 5), rows)
    with pytest.raises(InputError, match=r"line 4, processors: with it 5 processors are reserved at 20, of 4"):
        read_reservations(path, 4)


def test_jobs_are_written_exactly(tmp_path):
    path = tmp_path / "jobs.csv"
    stream = stream_of((5, 10, 2), (12, 1, 1), second=10).started([5, 200])
    write_jobs(path, {"EASY": stream, "FCFS": stream.started([15, 1200])})
    rows = list(csv.reader(path.read_text().splitlines()))
    assert rows == [
        ["id", "submit", "start", "end", "processors", "owner", "wait", "policy"],
        ["1", "0.5", "0.5", "1.5", "2", "0", "0", "EASY"],
        ["2", "1.2", "20", "20.1", "1", "0", "18.8", "EASY"],
        ["1", "0.5", "1.5", "2.5", "2", "0", "1", "FCFS"],
        ["2", "1.2", "120", "120.1", "1", "0", "118.8", "FCFS"],
    ]
