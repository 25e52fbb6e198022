"""Results that a sweep need not find again: kept in a folder, and bounds transferred between slot sizes.

- Any schedule run again on another grid (`oas.problems.coallocation.metrics.executed`) is a schedule there.
- A schedule on grid η is one on η/k for every whole k: its starts are on the finer grid, and no job holds its nodes for
  longer. So the optimum at η/k is at most that at η, and a lower bound at η/k, rounded up to the grid, holds at η.
- In the same way the continuous bound holds at every η.

Where these contradict one another, some bound is wrong and nothing is returned.

One ``oas-result`` file for each point. The digest of the instance (η counts in it), the seed and the package's version
are in the name; of a result that is not proven, also the share of the time limit that its point was due, in
milliseconds. A proven result serves any limit, another one only a share that is no longer.

Nothing in the folder is believed: each file is checked as `oas verify` checks it. As there, a bound that rests on a
solver's word stays that and cannot be checked; the folder is as trustworthy as whoever writes there.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oas._version import __version__
from oas.core.errors import InputError, OasError, SolverError
from oas.core.numbers import ceil_to
from oas.core.result import Status, Termination
from oas.core.verifier import check
from oas.exact.recheck import recheck_result
from oas.io import load_result, save
from oas.problems.coallocation.metrics import executed

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping
    from fractions import Fraction

    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance


@dataclass(frozen=True)
class Held:
    """The best that is known at one slot size; `bound_from` is the slot size whose bound it is."""

    schedule: Schedule
    lower_bound: Fraction
    bound_from: Fraction


def carry_over(instance: CoallocationInstance, results: Mapping[Fraction, Result]) -> dict[Fraction, Held]:
    """Return for each slot size the best schedule and the best bound that all results together give.

    Every result has a verified schedule and a lower bound. A bound above a schedule raises `SolverError`.
    """
    held = {slot: _best(instance, slot, results) for slot in results}
    for slot, one in held.items():
        if one.lower_bound > one.schedule.makespan:
            raise SolverError(
                f"the bound proven at η = {one.bound_from} says that no schedule at η = {slot} ends before "
                f"{one.lower_bound}, but one ends at {one.schedule.makespan}"
            )
    return held


def _best(instance: CoallocationInstance, slot: Fraction, results: Mapping[Fraction, Result]) -> Held:
    own = results[slot]
    assert own.schedule is not None and own.lower_bound is not None
    on_this_grid = instance.with_slot(slot)
    schedule, bound, source = own.schedule, own.lower_bound, slot
    for other, result in results.items():
        assert result.schedule is not None and result.lower_bound is not None
        again = executed(instance, result.schedule, slot)
        if again.makespan < schedule.makespan:
            schedule = check(on_this_grid, again, f"the schedule of η = {other} run at η = {slot}")
        if slot and (other == 0 or slot % other == 0):
            carried = ceil_to(result.lower_bound, slot)
            if carried > bound:
                bound, source = carried, other
    return Held(schedule, bound, source)


class ResultCache:
    """A folder of results, which is made if it is missing; None for no cache at all.

    Each point is due `share` seconds; None for no limit.
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
        """Return a result that serves, checked; None if there is none."""
        for path, proven in self._candidates(instance):
            try:
                return self._checked(instance, path, proven)
            except OasError as error:
                reason = str(error).removeprefix(f"{path}: ")
                self.notes.append(f"{path}: ignored, {' '.join(reason.split())}")
        return None

    def keep(self, instance: CoallocationInstance, result: Result) -> None:
        """Store a result that is proven or has used up its time; no other."""
        if self.folder is None:
            return
        if result.status is Status.OPTIMAL:
            save(result, self.folder / f"{self._stem(instance)}.json")
        elif result.termination is Termination.TIME_LIMIT and self.milliseconds is not None:
            save(result, self.folder / f"{self._stem(instance)}-{self.milliseconds}ms.json")

    def _candidates(self, instance: CoallocationInstance) -> Iterator[tuple[Path, bool]]:
        """Files that may serve, with whether they are of proven results: these first, then by share, longest first."""
        if self.folder is None:
            return
        stem = self._stem(instance)
        if (path := self.folder / f"{stem}.json").exists():
            yield path, True
        if self.milliseconds is not None:
            name = re.compile(rf"{re.escape(stem)}-(\d{{1,15}})ms\.json", re.ASCII)
            found = [(int(match[1]), path) for path in self.folder.iterdir() if (match := name.fullmatch(path.name))]
            for share, path in sorted(found, reverse=True):
                if share >= self.milliseconds:
                    yield path, False

    def _checked(self, instance: CoallocationInstance, path: Path, proven: bool) -> Result:
        result = load_result(path)
        recheck_result(instance, result)
        own = result.versions.get("oas-scheduling")
        if own != __version__:
            raise InputError(f"made by version {own}, not {__version__}")
        if result.seed != self.seed:
            raise InputError(f"made with seed {result.seed}, not {self.seed}")
        if result.schedule is None or result.lower_bound is None or (proven and result.status is not Status.OPTIMAL):
            raise InputError("claims less than its name")
        return result

    def _stem(self, instance: CoallocationInstance) -> str:
        return f"{instance.digest}-seed{self.seed}-{__version__}"
