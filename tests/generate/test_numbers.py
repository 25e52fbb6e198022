"""Numbers of numpy, and floats that are whole, make the same instances as an int."""

from __future__ import annotations

import numpy as np
import pytest

import oas
from oas.io import dumps

CALLS = {
    "section4": {"seed": 3, "jobs": 4, "clusters": 2, "nodes": 3},
    "tiny": {"seed": 3, "jobs": 3, "nodes": 4, "clusters": 2},
    "saturated": {"seed": 3, "jobs": 3, "clusters": 2, "nodes": 2, "slot": 2},
    "workload": {"number": 2},
    "uni": {"seed": 3, "jobs": 6, "organizations": 2, "processors": 8},
    "swf": {"seed": 3, "jobs": 6, "organizations": 2, "processors": 8},
    "arrivals": {"seed": 3, "organizations": 2, "processors": 8, "horizon": 20, "load": 1, "time": 4, "widest": 2},
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", [np.int64, np.float64, float], ids=lambda kind: kind.__name__)
def test_the_type_of_a_whole_number_changes_nothing(name: str, kind: type) -> None:
    generator = getattr(oas.generate, name)
    plain = generator(**CALLS[name])
    other = generator(**{key: kind(value) for key, value in CALLS[name].items()})
    assert dumps(other) == dumps(plain)


def test_other_floats_are_refused() -> None:
    with pytest.raises(oas.InputError, match=r"jobs: must be an integer \(got 2\.5\)"):
        oas.generate.section4(jobs=2.5)  # type: ignore[arg-type]
