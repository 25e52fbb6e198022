"""Small public sets from the files to the page, with real solvers; a contradiction is loud."""

from __future__ import annotations

import msgspec
import pytest

from benchmarks.external import __main__ as program
from benchmarks.external.__main__ import main
from benchmarks.external.catalogue import load
from benchmarks.external.report import groups, missing, report
from benchmarks.external.rows import ExternalRow
from benchmarks.proof_rates.shared.rows import read_rows
from tests.benchmarks.external.small import make
from tests.benchmarks.proof_rates.coallocation.rows import answer


@pytest.fixture
def ready(tmp_path, monkeypatch):
    """A function that runs the command on small sets, whose files are in the cache."""
    monkeypatch.setattr(program, "warm_up", lambda: None)  # tiny instances need nothing compiled

    def run(*arguments: object, **changes: str) -> int:
        path = make(tmp_path, **changes)
        cache = tmp_path / "cache"
        common = ["--catalogue", str(path)]
        assert main([*common, "fetch", "--from", str(tmp_path / "files"), "--cache", str(cache)]) == 0
        rows = ["--rows", str(tmp_path / "rows.jsonl"), "--report", str(tmp_path / "page.md")]
        return main([*common, "run", "--cache", str(cache), *rows, *map(str, arguments)])

    return run


def test_every_instance_is_solved_and_agrees(ready, tmp_path) -> None:
    assert ready("--seconds", 20, "--plot", tmp_path / "plot.svg") == 0
    rows = {f"{row.plan}/{row.cell.name}": row for row in read_rows(tmp_path / "rows.jsonl", ExternalRow)}
    assert {name: row.own.upper for name, row in rows.items()} == {
        **{"bins/one": 3, "machines/two": 6, "perfect/cut": 3, "gappy/squares": 4},
        **{"pairs/one": 2, "pairs/squares": 2},
    }
    assert all(row.own.proven and row.rechecked and not row.mismatch for row in rows.values())
    assert rows["pairs/one"].known == (2, None) and rows["bins/one"].known.optimum == 3
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "| at least 75 % of all proven | 100.0 % | 61.0 to 100.0 % | yes |" in page
    assert "| bins | 1 | 1 | 20.7 to 100.0 % | 1 | 1 | 1 | 1 | 0 | 0.00 % |" in page
    assert "| gappy | 1 | 1 | 20.7 to 100.0 % | 1 | 0 | 0 | 0 | 0 | 0.00 % |" in page
    assert "Nothing." in page and "someone/sets@0123456789" in page and (tmp_path / "plot.svg").exists()


def test_a_contradiction_of_what_is_published_is_found(ready, tmp_path, capsys) -> None:
    assert ready("--sets", "machines", old="lower = 6, upper = 6", new="lower = 7, upper = 7") == 1
    (row,) = read_rows(tmp_path / "rows.jsonl", ExternalRow)
    assert "oas.solve has a verified schedule of 6, published are at least 7" in row.mismatch
    assert "MISMATCH: machines/two" in capsys.readouterr().err
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "**1 CONTRADICTIONS**" in page and "| no published optimum contradicted | 1 | – | **no** |" in page
    arguments = ["--rows", str(tmp_path / "rows.jsonl"), str(tmp_path / "again.md")]
    assert main(["--catalogue", str(tmp_path / "catalogue.toml"), "report", *arguments]) == 1


@pytest.mark.parametrize(
    ("arguments", "changes", "said"),
    [
        (("--sets", "bins", "none"), {}, "--sets: no set has this name; there are bins, machines"),
        (("--seconds", "0"), {}, "--seconds: must be above 0"),
        (("--instances", "0"), {}, "--instances: must be at least 1"),
        ((), {"old": "upper = 4 }", "new": "upper = 2 }"}, "gappy/squares: the area alone needs 3"),
        (
            (),
            {"old": 'member = "gappy.json"', "new": 'member = "lost.json"'},
            "lost.json: the archive has no such member",
        ),
    ],
)
def test_what_cannot_be_run_is_said_before_anything_is_solved(
    ready, tmp_path, capsys, arguments, changes, said
) -> None:
    assert ready(*arguments, **changes) == 2
    assert said in capsys.readouterr().err and not (tmp_path / "rows.jsonl").exists()


@pytest.fixture
def solved(ready, tmp_path) -> ExternalRow:
    """The row of the machines."""
    assert ready("--sets", "machines") == 0
    (row,) = read_rows(tmp_path / "rows.jsonl", ExternalRow)
    return row


def test_the_page_counts_and_says_what_is_missing(solved, tmp_path) -> None:
    catalogue = load(tmp_path / "catalogue.toml")

    def changed(plan: str, **changes: object) -> ExternalRow:
        return msgspec.structs.replace(solved, plan=plan, **changes)

    rows = [
        changed("bins", own=answer(3, 3), published_lower=3, published_upper=3),
        changed("bins", own=answer(3, 4, 60.0), published_lower=3, published_upper=3, closed_by=""),
        changed("bins", own=answer(2, 3, 60.0), published_lower=3, published_upper=3, closed_by=""),
        changed("gappy", own=answer(3, 4, 60.0), published_lower=3, published_upper=4, closed_by=""),
    ]
    assert [missing(row) for row in rows] == ["nothing", "schedule", "bound", "not known"]
    assert list(groups(rows, catalogue)) == ["bins", "gappy"]
    page = report(rows, catalogue)
    assert "| bins | 3 | 1 | 6.1 to 79.2 % | 1 | 3 | 2 | 2 | 1 | 27.78 % | 50.00 % |" in page
    assert "| at least 75 % of all proven | 25.0 % | 4.6 to 69.9 % | **no** |" in page
    assert "| mean gap at most 1 % | 29.17 % | – | **no** |" in page
    assert "| machines/two | 5 | 2 | 3 | 4 | 3 to 3 | schedule |" in page
    assert "No rows." in report([], catalogue)
