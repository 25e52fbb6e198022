"""JSON laid out for people: what fits on a line stays on one, so that a job or a placement usually takes one."""

from __future__ import annotations

import json

WIDTH = 120
_NESTED = frozenset({dict, list})
_text = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def lay_out(value: object, indent: int = 0, room: int = WIDTH) -> str:
    """Return `value` as JSON.

    Parameters
    ----------
    indent
        Spaces before the lines that follow the first.
    room
        Columns left on the first line.
    """
    whole = not isinstance(value, dict | list) or _only_scalars(value)
    if whole or _left(value, room) >= 0:
        line = _text(value)
        if whole or len(line) <= room:
            return line
    inner = indent + 2
    assert isinstance(value, dict | list)
    if isinstance(value, dict):
        opening, closing = "{", "}"
        items = []
        for key, item in value.items():
            head = f"{_text(key)}: "
            items.append(head + lay_out(item, inner, WIDTH - inner - len(head) - 1))
    else:
        opening, closing = "[", "]"
        items = [lay_out(item, inner, WIDTH - inner - 1) for item in value]
    lines = f",\n{' ' * inner}".join(items)
    return f"{opening}\n{' ' * inner}{lines}\n{' ' * indent}{closing}"


def _only_scalars(value: object) -> bool:
    """Whether this is a list without lists or objects: a thousand node numbers are easier to read in one line."""
    return isinstance(value, list) and _NESTED.isdisjoint(map(type, value))


def _left(value: object, room: int) -> int:
    """Return at most what is left of the columns once `value` stands there, below 0 as soon as it does not fit."""
    if isinstance(value, str):
        return room - len(value) - 2
    if not isinstance(value, dict | list):
        return room - 1
    room -= 2 * max(1, len(value))  # brackets, and what separates the items
    for key, item in value.items() if isinstance(value, dict) else (("", item) for item in value):
        if room < 0:
            break
        room = _left(item, room - len(key))
    return room
