"""A certificate of a bound or a schedule in a file: integers, texts, truth values, lists and objects, no decimals."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from oas.core.errors import InputError
from oas.core.numbers import format_fraction
from oas.io.diagnostics import MAX_DEPTH, label


def certificate_from_file(certificate: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a certificate read from a file.

    Raises
    ------
    InputError
        If it holds a decimal (it would not be exact) or is nested too deeply.
    """
    return None if certificate is None else _plain(certificate, "certificate", 0)


def certificate_to_file(certificate: Mapping[str, object] | None) -> dict[str, Any] | None:
    """Return a certificate as a file can hold it: tuples become lists, Fractions the text that `exact` reads.

    Raises
    ------
    InputError
        If it holds anything that is not plain data, a float in particular.
    """
    return None if certificate is None else _plain(dict(certificate), "certificate", 0)


def _plain(value: object, field: str, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise InputError(f"nested more than {MAX_DEPTH} deep", field=field)
    if value is None or type(value) in (bool, int, str):
        return value
    if isinstance(value, Fraction):
        return format_fraction(value)
    if isinstance(value, list | tuple):
        return [_plain(item, f"{field}[{index}]", depth + 1) for index, item in enumerate(value)]
    if isinstance(value, Mapping) and all(type(key) is str for key in value):
        return {key: _plain(item, f"{field}.{label(key)}", depth + 1) for key, item in value.items()}
    raise InputError("a certificate holds integers and texts only", field=field, value=value)
