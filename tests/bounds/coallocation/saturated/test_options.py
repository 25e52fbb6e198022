from fractions import Fraction as F

import pytest

import oas
from oas.bounds.coallocation.saturated.options import Options
from oas.core.errors import TooLargeError


def test_times_without_a_short_common_unit_leave_the_bound_out_and_the_schedule_in():
    """On a grid of slots each of these times is fine; together they need a unit that no float holds."""
    jobs = [oas.Job(f"J{number}", 1, F(10**38 + number, 10**38 + 2 * number + 1)) for number in range(9)]
    instance = oas.CoallocationInstance([oas.Cluster("A", [oas.NodeGroup(2, 1)], 1)], jobs, 1, "slowdown")
    with pytest.raises(TooLargeError, match="no common unit of at most 256 bits"):
        Options(instance)
    assert oas.solve(instance, time_limit=1).objective == 5
