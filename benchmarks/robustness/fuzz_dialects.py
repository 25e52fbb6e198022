"""Fuzz test of readers of job logs: the same jobs, written in many dialects, must be read as the same jobs.

``python -m benchmarks.robustness.fuzz_dialects --count 10000 --seed 0``. File number i of a seed is always the same
file; ``--only i`` tests and prints only that file. Some files contain a number that has no clear meaning: these must be
refused with an `InputError` that names the file.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import json
import lzma
import sys
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.logs.csv_rows import read_reservations
from oas.logs.log import read_log
from oas.logs.streams import read_stream

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": lambda data: gzip.compress(data, 1, mtime=0),
    ".bz2": lambda data: bz2.compress(data, 1),
    ".xz": lambda data: lzma.compress(data, preset=0),
}
UNCLEAR = ("1.2k", "64K", "1.024", "1e3", "0x40", "2 x 64", "12,34", "1,0240", "1024-2048", "~64", "64 or 128", "+64")


class FuzzError(Exception):
    """A file that was read wrongly."""


@dataclass(frozen=True)
class Job:
    """A job as it must be read."""

    number: int
    submit: Fraction
    wait: Fraction
    time: Fraction
    nodes: tuple[int, ...]
    user: int | None
    group: int | None


@dataclass(frozen=True)
class LogFile:
    """A file and its content."""

    name: str
    data: bytes
    jobs: tuple[Job, ...]
    processors: int | None = None  # that the file states
    refused: bool = False  # whether it must be refused
    rounded: bool = False  # whether submissions and starts are rounded to six digits


def drawn_jobs(rng: Random) -> tuple[Job, ...]:
    """Return a few random jobs, in the order of submission."""
    unit = rng.choice((Fraction(1), Fraction(1), Fraction(1, 4), Fraction(1, 1000)))
    begin, jobs = Fraction(rng.choice((0, 0, 1000, 10**9))), []
    for number in range(1, rng.randint(2, 7)):
        begin += rng.randint(0, 500) * unit
        jobs.append(
            Job(
                number,
                begin,
                rng.choice((0, rng.randint(0, 900))) * unit,
                rng.randint(1, 5000) * unit,
                tuple(sorted(rng.sample(range(40), rng.randint(1, 8)))),
                rng.choice((None, 0, rng.randint(1, 9))),
                rng.choice((None, rng.randint(1, 3))),
            )
        )
    return tuple(jobs)


def decimal(rng: Random, value: Fraction) -> str:
    """Return a number with a random number of trailing zeros."""
    thousandths = int(value * 1000)
    text = f"{thousandths // 1000}.{thousandths % 1000:03d}".rstrip("0")
    text += "0" * rng.choice((0, 0, 1, 3))
    return text.rstrip(".") if rng.random() < 0.8 or text.endswith(".") else text


def packed(rng: Random, lines: Sequence[str], name: str, *, mark: bool = True) -> tuple[str, bytes]:
    """Return name and content of a file with random line ends, byte-order mark, blank lines, and compression."""
    end = rng.choice(("\n", "\r\n"))
    blank = [line for line in lines for line in ([line, ""] if rng.random() < 0.05 else [line])]
    text = end.join(blank) + rng.choice(("", end, end * 2))
    suffix = rng.choice(tuple(PACKERS))
    data = PACKERS[suffix](text.encode("utf-8-sig" if mark and rng.random() < 0.2 else "utf-8"))
    shown = rng.choice(tuple(PACKERS)) if rng.random() < 0.1 else suffix  # sometimes a wrong suffix
    return name + shown, data


def grouped(rng: Random, number: int) -> str:
    """Return a number of processors as headers write it."""
    mark = rng.choice(("", ",", " ", "_", "'", "’", "\u2009", "\u202f", "\u00a0"))
    remark = rng.choice(("", "", "  (dual)", " nodes", ", of which some are idle", " (2 x 64)", " // all"))
    return f"{number:,}".replace(",", mark) + remark


def swf_file(rng: Random) -> LogFile:
    """Return a log in SWF."""
    jobs = drawn_jobs(rng)
    size = rng.choice((64, 512, 1024, 12_345, 1_234_567))
    unclear = rng.random() < 0.1
    key = rng.choice(("MaxProcs", "maxprocs", "MAXPROCS", "MaxNodes"))
    colon = rng.choice((":", ": ", " : ", ":\t"))
    value = rng.choice(UNCLEAR) if unclear else grouped(rng, size)
    lines = [f";{rng.choice(('', ' ', '    ', chr(9)))}{key}{colon}{value}", "; Computer: made"]
    rng.shuffle(lines)
    for job in jobs:
        unknown = rng.choice(("-1", "-1", "-1.0", "-1.00"))
        wait = rng.choice(("-0", "-0.0", "0", "0.0")) if not job.wait else decimal(rng, job.wait)
        owner = ["-1" if one is None else str(one) for one in (job.user, job.group)]
        width = str(len(job.nodes))
        fields = [str(job.number), decimal(rng, job.submit), wait, decimal(rng, job.time), width, unknown, unknown]
        fields += ["-1", unknown, unknown, "1", *owner, "-1", "-1", "-1", "-1", unknown]
        space = rng.choice((" ", "  ", "\t", " \t "))
        lines.append(rng.choice(("", " ", "\t")) + space.join(fields) + rng.choice(("", " ", " ; done", ";")))
        if rng.random() < 0.2:
            lines.append(rng.choice((";", "; MaxProcs: 7", "  ; a remark", ";;")))
    name, data = packed(rng, lines, rng.choice(("log.swf", "log.SWF", "log.txt")))
    return LogFile(name, data, jobs, size, unclear)


def six_digits(value: Fraction) -> str:
    """Return a number as a C++ stream writes it."""
    return f"{float(value):g}"


def quoted(rng: Random, value: str, delimiter: str) -> str:
    """Return a value of a CSV file, possibly in quotes and between blanks."""
    if delimiter in value or rng.random() < 0.2:
        value = f'"{value}"' + rng.choice(("", "", " "))
    return rng.choice(("", "", " ")) + value if delimiter != "\t" else value


def batsim_file(rng: Random) -> LogFile:
    """Return a log of Batsim."""
    jobs, rounded = drawn_jobs(rng), rng.random() < 0.3
    width = rng.choice(("requested_number_of_resources", "requested_number_of_processors"))
    nodes, identity = rng.choice(("allocated_resources", "allocated_processors")), rng.choice(("job_id", "jobID"))
    written = six_digits if rounded else lambda value: decimal(rng, value)
    columns: dict[str, list[str]] = {
        identity: [str(job.number) for job in jobs],
        "submission_time": [written(job.submit) for job in jobs],
        width: [str(len(job.nodes)) for job in jobs],
        "starting_time": [written(job.submit + job.wait) for job in jobs],
        "finish_time": [written(job.submit + job.wait + job.time) for job in jobs],
    }
    if rounded or rng.random() < 0.5:
        columns["execution_time"] = [decimal(rng, job.time) for job in jobs]
    if rng.random() < 0.5:
        columns["waiting_time"] = [decimal(rng, job.wait) for job in jobs]
    if rng.random() < 0.7:
        joint = rng.choice((" ", ","))
        columns[nodes] = [joint.join(map(str, job.nodes)) for job in jobs]
    for name in ("user", "group"):
        values = [getattr(job, name) for job in jobs]
        columns[name] = ["" if value is None else str(value) for value in values]
    if rng.random() < 0.3:
        columns["metadata"] = [rng.choice(("", 'a""b', "x")) for _ in jobs]
    names = rng.sample(list(columns), len(columns))
    delimiter = rng.choice((",", ",", ";", "\t"))
    table = [names, *([columns[name][row] for name in names] for row in range(len(jobs)))]
    lines = [
        delimiter.join(quoted(rng, value, delimiter) if '""' not in value else f'"{value}"' for value in row)
        for row in table
    ]
    name, data = packed(rng, lines, rng.choice(("out_jobs.csv", "out.txt")))
    return LogFile(name, data, jobs, rounded=rounded)


def workload_file(rng: Random) -> LogFile:
    """Return a workload of Batsim."""
    jobs, size = drawn_jobs(rng), rng.choice((None, 64))
    profiles: dict[str, dict[str, object]] = {}
    rows = []
    for job in jobs:
        delay = float(job.time) if job.time.denominator > 1 or rng.random() < 0.3 else int(job.time)
        kind = rng.choice(("delay", "parallel_homogeneous", "msg_par_hg"))
        fields = {"delay": delay} if kind == "delay" else {"cpu": delay, "com": 0}
        profiles[str(job.number)] = {"type": kind, **fields}
        row: dict[str, object] = {"id": rng.choice((job.number, str(job.number))), "subtime": float(job.submit)}
        row |= {"res": len(job.nodes), "profile": str(job.number)}
        row |= {name: getattr(job, name) for name in ("user", "group") if getattr(job, name) is not None}
        row |= rng.choice(({}, {"walltime": -1}, {"walltime": float(job.time) + 1}))
        rows.append(row)
    document: dict[str, object] = {"jobs": rows, "profiles": profiles, "description": "made"}
    if size:
        document["nb_res"] = size
    keys = rng.sample(list(document), len(document))
    text = json.dumps({key: document[key] for key in keys}, indent=rng.choice((None, 1)))
    name, data = packed(rng, text.splitlines(), "workload.json")
    return LogFile(name, data, jobs, size)


def check_log(file: LogFile, folder: Path) -> None:
    """Read a log and compare its jobs; raises FuzzError."""
    path = folder / file.name
    path.write_bytes(file.data)
    try:
        stream = read_stream(path, host_speed=1 if "workload" in file.name else None)
    except InputError as error:
        _check_refusal(error, file)
        return
    if file.refused:
        raise FuzzError(f"must be refused, read as {stream.machine} processors")
    if stream.machine != file.processors:
        raise FuzzError(f"{stream.machine} processors, not {file.processors}")
    submits = [Fraction(six_digits(job.submit)) if file.rounded else job.submit for job in file.jobs]
    order = sorted(range(len(submits)), key=submits.__getitem__)
    jobs = [file.jobs[index] for index in order]
    users = [stream.owner_values(number)["user"] for number in stream.owner.tolist()]
    found = zip(
        (Fraction(value, stream.second) for value in stream.submit.tolist()),
        (Fraction(value, stream.second) for value in stream.time.tolist()),
        stream.processors.tolist(),
        users,
        strict=True,
    )
    expected = [
        (submits[index], job.time, len(job.nodes), "" if job.user is None else str(job.user))
        for index, job in zip(order, jobs, strict=True)
    ]
    if (read := list(found)) != expected:
        raise FuzzError(f"read {read}, not {expected}")
    if "workload" not in file.name:
        _check_starts(file, path, jobs)


def _check_starts(file: LogFile, path: Path, jobs: Sequence[Job]) -> None:
    for job, read in zip(jobs, read_log(path).jobs, strict=True):
        start = job.submit + job.wait
        start = Fraction(six_digits(start)) if file.rounded else start
        owner = tuple("" if one is None else str(one) for one in (job.user, job.group))
        if (read.start, read.ended, read.owner[:2]) != (start, start + job.time, owner):
            raise FuzzError(f"read {read}, not {job}")
        if read.nodes is not None and read.nodes != job.nodes:
            raise FuzzError(f"nodes {read.nodes}, not {job.nodes}")


def check_reservations(rng: Random, folder: Path) -> None:
    """Write reservations in a dialect, read and compare them; raises FuzzError."""
    unit = rng.choice((Fraction(1), Fraction(1, 4), Fraction(1, 1000)))
    begins = [rng.randint(0, 10**6) * unit for _ in range(rng.randint(1, 4))]
    blocks = [(begin, begin + rng.randint(1, 1000) * unit, rng.randint(1, 9)) for begin in begins]
    names = rng.sample(("start", "end", "processors", "remark"), 4)
    delimiter, comma = rng.choice((",", ",", ";", "\t")), rng.random() < 0.1
    rows = [[quoted(rng, rng.choice((name, name.title(), name.upper())), delimiter) for name in names]]
    for begin, end, width in blocks:
        times = [decimal(rng, one) for one in (begin, end)]
        values = {"start": times[0], "end": times[1], "processors": str(width), "remark": "x"}
        if comma:
            values["start"] = f"{int(begin)},5"
        rows.append([quoted(rng, values[name], delimiter) for name in names])
    name, data = packed(rng, [delimiter.join(row) for row in rows], "reservations.csv")
    file = LogFile(name, data, (), refused=comma)
    path = folder / name
    path.write_bytes(data)
    try:
        table, second = read_reservations(path, 1000)
    except InputError as error:
        _check_refusal(error, file)
        return
    read = [(Fraction(begin, second), Fraction(end, second), width) for begin, end, width in table.tolist()]
    if file.refused or read != blocks:
        raise FuzzError(f"read {read}, not {blocks}")


def _check_refusal(error: InputError, file: LogFile) -> None:
    if not file.refused:
        raise FuzzError(f"refused: {error}")
    if error.file is None or file.name not in error.file or not error.field:
        raise FuzzError(f"the refusal names no file or no place: {error}")


MAKERS = (swf_file, batsim_file, workload_file)


def check(seed: int, index: int, folder: Path, *, shown: bool = False) -> str:
    """Test one file; return its kind. Raises FuzzError."""
    rng = Random(f"{seed} {index}")
    kind = index % (len(MAKERS) + 1)
    if kind == len(MAKERS):
        check_reservations(rng, folder)
        return "reservations"
    file = MAKERS[kind](rng)
    if shown:
        print(file.name, file.data)
    check_log(file, folder)
    return MAKERS[kind].__name__.removesuffix("_file") + (", refused" if file.refused else "")


def main(arguments: list[str] | None = None) -> int:
    """Run the fuzzer; return 1 if any file was read wrongly."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robustness.fuzz_dialects", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="number of files")
    parser.add_argument("--seed", type=int, default=0, help="of the files")
    parser.add_argument("--only", type=int, help="look at this file alone, and print it")
    options = parser.parse_args(arguments)
    kinds: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        for index in range(options.count) if options.only is None else [options.only]:
            try:
                kinds[check(options.seed, index, Path(folder), shown=options.only is not None)] += 1
            except Exception as error:
                kinds["FAILED"] += 1
                print(f"--seed {options.seed} --only {index}: {type(error).__name__}: {error}")
    for kind, count in sorted(kinds.items()):
        print(f"{kind:<20} {count}")
    return int(kinds["FAILED"] > 0)


if __name__ == "__main__":
    sys.exit(main())
