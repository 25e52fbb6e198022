"""A limit on what checking a certificate may cost, counted in steps and not in seconds."""

from __future__ import annotations

from oas.standalone.errors import Refused

MOST_STEPS = 100_000_000
"""Of one certificate, each well below a microsecond: a few minutes at most."""


class Effort:
    """Steps that are left for a certificate.

    Parameters
    ----------
    steps
        So many.
    """

    def __init__(self, steps: int = MOST_STEPS) -> None:
        self.left = steps

    def spend(self, steps: int) -> None:
        """Take off these steps.

        Raises
        ------
        Refused
            If so many are not left.
        """
        self.left -= steps
        if self.left < 0:
            raise Refused("certificate: checking it would take too long")
