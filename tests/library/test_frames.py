"""The library as a data frame."""

from __future__ import annotations

import pytest

from oas.core.errors import InputError
from oas.library import Library


def test_entries_as_a_frame() -> None:
    library = Library()
    frame = library.to_frame()
    assert frame["name"].to_list() == [entry.name for entry in library.entries]
    one = library["uni-n50-N5-m128-s0"]
    assert one.record is not None
    row = library.to_frame([one.name]).iloc[0]
    assert (row["jobs"], row["nodes"], row["standing"]) == (one.jobs, sum(one.clusters), one.standing)
    assert row["makespan"] == float(one.record.makespan) and row["lower_bound"] == float(one.record.lower_bound)
    assert ((frame["gap"] == 0) == (frame["standing"] != "open")).all()
    with pytest.raises(InputError):
        library.to_frame(["no-such-entry"])
