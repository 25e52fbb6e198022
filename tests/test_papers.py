"""The papers' experiments in their smallest size."""

from __future__ import annotations

import re

import pytest

from benchmarks.papers import mosp_homogeneous
from benchmarks.papers.__main__ import EXPERIMENTS, main
from benchmarks.papers.scores import Case, rows_of, run
from benchmarks.papers.statement import near
from heuristics.registry import find_method
from oas.core.mosp import MospInstance


def test_rows_are_those_of_the_registered_methods():
    case = Case("uni", 5, 50, 32, 3, ("local", "MOCCA", "ILBA", "MOCCA(4)"))
    names = {"local": "local", "MOCCA": "MOCCA-7", "ILBA": "ILBA", "MOCCA(4)": "MOCCA-7(4)"}
    instance = case.instance()
    work = sum(job.time * job.processors for job in instance.jobs) / (5 * 32)
    for row in rows_of(case):
        assert row.makespan == find_method(names[row.method], MospInstance)(instance).makespan
        assert row.bound == max(work, *(job.time for job in instance.jobs))
        assert row.score == row.makespan / row.bound >= 1


def test_processes_change_nothing():
    cases = [case for case in mosp_homogeneous.cases(1, ["swf"]) if case.jobs == 10][:4]
    assert list(run(cases, 1)) == list(run(cases, 2))


def test_more_instances_keep_the_first_ones():
    assert set(mosp_homogeneous.cases(2)) < set(mosp_homogeneous.cases(3))
    assert len(mosp_homogeneous.cases(mosp_homogeneous.PRINTED_INSTANCES)) == 4800  # as the paper says


def test_near():
    assert near(1.04, 1.0)
    assert not near(1.06, 1.0)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_each_experiment_runs_and_states_what_the_paper_does(name, tmp_path):
    target = tmp_path / "report.md"
    assert main([name, "--instances", "1", "--workers", "2", "--output", str(target)]) == 0
    text = target.read_text()
    rows = re.findall(r"^\| 7\.[0-9.]+ \|.* (?:agrees|differs) \|", text, re.MULTILINE)
    assert len(rows) == {"mosp-7.2": 23, "mosp-7.3": 9, "mosp-7.4": 5}[name]
    assert f"{len(EXPERIMENTS[name].cases(1))} instances" in text


def test_an_unknown_experiment_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["mosp-7.5"])
    assert "unknown experiment mosp-7.5; known: mosp-7.2" in capsys.readouterr().err
