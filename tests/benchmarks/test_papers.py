"""The papers' experiments in their smallest size."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from benchmarks.papers.__main__ import main
from benchmarks.papers.experiment import SMOKE_EXACT, ensure
from benchmarks.papers.experiments import EXPERIMENTS
from benchmarks.papers.mosp_policies import policy
from benchmarks.papers.optima import optima_table
from benchmarks.papers.rows import MospRow
from benchmarks.papers.statement import near
from heuristics.registry import find_method
from oas.campaigns.ledger import Ledger
from oas.core.result import Status
from oas.exact.pipeline import solve
from oas.generate import uni
from oas.problems.mosp.instance import MospInstance
from tests.slow import mostly_slow

if TYPE_CHECKING:
    from pathlib import Path

STATEMENTS = {"oas-slots": 6, "oas-workloads": 6, "mosp-7.2": 23, "mosp-7.3": 9, "mosp-7.4": 5}
INSTANCES = {"oas-slots": 16, "oas-workloads": 6, "mosp-7.2": 96, "mosp-7.3": 128, "mosp-7.4": 80}


def test_printed_sizes_are_the_papers() -> None:
    printed = {name: len(one.campaign("printed").sources) for name, one in EXPERIMENTS.items()}
    assert (printed["mosp-7.2"], printed["mosp-7.4"]) == (4800, 6000)
    assert printed["mosp-7.3"] == 4 * 4800  # the same workloads under four local policies


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_larger_size_keeps_the_instances_of_the_smaller(name: str) -> None:
    made = [{one.fingerprint() for one in EXPERIMENTS[name].campaign(size).sources} for size in ("smoke", "standard")]
    assert len(made[0]) == INSTANCES[name]
    assert made[0] <= made[1]
    if EXPERIMENTS[name].printed_instances:
        assert made[1] < {one.fingerprint() for one in EXPERIMENTS[name].campaign("printed").sources}


def test_near() -> None:
    assert near(1.04, 1.0)
    assert not near(1.06, 1.0)


@pytest.mark.parametrize("name", mostly_slow(EXPERIMENTS, quick={"oas-slots"}))
def test_each_experiment_runs_and_states_what_the_paper_does(name: str, tmp_path: Path) -> None:
    target, ledger = tmp_path / "report.md", tmp_path / "runs.ledger"
    command = [name, "--size", "smoke", "--workers", "2", "--ledger", str(ledger), "--output", str(target)]
    assert main(command) == 0
    text = target.read_text()
    assert len(re.findall(r"^\| (?:4|7)\.[0-9.]+ \|.* (?:agrees|differs) \|", text, re.MULTILINE)) == STATEMENTS[name]
    assert f"{INSTANCES[name]} instances" in text
    experiment = EXPERIMENTS[name]
    with Ledger(ledger, write=True) as held:
        campaign = experiment.campaign("smoke")
        assert ensure(campaign, held, smoke=True) == 0  # all is there
        assert {record.termination for record in held.records()} <= {"finished", "time_limit"}
        exact = [record for record in held.records() if record.kind == "exact"]
        assert len(exact) <= SMOKE_EXACT * sum(method.kind == "exact" for method in campaign.methods)
        assert any(record.status == Status.OPTIMAL.value for record in exact)
        rows = experiment.rows(campaign, held)
    if name == "mosp-7.2":
        _rows_are_those_of_the_methods(rows)


def _rows_are_those_of_the_methods(rows: list[MospRow]) -> None:
    """One instance made anew, and the optimum proven by the other solver."""
    own = [row for row in rows if (row.workload, row.organizations, row.jobs, row.processors) == ("uni", 5, 50, 32)]
    instance = uni(seed=own[0].seed, jobs=50, organizations=5, processors=32)
    work = sum(job.time * job.processors for job in instance.jobs) / (5 * 32)
    assert [row.method for row in own] == ["local", "ILBA", "MOCCA"]
    for row in own:
        name = {"MOCCA": "MOCCA-7"}.get(row.method, row.method)
        assert row.makespan == find_method(name, MospInstance)(instance).makespan
        assert row.bound == max(work, *(job.time for job in instance.jobs))
        assert row.score == row.makespan / row.bound >= 1
    proven = next(row for row in rows if row.workload == "uni" and row.optimum is not None and row.true_ratio != 1)
    assert proven.optimum is not None
    drawn = uni(seed=proven.seed, jobs=proven.jobs, organizations=proven.organizations, processors=proven.processors)
    result = solve(drawn, solver="highs", time_limit=60)
    assert (result.status, result.objective) == (Status.OPTIMAL, proven.optimum)
    assert proven.true_ratio is not None
    assert 1 < proven.true_ratio <= proven.score


def row(method: str, makespan: int | None, optimum: int | None, local: str = "HF") -> MospRow:
    ended = None if makespan is None else Fraction(makespan)
    proven = None if optimum is None else Fraction(optimum)
    return MospRow("uni", 2, 10, 32, 0, local, None, method, ended, Fraction(8), proven)


def test_ratios_to_the_optimum_are_means_over_the_proven() -> None:
    table = optima_table([row("ILBA", 10, 10), row("ILBA", 16, 10), row("ILBA", 99, None), row("local", 9, None)])
    assert "| uni | ILBA | 3 | 67 % | 1.625 | 1.300 | 1.600 | 50 % |" in table
    assert "| uni | local | 1 | 0 % | – | – | – | – |" in table


def test_policies_bear_the_papers_names_and_the_others_their_cut() -> None:
    named = [policy(row(method, 9, None, local)) for method in ("ILBA", "ILBA(4)") for local in ("HF", "LPT")]
    assert named == ["HF3", "LPT3", "HF4", "LPT"]


def test_a_missing_schedule_is_counted_and_not_scored() -> None:
    rows = [row("ILBA(4)", 9, None, local) for local in ("HF", "LPT", "SPT", "RND")] + [row("ILBA", 9, None)]
    other = [MospRow("swf", *list(vars(one).values())[1:]) for one in rows]
    missing = [*rows, *other, row("ILBA(4)", None, None, "SPT"), row("ILBA", None, None, "RND")]
    first = EXPERIMENTS["mosp-7.3"].statements(missing)[0]
    assert (first.found, first.agrees) == ("1", False)
    assert first.remark.endswith("1 of 1")


def test_an_unknown_experiment_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["mosp-7.5"])
    assert "unknown experiment mosp-7.5; known: oas-slots" in capsys.readouterr().err


def test_a_file_that_is_no_ledger_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "no.ledger"
    path.write_text("no ledger")
    assert main(["oas-workloads", "--size", "smoke", "--ledger", str(path)]) == 2
    assert "no ledger" in capsys.readouterr().err
