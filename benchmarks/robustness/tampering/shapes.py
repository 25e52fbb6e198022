"""Rules that change what stands in a certificate: its numbers, its lists, its tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.robustness.tampering.draft import DoesNotApplyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    from benchmarks.robustness.tampering.draft import Draft

WEIGHTS = ("weights", "times", "heights", "slots", "capacity", "measures", "prices", "whole", "refuted")
LARGE = tuple(base + off for base in (2**31, 2**53, 2**54, 2**60, 2**62, 2**63, 2**64, 2**100) for off in (-1, 0, 1))
LARGER = (10**40, 10**79, 10**80 - 1)
STRANGE: tuple[Any, ...] = (None, True, False, -1, "", "7", "0x7", " 1", "1/3", 0.5, [], {}, [[]], [0], {"job": 0})


def places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (parent, key) of everything inside."""
    stack = [tree]
    while stack:
        parent = stack.pop()
        for key in parent if isinstance(parent, dict) else range(len(parent)):
            yield parent, key
            if isinstance(parent[key], dict | list):
                stack.append(parent[key])


def _some(draw: Random, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    if not found:
        raise DoesNotApplyError
    return draw.sample(found, min(len(found), draw.choice((1, 1, 2, 5))))


def _numbers(tree: Any) -> list[tuple[Any, Any]]:
    """All integers, and texts of their digits."""
    found = []
    for parent, key in places(tree):
        value = parent[key]
        if type(value) is int or (isinstance(value, str) and value.isdigit()):
            found.append((parent, key))
    return found


def _lists(tree: Any) -> list[list[Any]]:
    found = [parent[key] for parent, key in places(tree) if isinstance(parent[key], list) and parent[key]]
    if not found:
        raise DoesNotApplyError
    return found


def _put(parent: Any, key: Any, number: int) -> None:
    parent[key] = str(number) if isinstance(parent[key], str) else number


def weights_changed(draft: Draft) -> None:
    """A few weights a little different, nothing, doubled or moved to another job."""
    held = {name: one for name, one in draft.certificate.items() if name in WEIGHTS}
    if "tree" in draft.certificate:
        held |= {str(n): one for n, one in enumerate(draft.certificate["tree"]) if isinstance(one, dict)}
    draw = draft.random
    for parent, key in _some(draw, _numbers(held)):
        old = int(parent[key])
        _put(parent, key, draw.choice((old + 1, max(0, old - 1), 0, 2 * old, 3 * old + 1, old // 2)))
    draft.maybe_raise()


def weights_scaled(draft: Draft) -> None:
    """All weights of a list times a number, so that only the claims beside them are wrong."""
    draw = draft.random
    rows = [one for one in _lists(draft.certificate) if all(type(item) is int for item in one)]
    if not rows:
        raise DoesNotApplyError
    row, by = draw.choice(rows), draw.choice((2, 3, 10, 1000, 2**20))
    row[:] = [item * by for item in row]
    draft.maybe_raise()


def any_number(draft: Draft) -> None:
    """Any number of the certificate a little different."""
    for parent, key in _some(draft.random, _numbers(draft.certificate)):
        _put(parent, key, int(parent[key]) + draft.random.choice((-1, 1, 2)))
    draft.maybe_raise()


def large_numbers(draft: Draft) -> None:
    """Numbers near the ends of what machine words hold, and beyond."""
    for parent, key in _some(draft.random, _numbers(draft.certificate)):
        _put(parent, key, draft.random.choice((*LARGE, *LARGE, *LARGER)))
    draft.maybe_raise()


def large_list(draft: Draft) -> None:
    """A whole list of weights such that sums of them wrap round in machine words."""
    rows = [one for one in _lists(draft.certificate) if all(type(item) is int for item in one)]
    if not rows:
        raise DoesNotApplyError
    row = draft.random.choice(rows)
    top = draft.random.choice((2**31, 2**52, 2**53, 2**54, 2**60, 2**62, 2**63))
    row[:] = [top // draft.random.choice((1, 1, len(row), 2)) for _ in row]
    draft.maybe_raise()


def dropped(draft: Draft) -> None:
    """Items of a list, leaves of a tree above all, left out."""
    _change(draft, lambda row, at: row.pop(at))


def doubled(draft: Draft) -> None:
    """Items of a list, leaves of a tree above all, twice or very often."""
    times = draft.random.choice((1, 1, 1, 7, 3000))
    _change(draft, lambda row, at: row.__setitem__(slice(at, at), [row[at]] * times))


def swapped(draft: Draft) -> None:
    """Two items of a list in each other's place."""

    def swap(row: list[Any], at: int) -> None:
        other = draft.random.randrange(len(row))
        row[at], row[other] = row[other], row[at]

    _change(draft, swap)


def _change(draft: Draft, change: Callable[[list[Any], int], object]) -> None:
    tree = draft.certificate.get("tree")
    for _ in range(draft.random.choice((1, 1, 2))):
        rows = [tree] if tree and draft.random.random() < 0.5 else _lists(draft.certificate)
        row = draft.random.choice(rows)
        if row:
            change(row, draft.random.randrange(len(row)))
    draft.maybe_raise()


def emptied(draft: Draft) -> None:
    """Lists, objects and texts with nothing in them, or fields that are missing or too many."""
    found = [(parent, key) for parent, key in places(draft.certificate) if isinstance(parent[key], list | dict | str)]
    for parent, key in _some(draft.random, found):
        if key in parent if isinstance(parent, dict) else key < len(parent):
            parent[key] = type(parent[key])()
    if draft.random.random() < 0.3:
        draft.certificate.pop(draft.random.choice(sorted(draft.certificate)))
    elif draft.random.random() < 0.1:
        draft.certificate["steps" if draft.random.random() < 0.5 else "extra"] = 1
    draft.maybe_raise()


def strange(draft: Draft) -> None:
    """What is no number where one should be."""
    for parent, key in _some(draft.random, list(places(draft.certificate))):
        if key in parent if isinstance(parent, dict) else key < len(parent):
            parent[key] = draft.random.choice(STRANGE)
    draft.maybe_raise()


def mirrored(draft: Draft) -> None:
    """Time the other way round, or the tree of another kind."""
    flags = [(parent, key) for parent, key in places(draft.certificate) if type(parent[key]) is bool]
    for parent, key in _some(draft.random, flags):
        parent[key] = not parent[key]
    draft.maybe_raise()


RULES: dict[str, Callable[[Draft], None]] = {
    "weights changed": weights_changed,
    "weights scaled": weights_scaled,
    "any number changed": any_number,
    "numbers near 2**62": large_numbers,
    "sums that would wrap": large_list,
    "leaves or items dropped": dropped,
    "leaves or items doubled": doubled,
    "leaves or items swapped": swapped,
    "empty or missing parts": emptied,
    "other types": strange,
    "flags turned": mirrored,
}
