"""Section 4 with saturated links that slow down: two small instances with real solvers; a page from rows by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from benchmarks.papers.saturation import __main__ as command
from benchmarks.papers.saturation import cases
from benchmarks.papers.saturation.cases import PLANS, Cell
from benchmarks.papers.saturation.measure import executed_length, measure
from benchmarks.papers.saturation.report import report
from benchmarks.papers.saturation.rows import Made, PolicyFigures, SectionRow
from benchmarks.proof_rates.shared.plans import Case
from benchmarks.proof_rates.shared.rows import read_rows
from oas.core.schedule import Placement, Schedule
from oas.problems.coallocation.allocations import jobs_without_allocation
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

POLICIES = ["forbid", "slowdown, threshold 3/4", "slowdown, threshold 1/2", "slowdown"]
METHODS = {"FCFS", "SJF", "BJF", "FPFS", "SPT", "LPT"}


def made(makespan: int, compaction: float = 0.5) -> Made:
    return Made(makespan=str(makespan), compaction=compaction)


def figures(policy: str, lower: int, best: int, free: int | None) -> PolicyFigures:
    heuristics = {"FCFS": made(2 * best)} | ({} if policy == "forbid" else {"PATIENT": made(best)})
    executed = {"forbid": made(40), "no links": None if free is None else made(free)}
    return PolicyFigures(
        policy=policy, lower=str(lower), best=made(best), certified=True, heuristics=heuristics, executed=executed
    )


ROW = SectionRow(
    plan="4.2",
    cell=Cell(),
    seed=1,
    digest="0" * 64,
    policies=[figures("forbid", 40, 40, None), figures("slowdown", 32, 32, 36)],
    plans={"forbid": made(40), "no links": made(30)},
    no_links_lower="30",
    mismatch="",
    seconds=1.0,
    load=0.5,
    versions={"python": "3.11"},
    machine="a machine, 2 CPUs",
    commit="1" * 40,
    source="a-b",
    recorded="2026-01-01T00:00:00+00:00",
)
OPEN = msgspec.structs.replace(
    ROW, seed=2, policies=[figures("forbid", 40, 40, None), figures("slowdown", 32, 40, 48)], mismatch="2 and 2 is 5"
)


def cells_of(text: str, start: str) -> list[str]:
    (line,) = [line for line in text.splitlines() if line.startswith(start)]
    return [cell.strip() for cell in line.strip("|").split("|")][start.count("|") - 1 :]


def test_instances_are_those_of_the_papers_experiments() -> None:
    assert {one.bandwidth for one in PLANS["4.1"].cells} == {"std", "tight"}
    assert {one.percent for one in PLANS["4.1"].cells} == {"100", "50", "25", "0"}
    names = [PLANS["4.2"].cells[0].instance(PLANS["4.2"].first(Cell()) + number).name for number in range(6)]
    assert names == [f"WL-{number}" for number in range(1, 7)]
    assert not PLANS["4.1"].cells[0].instance(0).saturation.slows


def test_narrow_links_are_as_narrow_as_forbid_can_bear() -> None:
    for number in range(1, 7):
        instance = Cell(narrow=True).instance(number)
        assert not jobs_without_allocation(instance.scaled())
        narrower = [replace(one, bandwidth=one.bandwidth * Fraction(999, 1000)) for one in instance.clusters]
        assert jobs_without_allocation(replace(instance, clusters=narrower).scaled())


def test_an_instance_under_every_policy() -> None:
    row = measure(Case("4.1", Cell(jobs=4, bandwidth="tight", percent="50"), 0))
    assert row.mismatch == "" and [one.policy for one in row.policies] == POLICIES
    assert all(one.proven for one in row.policies)
    lengths = [one.best.length for one in row.policies]
    assert lengths == sorted(lengths, reverse=True) and lengths[-1] >= Fraction(row.no_links_lower)
    assert set(row.policies[0].heuristics) == METHODS
    for one in row.policies[1:]:
        assert set(one.heuristics) == METHODS | {"PATIENT"}
        runs = [run for run in (*one.executed.values(), *one.heuristics.values()) if run is not None]
        assert min(run.length for run in runs) >= one.best.length


def test_the_command_writes_a_page_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr(cases, "PERCENTS", ("100",))
    options = ["--plan", "4.1", "--jobs", "3", "--seeds", "1", "--rows", str(tmp_path / "rows")]
    assert command.main([*options, "--report", str(tmp_path / "page.md")]) == 0
    rows = read_rows(tmp_path / "rows", SectionRow)
    assert [row.cell.bandwidth for row in rows] == ["tight", "std"]
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert text.count("| 100 | forbid | 1 | 1 | 1 |") == 2
    assert "slot sizes, tight bandwidth" in text and "slot sizes, std bandwidth" in text
    assert "0 mismatches" in text
    capsys.readouterr()
    assert command.main(options) == 0
    assert "0 of 2 instances to solve" in capsys.readouterr().err


def test_a_plan_that_a_policy_can_never_run_is_none() -> None:
    clusters = [Cluster(name, [NodeGroup(1, 1)], 1) for name in "PQ"]
    instance = CoallocationInstance(clusters, [Job("J1", 2, 10, 2, Fraction(1, 2))])
    plan = Schedule([Placement("J1", Fraction(0), Fraction(10), {"P": (0,), "Q": (0,)})])
    assert executed_length(instance, plan) is None
    run = executed_length(instance.with_saturation("slowdown"), plan)
    assert run is not None and run.makespan == 15  # 10 (1/2 + 1/2 · 2)


def test_lines_are_means_over_the_rows() -> None:
    text = report([ROW, OPEN])
    assert "**1 MISMATCHES**" in text and "2 and 2 is 5" in text
    loose = cells_of(text, "| 50 | slowdown, threshold none |")
    assert loose == ["2", "1", "1", "0.900 (0.800)", "0.800", "1", "50.0 %"]
    assert cells_of(text, "| 50 | no links |") == ["2", "2", "–", "0.750", "0.750", "2", "50.0 %"]
    assert cells_of(text, "| FCFS |") == ["2.000 (2.000); 50.0 %"] * 2
    assert cells_of(text, "| PATIENT |") == ["–", "1.000 (1.000); 50.0 %"]
    assert cells_of(text, "| no links | forbid |") == ["2", "–", "–", "–", "–"]
    run = cells_of(text, "| no links | slowdown, threshold none |")
    assert run == ["0", "1.400", "1.163", "1.200", "0 of 2"]
    assert cells_of(text, "| forbid | slowdown, threshold none |")[1:] == ["1.000", "1.125", "1.250", "1 of 2"]


def test_a_bound_without_links_settles_every_policy() -> None:
    open_ = figures("slowdown", 28, 30, 30)
    row = msgspec.structs.replace(ROW, policies=[figures("forbid", 40, 40, None), open_])
    assert not open_.proven and row.settled(open_)
    assert cells_of(report([row]), "| 50 | slowdown, threshold none |")[:3] == ["1", "1", "0"]
    assert not row.settled(figures("slowdown", 28, 31, 31))


def test_bad_input_is_one_line(tmp_path: Path, capsys) -> None:
    assert command.main(["--rows", str(tmp_path / "rows"), "--seconds", "0"]) == 2
    assert capsys.readouterr().err.startswith("--seconds: must be above 0")
    assert command.main(["--rows", str(tmp_path / "none")]) == 2
    assert "No rows." in report([])
