"""Formulations pinned by stored LP files, and the comparison itself."""

from __future__ import annotations

import re

import pytest

from tests.models.lp_compare import assert_same_model, lp_lines, parse_lp
from tests.models.pinned import FOLDER, PINNED, lp_text, path_of

SMALL = r"""\* Source Pyomo model name=small *\

min
cost:
+1 x(0)
+2.5 y

s.t.

c_u_cap(0)_:
+3 x(0)
-1 y
<= 4

c_e_tie_:
+1 y
+1 x(0)
= 2

bounds
 0 <= x(0) <= 1
 -inf <= y <= +inf
binary
 x(0)
end
"""


@pytest.mark.parametrize("name", PINNED)
def test_the_model_is_the_stored_one(name: str) -> None:
    assert_same_model(lp_text(name), path_of(name))


def test_every_stored_file_is_compared() -> None:
    assert set(FOLDER.rglob("*.lp")) == set(map(path_of, PINNED))


def test_what_is_read() -> None:
    assert parse_lp(SMALL).lines() == [
        "bound x(0): 0 <= x(0) <= 1",
        "bound y: -inf <= y <= +inf",
        "domain x(0): binary",
        "row c_e_tie_: 1 x(0) 1 y = 2",
        "row c_u_cap(0)_: 3 x(0) -1 y <= 4",
        "row min: 1 x(0) 5/2 y",
    ]


def test_order_and_the_way_numbers_are_written_do_not_matter() -> None:
    head, first, second, tail = re.match(r"(.*?)(c_u.*?)(c_e.*?)(bounds.*)", SMALL, re.DOTALL).groups()
    moved = head + second + first + tail.replace("0 <= x(0) <= 1", "0.0 <= x(0) <= 1e0")
    swapped = moved.replace("+3 x(0)\n-1 y", "-1.0 y\n+3.0 x(0)").replace("<= 4", "<= 4.0")
    assert swapped != SMALL
    assert lp_lines(swapped) == lp_lines(SMALL)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("+2.5 y", "+2.4999999999999996 y"),
        ("+3 x(0)", "+2 x(0)"),
        ("<= 4", ">= 4"),
        ("<= 4", "<= 5"),
        ("+1 y\n+1", "+1 z\n+1"),
        ("c_e_tie_", "c_e_knot_"),
        ("0 <= x(0) <= 1", "0 <= x(0) <= 2"),
        ("-inf <= y", "0 <= y"),
        ("binary", "general"),
        (" x(0)\nend", "end"),
    ],
)
def test_every_other_change_does(old: str, new: str, tmp_path) -> None:
    stored = tmp_path / "stored.lp"
    stored.write_text(SMALL, encoding="utf-8")
    changed = SMALL.replace(old, new)
    assert changed != SMALL
    with pytest.raises(AssertionError, match=r"not the model of stored\.lp"):
        assert_same_model(changed, stored)


@pytest.mark.parametrize("broken", [SMALL[:-4], SMALL + SMALL, SMALL.replace("+1 y\n+1 x(0)", "+1 y\n+1 y")])
def test_a_broken_file_is_not_read(broken: str) -> None:
    with pytest.raises(ValueError):
        parse_lp(broken)
