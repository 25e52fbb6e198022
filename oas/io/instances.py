"""The part of a problem that file formats use: how files hold its instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class InstanceFormat:
    """Instances of one problem in files.

    Attributes
    ----------
    document
        A subclass of `oas.io.documents.DocumentStruct`: field names, types and defaults; tag ``oas-instance`` in the
        field ``format``, and a field ``problem`` that holds the problem's name.
    read
        ``document -> instance``; raises `InputError` that names the field.
    write
        ``instance -> document``.
    """

    document: type
    read: Callable[[Any], Any]
    write: Callable[[Any], Any]
