"""Generator of tiny instances of unusual shapes; the same seed gives the same instance.

`shapes.toml` describes the shapes. Some jobs of co-allocation have no allocation: such an instance is infeasible, which
every participant must report.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction as F
from random import Random
from typing import TYPE_CHECKING, Any

from benchmarks.soak.drawing_coallocation import SHAPES, TIMES, Shape, draw_coallocation
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.fair.instance import FairInstance
from oas.mosp.instance import MospInstance
from oas.mosp.local import LOCAL_ORDERS, local_starts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.core.instances import Instance

DRAW = 2
"""Version of the generator, stored in rows of results, because other versions give other instances."""


@dataclass(frozen=True)
class Drawn:
    """An instance, the seed and shape it comes from, and the name of its problem."""

    seed: int
    problem: str
    shape: str
    instance: Instance


WIDTHS: dict[str, Callable[[Random, int], int]] = {
    "any": lambda rng, size: rng.randint(1, size),
    "all": lambda _rng, size: size,
    "all but one": lambda _rng, size: max(1, size - 1),
    "one": lambda _rng, _size: 1,
}
"""Functions that draw the processors of a job or a reservation, given the size of its cluster."""


def _reservations(rng: Random, table: Shape, size: int, unit: F) -> list[Reservation]:
    """Reserve some of `size` processors; gaps and lengths are about as long as a job."""
    made: list[Reservation] = []
    moment = F(0)
    for _ in range(rng.choice(table["count"])):
        start = (F(0) if table["overlapping"] else moment) + F(rng.choice(table["gaps"])) * unit
        moment = start + F(rng.choice(table["lengths"])) * unit
        one = Reservation(start, moment, WIDTHS[rng.choice(table["widths"])](rng, size))
        held = sum(other.processors for other in made if other.start < one.end and one.start < other.end)
        if held + one.processors <= size:
            made.append(one)
    return made


def draw_mosp(rng: Random, shape: Shape) -> MospInstance:
    """Return an instance of MOSP."""
    count, size, alike = rng.choice(shape["clusters"]), rng.choice(shape["sizes"]), rng.choice(shape["alike"])
    sizes = [size if alike else rng.choice(shape["sizes"]) for _ in range(count)]
    times = TIMES[rng.choice(shape["times"])]
    jobs: list[list[RigidJob]] = [[] for _ in sizes]
    for number in range(rng.choice(shape["jobs"])):
        owner = 0 if shape["one_owner"] else rng.randrange(count)
        time = times(rng)
        if shape["equal"] and jobs[owner]:
            jobs[owner].append(replace(jobs[owner][0], id=f"J{number}"))
        else:
            width = WIDTHS[rng.choice(shape["widths"])](rng, sizes[owner])
            jobs[owner].append(RigidJob(f"J{number}", time, width, F(rng.choice(shape["releases"])) * time))
    one = max(job.time for own in jobs for job in own)
    reserved = SHAPES["reservations"][rng.choice(shape["reserved"])]
    organizations = [
        Organization(f"O{k}", size, own, _reservations(rng, reserved, size, one))
        for k, (size, own) in enumerate(zip(sizes, jobs, strict=True))
    ]
    locality = rng.choice(shape["localities"])
    local = _local(rng, organizations, one)
    return MospInstance(organizations, None if locality == "none" else F(locality), local, rng.randint(0, 9))


def _local(rng: Random, organizations: Sequence[Organization], one: F) -> str | dict[str, F]:
    """Draw a policy, or its starts, delayed for organizations without reservations."""
    policy = rng.choice(sorted(LOCAL_ORDERS))
    if rng.random() < 0.8:
        return policy
    later = rng.choice((F(0), F(1, 3), F(1))) * one
    return {
        job.id: start if own.reservations else start + later
        for own in organizations
        for job, start in zip(own.jobs, local_starts(own, policy), strict=True)
    }


def draw_fair(rng: Random, shape: Shape) -> FairInstance:
    """Return an instance of fair sharing, small enough to enumerate every schedule."""
    count, wide = rng.choice(shape["organizations"]), rng.choice(shape["wide"])
    sizes = [rng.choice(shape["sizes"]) for _ in range(count)]
    queues = []
    for size in sizes:
        release, queue = rng.choice(shape["begins"]), []
        for _ in range(rng.choice(shape["jobs"])):
            queue.append((rng.choice(shape["times"]), rng.randint(1, size if wide else 1), release))
            release += rng.choice(shape["gaps"])
        queues.append(queue)
    if shape["twins"]:
        sizes, queues = sizes[:1] * count, queues[:1] * count
    organizations = [
        Organization(f"O{k}", size, [RigidJob(f"J{k}.{place}", *job) for place, job in enumerate(queue)])
        for k, (size, queue) in enumerate(zip(sizes, queues, strict=True))
    ]
    earliest = min(queue[0][2] for queue in queues)
    return FairInstance(organizations, earliest + rng.choice(shape["horizons"]))


def _shapes(group: str) -> dict[str, Shape]:
    """Return the shapes of a group of `shapes.toml`, completed by the values of its plain shape."""
    table = SHAPES[group]
    slotted = table.get("slotted", {})
    return {
        name: {**table["plain"], **(slotted if own.get("on_slots") else {}), **own}
        for name, own in table["shapes"].items()
    }


KINDS: tuple[tuple[str, dict[str, Shape], Callable[[Random, Shape], Instance]], ...] = (
    ("coallocation", _shapes("coallocation"), draw_coallocation),
    ("mosp", _shapes("mosp"), draw_mosp),
    ("fair", _shapes("fair"), draw_fair),
    ("coallocation", _shapes("slowed"), draw_coallocation),
    ("mosp", _shapes("reserved"), draw_mosp),
)
"""Problem, shapes and the function that draws; successive seeds cycle through these kinds."""


def drawn(seed: int) -> Drawn:
    """Return the instance of `seed`: kinds, and the shapes of each, are taken in turn."""
    turn, kind = divmod(seed, len(KINDS))
    problem, shapes, draw = KINDS[kind]
    shape = list(shapes)[turn % len(shapes)]
    instance: Any = draw(Random(f"soak 1, seed {seed}"), shapes[shape])
    return Drawn(seed, problem, shape, replace(instance, name=f"{problem}, {shape}, seed {seed}"))
