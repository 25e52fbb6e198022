"""The papers' statements, judged from small ledgers of their campaigns."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from benchmarks.papers.__main__ import EXPERIMENTS, FOLDER, main, report
from benchmarks.papers.experiment import MospRow, near
from benchmarks.papers.mosp_variations import policy, policy_statements
from oas.campaigns.declaration import load_campaign
from oas.campaigns.driver import drive
from oas.campaigns.engines import pool_engine
from oas.campaigns.ledger import Ledger
from oas.campaigns.plan import plan, smoke
from oas.generate import uni
from oas.mosp.instance import MospInstance
from oas.solving.methods import find_method

if TYPE_CHECKING:
    from pathlib import Path

    from oas.campaigns.declaration import Campaign

STATEMENTS = {"oas-slots": 6, "slot-sizes": 0, "oas-workloads": 6, "mosp-7.2": 23, "mosp-7.3": 9, "mosp-7.4": 5}


def small(name: str) -> Campaign:
    """The campaign with one instance of each sample, of section 7 only its heuristics and up to 100 jobs on m = 32."""
    whole = smoke(load_campaign(FOLDER / f"{name}.toml"))
    if not name.startswith("mosp"):
        return whole
    sources = [one for one in whole.sources if one.parameters["jobs"] <= 100 or name == "mosp-7.2"]
    chosen = [one for one in sources if name != "mosp-7.3" or one.parameters["processors"] == 32]
    # On a busy machine a heuristic may need more than the second of the smoke size.
    heuristics = (method for method in whole.methods if method.kind == "heuristic")
    methods = tuple(replace(method, limits=replace(method.limits, seconds=Fraction(3600))) for method in heuristics)
    return replace(whole, sources=tuple(chosen), methods=methods)


def test_printed_sizes_are_the_papers() -> None:
    assert near(1.04, 1.0) and not near(1.06, 1.0)
    sizes = {name: len(load_campaign(FOLDER / f"{name}.toml").sources) for name in ("mosp-7.2", "mosp-7.3", "mosp-7.4")}
    # Section 7.3 has the workloads of 7.2 under four local policies.
    assert sizes == {"mosp-7.2": 4800, "mosp-7.3": 4 * 4800, "mosp-7.4": 6000}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_each_experiment_states_what_the_paper_does(name: str, tmp_path: Path) -> None:
    campaign = small(name)
    with Ledger(tmp_path / "runs.ledger", write=True) as ledger, pool_engine(2) as engine:
        drive(plan(campaign, ledger), ledger, engine)
        text = report(name, campaign, ledger)
        rows = EXPERIMENTS[name].rows(campaign, ledger)
    assert len(re.findall(r"^\| (?:4|7)\.[0-9.]+ \|.* (?:agrees|differs) \|", text, re.MULTILINE)) == STATEMENTS[name]
    assert f"{len(campaign.sources)} instances" in text
    if name == "mosp-7.2":
        _rows_are_those_of_the_methods(rows)


def _rows_are_those_of_the_methods(rows: list[MospRow]) -> None:
    """One instance made again."""
    own = [row for row in rows if (row.workload, row.organizations, row.jobs, row.processors) == ("uni", 5, 50, 32)]
    instance = uni(seed=own[0].seed, jobs=50, organizations=5, processors=32)
    work = sum(job.time * job.processors for job in instance.jobs) / (5 * 32)
    assert [row.method for row in own] == ["local", "ILBA", "MOCCA"]
    for row in own:
        name = {"MOCCA": "MOCCA-7"}.get(row.method, row.method)
        assert row.makespan == find_method(name, MospInstance)(instance).makespan
        assert row.bound == max(work, *(job.time for job in instance.jobs))
        assert row.score == row.makespan / row.bound >= 1


def row(method: str, makespan: int | None, local: str = "HF", workload: str = "uni") -> MospRow:
    ended = None if makespan is None else Fraction(makespan)
    return MospRow(workload, 2, 10, 32, 0, local, None, method, ended, Fraction(8))


def test_policies_bear_the_papers_names_and_the_others_their_cut() -> None:
    named = [policy(row(method, 9, local)) for method in ("ILBA", "ILBA(4)") for local in ("HF", "LPT")]
    assert named == ["HF3", "LPT3", "HF4", "LPT"]


def test_a_missing_schedule_is_counted_and_not_scored() -> None:
    rows = [
        row(method, 9, local, workload)
        for workload in ("uni", "swf")
        for method, local in [("ILBA", "HF"), *(("ILBA(4)", local) for local in ("HF", "LPT", "SPT", "RND"))]
    ]
    first = next(policy_statements([*rows, row("ILBA(4)", None, "SPT"), row("ILBA", None, "RND")]))
    assert (first.found, first.agrees) == ("1", False)
    assert first.remark.endswith("1 of 1")


def test_what_cannot_be_read_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["mosp-7.5"])
    assert "mosp-7.5" in capsys.readouterr().err
    assert main(["oas-workloads", "--ledger", str(tmp_path / "none.ledger")]) == 2
    assert "run the campaign first" in capsys.readouterr().err
    (tmp_path / "no.ledger").write_text("no ledger")
    assert main(["oas-workloads", "--ledger", str(tmp_path / "no.ledger")]) == 2
