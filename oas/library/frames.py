"""A library's entries as a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.numbers import as_float

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas

    from oas.io.library_index import Entry


def entries_frame(entries: Iterable[Entry]) -> pandas.DataFrame:
    """Return what is known of each entry, one row each.

    Columns: name, problem, group, jobs, clusters, nodes (of all clusters), makespan and lower_bound (floats, in the
    instance's time unit), gap (a ratio: 0 is optimal), standing (open, claimed or certified), by, date, digest. What
    is not known yet is NaN, or empty.
    """
    import pandas

    rows = []
    for entry in entries:
        known = entry.record
        row = {
            "name": entry.name,
            "problem": entry.problem,
            "group": entry.group,
            "jobs": entry.jobs,
            "clusters": len(entry.clusters),
            "nodes": sum(entry.clusters),
            "makespan": as_float(None if known is None else known.makespan),
            "lower_bound": as_float(None if known is None else known.lower_bound),
            "gap": as_float(None if known is None else known.gap),
            "standing": entry.standing,
            "by": "" if known is None else known.by,
            "date": "" if known is None else known.date,
            "digest": entry.digest,
        }
        rows.append(row)
    return pandas.DataFrame(rows)
