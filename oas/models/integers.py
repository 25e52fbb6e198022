"""Check that a model's integers fit into the 64 bits that CP-SAT computes with."""

from __future__ import annotations

from oas.core.errors import TooLargeError

# CP-SAT adds up demand · time over all jobs; this leaves it a factor of 16.
MAX_ENERGY = 2**59


def check_energy(what: str, capacity: int, horizon: int, energy: int) -> None:
    """Check one resource.

    Parameters
    ----------
    what
        Its name, for the message.
    capacity
        How much of it there is.
    horizon
        Ticks for which it is there.
    energy
        The most that all jobs together can take of it: the sum of demand · ticks.

    Raises
    ------
    TooLargeError
        If a sum over jobs and ticks could pass 2^59.
    """
    largest = max(capacity * horizon, energy)
    if largest > MAX_ENERGY:
        raise TooLargeError(
            f"{what}: demand times ticks comes to {largest:.1e}, too much for the 64 bits of CP-SAT"
            f" (at most {MAX_ENERGY:.1e}); coarser times, slots or bandwidths are needed"
        )
