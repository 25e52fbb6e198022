"""What checking one certificate may cost: counted in steps, not seconds, so that the answer is the same everywhere."""

from __future__ import annotations

from oas.core.errors import InputError

MAX_STEPS = 60_000_000_000
"""Of one certificate, each about a nanosecond: about a minute of one processor."""
# What other things take, in steps: integers beyond 64 bits, a line of Python, a call that works on whole arrays.
LONG, LINE, CALL = 30, 100, 5_000


class Budget:
    """Steps that are left for a certificate.

    What is to be done is taken off before it is done.

    Parameters
    ----------
    steps
        So many.
    """

    def __init__(self, steps: int = MAX_STEPS) -> None:
        self.left = steps

    def spend(self, steps: int, field: str) -> None:
        """Take off these steps.

        Raises
        ------
        InputError
            Naming `field`, if so many are not left.
        """
        self.left -= steps
        if self.left < 0:
            raise InputError(f"takes more than {MAX_STEPS:,} steps to check, the most for one certificate", field=field)
