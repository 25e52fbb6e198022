"""The hook by which types of lower packages are displayed; `oas.show` is imported when something is shown."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def shown(function: str, *arguments: object, **options: object) -> Any:
    """Return what ``module.function`` of `oas.show` makes of the arguments."""
    module, _, name = function.rpartition(".")
    return getattr(import_module(f"oas.show.{module}"), name)(*arguments, **options)
