"""Job logs as streams of arrays, reservations and simulated jobs as comma-separated values."""

import csv
import gzip
from random import Random

import pytest

from oas.core.errors import InputError
from oas.logs.csv_rows import read_reservations, write_jobs
from oas.logs.logged import LIMITS
from oas.logs.streams import read_stream
from oas.logs.swf import PARTIAL, SwfJob, read_swf
from tests.logs.log_writers import batsim, busy_cluster, sacct, scheduled, swf
from tests.streams import stream_of


def line(number=1, submit=0, run_time=5, processors=2, requested=4, status=1, user=7, wait=3):
    """A line of SWF."""
    return f"{number} {submit} {wait} {run_time} {processors} -1 -1 {requested} 60 -1 {status} {user} 3 -1 0 -1 -1 -1"


def written(folder, *lines, name="log.swf"):
    path = folder / name
    path.write_text("\n".join(["; MaxProcs: 8", *lines, ""]))
    return path


def random_lines(seed, count=300):
    """Lines as logs have them: blanks, comments between, tabs, decimals, unknown values, parts of executions."""
    draw = Random(seed)
    found = []
    for number in range(1, count + 1):
        values = [draw.choice(["-1", str(draw.randint(0, 10**6))]) for _ in SwfJob._fields]
        values[0] = str(number)
        values[1], values[3] = str(10 * number + draw.randint(0, 40)), str(draw.randint(0, 60))
        values[4], values[7] = str(draw.randint(-1, 4)), str(draw.randint(-1, 8))
        values[10] = draw.choice(["-1", "0", "1", "5", "2", "9"])
        if draw.random() < 0.2:
            values[draw.choice([2, 5, 8])] = "12.75"
        if draw.random() < 0.1:
            values[draw.choice([1, 3])] += ".5"
        before, between, after = (draw.choice(blanks) for blanks in (("", " ", "\t "), (" ", "  ", "\t"), ("", " ")))
        found.append(before + between.join(values) + after)
        found += [draw.choice(["; a remark", "", "  "])] * (draw.random() < 0.05)
    return found


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("seed", range(6))
def test_swf_as_it_is_read_line_by_line(tmp_path, seed, end):
    lines = ["; MaxProcs: 8", *random_lines(seed)]
    path = tmp_path / "log.swf"
    path.write_bytes(end.join(lines).encode())
    found = read_stream(path)
    log = read_swf(path)
    jobs = [
        job
        for job in sorted(log.jobs, key=lambda one: -1 if one.submit is None else one.submit)
        if job.status not in PARTIAL and job.submit is not None and job.run_time and job.width
    ]
    assert len(jobs) > 100 and (found.second, found.machine, found.sha256) == (10, 8, log.sha256)
    assert found.ids.tolist() == [job.number for job in jobs]
    assert found.submit.tolist() == [10 * job.submit for job in jobs]
    assert found.time.tolist() == [10 * job.run_time for job in jobs]
    assert found.processors.tolist() == [job.width for job in jobs]
    assert found.owner.tolist() == [-1 if job.user is None else job.user for job in jobs]
    assert sum(found.skipped.values()) + len(found) == len(log.jobs)
    assert found.noted["status that the format does not define"] == sum(job.has_undefined_status for job in jobs)


def test_what_is_skipped_and_what_is_noted(tmp_path):
    path = written(
        tmp_path,
        line(1, submit=-1),
        line(2, run_time=-1),
        line(3, run_time=0),
        line(4, processors=-1, requested=0),
        line(4, status=2),
        line(5, processors=0, requested=3),
        line(6, status=17, wait=-1),
        line(7, submit=2, user=-1),
    )
    found = read_stream(path)
    assert found.ids.tolist() == [5, 6, 7] and found.processors.tolist() == [3, 2, 2]
    assert found.owner.tolist() == [7, 7, -1]
    assert dict(found.skipped) == {
        "part of an execution": 1,
        "submit time unknown": 1,
        "running time unknown": 1,
        "processors unknown or 0": 1,
        "running time 0": 1,
    }
    assert dict(found.noted) == {
        "status that the format does not define": 1,
        "processors requested, for want of those allocated": 1,
    }
    assert read_stream(path, owner="group").owner.tolist() == [3, 3, 3]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([line(1), line(1)], r"line 3, field 1 \(number\): the number is taken; --skip-invalid .* \(got 1\)"),
        ([line(1), line(2, submit="x")], r"line 3, field 2 \(submit\): must be a number from 0 on"),
        ([line(1), "", "5 5"], "line 4: must have 18 fields, not 2"),
        ([line(1), "7" * 10_001], "line 3: longer than 10000 bytes"),
        (["; nothing"], "the log holds no job"),
        ([line(1, run_time=0)], r"no job that can be simulated \(skipped: running time 0: 1\)"),
        (
            [line(1), line(2, processors=9), line(3, processors=10)],
            r"line 3, field 5 \(processors\): wider than the machine of 8 processors, and so 1 more.* \(got 9\)",
        ),
        (
            [line(2, processors=-1, requested=9)],
            r"line 2, field 8 \(requested_processors\): wider than the machine of 8 processors: give",
        ),
        (
            [line(1, submit="999999999999999"), line(2, run_time="0.000000001")],
            r"line 2, field 2 \(submit\): too long for times in 1,000,000,000ths of a second",
        ),
    ],
)
def test_bad_logs(tmp_path, lines, message):
    path = written(tmp_path, *lines)
    with pytest.raises(InputError, match=message) as error:
        read_stream(path)
    assert error.value.file == str(path)


def test_jobs_wider_than_the_machine_can_be_skipped(tmp_path):
    path = written(tmp_path, line(1), line(2, processors=9))
    found = read_stream(path, skip_wider=True)
    assert found.ids.tolist() == [1] and dict(found.skipped) == {"wider than the machine of 8 processors": 1}
    assert read_stream(path, processors=9).machine == 9
    with pytest.raises(InputError, match="processors: must be at least 1"):
        read_stream(path, processors=0)
    with pytest.raises(InputError, match="owner: unknown"):
        read_stream(path, owner="boss")


def test_too_many_lines_and_broken_compression(tmp_path, monkeypatch):
    path = written(tmp_path, line(1), line(2))
    path.write_bytes(gzip.compress(path.read_bytes())[:-9])
    with pytest.raises(InputError, match="not a whole gzip file"):
        read_stream(path)
    monkeypatch.setitem(LIMITS, "lines", 2)
    with pytest.raises(InputError, match="more than 2 lines"):
        read_stream(written(tmp_path, line(1), line(2)))


@pytest.mark.parametrize("name", ["jobs.csv", "log.swf", "sacct.txt"])
def test_all_formats_give_the_same_jobs(tmp_path, name):
    instance = busy_cluster(3, 20, 8)
    schedule = scheduled(instance, "EASY")
    write = {"jobs.csv": batsim, "log.swf": swf, "sacct.txt": sacct}[name]
    path = tmp_path / name
    path.write_text(write(instance, schedule))
    found = read_stream(path, processors=8)
    assert (found.submit - found.submit[0]).tolist() == [job.release for job in instance.jobs]
    assert found.time.tolist() == [job.time for job in instance.jobs]
    assert found.processors.tolist() == [job.processors for job in instance.jobs]
    assert (found.machine, found.second, found.format) == (8, 1, {"j": "batsim", "l": "swf", "s": "sacct"}[name[0]])
    with pytest.raises(InputError, match=r"(line \d+|job [\w!]+), .*processors.*: wider than the machine of 2"):
        read_stream(path, processors=2)


def csv_of(folder, text):
    path = folder / "reservations.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("start,end,processors\n1,2\n", "line 2: must have 3 values, as the heading has columns, not 2"),
        ("start,end,processors\n1,2,3\n1,x,3\n", r"line 3, end: must be a decimal number with a point.* \(got 'x'\)"),
        (
            "start,end,processors\n0.1234567891,2,3\n",
            r"line 2, start: must have at most 9 decimals \(got '0.1234567891'\)",
        ),
        (
            "start;end;processors\n1,5;2;3\n",
            r"line 2, start: must have a decimal point instead of the comma \(got '1,5'",
        ),
        ("start,end,processors\n1,5,2,3\n", "line 2: must have 3 values.*, not 4; decimals need a point, not a comma"),
        ("start,end,processors\n1,2,1.5\n", "line 2, processors: must be a whole number"),
        (f"start,end,processors\n1,{2**62},3\n", "line 2, end: must be from 0 on and below 1000000000000000"),
        ("start,end,processors\n\n5,5,3\n", r"line 3, end: must be after the start \(got 5\)"),
        ("start,end,processors\n1,2,0\n", r"line 2, processors: must be at least 1 \(got 0\)"),
        ("start,end,processors\n1,2,7\n", r"line 2, processors: must be at most 6, the processors of the machine"),
        (
            "start,end,processors\n1,5,3\n9,12,3\n4,7,4\n",
            r"line 4, processors: with it 7 processors are reserved at 4, of 6 \(got 4\)",
        ),
        ('start,end,processors\n1,"2,3\n', "line 2: not comma-separated values"),
        ("start,end,processors\n1,\xff,3\n", "line 2, end: must be a decimal number"),
    ],
)
def test_bad_files(tmp_path, text, message):
    path = csv_of(tmp_path, text)
    with pytest.raises(InputError, match=message) as error:
        read_reservations(path, 6)
    assert error.value.file == str(path)


def test_times_beyond_what_can_be_counted(tmp_path):
    path = csv_of(tmp_path, f"start,end,processors\n0,{10**15 - 1},1\n")
    assert read_reservations(path, 1)[0].tolist() == [[0, 10**15 - 1, 1]]
    with pytest.raises(InputError, match=r"line 2, end: beyond 2\^62 ticks"):
        read_reservations(path, 1, second=10**6)


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
