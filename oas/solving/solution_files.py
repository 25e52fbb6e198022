"""Solution files of MIP solvers: HiGHS, CBC, SCIP, Gurobi, CPLEX (XML), and plain lines of name and value."""

from __future__ import annotations

import math
import re
from html import unescape
from itertools import takewhile
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.io.files import naming_file, read_bytes
from oas.solvers.cbc_text import read_end

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.io.files import Source

MAX_BYTES = 200_000_000
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_ATTRIBUTE = re.compile(r"""(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_NO_SOLUTION = ("no solution available", "infeasible", "none")


class NoSolutionError(InputError):
    """A file whose solver states that it has no solution."""


Line = tuple[int, str]  # number, from 1 on, and text


def read_solution(path: Source) -> dict[str, float]:
    """Return the values in a solution file by the names of the variables; variables that it leaves out are 0.

    The format is recognised by the content: the raw format of HiGHS (``solution_file``), that of CBC (``solution``),
    SCIP (``write solution``), Gurobi (``.sol``), CPLEX (XML), or a line ``name value`` or ``name = value`` for each
    variable. Lines that start with ``#`` are comments. Of several solutions in a file, the first counts.

    Raises
    ------
    InputError
        For a file that cannot be read or is malformed; names the file, the line and the value.
    NoSolutionError
        An `InputError`: the solver has found no solution.
    """
    with naming_file(path):
        try:
            text = read_bytes(path, MAX_BYTES).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(f"is not a text in UTF-8: byte {error.start}") from None
        lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        if not lines:
            raise InputError("is empty")
        values: dict[str, float] = {}
        for number, name, value in _pairs(lines):
            place = f"line {number}"
            if not _NUMBER.fullmatch(value) or not math.isfinite(float(value)):
                raise InputError(f"the value of {name} is not a finite number", field=place, value=value)
            if name in values:
                raise InputError("a second value of this variable", field=place, value=name)
            values[name] = float(value)
        if not values:
            raise InputError("holds no values of variables")
        return values


def _pairs(lines: list[Line]) -> Iterator[tuple[int, str, str]]:
    """Yield line, name and value of each variable."""
    first = lines[0][1]
    if first.startswith("<"):
        return _cplex(lines)
    if first == "Model status" or any(text == "# Primal solution values" for _, text in lines[:4]):
        return _highs(lines)
    if first == "Columns":
        raise InputError("is in the table style of HiGHS: choose write_solution_style 0", field="line 1", value=first)
    if " - objective value " in first:
        if read_end(first, interrupted=False).objective is None:
            raise NoSolutionError("holds no solution", field="line 1", value=first)
        return _cbc(lines[1:])
    return _plain(lines)


def _plain(lines: list[Line]) -> Iterator[tuple[int, str, str]]:
    """Read lines of name and value, and the two lines before and the note after them that SCIP adds."""
    for number, text in lines:
        if text.startswith(("#", "solution status:", "objective value:")):
            continue
        if text.lower() in _NO_SOLUTION:
            raise NoSolutionError("holds no solution", field=f"line {number}", value=text)
        words = re.sub(r"\(obj:[^)]*\)$", "", text).replace(" = ", " ").split()
        if len(words) != 2:
            raise InputError("must be the name of a variable and its value", field=f"line {number}", value=text)
        yield number, words[0], words[1]


def _highs(lines: list[Line]) -> Iterator[tuple[int, str, str]]:
    start = next((at for at, (_, text) in enumerate(lines) if text == "# Primal solution values"), len(lines))
    if start + 1 >= len(lines):
        raise InputError("ends before the values of the solution", field=f"line {lines[-1][0]}", value=lines[-1][1])
    number, status = lines[start + 1]
    if status.lower() in _NO_SOLUTION:
        raise NoSolutionError("holds no solution", field=f"line {number}", value=status)
    at = next((at for at, (_, text) in enumerate(lines) if at > start and text.startswith("# Columns")), None)
    if at is None:
        raise InputError("holds no columns: the line “# Columns” is missing")
    number, text = lines[at]
    block = list(takewhile(lambda line: not line[1].startswith("#"), lines[at + 1 :]))
    if text.split()[-1] != str(len(block)):
        raise InputError("as many lines must follow", field=f"line {number}", value=text)
    return _plain(block)


def _cbc(lines: list[Line]) -> Iterator[tuple[int, str, str]]:
    for number, text in lines:
        words = text.removeprefix("**").split()
        if len(words) != 4 or not words[0].isdecimal():
            reason = "must be index, name, value and reduced cost"
            raise InputError(reason, field=f"line {number}", value=text)
        yield number, words[1], words[2]


def _cplex(lines: list[Line]) -> Iterator[tuple[int, str, str]]:
    if not any("<CPLEXSolution" in text for _, text in lines):
        raise InputError("is not a solution file of CPLEX: the element CPLEXSolution is missing")
    for number, text in lines:
        for element in re.findall(r"<variable\s[^>]*>", text):
            fields = {name: unescape(one or other) for name, one, other in _ATTRIBUTE.findall(element)}
            if not {"name", "value"} <= fields.keys():
                raise InputError("must have a name and a value", field=f"line {number}", value=element)
            yield number, fields["name"], fields["value"]
        if "</CPLEXSolution>" in text:
            return
    raise InputError("ends before the end of the solution", field=f"line {lines[-1][0]}")
