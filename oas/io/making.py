"""Lists of things made of what files say, with the place of the first that cannot be made."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from oas.core.errors import InputError, within

if TYPE_CHECKING:
    from collections.abc import Iterable

Thing = TypeVar("Thing")


def made(field: str, things: Iterable[Thing]) -> list[Thing]:
    """Return the things as a list; an error in making one names its place under `field`."""
    found: list[Thing] = []
    try:
        for thing in things:
            found.append(thing)  # how many there are tells the place
    except InputError:
        with within(f"{field}[{len(found)}]"):
            raise
    return found
