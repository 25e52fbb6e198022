"""What is open after so many seconds, counted by hand from stored rows, and its chart."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import msgspec
import pytest

from benchmarks.proof_rates.coallocation.__main__ import main as coallocation
from benchmarks.proof_rates.coallocation.plans import PLANS
from benchmarks.proof_rates.mosp.__main__ import main
from benchmarks.proof_rates.mosp.plans import Cell
from benchmarks.proof_rates.shared.anytime import Stand, figures, gap_table, stage_table, stand
from benchmarks.proof_rates.shared.anytime_chart import MOMENTS, draw_anytime
from oas.core.errors import InputError
from tests.benchmarks.proof_rates.coallocation import rows as coallocation_rows
from tests.benchmarks.proof_rates.coallocation.rows import answer
from tests.benchmarks.proof_rates.mosp.rows import ROW, open_row, row

CELL = Cell(jobs=50)
STEPS = [(0.0, None, None), (0.5, None, 50), (1.5, 40, 48), (12.0, 40, 44)]


def test_the_last_step_before_counts_and_the_answer_from_its_end_on() -> None:
    one = open_row(CELL, 1, 41, 44, steps=STEPS)  # its answer, after 60 s, has one more
    stands = [stand(one, seconds) for seconds in (0.2, 0.5, 1, 2, 11.9, 12, 59.9, 60)]
    assert stands == [(None, None), (None, 50), (None, 50), (40, 48), (40, 48), (40, 44), (40, 44), (41, 44)]
    assert [one.open for one in stands[3:]] == [8, 8, 4, 4, 3] and stands[0].gap is None
    assert Stand(40, 48).gap == Fraction(1, 5) and Stand(0, 48).gap is None


def test_a_solve_that_has_ended_keeps_what_it_had() -> None:
    assert stand(row(CELL, 1, steps=[], own=answer(40, 40, 3.0)), 5) == (40, 40)
    assert stand(row(CELL, 1, steps=[], own=answer(40, 40, 3.0)), 2) == (None, None)


def test_what_the_answer_does_not_confirm_does_not_count() -> None:
    stated = open_row(CELL, 1, 40, 44, steps=[(1.0, 44, 42), (2.0, 39, 50)])  # neither was upheld
    assert stand(stated, 1) == stand(stated, 2) == (40, 44)
    assert stand(row(CELL, 1, own=answer(None, 44, 60.0), steps=[(1.0, 43, 44)]), 30) == (None, 44)


def test_median_counts_those_without_and_the_mean_leaves_them_out() -> None:
    rows = [open_row(CELL, seed, 40, 44, steps=[(second, 40, 44)]) for seed, second in enumerate((0.5, 3.0, 7.0))]
    assert figures(rows, 1) == (inf, pytest.approx(0.1), 4.0, 2)
    assert figures(rows, 5) == (pytest.approx(0.1), pytest.approx(0.1), 4.0, 1)
    assert figures(rows, 0.1) == (inf, inf, inf, 3)


def test_the_tables() -> None:
    closed = row(CELL, 3, own=answer(40, 40, 15.0), steps=[(0.5, 40, 42), (15.0, 40, 40)], stages={"start": 15.0})
    rows = [closed, open_row(CELL, 1, 40, 44, steps=STEPS, stages={"start": 15.0, "search": 30.0})]
    lines = list(gap_table({"some": rows}))
    assert lines[0] == "| group | instances | 1 s | 2 s | 5 s | 10 s | 20 s | 30 s | 60 s |"
    assert lines[2].split(" | ")[1:5] == [
        "2",
        "–, 5.00 %, 2.0 open (1)",
        "12.50 %, 12.50 %, 5.0 open",
        "12.50 %, 12.50 %, 5.0 open",
    ]
    assert lines[2].split(" | ")[6] == "5.00 %, 5.00 %, 2.0 open"
    head, _, line = stage_table({"some": rows})
    assert head == "| share of the time | start | search | other |" and line == "| some | 40.0 % | 40.0 % | 20.0 % |"


def test_the_chart_has_a_curve_for_each_group() -> None:
    rows = [open_row(CELL, seed, 40, 44, steps=STEPS) for seed in range(3)]
    figure = draw_anytime({"one": rows, "other": [row(CELL, own=answer(40, 40, 0.8))], "none": []})
    units, gaps, bars, _ = figure.axes
    assert [line.get_label() for line in units.lines] == ["one (3)", "other (1)"]
    moment = next(index for index, second in enumerate(MOMENTS) if second >= 12)
    assert units.lines[0].get_ydata()[moment] == 4 and units.lines[0].get_ydata()[moment - 1] == 8
    assert gaps.lines[0].get_ydata()[moment] == pytest.approx(10.0)
    assert [label.get_text() for label in bars.get_xticklabels()] == ["one", "other"]
    tops = {round(bar.get_x(), 3): bar.get_y() + bar.get_height() for bar in bars.patches}
    assert all(top == pytest.approx(1.0) for top in tops.values())


def test_without_rows_there_is_no_chart() -> None:
    with pytest.raises(InputError, match="no rows to draw"):
        draw_anytime({"none": []})


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_the_command_draws_and_writes_the_page(suffix: str, tmp_path) -> None:
    rows, chart, page = tmp_path / "rows.jsonl", tmp_path / f"anytime.{suffix}", tmp_path / "page.md"
    rows.write_bytes(msgspec.json.encode(open_row(CELL, steps=STEPS)) + b"\n")
    assert main(["--rows", str(rows), "--plot", str(chart), "--report", str(page)]) == 0
    assert chart.stat().st_size > 5000
    assert "| uni, n = 50 | 1 | –, –, – (1) | 20.00 %, 20.00 %, 8.0 open |" in page.read_text(encoding="utf-8")


def test_co_allocation_has_both_too(tmp_path) -> None:
    rows, chart, page = tmp_path / "rows.jsonl", tmp_path / "anytime.svg", tmp_path / "page.md"
    sixteen = coallocation_rows.open_row(PLANS["sixteen"].cells[0])
    growth = coallocation_rows.row(PLANS["growth"].cells[0], plan="growth")
    rows.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in (sixteen, growth)))
    assert coallocation(["--rows", str(rows), "--plot", str(chart), "--report", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert chart.exists() and "| sixteen, std | 1 |" in text and "| growth, std |" not in text


OLD_ROW = b"""{"plan":"uni","cell":{"workload":"uni","organizations":5,"jobs":10,"processors":32,"pareto":null,\
"locality":"1","seconds":60.0,"rival_seconds":null},"seed":3205100,"digest":"0","own":{"termination":"finished",\
"lower":40,"upper":40,"seconds":1.0,"message":""},"rival":{"termination":"finished","lower":40,"upper":40,\
"seconds":2.0,"message":""},"proof":"certificate","bound":"configurations","claims":[],"closed_by":"configurations",\
"combinatorial":38,"rechecked":true,"recheck_seconds":0.125,"stages":{"start":0.25,"search":0.5},\
"steps":[[0.0,null,null],[0.75,40,40]],"mismatch":"","load":0.5,"versions":{"python":"3.11"},"machine":"a machine",\
"commit":"1","source":"a-b","recorded":"2026-01-01T00:00:00+00:00","status":"optimal","confirmed":40,\
"heuristics":{"ILBA":44},"start":44,"paper":"75/2","found_by":"ruin and recreate"}
"""  # as rows were written on 21 November 2026


def test_rows_written_before_are_read(tmp_path) -> None:
    path, page = tmp_path / "rows.jsonl", tmp_path / "page.md"
    path.write_bytes(OLD_ROW)
    assert main(["--rows", str(path), "--report", str(page)]) == 0
    assert "| uni, n = 10 | 1 | 0.00 %, 0.00 %, 0.0 open |" in page.read_text(encoding="utf-8")
    assert set(msgspec.json.decode(OLD_ROW)) == set(ROW.__struct_fields__)
