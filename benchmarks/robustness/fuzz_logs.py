"""Fuzz test of the reader of `sacct`: files with the same jobs in all dialects must give the same jobs.

``python -m benchmarks.robustness.fuzz_logs --count 10000 --seed 0``. File number i of a seed is always the same file;
``--only i`` tests and prints only that file.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from benchmarks.robustness.sacct_dialects import SPOILED, Dialect, sacct_file
from oas.core.errors import InputError
from oas.io.files import unpacked
from oas.logs.invalid_lines import InvalidLines
from oas.logs.sacct import UNSURE, parse_sacct
from oas.logs.sacct_table import FREE

CPU_SECONDS = 1.0  # for one file


class FuzzError(Exception):
    """A file with a wrong answer."""


def examine(seed: int, index: int) -> str:
    """Read a file; return ``read``, ``refused``, or ``uncertain`` if the reader says that its times may be wrong.

    Raises FuzzError if it is read with other jobs, refused without need, or answered late.
    """
    _, data, options, jobs, dialect = sacct_file(seed, index)
    began = time.process_time()
    try:
        log = parse_sacct(data, "fuzzed", invalid=InvalidLines(skip=False), **options)  # type: ignore[arg-type]
    except InputError as error:
        if not _may_refuse(dialect, str(error)):
            raise FuzzError(f"refused: {error}") from error
        return "refused"
    if dialect.spoiled:
        raise FuzzError(f"read, though it must be refused: {SPOILED[dialect.spoiled]}")
    if (took := time.process_time() - began) > CPU_SECONDS:
        raise FuzzError(f"answered after {took:.1f} s of CPU time")
    found = sorted(
        (
            *(job.id.partition("#")[0], job.submit, job.start, job.known_until if job.end is None else job.end),
            *(job.processors, job.end is None),
        )
        for job in log.jobs
    )
    jobs = sorted(jobs, key=lambda job: (job.id, job.submit))
    shift = 0
    if dialect.times in ("local", "elapsed"):  # the distance of the zone from UTC is not known
        shift = int(found[0][1]) - jobs[0].submit
    expected = [
        (job.id, job.submit + shift, job.start + shift, job.end + shift, job.processors, job.running) for job in jobs
    ]
    if found != expected and UNSURE not in log.noted:
        raise FuzzError(f"the jobs are {expected}, read were {found}")
    return "uncertain" if UNSURE in log.noted else "read"


def _may_refuse(dialect: Dialect, message: str) -> bool:
    """Return whether a file may be refused with this message: for an ambiguous row, or times in the wrong order."""
    if dialect.spoiled and (SPOILED[dialect.spoiled] in message or dialect.broken or dialect.delimiter == ","):
        return True
    if "where clocks were turned back: give --timezone" in message:
        return dialect.times == "local"
    # A text before the id, which begins a row, may look like rows of its own
    names = [name.lower() for name in dialect.columns]
    free = bool(FREE.intersection(names[: names.index("jobid")]))
    return dialect.ambiguous and (free or "contains the delimiter or a line break: print" in message)


def main(arguments: list[str] | None = None) -> int:
    """Run the fuzzer; return 1 if any file was answered wrongly."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robustness.fuzz_logs", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="number of files")
    parser.add_argument("--seed", type=int, default=0, help="of the files")
    parser.add_argument("--only", type=int, help="look at this file alone, and print it")
    options = parser.parse_args(arguments)
    answers: Counter[str] = Counter()
    for index in range(options.count) if options.only is None else [options.only]:
        name, data, reading, *_ = sacct_file(options.seed, index)
        if options.only is not None:
            print(unpacked(data, 1 << 20).decode(errors="backslashreplace"))
        try:
            answer = examine(options.seed, index)
        except Exception as error:
            answer = "FAILED"
            print(f"--seed {options.seed} --only {index} ({name}; {reading}): {type(error).__name__}: {error}")
        answers[answer] += 1
    print(f"files      {answers.total()}")
    for answer in ("read", "uncertain", "refused", "FAILED"):
        print(f"{answer:<10} {answers[answer]}")
    return int(answers["FAILED"] > 0)


if __name__ == "__main__":
    sys.exit(main())
