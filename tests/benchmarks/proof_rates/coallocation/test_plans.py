from __future__ import annotations

from itertools import islice, product

import pytest

from benchmarks.proof_rates.coallocation.plans import GROWTH, PLANS, Cell, cases
from oas.generate.coallocation.section4 import section4

SLOTS = "1/η, per mean base time"


def test_plans_have_the_cells_that_were_asked_for():
    def shape(name):
        return {(one.jobs, one.grid, one.bandwidth, one.percent) for one in PLANS[name].cells}

    both, fine = ("std", "tight"), ("50", "25", "10")
    percents = ("250", "100", "50", "25", "15", "10", "5", "0")
    assert shape("eight") == set(product([8], ["3x4"], both, percents))
    assert shape("sixteen") == set(product([16], ["3x4", "3x20"], both, fine))
    assert shape("thirtytwo") == set(product([32], ["3x4", "3x20"], both, fine))
    assert shape("sixtyfour") == set(product([64], ["3x80", "6x20"], both, fine))
    assert shape("twofiftysix") == set(product([256], ["6x80"], both, fine))
    for name, cells in PLANS.items():
        seeds = {"eight": 24, "growth": 5, "smoke": 2, "twofiftysix": 4}.get(name, 12)
        assert {cells.count(cell) for cell in cells.cells} == {seeds}
    for name in ("sixteen", "thirtytwo", "sixtyfour", "twofiftysix"):
        assert {(cell.seconds, cell.rival_seconds) for cell in PLANS[name].cells} == {(60.0, None)}
    assert {(cell.seconds, cell.rival_seconds) for cell in PLANS["eight"].cells} == {(20.0, 20.0)}


def test_along_each_axis_of_growth_one_thing_varies():
    base = Cell()
    assert (base.jobs, base.grid, base.bandwidth, base.percent) == (12, "3x4", "std", "25")
    fields = {"jobs": "jobs", "nodes of each cluster": "nodes", "clusters": "clusters", SLOTS: "percent"}
    for name, cells in GROWTH.items():
        others = set(Cell.__struct_fields__) - {fields[name]}
        assert base in cells.values()
        assert len(set(cells.values())) == len(cells)
        assert all(getattr(cell, field) == getattr(base, field) for cell in cells.values() for field in others)
    assert [float(cell.percent) and round(100 / float(cell.percent), 1) for cell in GROWTH[SLOTS].values()] == [
        0.4,
        1,
        2,
        4,
        10,
        20,
        40,
        0,
    ]


def test_cases_go_round_the_cells_and_no_case_comes_twice():
    every = list(cases(["sixteen", "thirtytwo"], 2))
    assert len(every) == len(set(every)) == 2 * 24
    assert {case.cell for case in every[:24]} == {*PLANS["sixteen"].cells, *PLANS["thirtytwo"].cells}
    assert [case.seed for case in every[24:]] == [case.seed + 1 for case in every[:24]]
    assert len(list(cases(["eight"]))) == 24 * 16 and len(list(cases(["eight"], 99))) == 24 * 16
    assert list(cases([])) == []
    assert len(set(islice(cases(["growth"]), len(PLANS["growth"].cells)))) == len(PLANS["growth"].cells)


def test_a_cell_draws_its_instance():
    cell = Cell(jobs=9, clusters=2, nodes=5, bandwidth="tight", percent="0")
    drawn = section4(seed=3, jobs=9, clusters=2, nodes=5, bandwidth="tight", slot_percent=0)
    assert cell.instance(3).digest == drawn.digest


@pytest.mark.parametrize("name", ["eight", "sixteen", "thirtytwo", "sixtyfour", "twofiftysix"])
def test_no_two_instances_share_their_times(name):
    every = list(cases([name]))
    assert len({case.seed for case in every}) == len(every)
    assert all(case.seed >= 100 for case in every)
    few = list(cases([name], 2))
    assert len({tuple(job.base_time for job in case.cell.instance(case.seed).jobs) for case in few}) == len(few)


@pytest.mark.parametrize("name", ["sixteen", "thirtytwo", "sixtyfour"])
def test_the_old_sample_is_kept_beside(name):
    old, new = PLANS[f"{name}-old"], PLANS[name]
    assert old.cells == new.cells
    assert {case.seed for case in cases([f"{name}-old"])} == set(range(12))
