"""The points of a study of slot sizes: results, losses, advice, and reuse of results.

Bounds are transferred between slot sizes, and results are stored in a folder:

- Any schedule executed on another grid (`oas.coallocation.metrics.executed`) is a schedule for that grid.
- A schedule on grid η is one on η/k for every integer k: its starts are on the finer grid, and no job occupies its
  nodes longer. So the optimum for η/k is at most that for η, and a lower bound for η/k, rounded up to the grid, holds
  for η.
- In the same way the continuous bound holds for every η.

If these contradict one another, some bound is wrong. If solvers claim it without a certificate, their claims at this
size are dropped, the result says so, and the study continues; otherwise an error is raised.

There is one ``oas-result`` file per point. Its name contains the digest of the instance (including η), the seed and the
package version; for a result that is not proven, also its share of the time limit in milliseconds. A proven result is
valid for any limit, others only for a share that is not longer.

Files are not trusted: each one is checked as by `oas verify`. As there, a bound that a solver claims without a
certificate cannot be checked; the folder is as trustworthy as its writers.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from oas._version import __version__
from oas.coallocation.metrics import executed
from oas.core.errors import InputError, OasError, SolverError
from oas.core.numbers import ceil_to
from oas.core.result import ProofKind, Status, Termination
from oas.core.verifier import check
from oas.io import load_result, save
from oas.solving.evidence import without_claims
from oas.solving.lower_bound import best_bound
from oas.solving.recheck import recheck_result
from oas.solving.study import Interval

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from oas.coallocation.instance import CoallocationInstance
    from oas.coallocation.slot_sizes.model_size import ModelSizes
    from oas.coallocation.slot_sizes.model_time import ModelTime
    from oas.core.result import Result
    from oas.core.schedule import Schedule


@dataclass(frozen=True)
class Loss:
    """The loss of a slotted schedule against the continuous optimum C*(0) by cause, in the instance's time unit.

    With S the slotted makespan and E the executed one, ``S − C*(0) = (S − E) + (E − C*(0))``.
    """

    rounding: Fraction  # S − E: the cost of rounding alone; the same decisions without the grid end earlier by it
    scheduling: Interval  # E − C*(0): the cost of making the decisions on the grid
    total: Interval  # S − C*(0), of this schedule
    # S* − C*(0), with S* the slotted optimum: the cost of the slot size for any solver. It equals `total` if S is
    # proven optimal, otherwise it may be smaller.
    of_the_size: Interval


@dataclass(frozen=True)
class SlotPoint:
    """The exact result at one slot size, times in the instance's time unit."""

    percent: Fraction  #: η in percent of the mean base time; 0 is continuous time
    slot: Fraction  #: η
    result: Result  #: the result of `oas.solve` for this size
    schedule: Schedule  #: the shortest known schedule: that of the result, or one from another size
    #: the greatest proven bound: that of the result, or of a size that divides η, or of 0
    lower_bound: Fraction
    bound_from: Fraction  #: percentage of the size for which the bound was proven
    executed: Fraction  #: makespan of `schedule` run without the grid (`oas.coallocation.metrics.executed`)
    compaction: Fraction  #: share of the nodes' time that `schedule` uses
    executed_compaction: Fraction  #: the same for its execution
    loss: Loss | None  #: relative to the continuous optimum; None if η = 0 was not reached
    grid: CoallocationInstance = field(repr=False)  #: the instance at this slot size
    cached: bool = False  #: whether the result comes from the cache; `seconds` is then the time of the original solve
    model_times: tuple[ModelTime, ...] = ()  #: runs of MIP solvers, if measured

    @cached_property
    def sizes(self) -> ModelSizes:
        """Sizes of the MIP models, counted at the first access within 2 s."""
        from oas.coallocation.slot_sizes.model_size import model_sizes

        return model_sizes(self.grid)

    @property
    def makespan(self) -> Fraction:
        """Slotted makespan."""
        return self.schedule.makespan

    @property
    def slots(self) -> int | None:
        """Makespan in slots; None at η = 0."""
        return int(self.makespan / self.slot) if self.slot else None

    @property
    def proven(self) -> bool:
        """Whether the makespan is the optimum at this size."""
        return self.makespan == self.lower_bound

    @property
    def status(self) -> Status:
        """``optimal`` or ``feasible``, from `schedule` and `lower_bound`."""
        return Status.OPTIMAL if self.proven else Status.FEASIBLE

    @property
    def gap(self) -> Fraction:
        """Makespan / lower bound − 1."""
        return self.makespan / self.lower_bound - 1

    @property
    def seconds(self) -> float:
        """Wall time of the solve without second opinions."""
        return self.result.solve_seconds or 0.0


def loss_of(
    makespan: Fraction, executed: Fraction, lower_bound: Fraction, continuous_bound: Fraction, continuous_best: Fraction
) -> Loss:
    """Split the loss of a schedule with makespan S and executed makespan E.

    S* is at least `lower_bound` and at most S, C*(0) between `continuous_bound` and `continuous_best`.
    """

    def above(low: Fraction, high: Fraction) -> Interval:
        return Interval(max(Fraction(0), low - continuous_best), high - continuous_bound)

    return Loss(makespan - executed, above(executed, executed), above(makespan, makespan), above(lower_bound, makespan))


@dataclass(frozen=True)
class Advice:
    """The largest slot size of a study within the given percentage of the continuous optimum."""

    within: Fraction  # in percent
    # The largest η whose makespan is proven to be within, in percent of the mean base time; 0 if only continuous time
    # is, None if not even that is proven.
    percent: Fraction | None
    undecided: tuple[Fraction, ...]  # larger η that may be within, because the optimum there or at η = 0 is open

    @property
    def proven(self) -> bool:
        """Whether `percent` is proven to be the largest: no larger η of the study can be within."""
        return self.percent is not None and not self.undecided


@dataclass(frozen=True)
class Held:
    """The best known schedule and lower bound at one slot size."""

    schedule: Schedule
    lower_bound: Fraction
    bound_from: Fraction  # the slot size for which the bound was proven


def without_contradictions(
    instance: CoallocationInstance, results: Mapping[Fraction, Result]
) -> tuple[dict[Fraction, Result], list[str]]:
    """Return the results without claims of solvers that a schedule of some slot size refutes, and the contradictions.

    Every result has a verified schedule and a lower bound. A bound above a schedule raises `SolverError` if it is not
    a solver's claim.
    """
    sound, contradictions = dict(results), list[str]()
    while True:
        held = carry_over(instance, sound)
        slot = next((slot for slot, one in held.items() if one.lower_bound > one.schedule.makespan), None)
        if slot is None:
            return sound, contradictions
        known = held[slot]
        source = known.bound_from
        contradiction = (
            f"the bound proven at η = {source} says that no schedule at η = {slot} ends before "
            f"{known.lower_bound}, but one ends at {known.schedule.makespan}"
        )
        proof = sound[source].proof
        if proof is None or proof.kind is not ProofKind.SOLVER:
            raise SolverError(contradiction)
        contradictions.append(f"{proof} is wrong and does not count: {contradiction}")
        trusted = without_claims(sound[source], contradictions[-1])
        if trusted.lower_bound is None:
            trusted = replace(trusted, lower_bound=best_bound(instance.with_slot(source)).value)
        sound[source] = trusted


def carry_over(instance: CoallocationInstance, results: Mapping[Fraction, Result]) -> dict[Fraction, Held]:
    """Return for each slot size the best schedule and the best bound that follow from all results."""
    return {slot: _best(instance, slot, results) for slot in results}


def _best(instance: CoallocationInstance, slot: Fraction, results: Mapping[Fraction, Result]) -> Held:
    solved = results[slot]
    assert solved.schedule is not None and solved.lower_bound is not None
    on_this_grid = instance.with_slot(slot)
    schedule, bound, source = solved.schedule, solved.lower_bound, slot
    for source_slot, result in results.items():
        assert result.schedule is not None and result.lower_bound is not None
        run = executed(instance, result.schedule, slot)
        if run.makespan < schedule.makespan:
            schedule = check(on_this_grid, run, f"the schedule of η = {source_slot} run at η = {slot}")
        if slot and (source_slot == 0 or slot % source_slot == 0):
            carried = ceil_to(result.lower_bound, slot)
            if carried > bound:
                bound, source = carried, source_slot
    return Held(schedule, bound, source)


class ResultCache:
    """A folder of results, created if missing; None for no cache.

    Each point has a time limit of `share` seconds; None for no limit.
    """

    def __init__(self, folder: str | os.PathLike[str] | None, seed: int, share: float | None) -> None:
        self.folder = None if folder is None else Path(folder)
        self.seed = seed
        self.milliseconds = None if share is None else math.floor(1000 * share)
        self.notes: list[str] = []  # which files were ignored, and why
        if self.folder is not None:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"cannot be made: {error.strerror}", field="cache", value=str(folder)) from error

    def find(self, instance: CoallocationInstance) -> Result | None:
        """Return a usable result, checked; None if there is none."""
        for path, proven in self._candidates(instance):
            try:
                return self._checked(instance, path, proven)
            except OasError as error:
                reason = str(error).removeprefix(f"{path}: ")
                self.notes.append(f"{path}: ignored, {' '.join(reason.split())}")
        return None

    def keep(self, instance: CoallocationInstance, result: Result) -> None:
        """Store a result if it is proven or its solve reached the time limit."""
        if self.folder is None:
            return
        if result.status is Status.OPTIMAL:
            save(result, self.folder / f"{self._stem(instance)}.json")
        elif result.termination is Termination.TIME_LIMIT and self.milliseconds is not None:
            save(result, self.folder / f"{self._stem(instance)}-{self.milliseconds}ms.json")

    def _candidates(self, instance: CoallocationInstance) -> Iterator[tuple[Path, bool]]:
        """Yield usable files, and whether their names claim proven results: these first, then by descending share."""
        if self.folder is None:
            return
        stem = self._stem(instance)
        if (path := self.folder / f"{stem}.json").exists():
            yield path, True
        if self.milliseconds is not None:
            name = re.compile(rf"{re.escape(stem)}-(\d{{1,15}})ms\.json", re.ASCII)
            files = [(int(match[1]), path) for path in self.folder.iterdir() if (match := name.fullmatch(path.name))]
            for share, path in sorted(files, reverse=True):
                if share >= self.milliseconds:
                    yield path, False

    def _checked(self, instance: CoallocationInstance, path: Path, proven: bool) -> Result:
        result = load_result(path)
        recheck_result(instance, result)
        version = result.versions.get("oas-scheduling")
        if version != __version__:
            raise InputError(f"made by version {version}, not {__version__}")
        if result.seed != self.seed:
            raise InputError(f"made with seed {result.seed}, not {self.seed}")
        if result.schedule is None or result.lower_bound is None or (proven and result.status is not Status.OPTIMAL):
            raise InputError("claims less than its name")
        return result

    def _stem(self, instance: CoallocationInstance) -> str:
        return f"{instance.digest}-seed{self.seed}-{__version__}"
