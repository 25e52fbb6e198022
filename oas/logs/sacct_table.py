"""Tables that `sacct` prints: delimiter, heading, and lines whose texts contain the delimiter or a line break.

Names of jobs, command lines, folders and comments are free text, which `sacct` does not quote. A line with too many or
too few values is divided such that the values of all other columns are valid; if this is possible in several ways that
differ in a column that is read, the line is refused.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.logs.logged import Row, numbered_lines, readable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.logs.invalid_lines import InvalidLines

COMMAND = "SLURM_TIME_FORMAT=%s sacct -aXDP -o JobID,Submit,Start,End,ElapsedRaw,State,AllocCPUS"
JOB = re.compile(r"\d{1,12}(_\d{1,9})?(\+\d{1,9})?", re.ASCII)
STEP = re.compile(r"\d{1,12}(_\d{1,9})?(\+\d{1,9})?\.\w+(\+\d{1,9})?", re.ASCII)
ARRAY_REST = re.compile(r"\d{1,12}_\[[\d,%:\-.…]+\]", re.ASCII)  # waiting tasks of an array, in one line
STATE = re.compile(r"[A-Z_]+( by [\w.\-]+)?\+?", re.ASCII)
UNKNOWN = frozenset({"", "-", "unknown", "none", "none assigned", "n/a", "nan", "nat", "null", "invalid"})
REQUIRED = ("submit", "start")
IDS = frozenset({"jobid", "jobidraw"})
FREE = frozenset({
    *("jobname", "submitline", "workdir", "comment", "admincomment", "systemcomment", "extra", "reason", "account"),
    *("constraints", "container", "stdin", "stdout", "stderr", "licenses", "wckey", "reservation"),
})  # fmt: skip
_ID = re.compile(f"{JOB.pattern}|{STEP.pattern}|{ARRAY_REST.pattern}", re.ASCII)
_UNKNOWN = "|".join(re.escape(word) for word in sorted(UNKNOWN))
_TIME = re.compile(rf"\d+(\.\d+)?|\d{{4}}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*|(?i:{_UNKNOWN})", re.ASCII)
_MOMENT = re.compile(r"\d{9,}(\.\d+)?|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*", re.ASCII)
_NUMBER = re.compile(rf"\d+(\.\d+)?[KMGT]?|(?i:{_UNKNOWN})", re.ASCII)
_LENGTH = re.compile(rf"(\d+-)?[\d:.]+|(?i:{_UNKNOWN}|unlimited|partition_limit)", re.ASCII)
_RESOURCE = r"(cpu|mem|node|billing|energy|vmem|pages|(gres|fs|license|bb|ic)/[\w/:.\-]+)=[^,=|\n]*"
_RESOURCES = re.compile(rf"({_RESOURCE}(,{_RESOURCE})*)?", re.ASCII)
_NODES = re.compile(rf"([\w.\-]|\[[\d,\-]+\]|,)*|(?i:{_UNKNOWN})", re.ASCII)
_SHAPES = {
    **dict.fromkeys(IDS, _ID),
    **dict.fromkeys(("submit", "start", "end", "eligible"), _TIME),
    **dict.fromkeys(("elapsedraw", "alloccpus", "ncpus", "reqcpus", "allocnodes", "nnodes", "reqnodes"), _NUMBER),
    **dict.fromkeys(("elapsed", "suspended", "timelimit", "cputime", "totalcpu"), _LENGTH),
    **dict.fromkeys(("alloctres", "reqtres"), _RESOURCES),
    "state": STATE,
    "cluster": re.compile(r"[\w.\-]*", re.ASCII),
    "nodelist": _NODES,
    "exitcode": re.compile(r"(\d+:\d+)?", re.ASCII),
}
_LONG = FREE | {"alloctres", "reqtres", "nodelist", "state"}  # columns whose values may contain the delimiter
_READ = frozenset(_SHAPES) - {"eligible", "timelimit", "cputime", "totalcpu", "exitcode"} | {"user", "group", "account"}
_KNOWN = frozenset(_SHAPES) | FREE | {"user", "group", "partition", "cluster", "qos"}
_FIXED = f"output of sacct in columns of fixed width, which cuts off values: add -P (--parsable2), as in {COMMAND}"
_MOST_EXTRA = 40  # maximum number of delimiters in the texts of a line, and of line breaks


@dataclass(frozen=True)
class Heading:
    """The names of the columns and the delimiter of values, which is empty if the columns have fixed widths."""

    names: tuple[str, ...]
    delimiter: str
    trailing: bool = False  # whether the delimiter also ends every line, as with ``--parsable``
    quoted: bool = False  # whether the names are quoted
    line: int = 1  # its number in the file


def heading_of(line: str) -> Heading | None:
    """Return the heading in a line; None if no column contains the job."""
    line = line.lstrip("# ")  # some programs write the heading as a comment
    names = re.findall(r"\w+", line)
    lower = [name.lower() for name in names]
    if not IDS & set(lower) or not (len(lower) == 1 or _KNOWN & (set(lower) - IDS)):
        return None
    between = [part.replace('"', "").replace("'", "") for part in re.split(r"\w+", line)[1:-1]]
    if all(part == " " for part in between):
        return Heading(tuple(lower), " ")
    delimiters = Counter(part.strip(" ") for part in between)
    delimiter = delimiters.most_common(1)[0][0] if delimiters else "|"
    if not delimiter:
        return Heading(tuple(lower), "")
    named = [value.strip(" \t\"'").lower() for value in line.split(delimiter)]
    if not IDS & set(named):
        return None
    return Heading(tuple(named if named[-1] else named[:-1]), delimiter, not named[-1], '"' in line)


def is_comment(line: str) -> bool:
    """Return whether a line begins with ``#`` and is no heading."""
    return line.lstrip().startswith("#") and heading_of(line) is None


def fault_of(line: str) -> str:
    """Return why a first line that looks like output of `sacct` cannot be a heading; empty if it does not."""
    heading = heading_of(line)
    if heading is not None and not heading.delimiter:
        return _FIXED
    if heading is None and re.fullmatch(r"\s*-{3,}(\s+-{3,})+\s*", line):
        return f"output of sacct in columns of fixed width, without its heading: add -P (--parsable2), as in {COMMAND}"
    values = re.split(r'["\s]*[|,;\t]["\s]*' if re.search(r"[|,;\t]", line) else r"\s+", line.strip(' "'))
    times = sum(bool(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d|Unknown$", value)) for value in values)
    if heading is None and _ID.fullmatch(values[0]) and (times >= 2 or ("|" in line and len(values) > 3)):
        return (
            f"output of sacct without the heading with the names of columns: leave out -n (--noheader), as in {COMMAND}"
        )
    return ""


class SacctTable:
    """The rows of a table, in the order of the file; iterate over it once.

    Attributes
    ----------
    mended
        Number of rows with a text that contains the delimiter or a line break.

    Raises `InputError` naming line, column and value for a heading without the required columns.
    """

    def __init__(self, data: bytes, invalid: InvalidLines) -> None:
        self.mended = 0
        self._invalid = invalid
        self._lines = numbered_lines(data, invalid)
        for number, line in self._lines:
            text = _decoded(line)
            if text.strip() and not is_comment(text):
                self.heading = _first_heading(text, number)
                break
        else:
            raise InputError("the file is empty")

    def __iter__(self) -> Iterator[Row]:
        pending: _Pending | None = None
        for number, line in self._lines:
            text = _decoded(line)
            if not text.strip() or set(text.strip()) <= {"-", "+", " ", *self.heading.delimiter}:
                if self.heading.delimiter == " " and "--" in text:
                    raise InputError(_FIXED, field=f"line {number}", value=readable(line))
                continue
            if "jobid" in text.lower() and (repeated := heading_of(text)) is not None and "submit" in repeated.names:
                yield from self._rows(pending)
                pending, self.heading = None, _first_heading(text, number)
                continue
            this = _Pending(number, text, self.heading)
            if text.startswith("#") and self.heading.names[0] in IDS and (pending is None or pending.values):
                continue  # a comment, or the end of a text that is not read
            if pending is not None and not pending.ends_before(this):
                joined = _Pending(pending.line, f"{pending.text}\n{text}", self.heading, pending.breaks + 1)
                if joined.breaks <= _MOST_EXTRA and (joined.values or not pending.whole):
                    pending = joined
                    continue
            yield from self._rows(pending)
            pending = this
        yield from self._rows(pending)

    def _rows(self, pending: _Pending | None) -> Iterator[Row]:
        if pending is None:
            return
        try:
            values = pending.checked()
        except InputError as error:
            self._invalid.refuse(error)
            return
        self.mended += pending.mended
        yield Row(pending.line, dict(zip(self.heading.names, values, strict=True)))


class _Pending:
    """A line, and those after it that may continue it."""

    def __init__(self, line: int, text: str, heading: Heading, breaks: int = 0) -> None:
        self.line, self.text, self.heading, self.breaks = line, text, heading, breaks
        self._fault = ""
        names, split = heading.names, _split(text, heading)
        if len(split) == len(names) + 1 and not split[-1] and all(map(_fits, names, split)):
            split = self._without_last(split)
        self._split = split
        place = next(place for place, name in enumerate(names) if name in IDS)
        # whether the line has all values and the number of a job, though others may be invalid
        self.numbered = self.full and _fits(names[place], split[place])
        self._open = heading.quoted and text.count('"') % 2 == 1  # the line ends inside a quoted text
        self.mended = breaks > 0 or len(split) != len(names)
        # A line break in one text and delimiters in another may give the right number of values
        wrong = FREE.intersection(names) and not all(map(_fits, names, split))
        self.values: list[str] = (
            [] if self._open or self._fault else self._divided(split) if self.mended or wrong else split
        )
        self.begins = bool(self.values) or self._resembles_beginning(split)

    @property
    def whole(self) -> bool:
        """Whether the line can be divided into values, unambiguously or not."""
        return bool(self.values or self._fault)

    @property
    def full(self) -> bool:
        """Whether the number of values is right."""
        return len(self._split) == len(self.heading.names)

    def _resembles_beginning(self, split: Sequence[str]) -> bool:
        """Return whether the values before any free text are valid."""
        free = next((place for place, name in enumerate(self.heading.names) if name in FREE), len(split))
        first = [(name, value.strip('"')) for name, value in zip(self.heading.names[:free], split, strict=False)]
        return any(name in _SHAPES and value for name, value in first) and all(_fits(*pair) for pair in first)

    def ends_before(self, following: _Pending) -> bool:
        """Return whether a following line begins another row."""
        if self._open:
            return False
        if following.values or (self.numbered and following.numbered):
            return True
        if following.begins:
            return self.whole or not self.begins
        return self.whole and following.full

    def checked(self) -> list[str]:
        """Return the values; raises `InputError` if the line cannot be divided into them."""
        if self.values:
            return self.values
        names = self.heading.names
        if self.full:
            return self._split  # the invalid value will be refused
        free = [name for name in names if name in FREE]
        reason = f"must have {len(names)} values, as the heading has columns, not {len(self._split)}"
        if free:
            reason += (
                f"; {self._fault or 'possibly'} because {' or '.join(free)} contains the delimiter or a line break:"
                f" print the log without {'this column' if len(free) == 1 else 'these columns'}, as in {COMMAND}"
            )
        first = self.text.partition("\n")[0]
        raise InputError(reason, field=f"line {self.line}", value=readable(first.encode()))

    def _without_last(self, parts: list[str]) -> list[str]:
        """Return the parts of a line that ends in a delimiter, without the last one unless it belongs to a text."""
        if not FREE.intersection(self.heading.names):
            return parts[:-1]
        divided = self._divided(parts)
        differing = [
            name
            for name, one, other in zip(self.heading.names, divided, parts, strict=False)
            if name in _READ and one != other
        ]
        if differing and self.heading.names[-1] not in FREE:  # a last text may contain the delimiter
            self._fault = f"ambiguous in column {differing[0]}"
        return parts if divided or self._fault else parts[:-1]

    def _divided(self, parts: Sequence[str]) -> list[str]:
        """Return one value for each column, with texts that contain delimiters; empty if this is not unambiguous."""
        names, delimiter = self.heading.names, self.heading.delimiter
        extra = len(parts) - len(names)
        if not 0 <= extra <= _MOST_EXTRA:
            return []
        # reached[i]: places of the first part of column i such that the columns before it are valid
        reached: list[set[int]] = [{0}]
        steps: list[dict[int, list[int]]] = []
        for place, name in enumerate(names):
            last = min(place + extra, len(parts) - 1)
            step = {
                begin: [
                    end
                    for end in range(begin + 1, (last + 1 if name in _LONG else min(begin, last) + 1) + 1)
                    if _fits(name, delimiter.join(parts[begin:end]))
                    and not _goes_on(name, parts, begin, end)
                    and not (name in FREE and _holds_row(parts[begin:end]))
                ]
                for begin in reached[-1]
                if begin <= last
            }
            steps.append(step)
            reached.append({end for ends in step.values() for end in ends})
        if len(parts) not in reached[-1]:
            return []
        good = {len(parts)}
        values = []
        for name, step in zip(reversed(names), reversed(steps), strict=True):
            texts = {
                delimiter.join(parts[begin:end]).strip() for begin, ends in step.items() for end in ends if end in good
            }
            if name in _SHAPES:
                texts = {text.strip('"') for text in texts}
            good = {begin for begin, ends in step.items() if good.intersection(ends)}
            if len(texts) > 1 and name in _READ:
                self._fault = f"ambiguous in column {name}"
                return []
            values.append(min(texts) if len(texts) == 1 else "")
        return values[::-1]


def _goes_on(name: str, parts: Sequence[str], begin: int, end: int) -> bool:
    """Return whether resources before or after some parts belong to the same value."""
    if name not in ("alloctres", "reqtres"):
        return False
    around = [parts[place] for place in (begin - 1, end) if 0 <= place < len(parts)]
    return any(part and _RESOURCES.fullmatch(part.strip('"')) for part in around)


def _holds_row(parts: Sequence[str]) -> bool:
    """Return whether a text looks as if it contained a part of another row, because a part of it is a time."""
    pieces = [piece.strip(' \t\r"') for part in parts for piece in part.split("\n")]
    return len(pieces) > 1 and any(_MOMENT.fullmatch(piece) for piece in pieces)


def _fits(name: str, text: str) -> bool:
    shape = _SHAPES.get(name)
    if not text and (name in IDS or name == "submit"):
        return False
    if shape is not None:
        return bool(shape.fullmatch(text.strip(" \t\r").strip('"'))) or not text
    return name in FREE or "\n" not in text


def _split(text: str, heading: Heading) -> list[str]:
    """Divide a line at the delimiter, with quotes if this gives one value for each column."""
    delimiter = heading.delimiter
    if '"' in text and len(delimiter) == 1:
        try:
            values = next(csv.reader([text], delimiter=delimiter, strict=True, skipinitialspace=delimiter != " "))
        except (csv.Error, StopIteration):
            values = []
        values = _without_end(values, heading)
        if len(values) == len(heading.names) or (len(values) == len(heading.names) + 1 and not values[-1]):
            return [value.strip() for value in values]
    return [value.strip(" \t\r") for value in _without_end(text.split(delimiter), heading)]


def _without_end(values: list[str], heading: Heading) -> list[str]:
    """Return values without the empty one after the delimiter that ends the line."""
    ended = heading.trailing and len(values) > len(heading.names) and not values[-1].strip()
    return values[:-1] if ended else values


def _decoded(line: bytes) -> str:
    """Return a line as text; names of jobs may be in any encoding and are not read."""
    return line.decode(errors="replace")


def _first_heading(text: str, number: int) -> Heading:
    """Return a heading; raises `InputError` if it is none, or lacks a column or names one twice."""
    fault = fault_of(text)
    heading = heading_of(text)
    if fault or heading is None:
        reason = fault or f"has no column jobid: it must be the heading of sacct, as in {COMMAND}"
        raise InputError(reason, field=f"line {number}", value=readable(text.encode()))
    names = heading.names
    heading = replace(heading, line=number)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError("the column is named twice", field=f"line {number}", value=twice)
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        reason = f"has no column {' nor '.join(missing)}: print it as in {COMMAND}"
        raise InputError(reason, field=f"line {number}", value=", ".join(names))
    return heading
