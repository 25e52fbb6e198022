"""Fuzz test of file readers: each file must be read correctly or refused with an `InputError`, in bounded time.

``python -m benchmarks.robustness.fuzz_files --count 100000 --seed 0``. File number i of a seed is always the same file;
``--only i`` tests and prints only that file.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import resource
import sys
import time
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from benchmarks.robustness.file_mutations import fuzzed_file
from oas.core.errors import InputError
from oas.core.instances import is_instance
from oas.core.schedule import Schedule
from oas.io import dumps, loads_any

if TYPE_CHECKING:
    from oas.io.reading import Content

CPU_SECONDS = 3.0  # for one file; the largest files have 650,000 values, 400,000 of them for reservations
MEMORY_BYTES = 2 * 2**30
FILE = "fuzzed.json"


class FuzzError(Exception):
    """A file with a wrong answer."""


def examine(data: bytes) -> str:
    """Read a file; return ``accepted`` or ``refused``.

    Raises FuzzError if it is accepted with another meaning, refused without a reason, or answered late.
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


def check_meaning(data: bytes, content: Content) -> None:
    """Compare a file with its content written again; raise FuzzError if they differ."""
    text = _parsed(data)
    left_out = {"seconds", "gap"}  # of results: floats
    if isinstance(content, Schedule):
        left_out = {"instance_digest"}
    if is_instance(content) and isinstance(text.get("local"), str):  # a policy: its starts are written in its place
        left_out = {"local", "seed"}
    _same({name: value for name, value in text.items() if name not in left_out}, _parsed(dumps(content)))


def _same(stated: Any, written: Any) -> None:
    """Check that every value of the file is written again; defaults may be added, and numbers have another form."""
    if isinstance(stated, dict) and isinstance(written, dict):
        for name, value in stated.items():
            if value or name in written:  # empty values may be omitted
                _same(_sorted(name, value), _sorted(name, written.get(name)))
    elif isinstance(stated, list) and isinstance(written, list) and len(stated) == len(written):
        for one, other in zip(stated, written, strict=True):
            _same(one, other)
    elif stated != written and Fraction(stated) != Fraction(written):
        raise FuzzError(f"the file says {stated!r}, read was {written!r}")


def _sorted(name: str, value: Any) -> Any:
    """Return a part of a schedule in the order in which it is written."""
    if name == "placements":
        return sorted(value, key=lambda one: (Fraction(one["start"]), one["job"]))
    if name == "nodes" and isinstance(value, dict):
        return {cluster: sorted(nodes) for cluster, nodes in value.items()}
    return value


def _parsed(data: bytes) -> Any:
    return json.loads(data, parse_float=lambda text: Fraction(Decimal(text)), object_pairs_hook=_members)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise FuzzError("accepted with a key given twice")
    return dict(pairs)


def main(arguments: list[str] | None = None) -> int:
    """Run the fuzzer; return 1 if any file was answered wrongly."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robustness.fuzz_files", description=__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="number of files")
    parser.add_argument("--seed", type=int, default=0, help="of the files")
    parser.add_argument("--only", type=int, help="look at this file alone, and print it")
    options = parser.parse_args(arguments)
    with contextlib.suppress(ValueError, OSError):  # macOS refuses this limit
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    answers: Counter[str] = Counter()
    slowest = (0.0, "")
    for index in range(options.count) if options.only is None else [options.only]:
        names, data = fuzzed_file(options.seed, index)
        name = f"--seed {options.seed} --only {index} ({names})"
        if options.only is not None:
            print(data.decode(errors="backslashreplace"))
        began = time.process_time()
        try:
            answer = examine(data)
        except Exception as error:
            answer = "FAILED"
            print(f"{name}: {type(error).__name__}: {error}")
        slowest = max(slowest, (time.process_time() - began, name))
        answers[answer] += 1
    print(f"files      {answers.total()}")
    for answer in ("accepted", "refused", "FAILED"):
        print(f"{answer:<10} {answers[answer]}")
    print(f"slowest    {slowest[0]:.3f} s of CPU time, checks included ({slowest[1]})")
    return int(answers["FAILED"] > 0)


if __name__ == "__main__":
    sys.exit(main())
