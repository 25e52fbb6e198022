"""Another search for the worker than the one a bound asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds import request

if TYPE_CHECKING:
    import pytest


def redirect(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    """Let the worker run this function in place of any search.

    The function is given by name, ``package.module:function``: its module may load HiGHS.
    """
    honest = request.call

    def call(_: str, *arguments: object) -> object:
        return honest(place, *arguments)

    monkeypatch.setattr(request, "call", call)
