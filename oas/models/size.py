"""Check that a model is not too large to be built."""

from __future__ import annotations

from oas.core.errors import TooLargeError


def check_size(formulation: str, what: str, count: int, most: int) -> None:
    """Check how many of one kind a model has, before it is built.

    Parameters
    ----------
    formulation
        Its name, for the message.
    what
        What is counted, in the plural: ``variables``.
    count
        How many there would be.
    most
        How many there may be.

    Raises
    ------
    TooLargeError
        If there would be more.
    """
    if count > most:
        raise TooLargeError(f"the {formulation} model would have {count:,} {what}, above {most:,}")
