"""Which tests, and how many random draws, are left to the long run, `make test-all`."""

import pytest

quick = False
"""Whether only the tests that are not slow are run, which draw fewer instances."""


def draws(count):
    """Return the number of draws: `count` in the long run, otherwise a third, and at least one."""
    return max(1, count // 3) if quick else count


def at_least(count):
    """Return how many of the draws must have a property that `count` of all of them have."""
    return count // 6 if quick else count


def mostly_slow(values, *, quick):
    """Mark each value of a parametrization that is not in `quick` as slow; the others are run by `make test` too."""
    return [value if value in quick else _slow(value) for value in values]


def every_fourth_quick(values):
    """Mark all but every fourth value of a parametrization as slow: many draws that all test the same rule."""
    return mostly_slow(values, quick=values[::4])


def _slow(value):
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.slow)
