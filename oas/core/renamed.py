"""Former names of attributes and functions. They work for one release, with a warning."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class Renamed:
    """A former name of an attribute of a class, as a class attribute: ``least = Renamed("lower_bound")``."""

    def __init__(self, new: str) -> None:
        self.new = new

    def __set_name__(self, owner: type, name: str) -> None:
        self._old = name

    def __get__(self, instance: Any, owner: type) -> Any:
        _warn(f"{owner.__name__}.{self._old}", self.new)
        return getattr(owner if instance is None else instance, self.new)


def renamed_functions(module: dict[str, Any], names: dict[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a module, given as ``globals()``, with former and present names of functions."""

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module['__name__']!r} has no attribute {name!r}")
        _warn(f"{module['__name__']}.{name}", names[name])
        return module[names[name]]

    return get


def _warn(old: str, new: str) -> None:
    message = f"{old} is now {new}; the old name will be removed"
    warnings.warn(message, DeprecationWarning, stacklevel=3)
