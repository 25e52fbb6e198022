"""Job logs: what is read, exactly, and what is refused, made here; the real ones where they lie beside the project."""

import gzip
from fractions import Fraction as F
from pathlib import Path
from random import Random

import pytest

from oas.core.errors import InputError
from oas.io.logs.swf import SwfLimits, SwfLog, read_swf

TRACES = Path(__file__).parents[3] / "shared" / "traces"

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


def line(**changed: object) -> str:
    names = [
        "number",
        "submit",
        "wait",
        "run",
        "processors",
        "cpu",
        "memory",
        "req_processors",
        "req_time",
        "req_memory",
        "status",
        "user",
        "group",
    ]
    fields = LINE.split()
    for name, value in changed.items():
        fields[names.index(name)] = str(value)
    return " ".join(fields)


def log_of(tmp_path: Path, text: str | bytes, name: str = "made.swf", **limits: int) -> SwfLog:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_swf(path, SwfLimits(**limits))


def refusal(tmp_path: Path, text: str | bytes, **limits: int) -> InputError:
    with pytest.raises(InputError) as caught:
        log_of(tmp_path, text, **limits)
    assert caught.value.file == str(tmp_path / "made.swf")
    return caught.value


def test_header_and_jobs(tmp_path: Path) -> None:
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


def test_oddities_are_counted(tmp_path: Path) -> None:
    lines = [
        line(),
        line(number=2, run=-1),
        line(number=3, run=0),
        line(number=4, run="0.0"),
        line(number=5, processors=-1),
        line(number=6, processors=0, req_processors=-1),
        line(number=7, submit=-1),
        line(number=7, status=2),
        line(number=7, status=3),
        line(number=8, status=6),
    ]
    assert log_of(tmp_path, "\n".join(lines)).oddities() == {
        "jobs": 10,
        "submit time unknown": 1,
        "running time unknown": 1,
        "running time 0": 2,
        "processors unknown or 0": 2,
        "processors and requested processors unknown or 0": 1,
        "part of an execution": 2,
        "status that the format does not define": 1,
    }


@pytest.mark.parametrize(
    ("value", "name", "place"),
    [
        ("nan", "run", "field 4 (run_time)"),
        ("inf", "submit", "field 2 (submit)"),
        ("1e3", "run", "field 4 (run_time)"),
        ("1_0", "run", "field 4 (run_time)"),
        ("+5", "processors", "field 5 (processors)"),
        ("-2", "wait", "field 3 (wait)"),
        ("-1.0", "wait", "field 3 (wait)"),
        ("-0", "user", "field 12 (user)"),
        ("0x10", "user", "field 12 (user)"),
        ("1/2", "run", "field 4 (run_time)"),
        ("1.", "run", "field 4 (run_time)"),
        (".5", "run", "field 4 (run_time)"),
        ("4.0", "processors", "field 5 (processors)"),
        ("-1", "number", "field 1 (number)"),
        ("1" * 16, "run", "field 4 (run_time)"),
        ("٣", "run", "field 4 (run_time)"),
        ("１０", "run", "field 4 (run_time)"),
        ("1\x0b2", "run", "field 4 (run_time)"),
        ("1\x002", "run", "field 4 (run_time)"),
        ("1\u00a02", "run", "field 4 (run_time)"),
    ],
)
def test_fields_are_told(tmp_path: Path, value: str, name: str, place: str) -> None:
    error = refusal(tmp_path, f"; a comment\n{line()}\n{line(**{'number': 2, name: value})}\n")
    assert error.field == f"line 3, {place}"
    assert error.value is not None
    assert str(error).isprintable()


@pytest.mark.parametrize("count", [1, 17, 19, 36])
def test_field_count(tmp_path: Path, count: int) -> None:
    error = refusal(tmp_path, " ".join((LINE.split() * 2)[:count]))
    assert error.field == "line 1"
    assert error.reason == f"must have 18 fields, not {count}"


@pytest.mark.parametrize("text", ["", "\n\n", HEADER, ";"])
def test_a_log_without_jobs(tmp_path: Path, text: str) -> None:
    assert refusal(tmp_path, text).reason == "the log holds no job"


def test_caps(tmp_path: Path) -> None:
    many = "\n".join(line(number=number) for number in range(1, 11))
    assert len(log_of(tmp_path, many, lines=10).jobs) == 10
    assert "more than 9 lines" in refusal(tmp_path, many, lines=9).reason
    assert "bytes of text" in refusal(tmp_path, many, bytes=100).reason
    assert "larger than 50 bytes" in refusal(tmp_path, many, file_bytes=50).reason
    assert "comments before" in refusal(tmp_path, HEADER + many, header_lines=3).reason
    assert refusal(tmp_path, f"{LINE}\n{' ' * 300}{LINE}", line_bytes=200).field == "line 2"


def test_gzip_bombs_are_not_unpacked(tmp_path: Path) -> None:
    """30 MB of one line, or of comments, out of 30 kB: refused at the caps, whatever would follow."""
    endless = gzip.compress(b" " * 30_000_000)
    assert len(endless) < 40_000
    assert "longer than 10000 bytes" in refusal(tmp_path, endless).reason
    comments = gzip.compress(f"{LINE}\n".encode() + b";\n" * 1_000_000)
    assert "more than 1000 lines" in refusal(tmp_path, comments, lines=1000).reason
    assert "more than 5000 bytes of text" in refusal(tmp_path, comments, bytes=5000).reason


def test_broken_gzip(tmp_path: Path) -> None:
    packed = gzip.compress(f"{LINE}\n".encode() * 1)
    for broken in (packed[:-9], packed[:12] + b"\xff\xff" + packed[14:], packed + b"garbage", b"\x1f\x8b"):
        assert "not a whole gzip file" in refusal(tmp_path, broken).reason


def test_whatever_a_file_holds_the_answer_is_a_log_or_a_refusal(tmp_path: Path) -> None:
    text = f"{HEADER}{LINE}\n{line(number=2, run='1.5')}\n".encode()
    outcomes = {True: 0, False: 0}
    for seed in range(300):
        rng = Random(seed)
        data = bytearray(gzip.compress(text, mtime=0) if seed % 3 == 0 else text)
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(data))
            data[place : place + rng.randint(0, 2)] = rng.choice(
                [b"\x00", b"-", b";", b"\n", b" ", b"\xff", b"7", b".", b""]
            )
        try:
            outcomes[bool(log_of(tmp_path, bytes(data)).jobs)] += 1
        except InputError as error:
            assert error.file
            outcomes[False] += 1
    assert min(outcomes.values()) > 30


@pytest.mark.parametrize(
    ("name", "checksum", "jobs", "processors", "zero", "acknowledged"),
    [
        ("KTH-SP2-1996-2.1-cln", "3e152f20", 28_476, 100, 8, "Lars Malinowsky"),
        (
            "OSC-Clust-2000-3.1-cln",
            "f2d76213",
            36_097,
            178,
            505,
            "SuperCluster HPC Workload/Resource Trace Respository",
        ),
    ],
)
def test_real_logs(name: str, checksum: str, jobs: int, processors: int, zero: int, acknowledged: str) -> None:
    path = TRACES / f"{name}.swf.gz"
    if not path.exists():
        pytest.skip("trace not found")
    log = read_swf(path)
    assert log.name == name
    assert log.sha256.startswith(checksum)
    assert log.max_processors == processors
    assert log.comments("Acknowledge") == (acknowledged,)
    odd = log.oddities()
    assert (odd["jobs"], odd["running time 0"]) == (jobs, zero)
