"""The table of claims: well formed, up to date, and cheap values are recomputed."""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from benchmarks.claims import table
from benchmarks.claims.__main__ import main, page
from benchmarks.claims.mosp import low_zone_counterexample
from benchmarks.claims.table import CORRECTED, FAILS, HOLDS, NOT_HERE
from benchmarks.papers.__main__ import EXPERIMENTS
from oas.core.errors import InputError
from oas.core.verifier import verify
from oas.mosp.generate.worst_cases import WORST_CASES
from oas.mosp.instance import MospInstance
from oas.solving.methods import find_method

DOCUMENT = Path(__file__).parents[2] / "docs" / "claims.md"


@pytest.mark.slow
def test_what_is_cheap_to_find_is_found_again():
    checked = table.check()
    assert [one.claim.id for one in checked if not one.agrees] == []
    anew = {one.claim.id for one in checked if one.found is not None}
    assert len(anew) > 80


def test_the_document_is_up_to_date():
    assert DOCUMENT.read_text(encoding="utf-8") == page()


def test_each_claim_says_what_finds_it():
    known = set(table.checks())
    listed = table.load()
    assert known <= {claim.id for claim in listed}
    assert {claim.verdict for claim in listed} == {HOLDS, CORRECTED, FAILS, NOT_HERE}
    for claim in listed:
        if claim.verdict == NOT_HERE:
            continue
        assert claim.found, claim.id
        assert bool(claim.command) != (claim.id in known), claim.id


def test_commands_can_be_run():
    """Their modules, files and experiments are there."""
    root = DOCUMENT.parents[1]
    for claim in table.load():
        words = claim.command.split()
        if words[:1] == ["pytest"]:
            assert all((root / word).exists() for word in words[1:]), claim.id
        elif words[:3] == ["python", "-m", "benchmarks.claims"]:
            assert words[3] in table.checks(), claim.id
        elif words:
            assert words[:2] == ["python", "-m"]
            module = root.joinpath(*words[2].split("."))
            assert module.with_suffix(".py").exists() or (module / "__main__.py").exists(), claim.id
            if words[2] == "benchmarks.papers":
                assert words[3] in EXPERIMENTS


PLACES = {
    "MOCCA": [f"proposition {k}" for k in (1, *range(7, 14))] + ["propositions 2 to 6", "theorem 1"],
    "MOLBA": [f"proposition {k}" for k in range(1, 6)],
    "Reservations": [f"proposition {k}" for k in (1, 2, 3)] + ["theorem 1", "theorem 2", "lemma 1", "figure 4"],
    "Fair": [f"theorem {k}" for k in ("3.3", "4.1", "5.1", "5.3", "5.6", "5.7")]
    + [f"proposition {k}" for k in ("3.4", "4.2", "5.4", "5.5")]
    + ["corollary 3.5", "figure 1", "figure 5", "table 1", "axioms 1 to 3"],
    "OAS": [f"({k})" for k in (1, 4, 5, 8, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 22)],
}


@pytest.mark.parametrize("paper", PLACES)
def test_every_statement_of_the_papers_is_there(paper):
    places = " ".join(claim.place for claim in table.load() if claim.paper == paper)
    assert [place for place in PLACES[paper] if not re.search(re.escape(place) + r"(?!\d)", places)] == []


def test_every_worst_case_whose_print_is_wrong_is_no_plain_holds():
    verdicts = {claim.id: claim.verdict for claim in table.load()}
    wrong = {name for name, case in WORST_CASES.items() if not all(claim.holds for claim in case.claims())}
    assert wrong == {"kept-schedules", "blocked-queue"}
    assert verdicts["reservations-2.2-fcfs"] == verdicts["reservations-2.2-conservative"] == CORRECTED
    assert verdicts["mocca-prop-8"] == CORRECTED
    assert not all(claim.holds for claim in WORST_CASES["unbounded-ilba"].claims(repaired=False))
    assert verdicts["mocca-prop-13-optimum"] == CORRECTED


def test_rows_of_results_are_told_apart_by_what_they_are_of():
    for name in {claim.record.partition(": ")[0] for claim in table.load() if claim.record}:
        text = (table.RESULTS / name).read_text(encoding="utf-8")
        assert len(table.recorded(name)) == len(re.findall(r"^\| [47]\.", text, re.MULTILINE))
        # And no row of the experiments is left out of the table.
        told = {claim.record.partition(": ")[2] for claim in table.load() if claim.record.startswith(name)}
        assert told == set(table.recorded(name))


def test_proposition_2_of_molba_fails_as_said():
    """Low utilization on the third cluster from 0 to 8; no job is longer than 6. By hand."""
    instance = low_zone_counterexample()
    schedule = find_method("MOLBA(2)", MospInstance)(instance)
    assert not verify(instance, schedule)
    third = sorted((one.start, one.end, one.tasks) for one in schedule.placements if "O3" in one.nodes)
    assert [(int(start), int(end), tasks) for start, end, tasks in third] == [(0, 1, 2), (1, 2, 3), (2, 8, 2)]
    assert max(job.time for job in instance.jobs) == 6
    area = sum((job.time * job.processors for job in instance.jobs), Fraction(0)) / 12
    longest = max(instance.local_makespans)
    assert area == Fraction(31, 4)
    assert longest > 2 * area + 6  # so O1's cluster is not left as it is
    starts = {job.id: instance.local[job.id] for job in instance.jobs}
    assert {name for name, start in starts.items() if start > 2 * area} == {"J1.1", "J1.5"}


def test_a_part_is_chosen_by_the_beginning_of_its_ids():
    chosen = table.check(["mocca-5.2"])
    assert [one.claim.id for one in chosen] == ["mocca-5.2-tight", "mocca-5.2-open"]
    with pytest.raises(InputError, match="no claim has such an id"):
        table.check(["nothing"])


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ('verdict = "perhaps"', "known: holds"),
        ('verdict = "fails"', "a correction or a reason is needed"),
        ('verdict = "holds"\nwhat = 1', "unknown field"),
    ],
)
def test_a_wrong_file_is_refused(changed, reason, tmp_path, monkeypatch):
    path = tmp_path / "claims.toml"
    text = '[[claims]]\nid = "a"\npaper = "P"\nplace = "p"\nstatement = "s"\nprinted = "1"\n'
    path.write_text(f"{text}{changed}\n")
    monkeypatch.setattr(table, "FILE", path)
    with pytest.raises(InputError, match=reason):
        table.load()


def test_a_value_that_changed_is_an_error(monkeypatch, capsys):
    arguments = ["mocca-5.2-tight", "--check"]
    assert main(arguments) == 0
    wrong = table.check(["mocca-5.2-tight"])[0]
    monkeypatch.setattr(table, "check", lambda *_: [replace(wrong, found="another")])
    assert main(arguments) == 3
    assert "| MOCCA(4) 4, LB 1, optimum 1 |" in (shown := capsys.readouterr().out) and "| another |" in shown
