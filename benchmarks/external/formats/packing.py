"""What every format is read into: jobs on one cluster, and where the area alone bounds the makespan."""

from __future__ import annotations

from dataclasses import dataclass

from oas.core.errors import InputError

MOST_JOBS = 20_000
MOST_BYTES = 8_000_000  # of a file that is read
_MOST_DIGITS = 12


@dataclass(frozen=True)
class Packing:
    """Rigid jobs on one cluster; its makespan is the number of bins, the makespan or the height that is published.

    Attributes
    ----------
    processors
        Capacity of a bin, number of machines, or width of the strip.
    jobs
        (time, processors) of each job: (1, size), (time, 1), or (height, width).
    """

    processors: int
    jobs: tuple[tuple[int, int], ...]

    @property
    def area(self) -> int:
        """The jobs' time × processors."""
        return sum(time * processors for time, processors in self.jobs)

    @property
    def area_bound(self) -> int:
        """No schedule is shorter: area over processors, rounded up."""
        return -(-self.area // self.processors)


def packing(processors: int, jobs: list[tuple[int, int]], file: str, item: str) -> Packing:
    """Return a packing whose jobs all fit.

    Raises
    ------
    InputError
        If there is no job, there are too many, or one is wider than the cluster; `item` is what the format calls it.
    """
    check_count(len(jobs), "number of items", file)
    for number, (_, wide) in enumerate(jobs, start=1):
        if wide > processors:
            reason = f"larger than what it must fit into, {processors}"
            raise InputError(reason, field=item.format(number), value=wide, file=file)
    return Packing(processors, tuple(jobs))


def check_count(count: int, field: str, file: str) -> None:
    """Refuse a number of jobs that is none, or more than anything published.

    Raises
    ------
    InputError
        Naming file and field.
    """
    if not 1 <= count <= MOST_JOBS:
        raise InputError(f"must be from 1 to {MOST_JOBS}", field=field, value=count, file=file)


def numbers_of(content: bytes, file: str) -> list[int]:
    """Return the whole numbers of a text file, which holds nothing else.

    Raises
    ------
    InputError
        Naming the line of what is no whole number above 0, or saying that the file is too large or no text.
    """
    if len(content) > MOST_BYTES:
        raise InputError(f"larger than {MOST_BYTES} bytes", file=file)
    try:
        text = content.decode("ascii")
    except UnicodeDecodeError as error:
        raise InputError(f"no text: byte {error.start} is not ASCII", file=file) from None
    found = []
    for line, words in enumerate(text.splitlines(), start=1):
        for word in words.split():
            if not word.isdecimal() or len(word) > _MOST_DIGITS or int(word) == 0:
                raise InputError("must be a whole number above 0", field=f"line {line}", value=word, file=file)
            found.append(int(word))
    return found


def exactly(numbers: list[int], count: int, what: str, file: str) -> list[int]:
    """Return the numbers, of which there must be so many.

    Raises
    ------
    InputError
        If there are more or fewer.
    """
    if len(numbers) != count:
        raise InputError(f"{count} {what} are announced, {len(numbers)} are there", file=file)
    return numbers
