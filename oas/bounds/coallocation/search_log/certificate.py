"""The certificate of a complete search, read and walked again.

Its format stands in `oas.bounds.coallocation.search_log`.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.budget import LINE, Budget
from oas.bounds.coallocation.configurations.modes import Mode
from oas.bounds.coallocation.configurations.packing import Packing
from oas.bounds.coallocation.configurations.pricing import heaviest
from oas.bounds.coallocation.search_log import replay
from oas.bounds.coallocation.search_log.apart import can_run_together
from oas.bounds.reading import bytes_of, check_version, fields_of, flag_of, integer_of, list_of
from oas.core.errors import InputError
from oas.problems.coallocation.allocations import fastest_level
from oas.problems.coallocation.ticks import MAX_TICKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.coallocation.ticks import ScaledCoallocation

NAMES = ("version", "makespan", "placed", "order", "mirrored", "weights", "apart", "codes", "seen")
VERSION = 1
MAX_PACKED = 40 * 2**20  # bytes of a log, compressed: a result with a longer one would not be read
MAX_CODES = 2**26  # bytes of a log
MAX_SEEN = 2**22  # bytes of the numbers of moments that are referred to
MAX_MOMENTS = 2**24  # up to the last of these
MAX_ROWS = 2**28  # of the tree that are walked, and
MAX_WALK = 120_000_000_000  # of what that takes, each about a nanosecond
MAX_STATE_WORDS = 2**24  # of 8 bytes, for states that are referred to
MAX_PAIRS = 2**18  # (job, level) twice
MAX_SETS = 50  # of weights
MAX_WEIGHT = 2**60  # of a set of jobs over the whole schedule
MAX_CLASS = 2**15  # nodes, less than that: four of them share a word


def value(instance: CoallocationInstance, certificate: Mapping[str, object]) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing.

    Raises
    ------
    InputError
        If the certificate is malformed, or beyond what is checked here.
    """
    scaled = instance.scaled()
    makespan, status = check(scaled, certificate)
    if status == replay.TOO_LONG:
        raise InputError("takes too long to walk", field="certificate.codes")
    return scaled.to_time(makespan + 1) if status == replay.REFUTED else Fraction(0)


def check(scaled: ScaledCoallocation, certificate: Mapping[str, object]) -> tuple[int, int]:
    """Return the makespan that is refuted, in ticks, if the walk, whose outcome comes second, ends as it must."""
    fields = fields_of(certificate, "certificate", *NAMES)
    check_version(fields["version"], VERSION)
    makespan = integer_of(fields["makespan"], "certificate.makespan", MAX_TICKS - 1)
    flag_of(fields["placed"], "certificate.placed")
    order = [integer_of(one, "certificate.order", scaled.job_count - 1) for one in list_of(fields["order"], "order")]
    if sorted(order) != list(range(scaled.job_count)):
        raise InputError("must hold each job once", field="certificate.order")
    codes = np.frombuffer(bytes_of(fields["codes"], "certificate.codes", MAX_CODES), dtype=np.uint8)
    seen = read_numbers(bytes_of(fields["seen"], "certificate.seen", MAX_SEEN))
    rules = read_rules(scaled, makespan, order, fields)
    if (rules.budget < 0).any():  # not even a schedule without waste is so short
        return makespan, replay.REFUTED if len(codes) == 0 else replay.TOO_SHORT
    key, states = make_states(rules, seen, len(codes))
    status, _ = replay.walk(rules, make_path(rules), states, codes, key, min(MAX_ROWS, MAX_WALK // row_steps(rules)))
    return makespan, int(status)


def row_steps(rules: replay.Rules) -> int:
    """Return about what a row of the walk takes, in steps of a `Budget`."""
    return 100 + len(rules.tasks) * (len(rules.class_nodes) + len(rules.link) + len(rules.budget))


# What the walk works on


def read_rules(
    scaled: ScaledCoallocation, makespan: int, order: Sequence[int], fields: Mapping[str, Any]
) -> replay.Rules:
    """Read what the walk goes by, and find that it holds for the instance; `InputError` for what does not."""
    levels = len(scaled.powers)
    if (scaled.job_count * levels) ** 2 > MAX_PAIRS:
        raise InputError(f"{scaled.job_count:,} jobs of {levels:,} levels are too many", field="certificate")
    fastest = _fastest(scaled)
    weights, wholes, least = read_weights(scaled, makespan, fields["weights"])
    placed = fields["placed"]
    classes = sorted(range(len(scaled.classes)), key=lambda one: (-scaled.classes[one].level, one)) if placed else []
    sizes = [len(scaled.classes[one].nodes) for one in classes]
    if max(sizes, default=0) >= MAX_CLASS:
        raise InputError(f"{max(sizes):,} nodes of a class are too many", field="certificate")
    if sum(map(max, scaled.link_loads)) + max(scaled.link_capacity) >= 2**62:
        raise InputError("link loads are too large", field="certificate")
    widest = max(scaled.tasks)
    place = {job: at for at, job in enumerate(order)}
    apart = np.zeros((len(order), levels, len(order), levels), dtype=np.int64)
    for (job, level), (other, below) in _apart(scaled, fields["apart"]):
        apart[place[job], level, place[other], below] = apart[place[other], below, place[job], level] = 1
    mirrored = integer_of(fields["mirrored"], "certificate.mirrored", scaled.job_count - 1)
    return replay.Rules(
        tasks=_array([scaled.tasks[job] for job in order]),
        ticks=_array([scaled.durations[job] for job in order]),
        fastest=_array([fastest[job] for job in order]),
        class_level=_array([scaled.classes[one].level for one in classes]),
        class_cluster=_array([scaled.classes[one].cluster for one in classes]),
        class_nodes=_array(sizes),
        room=_array([sum(len(one.nodes) for one in scaled.classes if one.level <= level) for level in range(levels)]),
        link=_array(scaled.link_capacity),
        loads=_array([[*scaled.link_loads[job], *[0] * (widest - scaled.tasks[job])] for job in order]),
        apart=apart,
        weights=_array([[rows[job] for job in order] for rows in weights]).reshape(len(weights), len(order), levels),
        whole=_array(wholes),
        least=_array([[row[job] for job in order] for row in least]).reshape(len(weights), len(order)),
        budget=_array([makespan * whole - sum(row) for whole, row in zip(wholes, least, strict=True)]),
        facts=_array([makespan, int(placed), place[mirrored]]),
    )


def read_weights(
    scaled: ScaledCoallocation, makespan: int, value: object
) -> tuple[list[Any], list[int], list[list[int]]]:
    """Read weights; return them, what jobs that can run together weigh at most, and each job over its time at least."""
    packing, fastest = Packing(scaled, Budget()), _fastest(scaled)
    modes = tuple(
        tuple(Mode(level, ticks[level]) for level in range(first, len(ticks)))
        for ticks, first in zip(scaled.durations, fastest, strict=True)
    )
    most, found, wholes, least = most_whole(scaled, makespan), [], [], []
    for number, one in enumerate(list_of(value, "certificate.weights")):
        field = f"certificate.weights[{number}]"
        if number == MAX_SETS:
            raise InputError(f"more than {MAX_SETS} sets", field="certificate.weights")
        fields = fields_of(one, field, "jobs", "whole")
        whole = integer_of(fields["whole"], f"{field}.whole", most)
        rows, cheapest = [], []
        for job, row in enumerate(list_of(fields["jobs"], f"{field}.jobs", scaled.job_count)):
            ticks = scaled.durations[job]
            rows.append([integer_of(entry, f"{field}.jobs[{job}]", whole) for entry in list_of(row, field, len(ticks))])
            cheapest.append(min(mode.ticks * rows[job][mode.level] for mode in modes[job]))
        possible = [row[first:] for row, first in zip(rows, fastest, strict=True)]
        if heaviest(packing, modes, possible, floor=whole).weight > whole:
            raise InputError("jobs that can run together may weigh more", field=f"{field}.whole", value=whole)
        found.append(rows)
        wholes.append(whole)
        least.append(cheapest)
    return found, wholes, least


def most_whole(scaled: ScaledCoallocation, makespan: int) -> int:
    """Return what a set of jobs may weigh at most, so that it fits into 64 bits over the whole schedule."""
    return MAX_WEIGHT // max(makespan, sum(max(row) for row in scaled.durations))


def _cluster_sizes(scaled: ScaledCoallocation) -> list[int]:
    sizes = [0] * scaled.cluster_count
    for one in scaled.classes:
        sizes[one.cluster] += len(one.nodes)
    return sizes


def _fastest(scaled: ScaledCoallocation) -> list[int]:
    found = []
    for job in range(scaled.job_count):
        level = fastest_level(scaled, job)
        if level is None:
            raise InputError(f"job {job} has no allocation", field="certificate")
        found.append(level)
    return found


def _apart(scaled: ScaledCoallocation, value: object) -> Iterable[tuple[tuple[int, int], tuple[int, int]]]:
    budget, sizes = Budget(), _cluster_sizes(scaled)
    for number, one in enumerate(list_of(value, "certificate.apart")):
        field = f"certificate.apart[{number}]"
        entries = [
            integer_of(entry, field, most - 1)
            for entry, most in zip(list_of(one, field, 4), (scaled.job_count, len(scaled.powers)) * 2, strict=True)
        ]
        if number == MAX_PAIRS:
            raise InputError(f"more than {MAX_PAIRS} pairs", field="certificate.apart")
        first, second = (entries[0], entries[1]), (entries[2], entries[3])
        need, more = scaled.tasks[first[0]], scaled.tasks[second[0]]
        pairs = sum((min(size, need) + 1) * (min(size, more) + 1) for size in sizes)
        budget.spend(LINE * (pairs * (need + 1) * (1 + more // 500) + len(sizes) * (len(scaled.classes) + 10)), field)
        if first[0] == second[0] or can_run_together(scaled, first, second):
            raise InputError("these can run together", field=field, value=entries)
        yield first, second


def make_path(rules: replay.Rules) -> replay.Path:
    """Return the rows of the walk, at its beginning."""
    jobs, sets, classes = len(rules.tasks), len(rules.budget), len(rules.class_nodes)
    rows = 2 * jobs + 2
    return replay.Path(
        time=_zeros(rows),
        after=_zeros(rows),
        option=_zeros(rows),
        tried=_zeros(rows),
        starter=_zeros(rows),
        state=_zeros(rows),
        wasted=_zeros(rows, sets),
        begun=_zeros(jobs) - 1,
        level=_zeros(jobs),
        held=_zeros(jobs, classes),
        free=_zeros(2, classes),
        link_free=_zeros(2, len(rules.link)),
        used=_zeros(2, len(rules.room)),
        looked=_zeros(1),
    )


def make_states(rules: replay.Rules, seen: Sequence[int], codes: int) -> tuple[Any, replay.States]:
    """Return room for one state, and for those that are referred to."""
    jobs, left, running = len(rules.tasks), int(rules.room[-1]), 0
    for tasks in sorted(rules.tasks.tolist()):
        left -= tasks
        running += left >= 0
    words = (jobs + 59) // 60 + running * (2 + (len(rules.class_nodes) + 3) // 4)
    moments = seen[-1] + 1 if seen else 0
    if moments > min(codes, MAX_MOMENTS) or len(seen) * words > MAX_STATE_WORDS:
        raise InputError(f"{len(seen):,} states of {words} words are too many", field="certificate.seen")
    place = np.full(moments, -1, dtype=np.int32)
    place[list(seen)] = np.arange(len(seen), dtype=np.int32)
    return _zeros(words), replay.States(place, _zeros(len(seen)) - 1, _zeros(len(seen), words))


def _array(values: Any) -> Any:
    return np.array(values, dtype=np.int64)


def _zeros(*shape: int) -> Any:
    return np.zeros(shape, dtype=np.int64)


# Bytes as text


def packed(data: bytes) -> str:
    """Return compressed bytes as the certificate has them."""
    return b64encode(data).decode("ascii")


def write_numbers(numbers: Iterable[int]) -> bytes:
    """Return ascending numbers as bytes: each its distance from the one before, lowest digits of seven bits first."""
    written = bytearray()
    before = 0
    for number in numbers:
        rest, before = number - before, number
        while rest > replay.DIGIT:
            written.append(replay.MORE | rest & replay.DIGIT)
            rest >>= 7
        written.append(rest)
    return zlib.compress(bytes(written), 9)


def read_numbers(data: bytes) -> list[int]:
    """Return the ascending numbers that `write_numbers` wrote, before they were compressed."""
    distances, rest, shift = [], 0, 0
    for byte in data:
        rest |= (byte & replay.DIGIT) << shift
        shift += 7
        if shift > 35:
            raise InputError("must hold numbers below 2^35", field="certificate.seen")
        if byte < replay.MORE:
            distances.append(rest)
            rest, shift = 0, 0
    if shift or any(distance == 0 for distance in distances[1:]):
        raise InputError("must hold ascending numbers", field="certificate.seen")
    return list(accumulate(distances))
