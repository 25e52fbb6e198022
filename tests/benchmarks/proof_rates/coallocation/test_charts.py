from __future__ import annotations

import pytest

from benchmarks.proof_rates.coallocation.__main__ import GROWTH_CHART, main
from benchmarks.proof_rates.coallocation.charts import draw_growth
from benchmarks.proof_rates.coallocation.plans import GROWTH, PLANS, Cell
from benchmarks.proof_rates.coallocation.rows import CoallocationRow
from benchmarks.proof_rates.shared.rows import RowFile
from oas.core.errors import InputError
from tests.benchmarks.proof_rates.coallocation.rows import answer, open_row, row


def growth_rows():
    """Three proven and one open instance in each cell, the slower the more jobs."""
    rows = []
    for cell in PLANS["growth"].cells:
        seconds = [0.1 * cell.jobs, 0.2 * cell.jobs, 0.3 * cell.jobs]
        rows += [row(cell, seed, plan="growth", own=answer(seconds=each)) for seed, each in enumerate(seconds)]
        rows.append(open_row(cell, 3, plan="growth"))
    return rows


def test_each_axis_has_its_values_and_figures():
    figure = draw_growth(growth_rows())
    above, below = figure.axes[: len(GROWTH)], figure.axes[len(GROWTH) :]
    for ax, (name, cells) in zip(below, GROWTH.items(), strict=True):
        assert ax.get_xlabel() == name
        assert [label.get_text() for label in ax.get_xticklabels()] == list(cells)
    for ax, cells in zip(above, GROWTH.values(), strict=True):
        assert [text.get_text() for text in ax.texts] == ["3/4"] * len(cells)
        (median,) = [line for line in ax.lines if line.get_label() == "oas.solve, median"]
        (worst,) = [line for line in ax.lines if line.get_label() == "oas.solve, worst"]
        assert list(median.get_ydata()) == pytest.approx([0.25 * cell.jobs for cell in cells.values()])
        assert list(worst.get_ydata()) == pytest.approx([max(20.0, 0.3 * cell.jobs) for cell in cells.values()])


def test_it_says_how_many_instances_stand_behind_each_point():
    assert "Instances behind each point: 4; above" in draw_growth(growth_rows()).get_suptitle()
    uneven = [*growth_rows(), row(Cell(), 4, plan="growth")]
    assert "Instances behind each point: 4 to 5; above" in draw_growth(uneven).get_suptitle()


def test_shares_of_the_time_fill_the_axis():
    quick = row(Cell(jobs=4), 4, plan="growth", own=answer(seconds=90.0), stages={"start": 80.0})
    figure = draw_growth([*growth_rows(), quick])
    for ax, cells in zip(figure.axes[len(GROWTH) :], GROWTH.values(), strict=True):
        tops = {round(bar.get_x(), 3): bar.get_y() + bar.get_height() for bar in ax.patches}
        assert len(tops) == len(cells) and all(top == pytest.approx(1.0) for top in tops.values())
        assert {bars.get_label() for bars in ax.containers} == {"start", "search", "other"}


def test_a_stage_that_is_small_everywhere_is_other():
    figure = draw_growth(growth_rows())
    assert {bars.get_label() for bars in figure.axes[-1].containers} == {"search", "other"}


def test_cells_not_yet_measured_are_left_out():
    figure = draw_growth([row(Cell(), 0), row(Cell(jobs=16), 0)])
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["12", "16"]


def test_without_rows_of_growth_there_is_no_chart(tmp_path, capsys):
    with pytest.raises(InputError, match="growth"):
        draw_growth([row(PLANS["eight"].cells[0])])
    path = tmp_path / "rows.jsonl"
    with RowFile(path, CoallocationRow) as file:
        file.add(row(PLANS["eight"].cells[0]))
    assert main(["--rows", str(path), "--charts", str(tmp_path)]) == 2
    assert "growth" in capsys.readouterr().err


@pytest.mark.slow
def test_the_file_is_small_and_the_same_each_time(tmp_path):
    path = tmp_path / "rows.jsonl"
    with RowFile(path, CoallocationRow) as file:
        for one in growth_rows():
            file.add(one)
    drawn = []
    for folder in ("one", "two"):
        assert main(["--rows", str(path), "--charts", str(tmp_path / folder)]) == 0
        drawn.append((tmp_path / folder / GROWTH_CHART).read_bytes())
    assert drawn[0] == drawn[1] and len(drawn[0]) < 250_000
