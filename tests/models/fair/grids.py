"""Instances of fair sharing whose models are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.problems.fair.instances import fair

if TYPE_CHECKING:
    from oas.problems.fair.instance import FairInstance


def twins() -> FairInstance:
    """Two organizations with the same jobs, and one with a job of two processors and a later one."""
    own = [(2,), (3, 1)]
    return fair((1, own), (1, own), (2, [(2, 0, 2), (1, 2)]), horizon=6)
