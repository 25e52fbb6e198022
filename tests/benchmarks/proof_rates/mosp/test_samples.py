"""Samples: no two cells of a plan share their jobs, the old sample does, and all stand side by side."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from benchmarks.proof_rates.mosp.plans import LEAST_SEED, PLANS, Cell, cases, first_seed
from benchmarks.proof_rates.mosp.report import report
from benchmarks.proof_rates.mosp.samples import groups, times_drawn
from tests.benchmarks.proof_rates.mosp.rows import open_row, row
from tests.benchmarks.proof_rates.mosp.test_report import cells_of

FRESH = ("uni", "swf", "pareto", "held-out")


def first_times(cell: Cell, seed: int, count: int = 10) -> tuple[int, ...]:
    """Return the first times that are drawn, which are the same for any greater number of jobs."""
    return times_drawn(row(msgspec.structs.replace(cell, jobs=count), seed))


@pytest.mark.parametrize("name", FRESH)
def test_no_two_instances_share_seed_or_times(name: str) -> None:
    every = list(cases([name]))
    assert len({case.seed for case in every}) == len(every)
    drawn = Counter((case.cell.workload, first_times(case.cell, case.seed)) for case in every)
    assert max(drawn.values()) == 1


def test_more_jobs_are_other_jobs() -> None:
    few, many = Cell(jobs=50), Cell(jobs=100)
    first = first_seed(few)
    assert first_times(few, first, 50) == first_times(many, first, 100)[:50]  # one seed: the same jobs
    assert first_times(few, first, 50) != first_times(many, first_seed(many), 100)[:50]


def test_no_plan_looks_where_others_tune_and_held_out_where_none_looks() -> None:
    seeds = {name: {case.seed for case in cases([name])} for name in PLANS}
    assert all(min(found) >= LEAST_SEED for found in seeds.values())
    for name in set(PLANS) - {"held-out"}:
        assert not seeds[name] & seeds["held-out"]
    drawn = {first_times(case.cell, case.seed) for case in cases(["held-out"])}
    assert not drawn & {first_times(case.cell, case.seed) for case in cases(["uni", "uni-old", "uni-former"])}


def test_the_old_sample_has_six_workloads_for_each_n() -> None:
    every = list(cases(["uni-old"]))
    assert {case.seed for case in every} == set(range(100, 106)) and len(every) == 288
    for jobs in (10, 50, 100):
        drawn = {first_times(case.cell, case.seed, jobs) for case in every if case.cell.jobs == jobs}
        assert len(drawn) == 6


def test_the_former_sample_shares_jobs_between_sizes_only() -> None:
    every = list(cases(["uni-former"]))
    drawn = Counter(first_times(case.cell, case.seed) for case in every)
    assert set(drawn.values()) == {4} and len(drawn) == 72


def test_with_locality_and_without_the_instance_is_the_same() -> None:
    assert first_seed(Cell()) == first_seed(Cell(locality=None))


def test_samples_stand_side_by_side() -> None:
    fifty = Cell(jobs=50)
    others = Cell(jobs=50, organizations=2)
    rows = [
        *(row(cell, seed, plan="uni-old") for seed in (100, 101) for cell in (fifty, others)),
        *(row(cell, first_seed(cell), plan="uni") for cell in (fifty, others)),
        open_row(fifty, first_seed(fifty) + 1, 40, 44, plan="uni"),
    ]
    text = report(rows)
    assert cells_of(text, "| 50 | uni-old |")[2:] == ["4", "2", "4", "51.0 to 100.0 %", "0", "0.00 %", "0.00 %"]
    assert cells_of(text, "| 50 | uni |")[2:] == ["3", "3", "2", "20.8 to 93.9 %", "4", "3.33 %", "10.00 %"]
    assert "| 50 | held-out |" not in text


def test_groups_go_by_plan_workload_and_size() -> None:
    swf = Cell(workload="swf", jobs=500)
    rows = [row(swf, plan="held-out"), row(Cell(jobs=50), plan="held-out"), row(Cell(), plan="locality"), row(Cell())]
    assert list(groups(rows)) == ["uni, n = 10", "held-out, uni, n = 50", "held-out, swf, n = 500"]
