"""The type of a deliberate bug."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bug:
    """A change of one place in the source, and the tests that must notice it.

    Attributes
    ----------
    breaks
        What is wrong then.
    file
        The file, in the source tree.
    old, new
        Text that occurs there exactly once, and what takes its place.
    tests
        Test files that have to notice.
    """

    breaks: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
