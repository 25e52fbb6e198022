"""Streams of jobs of one machine as arrays, for logs of a million jobs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from oas.core.errors import InputError
from oas.core.formats import call_by_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas
    from numpy.typing import ArrayLike, NDArray

    Numbers = NDArray[np.int64]

NEVER = 2**62  # later than any moment
UNKNOWN = -1  # number of an unknown owner


@dataclass(frozen=True, eq=False, repr=False)
class JobStream:
    """Rigid jobs in the order of their submission, and their starts, if known; columns except `ids` are int64 arrays.

    Raises `InputError` if a column does not consist of whole numbers in these ranges, or the columns differ in length.
    """

    ids: NDArray[Any]  #: unique job ids: int64 or text
    submit: Numbers  #: moment of submission ≥ 0, in ticks, ascending
    time: Numbers  #: running time ≥ 1, in ticks
    processors: Numbers  #: processors of each job, ≥ 1
    owner: Numbers  #: number of each job's owner, -1 for unknown; an index of `owners` if these are given
    starts: Numbers | None = None  #: start of each job, ≥ 0, in ticks; None before a policy has set it
    second: int = 1  #: ticks in a second: 1, or a power of ten if the log's times have decimals
    machine: int | None = None  #: processors of the machine, if the log states them
    # name, format, sha256, acknowledgement: those of the log; empty without one
    name: str = ""
    format: str = ""
    sha256: str = ""
    acknowledgement: str = ""
    skipped: Mapping[str, int] = field(default_factory=dict)  #: number of omitted jobs of the log, by reason
    noted: Mapping[str, int] = field(default_factory=dict)  #: number of included jobs with a remark, by remark
    owner_fields: tuple[str, ...] = ("user",)  #: fields of the log that identify owners
    owners: tuple[tuple[str, ...], ...] = ()  #: values of these fields by owner; empty if the log numbers the owners
    remarks: tuple[str, ...] = ()  #: sentences about invalid lines of the log that were left out, and uncertain times

    def __post_init__(self) -> None:
        object.__setattr__(self, "ids", _read_only(np.array(self.ids)))
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
    def known_starts(self) -> Numbers:
        """The start of each job; raises `InputError` if starts are not known."""
        if self.starts is None:
            raise InputError("no policy has given the jobs starts", field="starts")
        return self.starts

    @property
    def ends(self) -> Numbers:
        """The end of each job."""
        return self.known_starts + self.time

    @property
    def waits(self) -> Numbers:
        """The time from submission to start of each job."""
        return self.known_starts - self.submit

    def owner_values(self, number: int) -> dict[str, str]:
        """Return the fields of an owner as texts, empty for unknown."""
        if number == UNKNOWN:
            return dict.fromkeys(self.owner_fields, "")
        values = self.owners[number] if self.owners else (str(number),)
        return dict(zip(self.owner_fields, values, strict=True))

    @property
    def owner_names(self) -> NDArray[Any]:
        """The owner of each job: its number in the log, -1 for unknown, or its name, empty for unknown."""
        if not self.owners:
            return self.owner
        return np.array([*(", ".join(filter(None, one)) for one in self.owners), ""])[self.owner]

    def in_ticks(self, second: int) -> JobStream:
        """Return the same jobs with `second` ticks in a second, a multiple of the present number.

        Raises `InputError` if a time would be 2^62 ticks or more.
        """
        factor = second // self.second
        columns = {name: getattr(self, name) for name in ("submit", "time", "starts")}
        for name, values in columns.items():
            if values is not None and int(values.max()) * factor >= NEVER:
                raise InputError(f"too long for times in {second:,}ths of a second", field=name)
        scaled: dict[str, Any] = {name: None if values is None else values * factor for name, values in columns.items()}
        return replace(self, second=second, **scaled)

    def started(self, starts: ArrayLike) -> JobStream:
        """Return the same jobs with these starts."""
        return replace(self, starts=whole_numbers(starts, "starts", 0))

    def submitted_together(self) -> JobStream:
        """Return the same jobs, all submitted when the first one was, without starts."""
        return replace(self, submit=np.full(len(self), self.submit[0]), starts=None)

    def to_frame(self) -> pandas.DataFrame:
        """Return a data frame with a row for each job.

        Columns: id, submit, time (the running time), start, end, processors, owner, wait; start, end and wait only if
        starts are known. Times are in seconds: integers, or floats if the log's times have decimals.
        """
        import pandas

        scale = (lambda ticks: ticks) if self.second == 1 else (lambda ticks: ticks / self.second)
        run = {} if self.starts is None else {"start": scale(self.known_starts), "end": scale(self.ends)}
        columns = {"id": self.ids, "submit": scale(self.submit), "time": scale(self.time), **run}
        wait = {} if self.starts is None else {"wait": scale(self.waits)}
        return pandas.DataFrame({**columns, "processors": self.processors, "owner": self.owner_names, **wait})

    def __repr__(self) -> str:
        return call_by_path("oas.logs.tables:stream_text", self)


def no_reservations() -> Numbers:
    """Return an empty array of reservations, with columns for start, end and processors."""
    return np.empty((0, 3), dtype=np.int64)


def checked_reservations(reservations: ArrayLike, processors: int, places: Sequence[str] | None = None) -> Numbers:
    """Return reservations as an array of three columns: start ≥ 0, end > start, and processors ≥ 1.

    Raises `InputError` naming the first invalid reservation; the reservations together may not exceed the `processors`
    of the machine. `places` name the reservations in messages, by default by their index.
    """
    table = whole_numbers(reservations, "reservations", 0) if np.size(reservations) else no_reservations()
    if table.ndim != 2 or table.shape[1] != 3:
        raise InputError("must be an array of three columns: start, end, processors", field="reservations")

    def refuse(reason: str, row: int, column: str) -> NoReturn:
        place = places[row] if places else f"reservations[{row}]"
        value = int(table[row, ("start", "end", "processors").index(column)])
        raise InputError(reason, field=f"{place}, {column}", value=value)

    begins, ends, widths = table.T
    for wrong, column, reason in (
        (ends <= begins, "end", "must be after the start"),
        (widths < 1, "processors", "must be at least 1"),
        (widths > processors, "processors", f"must be at most {processors}, the processors of the machine"),
    ):
        if wrong.any():
            refuse(reason, int(np.argmax(wrong)), column)
    moments, held = held_over_time(begins, ends, widths)
    if held.max(initial=0) > processors:
        first = int(np.argmax(held > processors))
        reason = f"with it {held[first]} processors are reserved at {moments[first]}, of {processors}"
        refuse(reason, int(np.flatnonzero(begins == moments[first])[-1]), "processors")
    return table


def held_over_time(begins: Numbers, ends: Numbers, widths: Numbers) -> tuple[Numbers, Numbers]:
    """Return the distinct moments of `begins` and `ends`, ascending, and the sum of active widths from each on."""
    moments, at = np.unique(np.concatenate([begins, ends]), return_inverse=True)
    change = np.zeros(len(moments), dtype=np.int64)
    np.add.at(change, at, np.concatenate([widths, -widths]))
    return moments, np.cumsum(change)


def whole_numbers(values: ArrayLike, name: str, least: int) -> Numbers:
    """Return whole numbers from `least` to below 2^62 as a read-only int64 array.

    Raises `InputError` naming the first invalid number.
    """
    numbers = np.array(values)
    if numbers.dtype.kind not in "iu" and numbers.size:
        raise InputError("must be whole numbers", field=name, value=str(numbers.dtype))
    wrong = np.flatnonzero((numbers.ravel() < least) | (numbers.ravel() >= NEVER))
    if wrong.size:
        index = ", ".join(map(str, np.unravel_index(int(wrong[0]), numbers.shape)))
        value = int(numbers.flat[wrong[0]])
        raise InputError(f"must be from {least} on and below 2^62", field=f"{name}[{index}]", value=value)
    return _read_only(numbers.astype(np.int64))


def _read_only(values: NDArray[Any]) -> NDArray[Any]:
    values.flags.writeable = False
    return values
