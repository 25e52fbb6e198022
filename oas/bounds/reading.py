"""What a certificate from a stranger is read with: objects with known fields, and lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oas.core.errors import InputError


def fields_of(value: object, field: str, *names: str) -> Mapping[str, Any]:
    """Return `value` if it is an object with exactly these fields; otherwise an `InputError` names `field`."""
    if not isinstance(value, Mapping) or set(value) != set(names):
        raise InputError(f"must be an object with {' and '.join(names)}", field=field)
    return value


def list_of(value: object, field: str, length: int | None = None) -> list[Any] | tuple[Any, ...]:
    """Return `value` if it is a list, of this length if one is given; otherwise an `InputError` names `field`."""
    if not isinstance(value, list | tuple):
        raise InputError("must be a list", field=field)
    if length is not None and len(value) != length:
        raise InputError(f"must have {length} entries", field=field, value=len(value))
    return value
