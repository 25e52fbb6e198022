"""A part of a job log whose jobs and machines are distributed among organizations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from oas.core.stream import JobStream
    from oas.problems.fair.ticks import FairTicks


@dataclass(frozen=True, eq=False)
class SharedLog:
    """A part of a log, shared out.

    Attributes
    ----------
    ticks
        The organizations' processors and jobs; moment 0 is when the window opens.
    names
        ``O1``, ``O2``, … of the organizations.
    users
        How many the log has of each.
    stream
        The log.
    since
        Begin of the window, in ticks of the log.
    load
        Σ running time × processors of the jobs of the window / (processors × length), or the horizon without a length.
    noted
        Numbers of jobs with remarks, by remark.
    lacking
        The requested load if no window has it, so that this is the busiest one; None otherwise.
    """

    ticks: FairTicks
    names: tuple[str, ...]
    users: tuple[int, ...]
    stream: JobStream
    since: int
    load: Fraction
    noted: Mapping[str, int] = field(default_factory=dict)
    lacking: Fraction | None = None
