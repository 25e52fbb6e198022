"""The time of `oas.solve` by stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.exact.progress import COMPILE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.proof_rates.shared.rows import BaseRow


def disjoint(stages: Mapping[str, float]) -> dict[str, float]:
    """Return seconds by stage without overlap: a stage named ``a: b`` is part of ``a``, which keeps what is left."""
    own = dict(stages)
    for name, seconds in stages.items():
        whole, colon, _ = name.partition(": ")
        if colon and whole in own:
            own[whole] = max(0.0, own[whole] - seconds)
    return own


def shares(rows: Sequence[BaseRow]) -> dict[str, float]:
    """Return the share of each stage in the total time of these rows; what no stage accounts for is ``other``.

    Compiling is left out, as it is of the total.
    """
    spent: dict[str, float] = {}
    for row in rows:
        for name, seconds in disjoint(row.stages).items():
            if name != COMPILE:
                spent[name] = spent.get(name, 0.0) + seconds
    total = sum(row.own.seconds for row in rows)
    if not total:
        return {}
    spent["other"] = max(0.0, total - sum(spent.values()))
    return {name: seconds / total for name, seconds in spent.items()}
