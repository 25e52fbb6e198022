"""The chart of a ledger, held against what it draws."""

from __future__ import annotations

import pytest
from matplotlib.colors import to_rgb

from oas import plots
from oas.core.errors import InputError
from oas.plots.fair.ledger_chart import (
    LedgerColumn,
    LedgerLine,
    LedgerPanel,
    ledger_chart,
    ledger_figure,
)

MOMENTS = [0.0, 1.0, 2.0, 3.0]
LINES = {
    "physics": LedgerLine([0.0, 1.0, 2.0, 4.0]),
    "biology": LedgerLine([0.0, -1.0, -1.5, -3.0], ([0.0, -2.0, -2.0, -5.0], [0.0, 0.0, -1.0, -1.0])),
    "$x_1$": LedgerLine([0.0, 0.0, -0.5, -3.1]),
}


def drawn(figure):
    figure.draw_without_rendering()
    return figure


def test_lines_bands_and_zero_are_what_they_say():
    ax = ledger_chart(MOMENTS, LINES, heading="FCFS", unit="days", scale="h")
    zero, *lines = ax.lines
    assert list(zero.get_ydata()) == [0, 0]
    assert [list(line.get_ydata()) for line in lines] == [list(line.middle) for line in LINES.values()]
    assert all(list(line.get_xdata()) == MOMENTS for line in lines)
    (band,) = ax.collections
    assert {tuple(one) for one in band.get_paths()[0].vertices} >= {(3.0, -5.0), (3.0, -1.0), (1.0, -2.0), (1.0, 0.0)}
    assert to_rgb(band.get_facecolor()[0][:3]) == to_rgb(lines[1].get_color())
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time [days]", "φ − ψ [h]")
    assert ax.get_title(loc="left") == "FCFS" and ax.get_xlim() == (0, 3)
    assert plots.ledger_chart is ledger_chart


def panels(*policies):
    return {name: LedgerPanel(f"{name}: so far", {**LINES}) for name in policies}


def test_a_row_a_policy_and_a_column_a_quantity():
    owed = LedgerColumn("φ − ψ", "h", panels("REF", "FCFS", "RAND"), ("above", "below"))
    taken = LedgerColumn("taken", "s", panels("FCFS", "RAND"))
    figure = drawn(ledger_figure(MOMENTS, [owed, taken], heading="a week", unit="days", words="so it is"))
    ref, empty, fcfs, fcfs_taken, rand, rand_taken = figure.axes
    assert figure.get_suptitle() == "a week" and not figure.legends
    assert [ax.get_title(loc="left") for ax in (ref, fcfs, rand, fcfs_taken, rand_taken)] == [
        *("REF: so far", "FCFS: so far", "RAND: so far", "FCFS: so far", "RAND: so far")
    ]
    assert not empty.axison and [one.get_text() for one in empty.texts] == ["so it is"]
    assert ref.get_ylim() == fcfs.get_ylim() == rand.get_ylim()
    assert {ax.get_ylabel() for ax in (ref, fcfs, rand)} == {"φ − ψ [h]"} and rand_taken.get_ylabel() == "taken [s]"
    assert [ax.get_xlabel() for ax in (ref, fcfs, rand, fcfs_taken)] == ["", "", "time [days]", ""]
    assert {"▲ above", "▼ below"} <= {one.get_text() for one in ref.texts}


def test_what_cannot_be_drawn_is_refused():
    for call, field in (
        (lambda: ledger_chart(MOMENTS, {}), "lines"),
        (lambda: ledger_chart(MOMENTS, {"A": LedgerLine([1.0])}), "lines of A"),
        (lambda: ledger_chart(MOMENTS, {"A": LedgerLine([0.0] * 4, ([0.0] * 4, [0.0]))}), "lines of A"),
        (lambda: ledger_figure(MOMENTS, []), "columns"),
        (lambda: ledger_figure(MOMENTS, [LedgerColumn("", "", {})]), "columns"),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert caught.value.field == field
