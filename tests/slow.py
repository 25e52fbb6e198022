"""Which tests are left to the long run, `make test-all`."""

import pytest


def mostly_slow(values, *, quick):
    """Mark each value of a parametrization that is not in `quick` as slow; the others are run by `make test` too."""
    return [value if value in quick else _slow(value) for value in values]


def every_fourth_quick(values):
    """Mark all but every fourth value of a parametrization as slow: many draws that all test the same rule."""
    return mostly_slow(values, quick=values[::4])


def _slow(value):
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.slow)
