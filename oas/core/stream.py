"""A stream of jobs of one machine as arrays, for logs of a million jobs: no object for each job."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.core.errors import InputError
from oas.core.formats import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas
    from numpy.typing import ArrayLike, NDArray

    Numbers = NDArray[np.int64]

_COLUMNS = ("start", "end", "processors")  # of reservations
NEVER = 2**62  # later than any moment
UNKNOWN = -1  # owner


@dataclass(frozen=True, eq=False, repr=False)
class JobStream:
    """Rigid jobs in the order of their submission, and when they start, if that is known.

    Attributes
    ----------
    ids
        Of the jobs, unique: int64, or text.
    submit, time
        Moment of submission ≥ 0, ascending, and running time ≥ 1, in ticks: int64.
    processors
        How many each job holds, ≥ 1: int64.
    owner
        A number for whose each job is, -1 for unknown: int64.
    starts
        When each job starts, ≥ 0, in ticks: int64; None before a policy has said so.
    second
        How many ticks a second has: 1, or a power of ten where the log's times have decimals.
    machine
        Processors of the machine, if the log says.
    name, format, sha256, acknowledgement
        Of the log that the jobs come from; empty for others.
    skipped, noted
        How many jobs of the log are not in the stream, by reason; and how many are, though there is something to say of
        them.

    Raises
    ------
    InputError
        If a column is not of whole numbers in these ranges, or the columns are not of one length.
    """

    ids: NDArray[Any]
    submit: Numbers
    time: Numbers
    processors: Numbers
    owner: Numbers
    starts: Numbers | None = None
    second: int = 1
    machine: int | None = None
    name: str = ""
    format: str = ""
    sha256: str = ""
    acknowledgement: str = ""
    skipped: Mapping[str, int] = field(default_factory=dict)
    noted: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ids", _fixed(np.array(self.ids)))
        columns = {"submit": 0, "time": 1, "processors": 1, "owner": UNKNOWN}
        for name, least in columns.items() if self.starts is None else {**columns, "starts": 0}.items():
            object.__setattr__(self, name, whole_numbers(getattr(self, name), name, least))
            if getattr(self, name).shape != self.ids.shape or self.ids.ndim != 1:
                raise InputError(f"must be one row of {self.ids.size} numbers, as many as there are ids", field=name)
        if not len(self):
            raise InputError("there is no job", field="ids")
        early = np.flatnonzero(np.diff(self.submit) < 0)
        if early.size:
            raise InputError("must ascend", field=f"submit[{early[0] + 1}]", value=int(self.submit[early[0] + 1]))

    def __len__(self) -> int:
        return int(self.ids.size)

    @property
    def begun(self) -> Numbers:
        """When each job starts.

        Raises
        ------
        InputError
            If that is not known.
        """
        if self.starts is None:
            raise InputError("no policy has given the jobs starts", field="starts")
        return self.starts

    @property
    def ends(self) -> Numbers:
        """When each job ends."""
        return self.begun + self.time

    @property
    def waits(self) -> Numbers:
        """How long each job waits from its submission on."""
        return self.begun - self.submit

    def started(self, starts: ArrayLike) -> JobStream:
        """Return the same jobs with these starts."""
        return replace(self, starts=whole_numbers(starts, "starts", 0))

    def at_once(self) -> JobStream:
        """Return the same jobs, all submitted with the first, without starts."""
        return replace(self, submit=np.full(len(self), self.submit[0]), starts=None)

    def to_frame(self) -> pandas.DataFrame:
        """Return one row a job: id, submit, start, end, processors, owner, wait; start, end and wait once it has any.

        Times are in seconds: integers, or floats where the log's times have decimals.
        """
        import pandas

        scale = (lambda ticks: ticks) if self.second == 1 else (lambda ticks: ticks / self.second)
        run = {} if self.starts is None else {"start": scale(self.begun), "end": scale(self.ends)}
        columns = {"id": self.ids, "submit": scale(self.submit), "time": scale(self.time), **run}
        wait = {} if self.starts is None else {"wait": scale(self.waits)}
        return pandas.DataFrame({**columns, "processors": self.processors, "owner": self.owner, **wait})

    def __repr__(self) -> str:
        return shown("logs.stream_text", self)


def no_reservations() -> Numbers:
    """Return an array of no reservations: three columns for start, end and processors."""
    return np.empty((0, 3), dtype=np.int64)


def checked_reservations(reservations: ArrayLike, processors: int, places: Sequence[str] | None = None) -> Numbers:
    """Return reservations as an array of three columns, for start ≥ 0, end after it, and processors ≥ 1.

    Raises `InputError` naming the first that is of no length, or begins when more are reserved than the `processors` of
    the machine; `places` are what errors call the reservations, None for their index.
    """
    found = whole_numbers(reservations, "reservations", 0) if np.size(reservations) else no_reservations()
    if found.ndim != 2 or found.shape[1] != 3:
        raise InputError("must be an array of three columns: start, end, processors", field="reservations")

    def place(row: int, column: str) -> str:
        return f"{places[row] if places else f'reservations[{row}]'}, {column}"

    begins, ends, widths = found.T
    for wrong, column, reason in (
        (ends <= begins, "end", "must be after the start"),
        (widths < 1, "processors", "must be at least 1"),
        (widths > processors, "processors", f"must be at most {processors}, the processors of the machine"),
    ):
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InputError(reason, field=place(row, column), value=int(found[row, _COLUMNS.index(column)]))
    moments, held = held_over_time(begins, ends, widths)
    if held.max(initial=0) > processors:
        first = int(np.argmax(held > processors))
        row = int(np.flatnonzero(begins == moments[first])[-1])
        reason = f"with it {held[first]} processors are reserved at {moments[first]}, of {processors}"
        raise InputError(reason, field=place(row, "processors"), value=int(widths[row]))
    return found


def held_over_time(begins: Numbers, ends: Numbers, widths: Numbers) -> tuple[Numbers, Numbers]:
    """Return the moments at which something begins or ends, ascending, and what is held from each of them on."""
    moments, at = np.unique(np.concatenate([begins, ends]), return_inverse=True)
    change = np.zeros(len(moments), dtype=np.int64)
    np.add.at(change, at, np.concatenate([widths, -widths]))
    return moments, np.cumsum(change)


def whole_numbers(values: ArrayLike, name: str, least: int) -> Numbers:
    """Return whole numbers from `least` to below 2^62 as an int64 array that cannot be written to.

    Raises `InputError` naming the first that is none.
    """
    found = np.array(values)
    if found.dtype.kind not in "iu" and found.size:
        raise InputError("must be whole numbers", field=name, value=str(found.dtype))
    wrong = np.flatnonzero((found.ravel() < least) | (found.ravel() >= NEVER))
    if wrong.size:
        where = ", ".join(str(index) for index in np.unravel_index(int(wrong[0]), found.shape))
        value = int(found.flat[wrong[0]])
        raise InputError(f"must be from {least} on and below 2^62", field=f"{name}[{where}]", value=value)
    return _fixed(found.astype(np.int64))


def _fixed(values: NDArray[Any]) -> NDArray[Any]:
    values.flags.writeable = False
    return values
