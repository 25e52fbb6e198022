"""Logs of jobs that ran, in each format: what is read, skipped and refused; the same in Python as in commands."""

import gzip
from fractions import Fraction as F
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest

import oas
from oas.core.errors import InputError
from oas.logs.log import moment_in, read_log
from oas.logs.logged import LIMITS, LoggedJob
from oas.logs.swf import SwfJob, read_swf
from tests.logs.log_writers import batsim, busy_cluster, sacct, scheduled, swf

HEADER = """\
; Version: 2.2
;   Computer: a made one
; Acknowledge: Ada Example
;              and Bert Example
; Acknowledge: Cleo Example
;
; stray remark
; MaxNodes: 7  (dual)
; MaxProcs: 14
"""
LINE = "1 0 5 100 4 9.56 -1 4 200 -1 1 3 2 -1 1 1 -1 -1"


def line(*, run=100, req_processors=4, **changed):
    fields = SwfJob(*LINE.split())._replace(run_time=run, requested_processors=req_processors, **changed)
    return " ".join(map(str, fields))


def log_of(tmp_path, text, name="made.swf", **limits):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with patch.dict(LIMITS, limits):
        return read_swf(path)


def refusal(tmp_path, text, **limits):
    with pytest.raises(InputError) as caught:
        log_of(tmp_path, text, **limits)
    assert caught.value.file == str(tmp_path / "made.swf")
    return caught.value


def test_header_and_jobs(tmp_path):
    log = log_of(
        tmp_path, f"{HEADER}\n   {LINE}\r\n\t2 0.50 -1 12.25 -1 -1 -1 8 -1 -1 0 -1 -1 -1 -1 -1 -1 -1\n; late\n"
    )
    assert log.name == "made"
    assert log.comments("Acknowledge") == ("Ada Example", "and Bert Example", "Cleo Example")
    assert log.acknowledgement == "Computer: a made one; Acknowledge: Ada Example, and Bert Example, Cleo Example"
    assert ("", "stray remark") in log.header
    assert log.max_processors == 14
    first, second = log.jobs
    assert (first.number, first.run_time, first.processors, first.user, first.group) == (1, 100, 4, 3, 2)
    assert first.cpu_time == F(956, 100)
    assert (second.submit, second.wait, second.run_time, second.processors) == (F(1, 2), None, F(49, 4), None)
    assert second.requested_processors == 8


@pytest.mark.parametrize(
    ("value", "name", "place"),
    [
        ("nan", "run", "field 4 (run_time)"),
        ("1e3", "run", "field 4 (run_time)"),
        ("+5", "processors", "field 5 (processors)"),
        ("-2", "wait", "field 3 (wait)"),
        ("-0", "user", "field 12 (user)"),
        ("4.0", "processors", "field 5 (processors)"),
        ("-1", "number", "field 1 (number)"),
        ("1" * 16, "run", "field 4 (run_time)"),
        ("٣", "run", "field 4 (run_time)"),
        ("1\x002", "run", "field 4 (run_time)"),
    ],
)
def test_fields_are_told(tmp_path, value, name, place):
    error = refusal(tmp_path, f"; a comment\n{line()}\n{line(**{'number': 2, name: value})}\n")
    assert error.field == f"line 3, {place}"
    assert error.value is not None
    assert str(error).isprintable()


@pytest.mark.parametrize("count", [17, 19])
def test_field_count(tmp_path: Path, count: int) -> None:
    error = refusal(tmp_path, " ".join((LINE.split() * 2)[:count]))
    assert error.field == "line 1"
    assert error.reason == f"must have 18 fields, not {count}"


@pytest.mark.parametrize("text", ["", "\n\n", HEADER, ";"])
def test_a_log_without_jobs(tmp_path, text):
    assert refusal(tmp_path, text).reason == "the log holds no job"


def test_caps(tmp_path):
    many = "\n".join(line(number=number) for number in range(1, 11))
    assert len(log_of(tmp_path, many, lines=10).jobs) == 10
    assert "more than 9 lines" in refusal(tmp_path, many, lines=9).reason
    assert "bytes of text" in refusal(tmp_path, many, text_bytes=100).reason
    assert "larger than 50 bytes" in refusal(tmp_path, many, file_bytes=50).reason
    assert "comments before" in refusal(tmp_path, HEADER + many, header_lines=3).reason
    assert refusal(tmp_path, f"{LINE}\n{' ' * 300}{LINE}", line_bytes=200).field == "line 2"


def test_gzip_bombs_are_not_unpacked(tmp_path):
    """30 MB of one line, or of comments, out of 30 kB: refused at the caps, whatever would follow."""
    endless = gzip.compress(b" " * 30_000_000)
    assert len(endless) < 40_000
    assert "longer than 10000 bytes" in refusal(tmp_path, endless).reason
    comments = gzip.compress(f"{LINE}\n".encode() + b";\n" * 1_000_000)
    assert "more than 1000 lines" in refusal(tmp_path, comments, lines=1000).reason
    assert "more than 5000 bytes of text" in refusal(tmp_path, comments, text_bytes=5000).reason


def test_broken_gzip(tmp_path):
    packed = gzip.compress(f"{LINE}\n".encode() * 1)
    for broken in (packed[:-9], packed[:12] + b"\xff\xff" + packed[14:], packed + b"garbage", b"\x1f\x8b"):
        assert "not a whole gzip file" in refusal(tmp_path, broken).reason


BATSIM = "job_id,submission_time,requested_number_of_resources,final_state,starting_time,finish_time,execution_time"
SACCT = "JobID|Submit|Start|End|Elapsed|NNodes|State"


def log_in(tmp_path, text, format=None, **options):
    path = tmp_path / "made.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_log(path, format, **options)


def refusal_in(tmp_path, text, format=None, **options):
    with pytest.raises(InputError) as caught:
        log_in(tmp_path, text, format, **options)
    assert caught.value.file == str(tmp_path / "made.txt")
    return caught.value


def test_batsim(tmp_path):
    rows = [
        "job_id,workload_name,submission_time,requested_number_of_resources,final_state,starting_time,finish_time,"
        "execution_time,waiting_time,allocated_resources",
        "1,w0,0.000000,4,COMPLETED_SUCCESSFULLY,0.500000,10.250000,9.750000,0.500000,0-2 7",
        "2,w0,3,2,COMPLETED_WALLTIME_REACHED,1e1,20,10,7,4-5",
        "3,w0,3,2,REJECTED,-1,-1,-1,-1,",
        "4,w0,4,1,COMPLETED_KILLED,9,9,0,5,3",
        "5,w0,5,3,RUNNING,9,-1,-1,4,8-9",
        "6,w0,2,1,COMPLETED_FAILED,9,12,3,7,",
    ]
    log = log_in(tmp_path, "\n".join(rows))
    assert log.jobs == (
        LoggedJob("w0!1", 0, F(1, 2), F(41, 4), 4, (0, 1, 2, 7)),
        LoggedJob("w0!6", 2, 9, 12, 1, None),
        LoggedJob("w0!2", 3, 10, 20, 2, (4, 5)),
        LoggedJob("w0!5", 5, 9, None, 2, (8, 9)),
    )
    assert (log.format, log.processors) == ("batsim", None)
    assert log.skipped == {"never started (rejected)": 1, "running time 0": 1}
    assert sum(log.noted.values()) == 4  # two ended badly, one still runs, one has fewer than it asked for


def test_sacct_with_offsets(tmp_path):
    text = (
        f"{SACCT}\n7|2026-03-29T01:59:00+0100|2026-03-29T01:59:10+01:00|2026-03-29T03:00:10+0200|00:01:00|2|COMPLETED\n"
    )
    submit = 1774746 * 1000 - 60  # the hour from 2 to 3 was left out that night: two minutes, not an hour and two
    log = log_in(tmp_path, text)
    assert log.jobs == (LoggedJob("7", submit, submit + 10, submit + 70, 2),)
    assert moment_in(log, "2026-03-29T00:59:00Z") == moment_in(log, "2026-03-29T00:59:00") == submit


def test_sacct(tmp_path):
    rows = [
        f"\n{SACCT}|",
        "7|2026-03-01T00:00:10|2026-03-01T23:59:50|2026-03-02T00:00:20|00:00:30|2|COMPLETED|",
        "7.batch|2026-03-01T23:59:50|2026-03-01T23:59:50|2026-03-02T00:00:20|00:00:30|1|COMPLETED|",
        "7.0|||||1|COMPLETED|",
        "8_3|2026-03-01T00:00:10|2026-03-01T00:00:11|2026-03-02T01:00:12|1-01:00:01|1|TIMEOUT|",
        "8_[4-9%2]|2026-03-01T00:00:10|Unknown|Unknown|00:00:00|1|PENDING|",
        "9|2026-03-01T00:00:00|None|2026-03-01T00:00:02|00:00:00|0|CANCELLED by 1000|",
        "10|1772323200|1772323201|Unknown|00:10|4|RUNNING|",
        "11+1|1772323200|1772323201|1772323301|01:40|0|COMPLETED|",
        "12|1772323200|1772323201|1772323201|00:00|1|FAILED|",
    ]
    log = log_in(tmp_path, "\n".join(rows))
    day = 1772323200  # 2026-03-01
    assert log.jobs == (
        LoggedJob("10", day, day + 1, None, 4, known_until=day + 11),
        LoggedJob("7", day + 10, day + 86390, day + 86420, 2),
        LoggedJob("8_3", day + 10, day + 11, day + 11 + 90001, 1),
    )
    assert log.skipped == {
        "job step": 2,
        "never started (waiting tasks of an array)": 1,
        "never started (cancelled)": 1,
        "no processors allocated": 1,
        "running time 0": 1,
    }
    assert log.noted["ran, and ended as timeout"] == 1
    assert moment_in(log, "2026-03-01T00:00:07") == day + 7
    assert moment_in(log, "1.5") == F(3, 2)


def test_swf(tmp_path):
    tail = " -1 -1 {} -1 -1 {} -1 -1 -1 -1 -1 -1 -1"
    rows = [
        "; MaxProcs: 8",
        "1 100 5.5 10 4" + tail.format(-1, 1),
        "2 90 0 10 -1" + tail.format(3, 1),
        "3 90 -1 10 1" + tail.format(-1, 1),
        "4 90 0 -1 1" + tail.format(-1, 0),
        "5 90 0 0 1" + tail.format(-1, 1),
        "6 90 0 7 0" + tail.format(-1, 1),
        "7 -1 0 7 1" + tail.format(-1, 1),
        "8 90 0 7 1" + tail.format(-1, 2),
    ]
    log = log_in(tmp_path, "\n".join(rows))
    assert log.jobs == (LoggedJob("J2", 90, 90, 100, 3), LoggedJob("J1", 100, F(211, 2), F(231, 2), 4))
    assert log.processors == 8
    assert sum(log.skipped.values()) == 6 and set(log.skipped.values()) == {1}
    assert log.noted == {"processors requested, for want of those allocated": 1}


def test_zipped_named_and_told(tmp_path):
    instance = busy_cluster(1, 5, 4)
    schedule = scheduled(instance, "FCFS")
    for text, format in ((batsim(instance, schedule), "batsim"), (sacct(instance, schedule), "sacct")):
        path = tmp_path / "out.gz"
        path.write_bytes(gzip.compress(text.encode("utf-8-sig"), mtime=0))
        assert (read_log(path).format, read_log(path).name) == (format, "out")
    (tmp_path / "log.swf").write_text("\n".join(swf(instance, schedule).splitlines()[1:]))
    assert read_log(tmp_path / "log.swf").format == "swf"
    for text in ("", "1 2 3", "a,b,c\n1,2,3", "job|submit\n1|2"):
        assert refusal_in(tmp_path, text).field == "format"
    with pytest.raises(InputError, match="known: swf, batsim, sacct"):
        log_in(tmp_path, SACCT, "csv")
    assert refusal_in(tmp_path, BATSIM, unit="cpus").field == "unit"


@pytest.mark.parametrize(
    ("row", "place"),
    [
        ("1,0,1,COMPLETED_SUCCESSFULLY,0,5", "line 2"),
        ('1,0,1,COMPLETED_SUCCESSFULLY,0,5,"5', "line 2"),
        (",0,1,COMPLETED_SUCCESSFULLY,0,5,5", "line 2, job_id"),
        ("1,-3,1,COMPLETED_SUCCESSFULLY,0,5,5", "line 2, submission_time"),
        ("1,0,1,DONE,0,5,5", "line 2, final_state"),
        ("1,0,1,COMPLETED_SUCCESSFULLY,0," + "9" * 5000 + ",5", "line 2, finish_time"),
        ("1,6,1,COMPLETED_SUCCESSFULLY,5,9,4", "line 2, starting_time"),
        ("1,0,1,COMPLETED_SUCCESSFULLY,5,4,-1", "line 2, finish_time"),
        ("1,0,1,COMPLETED_SUCCESSFULLY,0.00,5.00,5.04", "line 2, execution_time"),
        ("1,0,1,COMPLETED_SUCCESSFULLY,0,5,5\n1,0,1,COMPLETED_SUCCESSFULLY,0,5,5", "line 3, job_id"),
        ("1,0,1,COMPLETED_SUCCESSFULLY,0,5,\xff", "line 2"),
        ("x" * 20_000, "line 2"),
    ],
    ids=lambda text: text[:40] if "line" in text else "row",
)
def test_bad_rows_of_batsim(tmp_path, row, place):
    assert refusal_in(tmp_path, f"{BATSIM}\n{row}\n".encode("latin-1")).field == place


@pytest.mark.parametrize("nodes", ["3-1", "a", "0-99999999", "1 1", "1-", "-1", "0-2 2-3", "9" * 400])
def test_bad_interval_sets(tmp_path, nodes):
    text = f"{BATSIM},allocated_resources\n1,0,1,COMPLETED_SUCCESSFULLY,0,5,5,{nodes}\n"
    assert refusal_in(tmp_path, text).field == "line 2, allocated_resources"


@pytest.mark.parametrize(
    ("row", "place"),
    [
        ("1|5|6|16|00:10|1|COMPLETED|x", "line 2"),
        ("x|5|6|16|00:10|1|COMPLETED", "line 2, jobid"),
        ("1|Unknown|6|16|00:10|1|COMPLETED", "line 2, submit"),
        ("1|2026-02-30T00:00:00|6|16|00:10|1|COMPLETED", "line 2, submit"),
        ("1|5|4|16|00:12|1|COMPLETED", "line 2, start"),
        ("1|5|6|4|00:10|1|COMPLETED", "line 2, end"),
        ("1|5|6|16|00:10|-1|COMPLETED", "line 2, nnodes"),
        ("1|5|6|16|00:10|1|done", "line 2, state"),
        ("1|5|6|16|00:10|1|COMPLETED\n1|5|6|17|00:11|1|COMPLETED", "line 3, jobid"),
        ("1|5|6|16|00:10|1|COMPLETED\n1|5|6|16|00:10|2|COMPLETED", "line 3, jobid"),
    ],
)
def test_bad_rows_of_sacct(tmp_path, row, place):
    assert refusal_in(tmp_path, f"{SACCT}\n{row}\n").field == place


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SACCT, "no job that ran"),
        (SACCT.replace("Submit", "Eligible"), "no column submit"),
        (f"{SACCT}|State", "named twice"),
        (f"{SACCT}\n1|5|Unknown|Unknown|00:00|1|PENDING", r"never started \(pending\): 1"),
        (gzip.compress(f"{SACCT}\n1|5|6|16|00:10|1|COMPLETED\n".encode(), mtime=0)[:-9], "gzip"),
        (b"", "the file is empty"),
    ],
    ids=["no rows", "column", "twice", "never", "gzip", "empty"],
)
def test_bad_files(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        log_in(tmp_path, text, "sacct")


def test_damaged_logs_are_refused_or_read(tmp_path):
    """Whatever is cut, doubled or overwritten: a log or an InputError."""
    rng = Random(7)
    instance = busy_cluster(3, 6, 8)
    schedule = scheduled(instance, "EASY")
    for write, format in ((batsim, "batsim"), (sacct, "sacct"), (swf, "swf")):
        whole = write(instance, schedule).encode()
        refused = 0
        for _ in range(60):
            data = bytearray(whole)
            place = rng.randrange(len(data))
            match rng.randrange(3):
                case 0:
                    del data[place:]
                case 1:
                    data[place] = rng.randrange(256)
                case 2:
                    data[place:place] = bytes(rng.choices(b"-9,|:. e\n\x00", k=rng.randint(1, 12)))
            try:
                assert log_in(tmp_path, bytes(data), format).jobs
            except InputError:
                refused += 1
        assert 5 < refused < 60


@pytest.mark.parametrize("name", ["sacct.txt", "batsim-jobs.csv"])
def test_logs_without_owners(name):
    log = oas.logs.read(Path(__file__).parents[2] / "examples" / name)
    frame = log.to_frame()
    assert len(frame) == len(log.ran.jobs) and (frame["wait"] == frame["start"] - frame["submit"]).all()
    assert (frame["end"] - frame["start"] == frame["run_time"]).all()
    with pytest.raises(
        InputError, match=r"organizations: must be given: rules .*, or a number to assign users at random"
    ):
        log.to_instance()
    with pytest.raises(InputError, match="user unknown: 24"):
        log.to_instance(2, processors=16)
    assert len(log.to_instance(1, count=24, processors=16).jobs) == 24
