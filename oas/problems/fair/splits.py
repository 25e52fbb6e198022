"""How processors are divided among organizations: evenly, or by Zipf's law (section 6.2 of the paper)."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, get_args

from oas.core.errors import InputError
from oas.core.names import unknown_name
from oas.core.numbers import integer

Split = Literal["uniform", "zipf"]


def split_processors(processors: int, organizations: int, split: Split) -> list[int]:
    """Divide processors among organizations, each of which gets one at least.

    The paper names the distributions only. Chosen here: ``uniform`` gives each the same, ``zipf`` organization number
    u, counted from 1, a share in proportion to 1/u; shares are rounded down, and what is left goes to the largest
    remainders, the first organizations first among equals. An organization that would get none takes one
    from the last of the largest.

    Parameters
    ----------
    processors
        Of all, at least one for each organization.
    organizations
        k, at least 1.
    split
        ``uniform`` or ``zipf``.

    Raises
    ------
    InputError
        Naming the parameter.
    """
    count = integer(organizations, "organizations", least=1)
    total = integer(processors, "processors", least=1)
    if split not in get_args(Split):
        raise unknown_name(split, get_args(Split), "machines")
    if total < count:
        reason = f"must be at least {count}, one for each organization"
        raise InputError(reason, field="processors", value=total)
    weights = [Fraction(1, rank if split == "zipf" else 1) for rank in range(1, count + 1)]
    shares = [total * weight / sum(weights) for weight in weights]
    sizes = [int(share) for share in shares]
    remainders = sorted(range(count), key=lambda k: sizes[k] - shares[k])  # stable
    for k in remainders[: total - sum(sizes)]:
        sizes[k] += 1
    for k in range(count):
        if not sizes[k]:
            sizes[max(range(count), key=lambda other: (sizes[other], other))] -= 1
            sizes[k] = 1
    return sizes
