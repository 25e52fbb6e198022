"""Ways to break a file, for `benchmarks.robustness.fuzz_files`: each is ``(rng, data) -> data``."""

from __future__ import annotations

import json
import re
from fractions import Fraction as F
from functools import cache
from typing import TYPE_CHECKING, Any

from oas.core.result import Bound, Claim, Proof, ProofKind, Result, Status, Termination
from oas.core.schedule import Placement, Schedule
from oas.io import dumps
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.fair.instance import FairInstance
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, Reservation, RigidJob

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from oas.io.conversion import Content

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
VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    3,
    10**30,
    0.5,
    "",
    "1/3",
    "C0",
    "j1",
    "forbid",
    "HF",
    [],
    {},
    [1],
    {"a": 1},
    [[]],
)


@cache
def sample_files() -> tuple[bytes, ...]:
    """Valid files of each format, small enough to mutate fast."""
    instances = [_instance(F(0), 2), _instance(F(7, 2), 4)]
    placements = [Placement(f"j{n}", F(n, 3), n + 1, {"C0": [n], "C1": range(n)}) for n in range(4)]
    schedule = Schedule(placements, "by hand")
    claims = (Claim("highs", "1.15.1", "start-indexed", F(4)), Claim("cbc", "2.10.3", "literal", F(7, 2)))
    certificate = {"duals": ["1/3", 2, [1, {"level": None}]], "tree": True}
    results = [
        Result(
            Status.OPTIMAL,
            Termination.FINISHED,
            schedule,
            F(4),
            Proof(ProofKind.SOLVER, Bound("area", F(3), certificate), claims),
            instances[0].digest,
            solver="highs",
            seconds={"model": 0.25, "solver": 1.5},
            versions={"oas": "0.1"},
        ),
        Result(Status.NO_SOLUTION, Termination.TIME_LIMIT, None, None, None, instances[1].digest, message="stopped"),
    ]
    contents: tuple[Content, ...] = (*instances, schedule, *results)
    files = [dumps(one) for one in contents]
    beside = (dumps(schedule, instance=instances[1]), json.dumps(json.loads(files[0])).encode())
    return (*files, *beside, *_mosp_files(), _fair_file())


def _mosp_files() -> list[bytes]:
    """Two instances with the local starts written out, and one with a policy in their place."""
    jobs = [RigidJob(f"j{n}", F(n + 2, 3), n + 1, F(n % 2, 2)) for n in range(4)]
    reservations = [Reservation(F(1, 3), 2, 2), Reservation(5, 6, 4)]
    organizations = [Organization("C0", 4, jobs[:3], reservations), Organization("C1", 5, jobs[3:])]
    full = MospInstance(organizations, F(3, 2), "LPT", name="sample", provenance={"by": "hand"})
    plain = json.loads(dumps(full))
    plain |= {"local": "RND", "seed": 7, "locality": None}
    return [dumps(full), dumps(full.with_locality(1)), json.dumps(plain).encode()]


def _fair_file() -> bytes:
    """An instance of fair sharing."""
    jobs = [RigidJob(f"j{n}", n + 2, n % 2 + 1, 3 * n) for n in range(4)]
    organizations = [Organization("C0", 4, jobs[:3]), Organization("C1", 5, jobs[3:])]
    return dumps(FairInstance(organizations, 7, "sample", {"by": "hand"}))


def _instance(slot: F, jobs: int) -> CoallocationInstance:
    clusters = [Cluster(f"C{n}", [NodeGroup(4, F(3, 4)), NodeGroup(n + 1, 1)], F(n, 2)) for n in range(2)]
    made = [Job(f"j{n}", n + 1, F(10 * n + 7, 3), F(n, 2), F(7, 10)) for n in range(jobs)]
    return CoallocationInstance(clusters, made, slot, name="sample", provenance={"by": "hand", "seed": "0"})


def _flip_bytes(rng: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _truncate(rng: Random, data: bytes) -> bytes:
    start = rng.choice((0, 0, 0, rng.randint(0, len(data))))
    return data[start : rng.randint(start, len(data))]


def _copy_slice(rng: Random, data: bytes) -> bytes:
    start, to = rng.randint(0, len(data)), rng.randint(0, len(data))
    return data[:to] + data[start : start + rng.choice((1, 5, 50, 500))] * rng.choice((1, 1, 2, 30)) + data[to:]


def _delete_slice(rng: Random, data: bytes) -> bytes:
    start = rng.randint(0, len(data))
    return data[:start] + data[start + rng.choice((1, 2, 10, 100)) :]


def _splice(rng: Random, data: bytes) -> bytes:
    other = rng.choice(sample_files())
    return data[: rng.randint(0, len(data))] + other[rng.randint(0, len(other)) :]


def _swap_tokens(rng: Random, data: bytes) -> bytes:
    tokens = list(_TOKEN.finditer(data))
    if len(tokens) < 2:
        return data
    one, two = sorted(rng.sample(tokens, 2), key=lambda match: match.start())
    return data[: one.start()] + two[0] + data[one.end() : two.start()] + one[0] + data[two.end() :]


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
    """Give a key twice, once more with the same or another value, perhaps with the key written in escapes."""
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
    noise = rng.choice(
        (b"\xef\xbb\xbf", b"\xff\xfe", b"\0", b"\xff", b"//x\n", b"}", b"]", b",", b" \r\n", b"\xc0\x80")
    )
    place = rng.choice((0, len(data), rng.randint(0, len(data))))
    return data[:place] + noise * rng.choice((1, 1, 1000)) + data[place:]


def _edit_structure(rng: Random, data: bytes) -> bytes:
    """Change the document as data: still JSON afterwards."""
    try:
        document = json.loads(data)
        parents = list(_containers(document))
    except (ValueError, RecursionError):
        return data
    for _ in range(rng.choice((1, 1, 2, 4))):
        parent = rng.choice([one for one in parents if one] or [{"a": 1}])
        place = rng.choice(list(parent) if isinstance(parent, dict) else range(len(parent)))
        kind = rng.randrange(4)
        if kind == 0:
            del parent[place]
        elif kind == 1:
            parent[place] = rng.choice(VALUES)
        elif isinstance(parent, dict):
            parent[rng.choice((place + "_", "id", "count", "extra", ""))] = parent[place]
        else:
            parent.extend([parent[place]] * rng.choice((1, 1, 500)))
    try:
        return json.dumps(document, ensure_ascii=rng.random() < 0.5).encode(errors="surrogatepass")
    except (ValueError, RecursionError):
        return data


def _rewrite(rng: Random, data: bytes) -> bytes:
    """Say the same in another way: keys in another order, other white space, escapes."""
    try:
        document = json.loads(data)
        for one in _containers(document):
            if isinstance(one, dict):
                members = list(one.items())
                rng.shuffle(members)
                one.clear()
                one.update(members)
        space = rng.choice(("", " ", "\n\t", "\r\n" * 100))
        return json.dumps(document, separators=(f"{space},{space}", f"{space}:{space}")).encode()
    except (ValueError, RecursionError):
        return data


def _containers(tree: Any) -> Any:
    if isinstance(tree, dict | list):
        yield tree
        for item in tree.values() if isinstance(tree, dict) else tree:
            yield from _containers(item)


MUTATIONS: dict[str, Callable[[Random, bytes], bytes]] = {
    "copy_slice": _copy_slice,
    "delete_slice": _delete_slice,
    "edit_structure": _edit_structure,
    "extreme_number": _extreme_number,
    "flip_bytes": _flip_bytes,
    "hostile_text": _hostile_text,
    "nest": _nest,
    "noise": _noise,
    "repeat_member": _repeat_member,
    "rewrite": _rewrite,
    "splice": _splice,
    "swap_tokens": _swap_tokens,
    "truncate": _truncate,
}
