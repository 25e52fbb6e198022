"""Parts of identical machines: file format, rules of the verifier, the look of charts, instances for the test kit."""

from __future__ import annotations

import random
from functools import partial
from typing import Literal

from oas.core.verifier import Violation
from oas.io.documents import DocumentStruct, InstanceFormat, Version
from oas.plots.lanes import ChartStyle
from oas.testing.parts import KitParts
from tests.example_problem.instance import machines


class MachinesDocument(DocumentStruct, frozen=True, kw_only=True, tag_field="format", tag="oas-instance"):
    """Identical machines."""

    version: Version
    problem: Literal["machines"]
    name: str = ""
    machines: int
    times: list[int]


def read(document):
    return machines(document.machines, document.times, document.name)


def write(instance):
    times = [job.time for job in instance.jobs]
    return MachinesDocument(version=1, problem="machines", name=instance.name, machines=instance.machines, times=times)


FORMAT = InstanceFormat(MachinesDocument, read, write)


def violations(instance, schedule):
    found = []
    times = {job.id: job.time for job in instance.jobs}
    placed = [one.job for one in schedule.placements]
    for job in times:
        if placed.count(job) != 1:
            found.append(Violation("once", (job,), f"job {job} runs {placed.count(job)} times"))
    busy = {}
    for one in schedule.placements:
        machines = one.nodes.get("park", ())
        if one.start < 0 or one.duration != times.get(one.job):
            found.append(Violation("duration", (one.job,), f"job {one.job} runs from {one.start} to {one.end}"))
        if len(machines) != 1 or set(one.nodes) != {"park"} or max(machines) >= instance.machines:
            found.append(Violation("machine", (one.job,), f"job {one.job} runs on {dict(one.nodes)}"))
        for machine in machines:
            if one.start < busy.get(machine, 0):
                found.append(Violation("overlap", (one.job,), f"machine {machine} is taken at {one.start}"))
            busy[machine] = max(busy.get(machine, 0), one.end)
    return found


STYLE = ChartStyle()


def drawn(draw, jobs=None, name=""):
    jobs = draw.randint(1, 6) if jobs is None else jobs
    return machines(draw.randint(2, 3), [draw.randint(1, 9) for _ in range(jobs)], name)


def seeded(seed, jobs=6):
    return drawn(random.Random(seed), jobs, f"machines {seed}")


PARTS = KitParts(drawn, seeded, partial(seeded, jobs=20))
