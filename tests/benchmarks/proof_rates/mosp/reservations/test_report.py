"""Plans, tables and verdicts from stored rows: every figure is counted here by hand."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.proof_rates.mosp.reservations.plans import CLASSES, PLANS, Cell, plans
from benchmarks.proof_rates.mosp.reservations.report import report
from benchmarks.proof_rates.mosp.reservations.targets import TARGETS, verdicts
from benchmarks.proof_rates.shared.plans import round_robin
from oas.generate.mosp.worst_cases.reservations_theorem1 import claims
from tests.benchmarks.proof_rates.coallocation.rows import answer
from tests.benchmarks.proof_rates.mosp.reservations.rows import open_row, row

TEN, FIFTY, HUNDRED = (Cell(jobs=jobs) for jobs in (10, 50, 100))
NO = Cell(availability="three-partition", jobs=9)


def cells_of(text: str, start: str) -> list[str]:
    """Return the cells of the one table line that starts so."""
    (line,) = [line for line in text.splitlines() if line.startswith(start)]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_two_hundred_instances_half_with_releases() -> None:
    every = list(round_robin(PLANS, PLANS))
    assert len(every) == len(set(every)) == 200
    drawn = [(case.cell, case.cell.instance(case.seed)) for case in every]
    assert len({instance.digest for _, instance in drawn}) == 200
    assert all(len(instance.jobs) == cell.jobs for cell, instance in drawn)
    random = [(cell, instance) for cell, instance in drawn if cell.availability in CLASSES]
    assert Counter(cell.availability for cell, _ in random) == dict.fromkeys(CLASSES, 64)
    assert Counter(instance.node_count for _, instance in random) == {16: 96, 128: 96}
    assert sum(any(job.release for job in instance.jobs) for _, instance in random) == 96
    assert [target.instances(PLANS) for target in TARGETS] == [96, 96, 48, 48, 192, 8]


def test_three_partition_has_no_solution() -> None:
    for case in round_robin(PLANS, ["three-partition"]):
        instance = case.cell.instance(case.seed)
        (claim,) = claims(groups=case.cell.jobs // 3, solvable=False, seed=case.seed)
        assert claim.true > max(one.end for one in instance.organizations[0].reservations)


def test_a_sample_has_only_what_was_asked_for() -> None:
    sample = plans(jobs=[9, 20], seconds=10, rival=False)
    cells = [cell for plan in sample.values() for cell in plan.cells]
    assert Counter((cell.availability in CLASSES, cell.jobs) for cell in cells) == {
        (True, 9): 6,
        (True, 20): 6,
        (False, 9): 1,
    }
    assert {(cell.seconds, cell.rival) for cell in cells} == {(10, False)}


def test_a_line_counts_its_rows() -> None:
    rows = [
        row(TEN, 0, rival_proof="certificate"),
        row(TEN, 1, proof="solver", closed_by="claim of cpsat:cumulative", confirmed=38),
        open_row(TEN, 2, 40, 44, rival=answer(40, 50, 60.0)),
        open_row(TEN, 3, 40, 42, confirmed=39, rival=answer(40, 42, 60.0)),
    ]
    text = report(rows)
    # 44/40 and 42/39 above 1; CP-SAT 50/40 and 42/40.
    expected = [
        *("4", "2", "1", "1", "8.85 %", "10.00 %", "30.5", "60.0"),
        *("2", "1", "1", "15.00 %", "25.00 %", "31.0", "0"),
    ]
    assert cells_of(text, "| 10 | 4 |")[1:] == expected == cells_of(text, "| all | 4 |")[1:]
    assert "Closed by: configurations 1, claim of cpsat:cumulative 1." in text
    assert "--plan random \\\n        --jobs 10 --seeds 4 --seconds 60\n" in text


def test_classes_have_lines_of_their_own() -> None:
    text = report([row(TEN), open_row(Cell(availability="general", releases=True)), row(FIFTY)])
    assert cells_of(text, "| 10 | 2 |")[:3] == ["10", "2", "1"]
    assert cells_of(text, "| 10 | alpha | no |")[3:6] == ["1", "1", "1"]
    assert cells_of(text, "| 10 | general | yes |")[3:6] == ["1", "0", "0"]


def test_what_only_one_proved_is_named() -> None:
    other = Cell(availability="general")
    rows = [row(TEN), row(TEN, 1, rival=answer(39, 40, 60.0)), open_row(other, 3, rival=answer(42, 42, 2.5))]
    text = report(rows)
    assert "Proven by `oas.solve` and not by CP-SAT alone: 1. The other way round: 1." in text
    assert "\n- general, n = 10, 60 s, seed 3: 42 in 2.5 s\n" in text
    assert cells_of(text, "| 10 | 16 |")[2:4] == ["1", "1"] and cells_of(text, "| 10 | 128 |")[2:4] == ["2", "1"]


def test_each_limit_has_a_section_and_cp_sat_may_be_left_out() -> None:
    alone = Cell(rival=False, seconds=10.0)
    text = report([row(TEN), open_row(alone, rival=answer(None, None, 0.0, termination="left out"))])
    longer, shorter = text.split("## 10 s for each instance, CP-SAT left out")
    assert "## 60 s for each instance\n" in longer and cells_of(longer, "| 10 | 1 |")[2] == "1"
    assert cells_of(shorter, "| 10 | 1 |")[9:] == [*["–"] * 6, "0"]
    assert "--seconds 10 --no-rival" in shorter and "--no-rival" not in longer.split("## 60 s")[1]


@pytest.mark.parametrize(
    ("rows", "asked", "figure", "met"),
    [
        ([row(TEN), open_row(TEN, 1)], "100 % proven", "50.0 %", False),
        ([row(TEN), open_row(FIFTY)], "100 % proven", "100.0 %", True),
        ([row(TEN), row(TEN, 1, proof="solver")], "95 % by certificate", "50.0 %", False),
        ([row(FIFTY, s) for s in range(4)] + [open_row(FIFTY, 4)], "n = 50", "80.0 %", True),
        (
            [row(HUNDRED, s) for s in range(2)] + [open_row(HUNDRED, 2 + s) for s in range(2)],
            "n = 100",
            "50.0 %",
            False,
        ),
        ([row(TEN, confirmed=30, proof="solver")], "elsewhere", "none is open", True),
        ([row(TEN), open_row(TEN, 1, 100, 101)], "elsewhere", "1.00 %; above in 0", True),
        ([open_row(TEN, 1, 100, 101, confirmed=99)], "elsewhere", "2.02 %; above in 1", False),
        ([row(NO, plan="three-partition")], "refuted", "100.0 %", True),
        ([row(NO, plan="three-partition", proof="solver")], "refuted", "0.0 %", False),
    ],
)
def test_targets_are_judged_exactly(rows, asked, figure, met) -> None:
    (line,) = [line for line in verdicts(rows) if asked in line]
    cells = line.split(" | ")
    assert (cells[2], cells[4]) == (figure, "yes" if met else "**no**")


def test_mismatches_come_first() -> None:
    text = report([row(TEN), row(TEN, 1, mismatch="two and two is five")])
    assert text.index("**1 MISMATCHES**") < text.index("## 60 s") and "seed 1: two and two is five" in text
    assert "No rows." in report([])
