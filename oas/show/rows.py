"""Rows of data frames, of which instances are made; pandas is imported when one is read.

A frame is whatever `pandas.DataFrame` takes: one, or a dict of lists or arrays. Every error names row and column, a row
by its place from 0: ``jobs[3].time``.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Rational, Real
from typing import TYPE_CHECKING, Any, TypeVar

from oas.core.errors import InputError, within

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Made = TypeVar("Made")


class Rows:
    """The rows of a frame.

    Parameters
    ----------
    source
        What `pandas.DataFrame` takes.
    field
        What errors call it.
    columns
        Those read, each with what stands in its place where the frame does not have it; None if it must.
    decimals
        To which floats are rounded.
    """

    def __init__(self, source: object, field: str, columns: Mapping[str, object], decimals: int) -> None:
        import pandas

        try:
            self._frame = source if isinstance(source, pandas.DataFrame) else pandas.DataFrame(source)
        except (TypeError, ValueError) as error:
            raise InputError(f"must be a data frame, or what makes one: {error}", field=field) from error
        self._field, self._columns, self._decimals = field, columns, decimals
        if not self._frame.columns.is_unique:
            raise InputError("the frame has two columns of one name", field=field)
        for column, default in columns.items():
            if default is None and not self.has(column):
                known = ", ".join(map(str, self._frame.columns))
                raise InputError(f"the frame has no column {column}; it has: {known or 'none'}", field=field)

    def has(self, column: str) -> bool:
        """Tell whether the frame has a column."""
        return column in self._frame.columns

    def each(self, made: Callable[[Row], Made]) -> list[Made]:
        """Return what `made` makes of each row."""
        found = [column for column in self._columns if self.has(column)]
        for column in found:
            for place in self._frame[column].isna().to_numpy().nonzero()[0]:
                raise InputError("is missing", field=f"{self._field}[{place}].{column}")
        lists = [self._frame[column].tolist() for column in found]
        rows = []
        for place, values in enumerate(zip(*lists, strict=True)):
            given = dict(zip(found, values, strict=True))
            with within(f"{self._field}[{place}]"):
                rows.append(made(Row(place, {**self._columns, **given}, self._decimals)))
        return rows


class Row:
    """One row: its values by column."""

    def __init__(self, place: int, values: Mapping[str, Any], decimals: int) -> None:
        self._place, self._values, self._decimals = place, values, decimals

    def __getitem__(self, column: str) -> Any:
        return _rounded(self._values[column], column, self._decimals)

    def name(self, column: str) -> str:
        """Return the text of a column of ids, where numbers may serve; without the column, J and the row from 1."""
        value = self._values[column]
        if value == "":
            return f"J{self._place + 1}"
        return str(value) if isinstance(value, Rational) and not isinstance(value, bool) else value


def _rounded(value: Any, column: str, decimals: int) -> Any:
    """Return a float as the nearest Fraction of so many decimals; anything else as it is."""
    if not isinstance(value, Real) or isinstance(value, Rational | Decimal):
        return value
    if not isfinite(value):
        raise InputError("must be a finite number", field=column, value=value)
    rounded = round(Fraction(*value.as_integer_ratio()), decimals)  # type: ignore[attr-defined]
    if value and not rounded:
        raise InputError(f"is 0 when rounded to decimals={decimals}; give more", field=column, value=value)
    return Fraction(rounded)
