"""A part of a job log whose jobs and machines are distributed among organizations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from oas.fair.ticks import FairTicks
    from oas.queueing.stream import JobStream


@dataclass(frozen=True, eq=False)
class SharedLog:
    """A part of a log, distributed among organizations."""

    ticks: FairTicks  #: processors and jobs of the organizations; moment 0 is the beginning of the window
    names: tuple[str, ...]  #: ``O1``, ``O2``, … of the organizations
    users: tuple[int, ...]  #: number of users of each in the log
    stream: JobStream  #: the log
    since: int  #: beginning of the window, in ticks of the log
    #: Σ running time × processors of the jobs of the window / (processors × length), or the horizon without a length
    load: Fraction
    noted: Mapping[str, int] = field(default_factory=dict)  #: numbers of jobs with remarks, by remark
    #: the requested load if no window has it, so that this is the busiest one; None otherwise
    lacking: Fraction | None = None
