"""The figure of the optimum at every start of a reservation."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from oas.core.errors import InputError
from oas.plots import placement_figure
from oas.studies.reservations.placement import CurvePiece


def piece(first, last, low, high):
    return CurvePiece(*map(F, (first, last, *low, *high)))


CURVE = [piece(0, 2, (8, 10), (8, 10)), piece(5, 5, (7, 7), (7, 7)), piece(6, 9, (6, 6), (9, 9))]


def test_each_piece_is_a_line_and_the_open_one_has_a_band():
    figure = placement_figure(CURVE, best=(F(5), F(7)), without=F(6), heading="$H$", unit="h")
    (ax,) = figure.axes
    lines = [(list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines]
    assert lines[:3] == [([0, 2], [8, 10]), ([5, 5], [7, 7]), ([6, 9], [9, 9])]
    assert lines[3][1] == [6, 6] and lines[4] == ([5], [7])
    (band,) = [one for one in ax.collections if one.get_hatch()]
    corners = band.get_paths()[0].get_extents()
    assert (corners.x0, corners.x1, corners.y0, corners.y1) == (6, 9, 6, 9)
    assert [text.get_text() for text in ax.texts] == ["start 5: 7"]
    assert ax.get_xlabel() == "start of the reservation [h]" and ax.get_title(loc="left") == "$H$"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "shortest schedule known",
        "down to the proven bound",
        "without it",
    ]


def test_starts_at_which_nothing_fits_are_grey_even_if_there_is_one():
    (ax,) = placement_figure(CURVE[:2], excluded=[(F(3), F(4)), (F(6), F(6))]).axes
    assert [(one.get_x(), one.get_width()) for one in ax.patches] == [(3, 1), (6, 0)]
    assert all(one.get_linewidth() > 0 for one in ax.patches)
    assert "it does not fit" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_a_proven_curve_says_so():
    (ax,) = placement_figure(CURVE[:2]).axes
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["optimum with the reservation"]
    assert not [one for one in ax.collections if one.get_hatch()]
    with pytest.raises(InputError, match="curve: at least one"):
        placement_figure([])
