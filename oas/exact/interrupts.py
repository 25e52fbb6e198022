"""Ctrl-C during `oas.solve`: the best result is returned, or raised so that the caller's loop ends too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from oas.core.display import shown
from oas.core.errors import InputError

if TYPE_CHECKING:
    from oas.core.result import Result

OnInterrupt = Literal["auto", "raise", "return"]


class SolveInterrupted(KeyboardInterrupt):
    """Ctrl-C during a solve.

    Attributes
    ----------
    result
        The result so far: the best verified schedule, the proven bound, and the termination ``interrupted``.
    """

    def __init__(self, result: Result) -> None:
        super().__init__("interrupted; the result so far is the attribute `result` of this exception")
        self.result = result


def check_on_interrupt(value: object) -> None:
    """Refuse an unknown value of `on_interrupt`.

    Raises
    ------
    InputError
        Naming the value.
    """
    if value not in get_args(OnInterrupt):
        raise InputError(f"must be one of {', '.join(get_args(OnInterrupt))}", field="on_interrupt", value=value)


def raises_interrupts(on_interrupt: OnInterrupt) -> bool:
    """Tell whether an interrupted solve raises `SolveInterrupted`: by default everywhere but in notebooks."""
    if on_interrupt == "auto":
        return not shown("live.in_notebook")
    return on_interrupt == "raise"
