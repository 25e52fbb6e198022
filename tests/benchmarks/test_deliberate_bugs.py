"""The benchmark of deliberate bugs: its list fits the source, it catches a bug, and it says so when one survives."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.bugs import __main__
from benchmarks.bugs.__main__ import ROOT, main, patched
from benchmarks.bugs.lists import BUGS, Bug

LPT = next(bug for bug in BUGS if bug.breaks == "LPT is SPT")
QUICK = replace(LPT, tests=("tests/heuristics/coallocation/test_methods.py",))


def test_there_are_enough_and_each_is_its_own() -> None:
    assert len(BUGS) >= 15
    assert len({(bug.file, bug.old, bug.new) for bug in BUGS}) == len({bug.breaks for bug in BUGS}) == len(BUGS)


@pytest.mark.parametrize("bug", BUGS, ids=[bug.breaks for bug in BUGS])
def test_every_bug_fits_the_source(bug: Bug) -> None:
    text = patched(bug)
    assert text != (ROOT / bug.file).read_text(encoding="utf-8")
    compile(text, bug.file, "exec")
    assert all((ROOT / test.partition("::")[0]).exists() for test in bug.tests)


def test_a_list_out_of_date_is_noticed() -> None:
    with pytest.raises(ValueError, match="occurs 0 times, not once"):
        patched(replace(LPT, old="nothing like this"))
    with pytest.raises(ValueError, match=r"occurs [0-9]+ times, not once"):
        patched(replace(LPT, old="s"))


@pytest.mark.slow
def test_a_bug_is_caught_and_a_harmless_change_survives(capsys) -> None:
    before = (ROOT / LPT.file).read_text(encoding="utf-8")
    harmless = replace(QUICK, breaks="only a docstring", old='"""A queue', new='"""A! queue')
    assert main([], [QUICK, harmless]) == 1
    shown = capsys.readouterr().out.splitlines()
    caught = "`tests/heuristics/coallocation/test_methods.py::test_"
    assert shown[2].startswith(f"| LPT is SPT | heuristics/coallocation/list_scheduling.py | {caught}")
    assert shown[3] == "| only a docstring | heuristics/coallocation/list_scheduling.py | **survived** |"
    assert shown[-1] == "1 of 2 bugs caught"
    assert (ROOT / LPT.file).read_text(encoding="utf-8") == before


def test_tests_that_fail_anyway_prove_nothing(monkeypatch, capsys) -> None:
    monkeypatch.setattr(__main__, "first_failure", lambda *_: "tests/test_x.py::test_y")
    assert main([], [QUICK]) == 1
    assert "without any bug tests/test_x.py::test_y fails" in capsys.readouterr().err
