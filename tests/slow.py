"""Which tests are left to the long run, `make test-all`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence


def mostly_slow(values: Iterable[object], *, quick: Container[object]) -> list[object]:
    """Mark each value of a parametrization that is not in `quick` as slow; the others are run by `make test` too."""
    return [value if value in quick else _slow(value) for value in values]


def every_fourth_quick(values: Sequence[object]) -> list[object]:
    """Mark all but every fourth value of a parametrization as slow: many draws that all test the same rule."""
    return mostly_slow(values, quick=values[::4])


def _slow(value: object) -> object:
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.slow)
