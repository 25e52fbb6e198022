"""Number formats and columns of tables, and the hook by which types of lower packages are displayed by `oas.show`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.core.problem import import_object

if TYPE_CHECKING:
    from fractions import Fraction


def call_by_path(function: str, *arguments: object, **options: object) -> Any:
    """Call a function of a higher package, given as ``package.module:function``, and return its result."""
    return import_object(function)(*arguments, **options)


def attributes(thing: object, *names: str) -> dict[str, Any]:
    """Return the named attributes, as fields of a JSON object or as columns of a data frame."""
    return {name: getattr(thing, name) for name in names}


MISSING = "–"
DIGITS = 8  # maximum number of digits of a rounded time, unless its whole part has more


def show_time(value: Fraction | None) -> str:
    """Format a time with thousands separators; fractions are rounded to three decimals or `DIGITS` digits."""
    if value is None:
        return MISSING
    if value.denominator == 1:
        return f"{value.numerator:,}"
    if abs(value) < 1:
        return f"{float(value):.3g}"
    decimals = min(3, max(0, DIGITS - len(str(abs(int(value))))))
    text = f"{float(value):,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text


def show_exact(value: Fraction) -> str:
    """Format an exact time, followed by its rounded value if it is not whole."""
    return show_time(value) if value.denominator == 1 else f"{value} (about {show_time(value)})"


def show_slots(value: Fraction | None, slot: Fraction) -> str:
    """Format a time as a number of slots, or as missing at η = 0."""
    return MISSING if value is None or not slot else show_time(value / slot)


def show_percent(value: Fraction | None) -> str:
    """Format a ratio in percent with two decimals; an exact zero has none."""
    if value is None:
        return MISSING
    if value == 0:
        return "0 %"
    return f"{100 * float(value):.2f} %"


def show_ratio(value: Fraction | None) -> str:
    """Format a ratio with three decimals."""
    return MISSING if value is None else f"{float(value):.3f}"


def show_factor(value: Fraction | None) -> str:
    """Format a ratio with at most three decimals; trailing zeros show that the value is rounded."""
    if value is None:
        return MISSING
    text = f"{float(value):.3f}"
    return text.rstrip("0").rstrip(".") if (1000 * value).denominator == 1 else text


def show_seconds(value: float | None) -> str:
    """Format a wall time in seconds."""
    if value is None:
        return MISSING
    return f"{value:.3f} s" if value < 10 else f"{value:.1f} s"


def show_count(number: int, noun: str, many: str = "") -> str:
    """Format a count with its noun: 1 job, 2 jobs, 1,000 entries; parameters as `plural`."""
    return f"{number:,} {plural(number, noun, many)}"


def plural(number: int, noun: str, many: str = "") -> str:
    """Return the singular or plural of a noun; `many` is the plural if it is irregular."""
    return noun if number == 1 else many or f"{noun}s"
