"""Sets of jobs that can run at the same moment, as the weight rows of a co-allocation model need them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.coallocation.bounds.configurations import job_modes
from oas.coallocation.bounds.configurations.packing import Packing
from oas.coallocation.bounds.configurations.pricing import heaviest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.coallocation.models.start_indexed import StartIndexedSpec
    from oas.coallocation.ticks import ScaledCoallocation

MOST_SETS = 20_000  # examined for one maximum weight, beyond which it is an upper bound


class JobSets:
    """The items are the jobs, each in its best mode: a set is feasible if it is in some modes.

    Nodes and links are packed exactly, up to limits beyond which a set counts as feasible (`Packing`).
    """

    def __init__(self, scaled: ScaledCoallocation) -> None:
        self.modes = job_modes(scaled)
        self.packing = Packing(scaled)
        self.items = scaled.job_count

    def heaviest(self, weights: Sequence[int], _: int, floor: int) -> tuple[int, list[tuple[int, ...]]]:
        by_job = [[weight] * len(row) for weight, row in zip(weights, self.modes, strict=True)]
        found = heaviest(self.packing, self.modes, by_job, floor=floor, limit=MOST_SETS)
        return found.weight, [tuple(job for job, _ in items) for items in found.sets]


class CoallocationSets(JobSets):
    """The items are the modes of the jobs: a job that runs for the time of a mode is on nodes that the mode allows."""

    def __init__(self, spec: StartIndexedSpec) -> None:
        super().__init__(spec.scaled)
        self.places = [[(moment, 0) for moment in spec.moments]]
        pairs = [(job, mode) for job, row in enumerate(self.modes) for mode in row]
        self.items = len(pairs)
        self._choices, self._items = spec.choices, {(job, mode.level): item for item, (job, mode) in enumerate(pairs)}
        self._of_time = {(job, mode.ticks): item for item, (job, mode) in enumerate(pairs)}

    def item(self, job: int, choice: int) -> tuple[int, int]:
        return 0, self._of_time[job, self._choices[job][choice].duration]

    def heaviest(self, weights: Sequence[int], _: int, floor: int) -> tuple[int, list[tuple[int, ...]]]:
        left = iter(weights)
        by_job = [[next(left) for _ in row] for row in self.modes]
        found = heaviest(self.packing, self.modes, by_job, floor=floor, limit=MOST_SETS)
        return found.weight, [tuple(self._items[one] for one in items) for items in found.sets]
