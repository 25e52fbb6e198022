"""The format of numbers in tables, and the hook by which `oas.show` displays types of lower packages."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fractions import Fraction


def shown(function: str, *arguments: object, **options: object) -> Any:
    """Return what ``module.function`` of `oas.show` makes of the arguments."""
    module, _, name = function.rpartition(".")
    return getattr(import_module(f"oas.show.{module}"), name)(*arguments, **options)


MISSING = "–"
DIGITS = 8  # that a rounded time shows at most, unless its whole part has more


def show_time(value: Fraction | None) -> str:
    """A time with thousands separators: whole ones in full, others rounded to three decimals or `DIGITS` digits."""
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
    """A time as it is, and rounded where it is not whole."""
    return show_time(value) if value.denominator == 1 else f"{value} (about {show_time(value)})"


def show_slots(value: Fraction | None, slot: Fraction) -> str:
    """A time in slots; nothing at η = 0."""
    return MISSING if value is None or not slot else show_time(value / slot)


def show_percent(value: Fraction | None) -> str:
    """A ratio in percent, two decimals; an exact zero is told from a small one."""
    if value is None:
        return MISSING
    if value == 0:
        return "0 %"
    return f"{100 * float(value):.2f} %"


def show_ratio(value: Fraction | None) -> str:
    """A ratio with three decimals."""
    return MISSING if value is None else f"{float(value):.3f}"


def show_factor(value: Fraction | None) -> str:
    """A ratio with at most three decimals; one that is rounded keeps its zeros: 1 is 1, and 1.000 a little else."""
    if value is None:
        return MISSING
    text = f"{float(value):.3f}"
    return text.rstrip("0").rstrip(".") if (1000 * value).denominator == 1 else text


def show_seconds(value: float | None) -> str:
    """Wall time."""
    if value is None:
        return MISSING
    return f"{value:.3f} s" if value < 10 else f"{value:.1f} s"


def show_count(number: int, noun: str, many: str = "") -> str:
    """A number of things, with thousands separators: 1 job, 2 jobs, 1,000 entries; parameters as `plural`."""
    return f"{number:,} {plural(number, noun, many)}"


def plural(number: int, noun: str, many: str = "") -> str:
    """Return the form of a noun that goes with a number; `many` is the plural where it is not the noun and an s."""
    return noun if number == 1 else many or f"{noun}s"
