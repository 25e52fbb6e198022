"""A study of what forbidding saturation costs, as a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.numbers import as_float

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas

    from oas.studies.saturation.points import SaturationPoint


def frame_of(points: Iterable[SaturationPoint]) -> pandas.DataFrame:
    """Return one row a policy; columns as `SaturationPrice.to_frame` says."""
    import pandas

    rows = [
        {
            "policy": one.saturation.policy,
            "threshold": as_float(one.threshold),
            "sharing": one.saturation.sharing,
            "makespan": as_float(one.makespan),
            "lower_bound": float(one.lower_bound),
            "status": one.status.value,
            "ratio_low": as_float(None if one.ratio is None else one.ratio.low),
            "ratio_high": as_float(None if one.ratio is None else one.ratio.high),
            "heuristic": one.heuristic,
            "heuristic_makespan": as_float(one.heuristic_makespan),
            "proof": one.proof,
            "seconds": 0.0 if one.result is None else one.result.seconds.get("total", 0.0),
        }
        for one in points
    ]
    return pandas.DataFrame(rows)
