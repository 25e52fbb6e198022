"""The inner loop that reads plain lines of SWF logs: a plain function over arrays."""

from __future__ import annotations

from typing import Any

from oas.core.compiling import kernel

Numbers = Any  # an int64 array

FIELDS = 18
DIGITS, DECIMALS = 15, 9  # of a number, at most
LINE_BYTES = 10_000  # of a line, at most; a longer one is left
SKIPPED, SKIPPED_DECIMAL = -1, -2  # columns of fields that are not needed; the second may have decimals
TAB, NEW_LINE, RETURN, BLANK, MINUS, DOT, ZERO, NINE = 9, 10, 13, 32, 45, 46, 48, 57


@kernel
def plain_lines(text: Any, begin: int, column: Numbers, table: Numbers, row: int) -> tuple[int, int]:
    """Read lines from `begin` on, each 18 whole numbers or −1, up to the first that is anything else.

    Parameters
    ----------
    text
        Bytes.
    column
        For each field the column that takes it, or what of `SKIPPED` it is; at the end how many columns there are.
    table
        Rows of so many numbers, one row after the other, with room for every line.
    row
        The first row to fill.

    Returns
    -------
    tuple
        Where the first line begins that was not read, and its row.
    """
    width = column[FIELDS]
    while begin < len(text):
        place, field = begin, 0
        while place < len(text):
            while place < len(text) and (text[place] == BLANK or text[place] == TAB):
                place += 1
            if field == FIELDS or place == len(text):
                break
            unknown = text[place] == MINUS
            if unknown:
                place += 1
            value, digits = 0, place
            while place < len(text) and ZERO <= text[place] <= NINE and place - digits <= DIGITS:
                value = 10 * value + int(text[place]) - ZERO
                place += 1
            digits = place - digits
            if digits == 0 or digits > DIGITS or (unknown and (value != 1 or digits > 1 or field == 0)):
                return begin, row
            if place < len(text) and text[place] == DOT and column[field] == SKIPPED_DECIMAL and not unknown:
                place += 1
                digits = place
                while place < len(text) and ZERO <= text[place] <= NINE and place - digits <= DECIMALS:
                    place += 1
                if not 0 < place - digits <= DECIMALS:
                    return begin, row
            if place < len(text) and text[place] > BLANK:
                return begin, row
            if column[field] >= 0:
                table[row * width + column[field]] = -1 if unknown else value
            field += 1
        if place < len(text) and text[place] == RETURN:
            place += 1
        if field < FIELDS or place - begin > LINE_BYTES or (place < len(text) and text[place] != NEW_LINE):
            return begin, row
        begin = min(place + 1, len(text))
        row += 1
    return begin, row
