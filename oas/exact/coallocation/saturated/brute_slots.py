"""Brute force on slots: every start on the grid."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.exact.coallocation.saturated.brute_choices import Choice, Choices, Running

    State = tuple[tuple[int, ...], tuple[tuple[int, Choice, Fraction], ...]]


@dataclass
class SlotSearch:
    """Depth-first search over slots: in each some jobs start, and all that run make progress.

    Left out are slots in which no job runs before all are done: what comes after could come a slot earlier. Branches
    are cut where they have come to a state (which jobs wait; which run, where, with what progress) that was met at
    the same slot or before, and where some job or the work of all cannot end before the best so far: no job ever runs
    faster than without saturation. Neither asks that a job be no slower with fewer beside it.

    Parameters
    ----------
    choices
        Of an instance with slots.
    """

    choices: Choices
    best: int = field(init=False)
    runs: list[tuple[int, int, int, Choice]] = field(init=False, default_factory=list)
    _slot: Fraction = field(init=False)
    _nodes: int = field(init=False)
    _met: dict[State, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._slot = self.choices.instance.slot
        self._nodes = self.choices.instance.node_count
        self.best = int(self.choices.serial / self._slot) + 1

    def run(self) -> None:
        """Look at every schedule."""
        self._extend(0, tuple(range(len(self.choices.of))), (), {}, [])

    def _extend(
        self,
        now: int,
        waiting: Sequence[int],
        running: Running,
        progress: dict[int, Fraction],
        ended: list[tuple[int, int, int, Choice]],
        begun: dict[int, int] | None = None,
    ) -> None:
        """Try every way to go on from the beginning of slot `now`, with the progress of the jobs that run."""
        begun = begun or {}
        if not waiting and not running:
            self.best, self.runs = now, list(ended)
            return
        state = (tuple(waiting), tuple((job, choice, progress[job]) for job, choice in running))
        if self._met.get(state, now + 1) <= now:
            return
        self._met[state] = now
        for phase in self.choices.starts(running, waiting):
            if not phase or self._least_end(now, waiting, phase, progress) >= self.best:
                continue
            self.choices.step()
            since = {job: begun.get(job, now) for job, _ in phase}
            speeds = self.choices.rates(phase)
            reached = {
                job: progress.get(job, Fraction(0)) + speed * self._slot
                for (job, _), speed in zip(phase, speeds, strict=True)
            }
            going = tuple(one for one in phase if reached[one[0]] < 1)
            done = [(since[job], now + 1, job, choice) for job, choice in phase if reached[job] >= 1]
            still = [job for job in waiting if job not in since]
            self._extend(now + 1, still, going, reached, [*ended, *done], since)

    def _least_end(self, now: int, waiting: Sequence[int], phase: Running, progress: dict[int, Fraction]) -> int:
        """No schedule that goes on so ends before this slot."""
        started = {job for job, _ in phase}
        times = {job: choice.least * (1 - progress.get(job, Fraction(0))) for job, choice in phase}
        slots = {job: now + -(-time // self._slot) for job, time in times.items()}
        for job in waiting:
            if job not in started:
                slots[job] = now + 1 + min(-(-choice.least // self._slot) for choice in self.choices.of[job])
        return max(slots.values())
