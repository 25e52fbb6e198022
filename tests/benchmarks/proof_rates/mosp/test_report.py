"""Plans, tables and verdicts from stored rows: every figure is counted here by hand."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from benchmarks.proof_rates.mosp.locality import contradictions, pairs
from benchmarks.proof_rates.mosp.plans import PLANS, Cell, cases
from benchmarks.proof_rates.mosp.report import report
from benchmarks.proof_rates.mosp.targets import TARGETS, verdicts
from oas.generate.mosp.swf import swf
from oas.generate.mosp.uni import uni
from tests.benchmarks.proof_rates.coallocation.rows import answer
from tests.benchmarks.proof_rates.mosp.rows import open_row, row

if TYPE_CHECKING:
    from benchmarks.proof_rates.mosp.rows import MospRow

TEN, FIFTY, HUNDRED, FIVE_HUNDRED = (Cell(jobs=jobs) for jobs in (10, 50, 100, 500))
SWF, SWF_LARGE = Cell(workload="swf"), Cell(workload="swf", jobs=500)
PARETO = Cell(jobs=100, pareto=3)
FREE = Cell(locality=None)


def rest(cell: Cell, count: int, plan: str = "uni", lower: int = 40, upper: int = 44) -> list[MospRow]:
    """Return so many open rows of this cell, of seeds that no others have."""
    return [open_row(cell, 9000 + number, lower, upper, plan=plan) for number in range(count)]


def cells_of(text: str, start: str) -> list[str]:
    """Return the cells of the one table line that starts so."""
    (line,) = [line for line in text.splitlines() if line.startswith(start)]
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize("name", ["uni", "swf"])
def test_the_paper_is_there_in_full(name):
    cells = PLANS[name].cells
    shapes = {(cell.organizations, cell.jobs, cell.processors) for cell in cells}
    assert shapes == set(product((2, 5, 10, 20), (10, 50, 100, 500), (32, 128, 512))) and len(cells) == 48
    assert {(cell.jobs, PLANS[name].count(cell)) for cell in cells} == {(10, 6), (50, 12), (100, 12), (500, 6)}
    assert {(cell.workload, cell.seconds, cell.locality, cell.pareto) for cell in cells} == {(name, 60.0, "1", None)}


def test_pareto_has_every_shape():
    cells = PLANS["pareto"].cells
    assert {(cell.workload, cell.jobs, cell.pareto) for cell in cells} == set(
        product(("uni", "swf"), (10, 50, 100, 500), range(1, 11))
    )
    assert {(cell.organizations, cell.processors) for cell in cells} == {(10, 128)}


def test_locality_has_a_hundred_instances_twice():
    every = list(cases(["locality"]))
    assert len(every) == 200
    kept = {case for case in every if case.cell.locality == "1"}
    assert len({case.cell.instance(case.seed).with_locality(1).digest for case in every}) == len(kept) == 100


def test_cases_go_round_the_cells():
    every = list(cases(["uni", "swf"], 2))
    assert len(every) == len(set(every)) == 2 * 96 and len({case.cell for case in every[:96]}) == 96
    assert [case.seed for case in every[96:]] == [case.seed + 1 for case in every[:96]]


def test_a_cell_draws_its_instance():
    drawn = uni(seed=3, jobs=12, organizations=10, processors=128, pareto=2).with_locality(None)
    assert Cell(organizations=10, jobs=12, processors=128, pareto=2, locality=None).instance(3).digest == drawn.digest
    assert Cell(workload="swf", processors=64).instance(1).digest == swf(seed=1, jobs=10, processors=64).digest


def test_a_line_counts_its_cell():
    rows = [
        row(TEN, 100, heuristics={"ILBA": 38}, own=answer(38, 38), combinatorial=38),
        row(TEN, 101, proof="solver", closed_by="claim of cpsat:cumulative"),
        open_row(TEN, 102, 40, 44, rival=answer(40, 50, 60.0)),
    ]
    assert cells_of(report(rows), "| uni | 10 | 5 | 32 | – | 1 |")[6:] == [
        *("2 of 3", "20.8 to 93.9 %", "1", "1", "33 %", "1 of 2", "1", "4", "3.33 %", "10.00 %"),
        *("20.67", "60.0", "2", "8.33 %", "21.33", "0"),
    ]
    assert "Closed by: configurations 1, claim of cpsat:cumulative 1." in report(rows)


@pytest.mark.parametrize(
    ("rows", "asked", "figure", "met"),
    [
        ([row(TEN), open_row(TEN, 101)], "n = 10: 100 %", "50.0 %", False),
        ([row(TEN), open_row(FIFTY)], "n = 10: 100 %", "100.0 %", True),
        ([row(FIFTY, s) for s in range(23)] + rest(FIFTY, 2), "n = 50: at least 92 %", "92.0 %", True),
        ([row(FIFTY, s) for s in range(22)] + rest(FIFTY, 2), "n = 50: at least 92 %", "91.7 %", False),
        ([open_row(FIFTY, 9, 40, 42)], "n = 50: never more than 2", "2; above in 0", True),
        ([open_row(FIFTY, 9, 40, 43)], "n = 50: never more than 2", "3; above in 1", False),
        ([open_row(HUNDRED, 9, 40, 43)], "n = 100: never more than 3", "3; above in 0", True),
        ([row(HUNDRED, s) for s in range(7)] + rest(HUNDRED, 3), "n = 100: at least 70 %", "70.0 %", True),
        ([row(FIVE_HUNDRED, s) for s in range(7)] + rest(FIVE_HUNDRED, 13), "n = 500: at least 35", "35.0 %", True),
        ([open_row(FIVE_HUNDRED, 9, 250, 252)], "n = 500: certified gap", "0.80 %; above in 0", True),
        ([open_row(FIVE_HUNDRED, 9, 250, 252, confirmed=249)], "n = 500: certified", "1.20 %; above in 1", False),
        ([row(FIVE_HUNDRED, confirmed=None)], "n = 500: certified gap", "–; above in 1", False),
        ([row(FIVE_HUNDRED), open_row(FIVE_HUNDRED, 1, 500, 503)], "n = 500: mean certified", "0.30 %", True),
        ([row(FIVE_HUNDRED), open_row(FIVE_HUNDRED, 1, 500, 504)], "n = 500: mean certified", "0.40 %", False),
        ([row(FIVE_HUNDRED), row(FIVE_HUNDRED, 1, confirmed=None)], "n = 500: mean certified", "–", False),
        ([row(SWF_LARGE, s, plan="swf") for s in range(9)] + rest(SWF_LARGE, 1, "swf"), "90 %", "90.0 %", True),
        (rest(SWF_LARGE, 1, "swf", 200, 203), "1.5 %", "1.50 %; above in 0", True),
        ([row(SWF, s, plan="swf") for s in range(49)] + rest(SWF, 1, "swf"), "98 %", "98.0 %", True),
        ([row(SWF, s, plan="swf") for s in range(48)] + rest(SWF, 1, "swf"), "98 %", "98.0 %", False),
        ([row(PARETO, s, plan="pareto") for s in range(3)] + rest(PARETO, 2, "pareto"), "60 %", "60.0 %", True),
        (rest(PARETO, 2, "pareto"), "n ≤ 100: certified gap, whatever", "10.00 %", True),
    ],
)
def test_targets_are_judged_exactly(rows, asked, figure, met):
    (line,) = [line for line in verdicts(rows) if asked in line]
    cells = line.split(" | ")
    assert (cells[2], cells[4]) == (figure, "yes" if met else "**no**")


def test_a_share_has_its_interval_and_nothing_else_has():
    lines = verdicts([row(FIFTY, s) for s in range(9)] + rest(FIFTY, 1))
    (share,) = [line for line in lines if "n = 50: at least" in line]
    assert "| 90.0 % | 59.6 to 98.2 % | **no** | 10 of 144 |" in share
    assert all(" | – | " in line for line in lines[2:] if line is not share)


def test_an_instance_without_a_bound_meets_no_target_and_has_no_gap():
    rows = [row(FIFTY), open_row(FIFTY, 101, own=answer(None, 44, 60.0)), open_row(FIFTY, 102)]
    (line,) = [line for line in verdicts(rows) if "n = 50: never more than 2" in line]
    assert "| no schedule or bound; above in 2 | – | **no** |" in line
    cells = cells_of(report(rows), "| uni | 50 | 5 | 32 | – | 1 |")
    assert cells[6] == "1 of 3" and cells[13:16] == ["–", "–", "–"]


def test_mismatches_miss_a_target():
    assert verdicts([row(TEN)])[-1].endswith("| – | yes | 1 |")
    assert verdicts([row(TEN), row(TEN, 101, mismatch="two and two is five")])[-1].endswith("| – | **no** | 2 |")


def test_a_target_says_of_how_many_instances_it_speaks():
    counts = {(target.plan, target.asked): target.instances(PLANS) for target in TARGETS}
    fifty = "n = 50: at least 92 % proven"
    assert [counts[plan, fifty] for plan in ("uni", "uni-old", "uni-former", "held-out")] == [144, 72, 72, 72]
    assert counts["uni", "n = 500: at least 35 % proven"] == counts["uni", "n = 10: 100 % proven"] == 72
    assert (
        counts["swf", "swf, n = 500: at least 90 % proven"] == counts["held-out", "swf, n = 500: at least 90 % proven"]
    )
    assert counts["swf", "at least 98 % proven"] == 72 + 144 + 144 + 72
    assert counts["pareto", "uni, n ≤ 100: at least 60 % proven"] == 90


def test_true_ratios_stand_beside_those_to_the_lower_bound():
    text = report([row(TEN), open_row(TEN, 101, 40, 50, heuristics={"local": 100, "ILBA": 50})])
    table = text[text.index("on uni, by N") : text.index("on uni, by n and N")]
    # LB = 37.5: 80 and 100 make 2.133 and 2.667; to the optimum 80 / 40; of all from 100 / 50 to 100 / 40.
    assert cells_of(table, "| all | 5 | local |")[3:] == [
        *("2", "2.400", "2.667", "1", "2.000", "2.000", "2.000 to 2.250", "2.000 to 2.500")
    ]
    assert cells_of(table, "| all | 5 | MOCCA-7 |")[3:8] == ["1", "1.600", "1.600", "1", "1.500"]
    assert "| all | 5 | MOLBA(2) |" not in table


def test_what_the_paper_prints_stands_beside_it():
    text = report([row(TEN), row(FIFTY), row(FREE, plan="locality", heuristics={"local": 800})])
    assert cells_of(text, "| uni | local | mean, n > 10, N = 5 |")[3:] == ["3.00", "2.133", "2.000", "1 of 1"]
    assert cells_of(text, "| uni | local | worst |")[3:] == ["12.12", "2.133", "2.000", "2 of 2"]
    text = report([row(FIFTY), open_row(FIFTY, 101, 40, 50)])  # 80 to 50 at least, to 40 at most
    assert cells_of(text, "| uni | local | mean, n > 10, N = 5 |")[3:] == ["3.00", "2.133", "1.800 to 2.000", "1 of 2"]


def test_the_price_of_locality_is_that_of_proven_pairs():
    rows = [
        *(row(TEN, seed, plan="locality", own=answer(42, 42)) for seed in range(3)),
        open_row(TEN, 3, plan="locality"),
        *(row(FREE, seed, plan="locality", own=answer(free, free)) for seed, free in enumerate((42, 40, 28, 30))),
    ]
    assert len(pairs(rows)) == 4
    text = report(rows)
    assert "both proven, on 3 of 4 instances" in text
    assert cells_of(text, "| 1 |") == ["1", "1"] and cells_of(text, "| above 1, up to 1.05 |")[1] == "1"
    assert cells_of(text, "| above 1.3, up to 1.5 |")[1] == "1" and cells_of(text, "| above 1.5 |")[1] == "0"
    assert "largest 3/2 = 1.5000 (42 against 28): uni, N = 5, n = 10, m = 32, seed 2" in text


def test_a_schedule_with_locality_is_one_without():
    rows = [row(TEN, plan="locality", own=answer(42, 42)), row(FREE, plan="locality", own=answer(43, 43))]
    (said,) = contradictions(rows)
    assert "at least 43" in said and "schedule of 40" in said  # CP-SAT's: the shorter one
    assert "**1 MISMATCHES**" in report(rows) and contradictions(rows[:1]) == []
    between = row(FREE, plan="locality", own=answer(41, 41))  # above CP-SAT's schedule, not above the other
    assert len(contradictions([rows[0], between])) == 1


def test_mismatches_come_first():
    text = report([row(TEN), row(TEN, 101, mismatch="two and two is five")])
    assert text.index("**1 MISMATCHES**") < text.index("## Targets") and "seed 101: two and two is five" in text


def test_no_rows_no_page_of_zeros():
    assert "No rows." in report([])
