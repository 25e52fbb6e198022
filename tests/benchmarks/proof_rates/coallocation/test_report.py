"""Tables and verdicts from stored rows: every figure is counted here by hand."""

from __future__ import annotations

import pytest

from benchmarks.proof_rates.coallocation.__main__ import main
from benchmarks.proof_rates.coallocation.plans import GROWTH, PLANS, Cell
from benchmarks.proof_rates.coallocation.report import report
from benchmarks.proof_rates.coallocation.rows import CoallocationRow
from benchmarks.proof_rates.coallocation.targets import TARGETS, verdicts
from benchmarks.proof_rates.shared.rows import RowFile
from benchmarks.proof_rates.shared.stages import disjoint, shares
from tests.benchmarks.proof_rates.coallocation.rows import answer, open_row, row

EIGHT, SIXTEEN, SIXTYFOUR = (PLANS[name].cells[0] for name in ("eight", "sixteen", "sixtyfour"))
LARGE = PLANS["twofiftysix"].cells[0]
TIGHT = next(cell for cell in PLANS["sixtyfour"].cells if cell.bandwidth == "tight")


def cells_of(text: str, start: str) -> list[str]:
    """Return the cells of the one table line that starts so."""
    (line,) = [line for line in text.splitlines() if line.startswith(start)]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_line_counts_its_cell():
    rows = [
        row(EIGHT, 0, trivial=30, combinatorial=30, closed_by="trivial bound"),
        row(EIGHT, 1, combinatorial=30, closed_by="wide jobs", rival=answer(30, 30, 0.5)),
        row(EIGHT, 2, proof="solver", closed_by="search", rival=answer(None, 40, 20.0)),
        row(EIGHT, 3, own=answer(30, 33, 20.0), closed_by="", rival=answer(30, 36, 20.0)),
    ]
    assert cells_of(report(rows), "| 8 | 3x4 | std | 250 |") == [
        *("8", "3x4", "std", "250", "3 of 4", "30.1 to 95.4 %", "1", "2", "2", "1", "3", "2.50 %", "10.00 %"),
        *("5.8", "20.0", "23.0", "2", "1", "6.67 %, 1 without bound", "42.5", "0"),
    ]
    assert "Closed by: trivial bound 1, wide jobs 1, search 1." in report(rows)


def test_without_a_bound_there_is_no_gap():
    text = report([row(EIGHT, 0, own=answer(None, 33, 20.0), closed_by="")])
    assert cells_of(text, "| 8 | 3x4 |")[10:13] == ["–", "–", "–"]


@pytest.mark.parametrize(
    ("rows", "asked", "figure", "met"),
    [
        ([row(EIGHT), open_row(EIGHT, 1)], "100 % proven", "50.0 %", False),
        ([row(EIGHT)], "100 % proven", "100.0 %", True),
        ([row(EIGHT), row(EIGHT, 1, own=answer(seconds=5.5))], "each under 5 s", "5.5 s; above in 1", False),
        ([row(EIGHT), row(EIGHT, 1, own=answer(seconds=3.5))], "total time", "4.5 s against 4.0 s", False),
        ([row(EIGHT)], "total time", "1.0 s against 2.0 s", True),
        ([row(SIXTEEN, seed) for seed in range(24)] + [open_row(SIXTEEN, 99)], "96 % proven", "96.0 %", True),
        ([row(SIXTEEN, seed) for seed in range(23)] + [open_row(SIXTEEN, 99)], "96 % proven", "95.8 %", False),
        ([open_row(SIXTEEN, upper=31), row(SIXTEEN, 1)], "more than 1 slot", "1; above in 0", True),
        ([open_row(SIXTEEN, upper=32), row(SIXTEEN, 1)], "more than 1 slot", "2; above in 1", False),
        ([row(LARGE), open_row(LARGE, 1, 100, 101)], "gap at most 1 %", "1.00 %; above in 0", True),
        ([open_row(SIXTYFOUR, lower=200, upper=201)], "0.5 % on every", "0.50 %; above in 0", True),
        ([open_row(SIXTYFOUR, lower=199, upper=200)], "0.5 % on every", "0.50 %; above in 1", False),
        ([open_row(TIGHT, 0, 100, 103), row(TIGHT, 1)], "mean gap at most 1.5 %", "1.50 %", True),
        ([open_row(TIGHT, 0, 100, 104), row(TIGHT, 1)], "mean gap at most 1.5 %", "2.00 %", False),
        ([row(SIXTYFOUR), open_row(TIGHT, 1)], "std: at least 75 %", "100.0 %", True),
    ],
)
def test_targets_are_judged_exactly(rows, asked, figure, met):
    (line,) = [line for line in verdicts(rows) if asked in line]
    cells = line.split(" | ")
    assert (cells[2], cells[4]) == (figure, "yes" if met else "**no**")


def test_a_target_says_of_how_many_instances_it_speaks():
    assert [target.instances(PLANS) for target in TARGETS] == [384] * 3 + ([144] * 4 + [72] * 3) * 2 + [24] * 2
    (line,) = [line for line in verdicts([row(SIXTYFOUR), row(TIGHT)]) if "0.5 %" in line]
    assert line.endswith("| 1 of 72 |")


def test_mismatches_come_first():
    text = report([row(EIGHT), row(EIGHT, 1, mismatch="two and two is five")])
    assert text.index("**1 MISMATCHES**") < text.index("## Targets")
    assert "seed 1: two and two is five" in text
    assert "| – | **no** | 2 |" in text
    assert cells_of(text, "| 8 | 3x4 |")[-1] == "1"


def test_all_that_differs_is_named():
    rows = [
        row(EIGHT),
        row(EIGHT, 1, commit="2" * 40 + "-dirty", versions={"python": "3.12", "cpsat": "9.15"}, load=2.5),
    ]
    text = report(rows)
    assert "python 3.11 or 3.12" in text and "load 0.5 to 2.5, mean 1.5" in text
    assert "1 of 1111111111 (a-b), 1 of 2222222222-dirty (a-b)" in text


def test_unusual_endings_are_named():
    rows = [row(EIGHT, 0, rival=answer(None, 40, termination="crashed")), row(EIGHT, 1)]
    assert "unusual endings: CP-SAT crashed 1" in report(rows)


def test_the_command_writes_the_page_from_stored_rows(tmp_path):
    rows, page = tmp_path / "rows.jsonl", tmp_path / "page.md"
    with RowFile(rows, CoallocationRow) as file:
        file.add(open_row(SIXTEEN))
        file.add(row(SIXTEEN))  # the same instance again: the last counts
    assert main(["--rows", str(rows), "--report", str(page)]) == 0
    assert cells_of(page.read_text(encoding="utf-8"), "| 16 | 3x4 | std | 50 |")[4] == "1 of 1"


def test_no_rows_no_page_of_zeros():
    assert "No rows." in report([])


def test_the_chart_stands_with_the_rows_of_growth():
    assert "proof-rate-growth.png" in report([row(PLANS["growth"].cells[0])])
    assert "proof-rate-growth.png" not in report([row(EIGHT)])


def test_stages_do_not_count_twice():
    stages = {"start": 1.0, "search": 6.0, "search: bound": 2.0, "search: local": 3.0}
    assert disjoint(stages) == {"start": 1.0, "search": 1.0, "search: bound": 2.0, "search: local": 3.0}
    stages["compile"] = 50.0  # no limit counts it
    found = shares(
        [row(Cell(), stages=stages, own=answer(seconds=8.0)), row(Cell(), 1, stages={}, own=answer(seconds=2.0))]
    )
    assert "compile" not in found
    assert found["other"] == pytest.approx(0.3) and sum(found.values()) == pytest.approx(1.0)


def test_a_cell_of_two_plans_stands_where_it_was_measured():
    cell = GROWTH["jobs"]["8"]
    assert cell in PLANS["eight"].cells
    text = report([row(cell, plan="growth")])
    assert "## How cost grows" in text and "## Eight jobs" not in text and "| eight |" not in text
