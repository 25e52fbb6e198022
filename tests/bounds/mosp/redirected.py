"""Another function for the worker than the one a bound asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds import request

if TYPE_CHECKING:
    import pytest

FUNCTIONS = "tests.bounds.mosp.worker_side"  # by name only: it loads HiGHS


def redirect(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let the worker run this function of `worker_side`, whatever a bound asks for."""
    honest = request.call
    monkeypatch.setattr(request, "call", lambda _, *arguments: honest(f"{FUNCTIONS}:{name}", *arguments))
