"""Schedules as files hold them, and the rules that all problems have in common."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

from oas.checker.reading import (
    DecimalText,
    fields_of,
    integer_of,
    layers_of,
    list_of,
    name_of,
    number_of,
    refused,
    rows_of,
)

MAX_PLACEMENTS = 50_000
MAX_CERTIFICATE_DEPTH = 50

# Control characters could steer a terminal.
_UNFIT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class PlacedJob(NamedTuple):
    """A job's run [start, end) in the instance's time unit, and the numbers of the nodes used, by cluster id."""

    job: str
    start: Fraction
    end: Fraction
    nodes: dict[str, list[int]]


def read_placements(value: Any, where: str) -> list[PlacedJob]:
    """Return the placements of a schedule."""
    placements = []
    for row, place in rows_of(value, where, MAX_PLACEMENTS):
        fields_of(row, place, "job", "start", "end", "nodes")
        if type(row["nodes"]) is not dict:
            raise refused(f"{place}.nodes", "must be an object", row["nodes"])
        nodes = {}
        for name, numbers in row["nodes"].items():
            for number in list_of(numbers, f"{place}.nodes.{name_of(name, f'{place}.nodes')}"):
                integer_of(number, f"{place}.nodes.{name}")
            if numbers:
                nodes[name] = numbers
        start, end = number_of(row["start"], f"{place}.start"), number_of(row["end"], f"{place}.end")
        placements.append(PlacedJob(name_of(row["job"], f"{place}.job"), start, end, nodes))
    return placements


def text_of(value: Any, where: str) -> str:
    """Return a text for people, without control characters."""
    if type(value) is not str:
        raise refused(where, "must be text", value)
    if match := _UNFIT_TEXT.search(value):
        raise refused(where, "must not hold control characters", value[match.start() :][:20])
    return value


def texts_of(value: Any, where: str) -> dict[str, str]:
    """Return an object of texts."""
    if type(value) is not dict:
        raise refused(where, "must be an object", value)
    return {text_of(key, where): text_of(one, where) for key, one in value.items()}


def check_plain(certificate: Any, where: str) -> None:
    """Refuse a certificate, an object or null, that holds a decimal or is nested more than 50 deep."""
    if certificate is not None and type(certificate) is not dict:
        raise refused(where, "must be an object", certificate)
    for depth, layer in enumerate(layers_of(certificate)):
        if depth > MAX_CERTIFICATE_DEPTH:
            raise refused(where, f"nested more than {MAX_CERTIFICATE_DEPTH} deep")
        if any(type(value) is DecimalText for value in layer):
            raise refused(where, "a certificate holds integers and texts only")


def makespan_of(placements: Sequence[PlacedJob]) -> Fraction:
    """Return the end of the last job; 0 for no jobs."""
    return max((one.end for one in placements), default=Fraction(0))


def check_each_once(jobs: Sequence[str], placements: Iterable[PlacedJob]) -> None:
    """Refuse a schedule that leaves out a job, runs one twice, or runs one that is not of the instance."""
    left = set(jobs)
    known = set(jobs)
    for one in placements:
        if one.job not in known:
            raise refused("schedule", f"job {one.job} is not in the instance")
        if one.job not in left:
            raise refused("schedule", f"job {one.job} runs twice")
        left.remove(one.job)
    if left:
        raise refused("schedule", f"job {min(left)} does not run")


def check_nodes(one: PlacedJob, sizes: dict[str, int], count: int) -> None:
    """Refuse a run that is not on `count` distinct nodes that exist; `sizes` has the nodes of each cluster."""
    held = 0
    for name, numbers in one.nodes.items():
        if name not in sizes:
            raise refused("schedule", f"job {one.job} uses cluster {name}, which does not exist")
        if max(numbers) >= sizes[name]:
            raise refused("schedule", f"job {one.job} uses node {max(numbers)} of cluster {name}, which it has not")
        if len(set(numbers)) < len(numbers):
            raise refused("schedule", f"job {one.job} names a node of cluster {name} twice")
        held += len(numbers)
    if held != count:
        raise refused("schedule", f"job {one.job} needs {count} nodes but holds {held}")


def check_no_conflict(placements: Sequence[PlacedJob]) -> None:
    """Refuse a schedule in which a node serves two jobs at once; every run must end after its start."""
    free_from: dict[tuple[str, int], Fraction] = {}
    for one in sorted(placements, key=lambda one: one.start):
        for name, numbers in one.nodes.items():
            for number in numbers:
                if free_from.get((name, number), one.start) > one.start:
                    message = f"node {number} of cluster {name} serves job {one.job} and another at {one.start}"
                    raise refused("schedule", message)
                free_from[name, number] = one.end


def loads_over_time(blocks: Sequence[tuple[Fraction, Fraction, Any]]) -> Iterator[tuple[Fraction, Any]]:
    """Yield each moment at which a block (start, end, load) begins, ascending, and the sum of the loads then."""
    events = [(start, True, load) for start, _, load in blocks] + [(end, False, -load) for _, end, load in blocks]
    events.sort(key=lambda event: event[0])
    total: Any = 0
    for moment, group in groupby(events, key=lambda event: event[0]):
        changes = list(group)
        total = sum((load for _, _, load in changes), total)
        if any(begins for _, begins, _ in changes):
            yield moment, total
