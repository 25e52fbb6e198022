"""Fuzz test of the reader of `sacct`: files with the same jobs in all dialects must give the same jobs.

``python -m benchmarks.robustness.fuzz_logs --count 10000 --seed 0``. File number i of a seed is always the same file;
``--only i`` tests and prints only that file.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from benchmarks.robustness.sacct_dialects import Truth, sacct_file
from oas.core.errors import InputError
from oas.io.files import unpacked
from oas.logs.invalid_lines import InvalidLines
from oas.logs.sacct import parse_sacct

CPU_SECONDS = 1.0  # for one file


class FuzzError(Exception):
    """A file with a wrong answer."""


def examine(seed: int, index: int) -> str:
    """Read a file; return ``read`` or ``refused``.

    Raises FuzzError if it is read with other jobs, refused without need, or answered late.
    """
    _, data, options, jobs, ambiguous = sacct_file(seed, index)
    began = time.process_time()
    try:
        log = parse_sacct(data, "fuzzed", invalid=InvalidLines(skip=False), **options)  # type: ignore[arg-type]
    except InputError as error:
        if not ambiguous or "contains the delimiter or a line break: print" not in str(error):
            raise FuzzError(f"refused: {error}") from error
        return "refused"
    if (took := time.process_time() - began) > CPU_SECONDS:
        raise FuzzError(f"answered after {took:.1f} s of CPU time")
    found = sorted(
        (
            *(job.id.partition("#")[0], job.submit, job.start, job.known_until if job.end is None else job.end),
            *(job.processors, job.end is None),
        )
        for job in log.jobs
    )
    shift = _shift(found[0][1], jobs)  # local times without a zone are taken as UTC
    expected = sorted(
        (job.id, job.submit + shift, job.start + shift, job.end + shift, job.processors, job.running) for job in jobs
    )
    if found != expected:
        raise FuzzError(f"the jobs are {expected}, read were {found}")
    return "read"


def _shift(first: object, jobs: list[Truth]) -> int:
    """Return the offset of local times; 0 if times are certain."""
    return next((hours * 3600 for hours in range(-12, 15) for job in jobs if job.submit + hours * 3600 == first), 0)


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
    for answer in ("read", "refused", "FAILED"):
        print(f"{answer:<10} {answers[answer]}")
    return int(answers["FAILED"] > 0)


if __name__ == "__main__":
    sys.exit(main())
