"""The answer to a name that nothing has."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

LIKENESS = 0.6  # of difflib's ratio, from 0 for nothing in common to 1 for the same
MOST = 3


def unknown_name(
    name: object,
    known: Iterable[object],
    field: str = "",
    *,
    reason: str = "unknown",
    further: str = "",
    listed: bool = True,
) -> InputError:
    """Return the error for a name that is looked up and not found, with near names and all that are known.

    Parameters
    ----------
    name
        As it was given.
    known
        The names there are.
    field
        Where the name stands.
    reason
        What the name is said to be.
    further
        What may be given beside the names, such as ``package.module:function``.
    listed
        Whether all names that are known are listed; otherwise only those near.
    """
    names = [str(one) for one in known]
    near = near_names(str(name), names)
    meant = f"; did you mean {' or '.join(near)}?" if near else ""
    if listed:
        meant = f"{meant or ';'} known: {', '.join(names)}{f', or {further}' if further else ''}"
    return InputError(f"{reason}{meant}", field=field, value=name)


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """Return the names that one may have meant, the nearest first; upper and lower case are alike."""
    spelled = {one.lower(): one for one in known}
    return [spelled[one] for one in get_close_matches(name.lower(), spelled, MOST, LIKENESS)]
