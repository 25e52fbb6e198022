"""Broken files by the hundred thousand: each must be read rightly or refused with an `InputError`, in bounded time.

``python -m benchmarks.robustness.fuzz_files --count 100000 --seed 0``. File number i of a seed is always the same file;
``--only i`` looks at that one alone and prints it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import resource
import signal
import sys
import time
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

from benchmarks.robustness.documents import places
from benchmarks.robustness.file_mutations import MUTATIONS, sample_files
from oas.core.errors import InputError
from oas.core.instances import is_instance
from oas.core.schedule import Schedule
from oas.io import dumps, loads_any

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.io.conversion import Content

CPU_SECONDS = 3.0  # for one file; the largest hold 650,000 values, of which 400,000 are of reservations
HANG_SECONDS = 60  # wall time after which a file counts as a hang
MEMORY_BYTES = 2 * 2**30
FILE = "fuzzed.json"
RANGES: dict[Any, Callable[[Fraction], bool]] = {
    **dict.fromkeys(("count", "tasks", "processors", "horizon", "locality"), lambda value: value >= 1),
    **dict.fromkeys(("bandwidth", "slot", "release", "start"), lambda value: value >= 0),
    **dict.fromkeys(("base_time", "time"), lambda value: value > 0),
    "power": lambda value: 0 < value <= 1,
    "sigma": lambda value: 0 <= value <= 1,
}
"""Allowed numbers, by the field's name, anywhere in an instance."""
WHOLE = ("count", "tasks", "processors", "horizon")


class FuzzError(Exception):
    """A file that was answered wrongly."""


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

    Raises
    ------
    FuzzError
        If it is accepted with another meaning than its text has, refused without saying what is wrong, or answered
        late.
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
    _check_meaning(_parsed(data), answer)
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


def _check_meaning(text: dict[str, Any], content: Content) -> None:
    """Compare what the file says with what is written of the content; in instances, numbers with their ranges."""
    left_out = {"seconds", "gap"}  # of results: floats
    if isinstance(content, Schedule):
        left_out = {"instance_digest"}
    if is_instance(content):
        _check_ranges({name: value for name, value in text.items() if name not in ("provenance", "local")})
        if isinstance(text.get("local"), str):  # a policy: its starts are written in its place
            left_out = {"local", "seed"}
    _same({name: value for name, value in text.items() if name not in left_out}, _parsed(dumps(content)))


def _same(stated: Any, written: Any) -> None:
    """Demand that everything stated is written; defaults may be added, and numbers written in another form."""
    if isinstance(stated, dict) and isinstance(written, dict):
        for name, value in stated.items():
            if name in written:
                _same(*(_sorted(name, one) for one in (value, written[name])))
            else:
                _demand(not value, (name, value))  # none, or nothing in it
    elif isinstance(stated, list) and isinstance(written, list):
        _demand(len(stated) == len(written), (stated, written))
        for one, other in zip(stated, written, strict=True):
            _same(one, other)
    elif stated != written and _exact(stated) != _exact(written):
        raise FuzzError(f"the file says {stated!r}, read was {written!r}")


def _sorted(name: str, value: Any) -> Any:
    """Return a part of a schedule in the order in which it is written."""
    if name == "placements":
        return sorted(value, key=lambda one: (_exact(one["start"]), one["job"]))
    if name == "nodes" and isinstance(value, dict):
        return {cluster: sorted(nodes) for cluster, nodes in value.items()}
    return value


def _check_ranges(tree: Any) -> None:
    jobs = []
    for parent, key in places(tree):
        value = parent[key]
        if key in RANGES and value is not None:
            _demand(RANGES[key](_exact(value)), (key, value))
            _demand(key not in WHOLE or type(value) is int, (key, value))
        if isinstance(value, dict) and {"start", "end"} <= value.keys():
            _demand(_exact(value["start"]) < _exact(value["end"]), value)
        if key == "jobs":
            jobs += value
            widest = max((job.get("processors", 1) for job in value), default=0)
            _demand(widest <= parent.get("processors", widest), parent)
    for things in (jobs, tree.get("clusters", []), tree.get("organizations", [])):
        _demand(len({one["id"] for one in things}) == len(things), "ids")


def _exact(value: Any) -> Fraction:
    _demand(type(value) in (int, str, Fraction), value)
    return Fraction(value)


def _demand(holds: bool, what: object) -> None:
    if not holds:
        raise FuzzError(f"accepted although wrong: {what!r}")


def _parsed(data: bytes) -> Any:
    return json.loads(data, parse_float=lambda text: Fraction(Decimal(text)), object_pairs_hook=_members)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    _demand(len({key for key, _ in pairs}) == len(pairs), "a key given twice")
    return dict(pairs)


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
