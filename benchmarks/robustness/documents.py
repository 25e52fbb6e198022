"""Changes of JSON documents by their structure: any place, number, list or flag in a tree of lists and objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

LARGE = tuple(base + off for base in (2**31, 2**53, 2**54, 2**60, 2**62, 2**63, 2**64, 2**100) for off in (-1, 0, 1))
STRANGE: tuple[Any, ...] = (None, True, False, -1, "", "7", "0x7", " 1", "1/3", 0.5, [], {}, [[]], [0], {"job": 0})
Place = tuple[Any, Any]
"""A list or object, and an index or key in it."""


class DoesNotApplyError(Exception):
    """The document has nothing to which the change applies."""


def places(tree: Any) -> Iterator[Place]:
    """Yield every place inside a document, without recursion."""
    stack = [tree]
    while stack:
        parent = stack.pop()
        for key in parent if isinstance(parent, dict) else range(len(parent)):
            yield parent, key
            if isinstance(parent[key], dict | list):
                stack.append(parent[key])


def is_integer(value: Any) -> bool:
    """Whether a value is an integer, or a text of digits."""
    return type(value) is int or (isinstance(value, str) and value.isdigit())


def put_number(place: Place, number: int) -> None:
    """Put an integer into a place, as a text if a text is there."""
    parent, key = place
    parent[key] = str(number) if isinstance(parent[key], str) else number


def some(draw: Random, found: list[Place]) -> list[Place]:
    """Return one place or a few.

    DoesNotApplyError if there is none.
    """
    if not found:
        raise DoesNotApplyError
    return draw.sample(found, min(len(found), draw.choice((1, 1, 2, 5))))


def change_numbers(draw: Random, tree: Any) -> None:
    """Replace a few integers by close ones, by 0, by about a multiple, or by half."""
    for place in some(draw, [(parent, key) for parent, key in places(tree) if is_integer(parent[key])]):
        old = int(place[0][place[1]])
        put_number(place, draw.choice((old - 1, old + 1, old + 1, old + 2, 0, 2 * old, 3 * old + 1, old // 2)))


def enlarge_numbers(draw: Random, tree: Any) -> None:
    """Put numbers near the ends of machine words, and beyond, into a few places."""
    for place in some(draw, [(parent, key) for parent, key in places(tree) if is_integer(parent[key])]):
        put_number(place, draw.choice((*LARGE, *LARGE, 10**40, 10**80 - 1)))


def scale_list(draw: Random, tree: Any) -> None:
    """Multiply a whole list of integers, or fill it with parts of a power of two, so that sums may overflow."""
    rows = [one for one in lists(tree) if one and all(type(item) is int for item in one)]
    if not rows:
        raise DoesNotApplyError
    row = draw.choice(rows)
    if draw.random() < 0.5:
        factor = draw.choice((2, 3, 10, 1000, 2**20))
        row[:] = [item * factor for item in row]
    else:
        top = draw.choice((2**31, 2**52, 2**53, 2**54, 2**60, 2**62, 2**63))
        row[:] = [top // draw.choice((1, 1, len(row), 2)) for _ in row]


def lists(tree: Any) -> list[list[Any]]:
    """Return the lists in a document that are not empty."""
    return [parent[key] for parent, key in places(tree) if isinstance(parent[key], list) and parent[key]]


def change_list(draw: Random, tree: Any) -> None:
    """Drop, repeat or swap items of a list."""
    for _ in range(draw.choice((1, 1, 2))):
        rows = lists(tree)
        if not rows:
            raise DoesNotApplyError
        edit_list(draw, draw.choice(rows))


def edit_list(draw: Random, row: Any) -> None:
    """Drop, repeat or swap items of a list or an array of bytes that is not empty."""
    at, other = draw.randrange(len(row)), draw.randrange(len(row))
    kind = draw.randrange(3)
    if kind == 0:
        row.pop(at)
    elif kind == 1:
        row[at:at] = [row[at]] * draw.choice((1, 1, 1, 7, 3000))
    else:
        row[at], row[other] = row[other], row[at]


def change_types(draw: Random, tree: Any) -> None:
    """Put values of other types, or empty ones of the same type, into a few places; drop or add a field."""
    for parent, key in some(draw, list(places(tree))):
        if key in parent if isinstance(parent, dict) else key < len(parent):
            kind = type(parent[key])
            parent[key] = kind() if kind in (list, dict, str) and draw.random() < 0.5 else draw.choice(STRANGE)
    if isinstance(tree, dict) and tree and draw.random() < 0.2:
        tree.pop(draw.choice(sorted(tree)))
    elif isinstance(tree, dict) and draw.random() < 0.1:
        tree["extra"] = 1


def turn_flags(draw: Random, tree: Any) -> None:
    """Negate a few flags."""
    for parent, key in some(draw, [(parent, key) for parent, key in places(tree) if type(parent[key]) is bool]):
        parent[key] = not parent[key]


CHANGES: dict[str, Callable[[Random, Any], None]] = {
    "numbers changed": change_numbers,
    "numbers near 2**62": enlarge_numbers,
    "lists scaled": scale_list,
    "other types": change_types,
    "flags turned": turn_flags,
    "items dropped, repeated, swapped": change_list,
}
