"""What a heuristic is to the rest of the toolkit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from oas.core.coallocation import CoallocationInstance
    from oas.core.schedule import Schedule


class Scheduler(Protocol):
    """A function that schedules an instance at its own slot size; all it does follows from the instance and `seed`."""

    def __call__(self, instance: CoallocationInstance, *, seed: int = 0) -> Schedule: ...


@dataclass(frozen=True)
class Method:
    """A heuristic under its name.

    Attributes
    ----------
    name
        As tables show it and as the command line takes it.
    run
        The scheduler.
    summary
        One line for ``--help`` and tables' captions.
    rank
        Place in listings.
    """

    name: str
    run: Scheduler
    summary: str
    rank: int = field(default=1000, compare=False)

    def __call__(self, instance: CoallocationInstance, *, seed: int = 0) -> Schedule:
        """Schedule `instance`."""
        return self.run(instance, seed=seed)
