"""Three instances of 4 jobs with real solvers, from the command to the page; going on; rows counted by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec
import pytest

from benchmarks.proof_rates.coallocation.saturation import __main__ as command
from benchmarks.proof_rates.coallocation.saturation import measure, plans
from benchmarks.proof_rates.coallocation.saturation.plans import PERCENTS, PLANS, SEEDS, THRESHOLDS, Cell
from benchmarks.proof_rates.coallocation.saturation.report import report
from benchmarks.proof_rates.coallocation.saturation.rows import SaturationRow
from benchmarks.proof_rates.coallocation.saturation.targets import verdicts
from benchmarks.proof_rates.shared.answers import Answer
from benchmarks.proof_rates.shared.plans import Case, round_robin
from benchmarks.proof_rates.shared.rows import read_rows
from oas.core.result import Bound, Proof, ProofKind

if TYPE_CHECKING:
    from pathlib import Path

ROW = SaturationRow(
    plan="six",
    cell=Cell(),
    seed=0,
    digest="0" * 64,
    own=Answer(termination="finished", lower=30, upper=30, seconds=1.0),
    rival=Answer(termination="left out", lower=None, upper=None, seconds=0.0),
    proof="certificate",
    bound="shared links",
    claims=[],
    closed_by="shared links",
    combinatorial=25,
    rechecked=True,
    recheck_seconds=0.125,
    stages={"start": 0.25, "search": 0.5},
    steps=[],
    mismatch="",
    load=0.5,
    versions={"python": "3.11"},
    machine="a machine, 2 CPUs",
    commit="1" * 40,
    source="a-b",
    recorded="2026-01-01T00:00:00+00:00",
    unit="1/3",
    confirmed=30,
)
ON_A_WORD = msgspec.structs.replace(ROW, seed=1, proof="solver", closed_by="search", confirmed=29)
OPEN = msgspec.structs.replace(
    ROW,
    seed=2,
    own=Answer(termination="time_limit", lower=29, upper=30, seconds=60.0),
    proof="solver",
    closed_by="",
    confirmed=24,
)


def row(one: SaturationRow, name: str, jobs: int) -> SaturationRow:
    return msgspec.structs.replace(one, plan=name, cell=Cell(jobs=jobs))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Options for three instances of 4 jobs; nothing to warm up."""
    monkeypatch.setattr(plans, "SIZES", {"six": 4})
    monkeypatch.setattr(plans, "PERCENTS", ("25",))
    monkeypatch.setattr(command, "warm_up", lambda: None)
    return ["--plan", "six", "--seeds", "1", "--rows", str(tmp_path / "rows"), "--report", str(tmp_path / "page.md")]


def test_every_instance_has_a_seed_of_its_own() -> None:
    for name, plan in PLANS.items():
        cases = list(round_robin(PLANS, [name]))
        assert len({case.seed for case in cases}) == len(cases) == SEEDS * len(plan.cells)
        assert len(plan.cells) == len(THRESHOLDS) * len(PERCENTS) == 6


def test_a_cell_draws_under_its_policy() -> None:
    drawn = Cell(threshold="1/2", percent="25").instance(3)
    assert (drawn.saturation.policy, drawn.saturation.threshold) == ("slowdown", Fraction(1, 2))
    assert len(drawn.jobs) == 6 and drawn.slot == Fraction(670_000, 4)


def test_instances_are_proven_and_have_a_page(quick: list[str], tmp_path: Path, capsys) -> None:
    assert command.main(quick) == 0
    rows = read_rows(tmp_path / "rows", SaturationRow)
    assert [one.cell.threshold for one in rows] == [None, "1/2", "3/4"]
    for one in rows:
        instance = one.cell.instance(one.seed)
        assert one.digest == instance.digest and one.unit == str(instance.slot)
        assert one.own.proven and one.closed_by and one.rechecked and one.mismatch == ""
        assert one.confirmed is not None and one.own.lower is not None
        assert one.combinatorial <= one.confirmed <= one.own.lower
    assert "| all |  |  | 3 | 3 |" in (tmp_path / "page.md").read_text(encoding="utf-8")
    capsys.readouterr()
    assert command.main(quick) == 0
    assert "0 of 3 instances to solve" in capsys.readouterr().err


def test_without_slots_times_are_whole_numbers_of_a_unit() -> None:
    cell = Cell(jobs=3, percent="0", seconds=20.0)
    one = measure.measure(Case("six", cell, 4))
    assert one.mismatch == "" and one.own.proven and one.own.upper is not None
    makespan = one.own.upper * Fraction(one.unit)
    assert makespan == measure.solve(cell.instance(4), time_limit=20.0).objective


def test_a_wrong_bound_is_reported_loudly(quick: list[str], tmp_path: Path, monkeypatch, capsys) -> None:
    real = measure.solve

    def lying(instance, **options):
        found = real(instance, **options)
        late = found.schedule.makespan + instance.slot
        bound = Bound("area", late, certificate={})
        return replace(found, lower_bound=late, proof=Proof(ProofKind.CERTIFICATE, bound))

    monkeypatch.setattr(measure, "solve", lying)
    assert command.main(quick) == 1
    assert "not confirmed" in read_rows(tmp_path / "rows", SaturationRow)[0].mismatch
    assert "**3 MISMATCHES**" in (tmp_path / "page.md").read_text(encoding="utf-8")
    assert capsys.readouterr().err.count("MISMATCH: 4 jobs") >= 3


def test_a_crash_of_one_instance_is_a_mismatch_and_the_others_go_on(quick, tmp_path: Path, monkeypatch, capsys) -> None:
    real, calls = measure.solve, []

    def failing(instance, **options):
        calls.append(instance)
        if len(calls) == 1:
            raise RuntimeError("out of tune")
        return real(instance, **options)

    monkeypatch.setattr(measure, "solve", failing)
    assert command.main(quick) == 1
    first, *others = read_rows(tmp_path / "rows", SaturationRow)
    assert "out of tune" in first.mismatch and not first.own.proven
    assert all(one.own.proven and one.mismatch == "" for one in others)
    assert "Traceback" in capsys.readouterr().err


def test_a_line_counts_its_rows() -> None:
    text = report([ROW, ON_A_WORD, OPEN])
    (line,) = [line for line in text.splitlines() if line.startswith("| none | 0 |")]
    assert [cell.strip() for cell in line.strip("|").split("|")] == [
        *("none", "0", "0–2", "3", "2", "0", "1", "1", "9.48 %", "25.00 %", "20.7", "60.0", "0"),
    ]
    assert "Closed by: shared links 1, search 1." in text
    assert "Open: seed 2 (25.00 %)." in text
    text = report([ROW, msgspec.structs.replace(OPEN, confirmed=None)])
    assert "| 0.00 %, 1 without | 0.00 % |" in text
    assert "No rows." in report([])


@pytest.mark.parametrize(
    ("rows", "asked", "figure", "met"),
    [
        ([ROW], "100 % proven", "100.0 %", True),
        ([ROW, OPEN], "100 % proven", "50.0 %", False),
        ([ROW] * 19 + [ON_A_WORD], "95 % by certificate", "95.0 %", True),
        ([ROW] * 18 + [ON_A_WORD], "95 % by certificate", "94.7 %", False),
        ([row(ROW, "eight", 8)] * 4 + [row(OPEN, "eight", 8)], "80 % proven", "80.0 %", True),
        ([row(ROW, "sixteen", 16), row(ON_A_WORD, "sixteen", 16)], "5 % on every", "3.45 %; above in 0", True),
        ([row(OPEN, "sixteen", 16)], "5 % on every", "25.00 %; above in 1", False),
        (
            [msgspec.structs.replace(row(OPEN, "sixteen", 16), confirmed=None)],
            "5 % on every",
            "–, 1 without; above in 1",
            False,
        ),
    ],
)
def test_requirements_are_judged_exactly(rows: list[SaturationRow], asked: str, figure: str, met: bool) -> None:
    (line,) = [line for line in verdicts(rows) if asked in line]
    assert f"| {figure} | {'yes' if met else '**no**'} | {len(rows)} |" in line


def test_bad_input_is_one_line(quick: list[str], capsys) -> None:
    assert command.main([*quick, "--seconds", "0"]) == 2
    assert capsys.readouterr().err.startswith("--seconds: must be above 0")
