"""Targets: what a campaign asks of the runs of a method on some samples."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from oas.core.errors import InputError, unknown_name
from oas.core.numbers import exact

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from fractions import Fraction

    from oas.campaigns.declaration import TargetsTable

MEASURES = {
    "proven": "share proven optimal",
    "certified": "share proven by a certificate",
    "gap": "largest gap",
    "mean_gap": "mean gap",
    "certified_gap": "largest gap to the certified bound",
    "mean_certified_gap": "mean gap to the certified bound",
    "open": "most ticks between bound and schedule",
    "seconds": "longest time",
    "total_seconds": "total time",
}
"""Measures of a method's runs, and how reports name them. A gap is makespan / lower bound − 1, both of the run."""
SHARES = ("proven", "certified")
PERCENTAGES = (*SHARES, "gap", "mean_gap", "certified_gap", "mean_certified_gap")


@dataclass(frozen=True)
class Target:
    """A requirement on a measure of a method's runs.

    Attributes
    ----------
    measure
        One of `MEASURES`.
    method
        Label of the method.
    samples
        Patterns of names of samples, such as ``uni, n = *``; all samples if empty.
    at_least, at_most
        The limit: a number, or the label of a method whose figure on the same samples is the limit. None for no limit.
    """

    measure: str
    method: str
    samples: tuple[str, ...] = ()
    at_least: Fraction | str | None = None
    at_most: Fraction | str | None = None

    def covers(self, sample: str) -> bool:
        """Return whether the target is about this sample."""
        return not self.samples or any(fnmatchcase(sample, pattern) for pattern in self.samples)


def target_of(table: TargetsTable, labels: Sequence[str], samples: Collection[str]) -> Target:
    """Return the target that a table declares.

    Raises
    ------
    InputError
        For an unknown measure or method, a pattern that no sample matches, or a limit that is neither a number nor a
        method.
    """
    if table.measure not in MEASURES:
        raise unknown_name(table.measure, MEASURES, "measure")
    method = labels[0] if table.method is None else table.method
    if method not in labels:
        raise unknown_name(method, labels, "method", reason="there is no such method")
    patterns = [table.samples] if isinstance(table.samples, str) else table.samples
    for pattern in patterns:
        if not any(fnmatchcase(sample, pattern) for sample in samples):
            raise InputError("no sample has such a name", field="samples", value=pattern)
    limits = {name: _limit(getattr(table, name), labels, name) for name in ("at_least", "at_most")}
    return Target(table.measure, method, tuple(patterns), **limits)


def _limit(value: int | str | None, labels: Sequence[str], field: str) -> Fraction | str | None:
    """Read a limit: a number, a percentage such as ``92 %``, or the label of a method."""
    if value is None or value in labels:
        return value  # type: ignore[return-value] # an integer is no label
    text = str(value)
    number = exact(text.removesuffix("%").strip(), field)
    return number / 100 if text.endswith("%") else number
