"""Texts for people, in files: what one may hold, and how it is made to hold no more."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oas.core.errors import InputError, within
from oas.io.diagnostics import label

if TYPE_CHECKING:
    from collections.abc import Mapping

# Control characters could steer a terminal, lone surrogates cannot be written at all.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")

# A spreadsheet takes a cell that begins so for a formula, and runs it; a number it leaves as it is.
_FORMULA = re.compile(r"[=@\t\r]|[+-](?!\d+(\.\d+)?([eE][+-]?\d+)?(/\d+)?\Z)")


def cell(value: object) -> object:
    """Return what a cell of a CSV file may hold: a text that a spreadsheet would run as a formula gets a ' in front."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def text(value: str, field: str) -> str:
    """Return a text read from a file; raises `InputError` if it holds control characters."""
    if match := _UNFIT.search(value):
        raise InputError("must not hold control characters", field=field, value=value[match.start() :][:20])
    return value


def texts(values: dict[str, str], field: str) -> dict[str, str]:
    """Return texts by key as read from a file; errors as `text`."""
    for key, value in values.items():
        if _UNFIT.search(key) or _UNFIT.search(value):
            with within(f"{field}.{label(key)}"):
                text(key, "")
                text(value, "")
    return values


def clean(value: str, field: str) -> str:
    """Return a text as a file may hold it; a solver's last words must not keep a result from being saved."""
    if not isinstance(value, str):
        raise InputError("must be text", field=field, value=value)
    return _UNFIT.sub("�", value)


def clean_texts(values: Mapping[str, str], field: str) -> dict[str, str]:
    """Return texts by key as a file may hold them."""
    return {clean(key, field): clean(value, f"{field}.{key}") for key, value in values.items()}
