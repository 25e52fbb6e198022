"""Cases of the experiments: random windows of logs for table 1, and the beginning of a log for figures 4 and 5."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.logs import stream
from oas.logs.sharing import Sharing, share

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.fair.ticks import FairTicks
    from oas.queueing.stream import JobStream

LENGTH = 500_000  # of a window of table 1, in seconds
PERIOD = 5_000_000  # of figures 4 and 5
SPLITS = ("uniform", "zipf")
TABLE, FIGURE_4, FIGURE_5 = "table 1", "figure 4", "figure 5"
MACHINES = {FIGURE_4: (17, 30), FIGURE_5: (170, 300)}
FASTER = {TABLE: 1, FIGURE_4: 1, FIGURE_5: 10}  # divisor of the releases


@dataclass(frozen=True)
class Log:
    """A log's file, and the number of shared processors; None for those of the machine."""

    path: Path
    processors: int | None = None

    @staticmethod
    def read(text: str) -> Log:
        """Read ``FILE`` or ``FILE:PROCESSORS``."""
        path, colon, count = text.rpartition(":")
        return Log(Path(path), int(count)) if colon and count.isdecimal() else Log(Path(text))

    @property
    def name(self) -> str:
        """Name of the file without folder and suffixes."""
        return self.path.name.partition(".swf")[0]

    @property
    def jobs(self) -> JobStream:
        """The log's jobs; read once."""
        return _stream(self.path)

    @property
    def machine(self) -> int:
        """Number of shared processors."""
        found = self.jobs.machine if self.processors is None else self.processors
        if found is None:
            raise InputError("the log does not say how many there are: FILE:PROCESSORS", field="processors")
        return found

    @property
    def span(self) -> int:
        """Seconds from the first submission to the last, rounded up."""
        jobs = self.jobs
        return -(-int(jobs.submit[-1] - jobs.submit[0] + 1) // jobs.second)


@dataclass(frozen=True)
class LogCase:
    """Jobs of a part of a log, divided among organizations."""

    of: str  # `TABLE`, `FIGURE_4` or `FIGURE_5`
    log: str  # the log's name
    since: int  # seconds from its first submission to the start of the window
    length: int  # of the window, in seconds
    organizations: int  # k; processors: their number; machines: how they are divided
    processors: int
    machines: str
    seed: int  # of the assignment of users and of all random choices

    def ticks(self, log: Log) -> FairTicks:
        """Return the jobs of the case; raises `InputError` if there are none, or no known owners."""
        first = -(-int(log.jobs.submit[0]) // log.jobs.second)
        found = share(
            log.jobs,
            Sharing(
                organizations=self.organizations,
                machines=self.machines,
                processors=self.processors,
                since=first + self.since,
                length=self.length,
                seed=self.seed,
            ),
        ).ticks
        by = FASTER[self.of]
        return found if by == 1 else replace(found, release=found.release // by, horizon=-(-found.horizon // by))


def windows(log: Log, count: int, length: int, seed: int) -> list[int]:
    """Return the starts of at most `count` disjoint windows, in seconds from the first submission.

    Their order is random, so that the first few are a sample of all.
    """
    whole = log.span // length
    rng = Random(f"{seed} {log.name} {length}")
    rest = rng.randrange(log.span - whole * length + 1)
    return [rest + number * length for number in rng.sample(range(whole), min(count, whole))]


def table_cases(
    logs: Sequence[Log], count: int, length: int, organizations: int, seed: int
) -> Iterator[tuple[Log, LogCase]]:
    """Yield the cases of table 1: one window of each log in turn, each with both divisions of the machines."""
    opened = [(log, windows(log, count, length, seed)) for log in logs]
    for number in range(count):
        for log, places in opened:
            for split in SPLITS if number < len(places) else ():
                # Each window has another assignment of users, so that no single assignment decides.
                since, dealing = places[number], seed + number
                yield log, LogCase(TABLE, log.name, since, length, organizations, log.machine, split, dealing)


def figure_cases(log: Log, period: int, most: int, seed: int) -> Iterator[tuple[Log, LogCase]]:
    """Yield the cases of figures 4 and 5: the log's first `period` seconds, 2 to `most` organizations."""
    for organizations in range(2, most + 1):
        for of, counts in MACHINES.items():
            for split in SPLITS:
                for count in counts:
                    yield log, LogCase(of, log.name, 0, period, organizations, count, split, seed)


@cache
def _stream(path: Path) -> JobStream:
    return stream(path)
