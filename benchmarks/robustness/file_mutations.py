"""Files for `benchmarks.robustness.fuzz_files`, and ways to break them: each is ``(rng, data) -> data``."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any

import oas
from benchmarks.robustness import documents
from oas.coallocation.generate.tiny import saturated
from oas.core.result import Claim, Proof, ProofKind, Result, Status, Termination
from oas.fair.generate import random_instance as fair_instance
from oas.generate import tiny
from oas.io import dumps
from oas.mosp.generate.reservations import reservations
from oas.mosp.generate.tiny import random_instance as organizations

if TYPE_CHECKING:
    from collections.abc import Callable

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|[\[\]{}:,]|[a-z]+')
_PIECE = re.compile(rb'"(?:[^"\\]|\\.)*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*)')
_NUMBER = re.compile(rb"(?<=[ \[])-?[0-9][0-9.eE+-]*")

_PLAIN_NUMBERS = """
    0 -0 -0.0 -1 1 0.7 1.0 1e2 1E-2 1e40 1e41 1e-41 1e308 1e309 1e999999 -1e999999 1e99999999999999999999 00 01 +1 .5 5.
    1_0 0x10 NaN Infinity -Infinity 1/3 "1/3" "0/1" "1/0" "-1/2" "1/-2" "7" "0.7" "nan" "1e3" "１" 2147483648
    9007199254740993 9223372036854775807 9223372036854775808 18446744073709551616 true false null [] {} ""
"""
NUMBERS = (
    *(word.encode() for word in _PLAIN_NUMBERS.split()),
    *(b"9" * digits for digits in (39, 41, 81, 4301, 100_000)),
    b"0." + b"3" * 5000,
    b'"' + b"9" * 50 + b'/7"',
    b'" 1"',
)
STRINGS = (
    '""', '" "', '"a "', '"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\\ud83d\\ude00"', '"\\u001b[31m"', '"\\u202e"',
    '"' + "x" * 200 + '"', '"' + "x" * 201 + '"', '"é"', '"e\u0301"', '"\\q"', '"\n"', '"C0"', '"j0"', '"HF"', '"a:{,"',
)  # fmt: skip


@cache
def sample_files() -> tuple[bytes, ...]:
    """Return valid files of each format, the same in every process."""
    grid, shared = replace(tiny(seed=3), slot=Fraction(1, 3)), saturated(seed=1, jobs=3, slot=Fraction(1, 2))
    alone = reservations(seed=2, jobs=4, processors=4, availability="general", releases=True)
    several = organizations(0)
    solved = [replace(oas.solve(one), seconds={"total": 0.25}) for one in (grid, shared, alone, several)]
    claims = (Claim("highs", "1.15.1", "start-indexed", Fraction(4)), Claim("cbc", "2.10.3", "literal", Fraction(7, 2)))
    claimed = replace(solved[0], proof=Proof(ProofKind.SOLVER, None, claims))
    stopped = Result(Status.NO_SOLUTION, Termination.TIME_LIMIT, None, None, None, grid.digest, message="stopped")
    schedule = solved[0].schedule
    assert schedule is not None
    contents: tuple[Any, ...] = (grid, shared, alone, several, fair_instance(3), *solved, claimed, stopped, schedule)
    by_policy = json.loads(dumps(several)) | {"local": "RND", "seed": 7}
    return (*map(dumps, contents), dumps(schedule, instance=grid), json.dumps(by_policy).encode())


def _flip_bytes(rng: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _cut(rng: Random, data: bytes) -> bytes:
    """Leave out a piece, or the end."""
    start = rng.choice((0, rng.randint(0, len(data)), rng.randint(0, len(data))))
    return data[:start] + data[start + rng.choice((1, 2, 10, 100, rng.randint(0, len(data)), len(data))) :]


def _replace(pattern: re.Pattern[bytes], data: bytes, rng: Random, by: bytes) -> bytes:
    places = list(pattern.finditer(data))
    if not places:
        return data
    place = rng.choice(places)
    return data[: place.start()] + by + data[place.end() :]


def _extreme_number(rng: Random, data: bytes) -> bytes:
    return _replace(_NUMBER, data, rng, rng.choice(NUMBERS))


def _hostile_text(rng: Random, data: bytes) -> bytes:
    return _replace(re.compile(rb'"[^"]*"'), data, rng, rng.choice(STRINGS).encode())


def _repeat_member(rng: Random, data: bytes) -> bytes:
    """Repeat a key with the same or another value; the first letter of its copy may be written as an escape."""
    places = list(_PIECE.finditer(data))
    if not places:
        return data
    place = rng.choice(places)
    key, _, value = place[0].partition(b":")
    if rng.random() < 0.5 and len(key) > 2:
        key = b'"' + f"\\u{key[1]:04x}".encode() + key[2:]
    again = key + b": " + rng.choice((value, b"1", b'"x"', rng.choice(NUMBERS)))
    return data[: place.end()] + b", " + again + data[place.end() :]


def _nest(rng: Random, data: bytes) -> bytes:
    depth = rng.choice((2, 49, 60, 900, 1100, 20_000))
    opening, closing = rng.choice(((b"[", b"]"), (b'{"a":', b"}")))
    wrapped = opening * depth + rng.choice((b"", b"1")) + closing * rng.choice((0, depth, depth))
    return _replace(rng.choice((_NUMBER, _TOKEN)), data, rng, wrapped)


def _noise(rng: Random, data: bytes) -> bytes:
    noise = rng.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\0", b"//x\n", b"}", b"]", b",", b" \r\n", b"\xc0\x80"))
    place = rng.choice((0, len(data), rng.randint(0, len(data))))
    return data[:place] + noise * rng.choice((1, 1, 1000)) + data[place:]


def _edit_structure(rng: Random, data: bytes) -> bytes:
    """Change the document of a JSON file, which remains JSON; return other files unchanged."""
    try:
        document = json.loads(data)
        rng.choice(list(documents.CHANGES.values()))(rng, document)
        return json.dumps(document, ensure_ascii=rng.random() < 0.5).encode(errors="surrogatepass")
    except (ValueError, RecursionError, TypeError, documents.DoesNotApplyError):
        return data


MUTATIONS: dict[str, Callable[[Random, bytes], bytes]] = {
    "flip bytes": _flip_bytes,
    "cut": _cut,
    "extreme number": _extreme_number,
    "hostile text": _hostile_text,
    "repeat member": _repeat_member,
    "nest": _nest,
    "noise": _noise,
    "edit structure": _edit_structure,
}


def fuzzed_file(seed: int, index: int) -> tuple[str, bytes]:
    """Return file number `index` and the names of the mutations that made it."""
    rng = Random(f"{seed}/{index}")
    data = rng.choice(sample_files())
    names = rng.choices(sorted(MUTATIONS), k=rng.choice((1, 1, 1, 2, 3)))
    for name in names:
        data = MUTATIONS[name](rng, data)
    return "+".join(names), data
