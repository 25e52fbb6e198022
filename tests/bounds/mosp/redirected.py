"""Another function for the worker than the one a bound asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    import pytest

FUNCTIONS = "tests.bounds.mosp.worker_side"  # by name only: it loads HiGHS


def redirect(monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str) -> None:
    """Let the calls that `module` makes to the worker run this function of `worker_side`."""
    honest = module.call
    monkeypatch.setattr(module, "call", lambda _, *arguments: honest(f"{FUNCTIONS}:{name}", *arguments))
