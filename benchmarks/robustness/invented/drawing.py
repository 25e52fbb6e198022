"""Tiny instances of co-allocation as documents: links of 0, loads met to a hair, several Γ, σ of 0 and 1."""

from __future__ import annotations

from fractions import Fraction as F
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    Document = dict[str, Any]

POWERS = (F(1), F(1), F(1, 2), F(2, 3), F(1, 3))
TIMES = (F(1), F(2), F(3), F(4), F(5), F(5, 2), F(7, 3))
SIGMAS = (F(0), F(1, 2), F(7, 10), F(1))
BANDWIDTHS = (F(0), F(1), F(1), F(3, 2))
SLOTS = (F(0), F(0), F(1), F(3, 2), F(4))
THRESHOLDS = (None, None, F(1), F(1, 2), F(3, 4))
HAIR = F(1, 10**9)


def draw_document(
    draw: Random, *, slows: bool, slotted: bool | None = None, most: int, clusters: Sequence[int]
) -> Document:
    """Return an instance of up to four jobs (three if saturated links slow jobs down) and at most `most` nodes."""
    sizes = [draw.choice((1, 2, 2) if slows else (1, 2, 3)) for _ in range(draw.choice(clusters))]
    while sum(sizes) > most:
        sizes.pop()
    nodes = sum(sizes)
    jobs: list[Document] = []
    for number in range(draw.choice((1, 2, 2, 3, 3) if slows else (1, 2, 3, 3, 4, 4))):
        alike = jobs and draw.random() < 0.2
        job = {
            "tasks": draw.randint(1, max(1, nodes // draw.choice((1, 1, 2)))),
            "base_time": draw.choice(TIMES[:4] if slows else TIMES),
        }
        if slows and draw.random() < 0.8:
            job["tasks"] = min(nodes, draw.choice((2, 2, 3)))
        job |= {"bandwidth": draw.choice(BANDWIDTHS[slows:]), "sigma": draw.choice(SIGMAS)}
        jobs.append({**(jobs[-1] if alike else job), "id": f"J{number}"})
    made: list[Document] = []
    for number, size in enumerate(sizes):
        twin = made[-1] if number and size == sizes[number - 1] and draw.random() < 0.3 else {}
        made.append({"bandwidth": draw_link(draw, jobs, slows), "nodes": draw_groups(draw, size)} | twin)
        made[-1]["id"] = f"C{number}"
    choices = SLOTS if slotted is None else (F(1), F(3, 2)) if slotted else (F(0),)
    document = {"format": "oas-instance", "version": 1, "problem": "coallocation", "slot": draw.choice(choices)}
    if slows:
        threshold = draw.choice(THRESHOLDS)
        saturation = {"policy": "slowdown", "sharing": draw.choice(("paper", "max-min"))}
        document["saturation"] = saturation | ({} if threshold is None else {"threshold": threshold})
    return as_texts({**document, "clusters": made, "jobs": jobs})


def draw_groups(draw: Random, size: int) -> list[Document]:
    """Return one or two groups of nodes."""
    first = size if draw.random() < 0.5 else draw.randint(1, size)
    counts = [first] + [size - first] * (first < size)
    return [{"count": count, "power": draw.choice(POWERS)} for count in counts]


def draw_link(draw: Random, jobs: list[Document], slows: bool) -> F:
    """Return a bandwidth: none, plenty, or the load of a split job or two, also slightly less, or a part of it."""
    kind = draw.randrange(12 if slows else 8)
    if kind < 2:
        return F(1000 * kind)
    load = F(0)
    for job in draw.sample(jobs, min(len(jobs), draw.choice((1, 1, 2, 3)))):
        tasks, inside = job["tasks"], draw.randint(min(1, job["tasks"] - 1), job["tasks"] - slows)
        load += inside * job["bandwidth"] * F(tasks - inside, max(1, tasks - 1))
    if slows:
        return load * draw.choice((F(1), F(1, 2), F(1, 2), F(1, 4)))
    return max(F(0), load - draw.choice((F(0), F(0), HAIR)))


def as_texts(value: Any) -> Any:
    """Return a document with its fractions as texts."""
    if isinstance(value, F):
        return str(value) if value.denominator > 1 else int(value)
    if isinstance(value, dict):
        return {name: as_texts(one) for name, one in value.items()}
    return [as_texts(one) for one in value] if isinstance(value, list) else value
