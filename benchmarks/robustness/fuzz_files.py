"""Broken files by the hundred thousand: each must be read rightly or refused with an `InputError`, in bounded time.

``python -m benchmarks.robustness.fuzz_files --count 100000 --seed 0``. File number i of a seed is always the same file;
``--only i`` looks at that one alone and prints it.
"""

from __future__ import annotations

import argparse
import contextlib
import resource
import signal
import sys
import time
from collections import Counter
from random import Random
from typing import TYPE_CHECKING

from benchmarks.robustness.file_meaning import FuzzError, check_meaning
from benchmarks.robustness.file_mutations import MUTATIONS, sample_files
from oas.core.errors import InputError
from oas.io import dumps, loads_any

if TYPE_CHECKING:
    from oas.io.conversion import Content

CPU_SECONDS = 3.0  # for one file; the largest hold 650,000 values, of which 400,000 are of reservations
HANG_SECONDS = 60  # wall time after which a file counts as a hang
MEMORY_BYTES = 2 * 2**30
FILE = "fuzzed.json"


def fuzzed_file(seed: int, index: int) -> tuple[str, bytes]:
    """Return file number `index` and the names of the mutations that made it."""
    rng = Random(f"{seed}/{index}")
    data = rng.choice(sample_files())
    names = rng.choices(sorted(MUTATIONS), k=rng.choice((1, 1, 1, 2, 3)))
    for name in names:
        data = MUTATIONS[name](rng, data)
    return "+".join(names), data


def examine(data: bytes) -> str:
    """Read a file; return ``accepted`` or ``refused``.

    FuzzError if it is accepted with another meaning than its text has, refused without saying what is wrong, or
    answered late.
    """
    began = time.process_time()
    answer: Content | InputError
    try:
        answer = loads_any(data, FILE)
    except InputError as error:
        answer = error
    if (took := time.process_time() - began) > CPU_SECONDS:
        raise FuzzError(f"answered after {took:.1f} s of CPU time")
    if isinstance(answer, InputError):
        _check_refusal(answer)
        return "refused"
    check_meaning(data, answer)
    if loads_any(dumps(answer)) != answer:
        raise FuzzError("written and read again it is another")
    return "accepted"


def _check_refusal(error: InputError) -> None:
    text = str(error)
    if not text.startswith(f"{FILE}: ") or not error.reason:
        raise FuzzError(f"the refusal names no file or no reason: {text!r}")
    if len(text) > 4000:
        raise FuzzError(f"the refusal has {len(text)} characters: {text[:200]!r}…")
    text.encode()  # a surrogate could not be printed


def _give_up(*_: object) -> None:
    raise FuzzError(f"no answer after {HANG_SECONDS} s")


def main(arguments: list[str] | None = None) -> int:
    """Run the fuzzer; return 1 if any file was answered wrongly."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robustness.fuzz_files", description=__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="number of files")
    parser.add_argument("--seed", type=int, default=0, help="of the files")
    parser.add_argument("--only", type=int, help="look at this file alone, and print it")
    options = parser.parse_args(arguments)
    with contextlib.suppress(ValueError, OSError):  # macOS refuses this limit
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    signal.signal(signal.SIGALRM, _give_up)
    answers: Counter[str] = Counter()
    slowest = (0.0, "")
    for index in range(options.count) if options.only is None else [options.only]:
        names, data = fuzzed_file(options.seed, index)
        name = f"--seed {options.seed} --only {index} ({names})"
        if options.only is not None:
            print(data.decode(errors="backslashreplace"))
        began = time.process_time()
        signal.alarm(HANG_SECONDS)
        try:
            answer = examine(data)
        except Exception as error:
            answer = "FAILED"
            print(f"{name}: {type(error).__name__}: {error}")
        signal.alarm(0)
        slowest = max(slowest, (time.process_time() - began, name))
        answers[answer] += 1
    print(f"files      {answers.total()}")
    for answer in ("accepted", "refused", "FAILED"):
        print(f"{answer:<10} {answers[answer]}")
    print(f"slowest    {slowest[0]:.3f} s of CPU time, checks included ({slowest[1]})")
    return int(answers["FAILED"] > 0)


if __name__ == "__main__":
    sys.exit(main())
