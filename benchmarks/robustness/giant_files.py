"""Files as large as files may be, made to cost the reader as much time or memory as they can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.io.coallocation import MAX_GROUPS
from oas.io.decoding import MAX_BYTES, MAX_VALUES
from oas.io.documents import MAX_CLUSTERS, MAX_JOBS
from oas.io.mosp import MAX_POLICY_STEPS, MAX_RESERVATIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CLUSTER = b'{"id": "A", "bandwidth": 1, "nodes": [{"count": 4, "power": 0.75}]}'
_HEAD = b'{"format": "oas-instance", "version": 1, "problem": "coallocation", "clusters": [' + _CLUSTER + b"], "
_ONE = b'"jobs": [{"id": "a", "tasks": 1, "base_time": 1}]}'
_ROOM = MAX_BYTES - len(_HEAD) - len(_ONE) - 100
_SCHEDULE = b'{"format": "oas-schedule", "version": 1, "placements": ['


def giant_files() -> Iterator[tuple[str, bytes]]:
    """Yield each file with what is big about it."""
    yield from _many_things()
    yield from _long_things()
    yield from _garbage()
    yield from _mosp_files()


def _many_things() -> Iterator[tuple[str, bytes]]:
    yield "jobs, as many as allowed", _jobs(MAX_JOBS, b"")
    yield "jobs, padded to the size cap", _jobs(MAX_JOBS, b" " * (MAX_BYTES // MAX_JOBS - 120))
    yield "jobs, too many", _jobs(MAX_VALUES // 6 - 100, b"")
    yield "node groups", _HEAD.replace(_CLUSTER, _groups(MAX_GROUPS)) + _ONE
    yield "nodes", _HEAD.replace(b'"count": 4', b'"count": ' + b"9" * 4000) + _ONE
    members = b", ".join(b'"key %d": "value"' % index for index in range(MAX_VALUES - 100))
    yield "provenance", _HEAD + b'"provenance": {' + members + b"}, " + _ONE
    runs = (
        b'{"job": "%d", "start": %d.5, "end": %d.75, "nodes": {}}' % (n, n, n) for n in range(MAX_VALUES // 6 - 100)
    )
    yield "placements, too many", _SCHEDULE + b", ".join(runs) + b"]}"
    nodes = b", ".join(b"%d" % number for number in range(MAX_VALUES - 100))
    yield "one placement", _SCHEDULE + b'{"job": "a", "start": 0, "end": 1, "nodes": {"A": [' + nodes + b"]}}]}"


def _long_things() -> Iterator[tuple[str, bytes]]:
    for name, text in (
        ("integer", b"9" * _ROOM),
        ("decimal", b"0." + b"3" * (_ROOM - 2)),
        ("number as text", b'"' + b"9" * (_ROOM - 2) + b'"'),
        ("ratio", b'"1/' + b"9" * (_ROOM - 4) + b'"'),
    ):
        yield f"{name}", _HEAD + b'"slot": ' + text + b", " + _ONE
    yield "name", _HEAD + b'"name": "' + b"x" * _ROOM + b'", ' + _ONE
    yield "name of escapes", _HEAD + b'"name": "' + b"\\u0041" * (_ROOM // 6) + b'", ' + _ONE
    yield "name of half surrogate pairs", _HEAD + b'"name": "' + b"\\ud800" * (_ROOM // 6) + b'", ' + _ONE
    yield "unknown field", _HEAD + b'"' + b"k" * _ROOM + b'": 1, ' + _ONE


def _garbage() -> Iterator[tuple[str, bytes]]:
    for name, item in (("lists", b"[]"), ("objects", b"{}"), ("members", b'{"a":1}')):
        many = b"[" + b",".join([item] * (MAX_VALUES // 2 - 50)) + b"]"
        yield f"{name} for a number", _HEAD + b'"slot": ' + many + b", " + _ONE
        yield f"{name} under a key given twice", _HEAD + b'"slot": ' + many + b', "slot": 1, ' + _ONE
    deep = b"[" * (MAX_VALUES - 100)
    yield "nesting", _HEAD + b'"slot": ' + deep
    for name, text in (("spaces", b" "), ("commas", b","), ("zeros", b"\0"), ("quotes", b'"'), ("backslashes", b"\\")):
        yield name, text * MAX_BYTES
    yield "text without an end", _HEAD + b'"name": "' + b"\\" * _ROOM
    yield "lines", b"\n" * (MAX_BYTES - 1) + b"x"


def _mosp_files() -> Iterator[tuple[str, bytes]]:
    head = b'{"format": "oas-instance", "version": 1, "problem": "mosp", "organizations": ['
    job = b'{"id": "%d", "time": %s, "processors": %d}'

    def one(name: int, jobs: Iterable[bytes], reservations: Iterable[bytes] = ()) -> bytes:
        lists = b", ".join(jobs), b", ".join(reservations)
        return b'{"id": "O%d", "processors": 2, "jobs": [%s], "reservations": [%s]}' % (name, *lists)

    def local(starts: Iterable[bytes]) -> bytes:
        return b'], "local": {' + b", ".join(b'"%d": %s' % (n, start) for n, start in enumerate(starts)) + b"}}"

    long = [b'"%d/%d"' % (10**39 + n, 10**39 - n) for n in range(MAX_JOBS)]
    one_by_one = local(b'"%d/%d"' % (20 * n * (10**38 + n) + 1, 10**38 + n) for n in range(MAX_JOBS))
    yield "rigid jobs with long times", head + one(0, (job % (n, t, 1) for n, t in enumerate(long))) + one_by_one
    apart = [b'"%d/7"' % (7 * n + 1) for n in range(MAX_JOBS)]
    reservations = [b'{"start": %d, "end": %d, "processors": 1}' % (n, n + 1) for n in range(MAX_RESERVATIONS)]
    yield "reservations", head + one(0, (job % (n, b"0.5", 1) for n in range(MAX_JOBS)), reservations) + local(apart)
    lone = one(0, (job % (n, b"0.5", 1) for n in range(MAX_JOBS)), reservations)
    yield "an organization alone", head + lone + b'], "locality": null}'
    each = MAX_JOBS // MAX_CLUSTERS
    many = (one(k, (job % (each * k + n, b"0.5", 1) for n in range(each))) for k in range(MAX_CLUSTERS))
    yield "organizations", head + b", ".join(many) + local(apart)
    count = int(MAX_POLICY_STEPS**0.5)
    # Wide jobs first in the list, none of which starts before the narrow ones are over.
    widths = [1, 1] * (count // 4) + [2] * (count // 2)
    listed = one(0, (job % (n, b"%d" % (n % 9 + 1), width) for n, width in enumerate(widths)))
    yield "a policy, as many jobs as allowed", head + listed + b'], "local": "SPT"}'
    few = int((MAX_POLICY_STEPS // 2) ** (1 / 3)) - 1
    cut = [b'{"start": %d, "end": %d.5, "processors": 1}' % (n, n) for n in range(few)]
    listed = one(0, (job % (n, b"%d.25" % (few - n % 5), 2 - n % 2) for n in range(few)), cut)
    yield "a policy, with reservations", head + listed + b'], "local": "LPT"}'
    yield (
        "a policy, and times without a common unit",
        (head + one(0, (job % (n, t, 1) for n, t in enumerate(long[:count]))) + b'], "local": "SJF"}'),
    )


def _jobs(count: int, padding: bytes) -> bytes:
    job = b'{"id": "%d", "tasks": 3, "base_time": %d.75, "bandwidth": 1.25, "sigma": 0.7}'
    return _HEAD + b'"jobs": [' + b",".join(job % (index, index + 1) + padding for index in range(count)) + b"]}"


def _groups(count: int) -> bytes:
    groups = b", ".join([b'{"count": 4, "power": 0.75}'] * count)
    return b'{"id": "A", "bandwidth": 1, "nodes": [' + groups + b"]}"
