"""Jobs of whole times on machines that are all alike."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from oas.core.errors import InputError
from tests.example_problem.problem import MACHINES

PARK = "park"


@dataclass(frozen=True)
class Task:
    id: str
    time: int


@dataclass(frozen=True)
class Ticks:
    machines: int
    times: tuple[int, ...]
    tick: Fraction = Fraction(1)

    @property
    def job_count(self) -> int:
        return len(self.times)

    def to_time(self, ticks: int) -> Fraction:
        return Fraction(ticks)


@dataclass(frozen=True)
class Machines:
    machines: int
    jobs: tuple[Task, ...]
    name: str = ""

    problem: ClassVar = MACHINES
    variant: ClassVar = ""
    variant_field: ClassVar = ""
    provenance: ClassVar = {}

    def __post_init__(self) -> None:
        if not self.jobs:
            raise InputError("at least one job is needed", field="times")

    @property
    def node_count(self) -> int:
        return self.machines

    @property
    def cluster_sizes(self) -> list[tuple[str, int]]:
        return [(PARK, self.machines)]

    @property
    def digest(self) -> str:
        return hashlib.sha256(repr((self.machines, [job.time for job in self.jobs])).encode()).hexdigest()

    def scaled(self) -> Ticks:
        return Ticks(self.machines, tuple(job.time for job in self.jobs))

    def relaxed(self) -> Machines:
        return self


def machines(number: int, times: list[int], name: str = "") -> Machines:
    return Machines(number, tuple(Task(f"J{index}", time) for index, time in enumerate(times, start=1)), name)
