"""Mutation testing in a smoke size; the long run is `python -m benchmarks.mutation`."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.mutation import __main__ as mutation
from benchmarks.mutation import mutants as drawing
from benchmarks.mutation.__main__ import report, run
from benchmarks.mutation.mutants import FAULTS, ROOT, Mutant, faults, mutants_of, read_toml

PACKAGES = read_toml("mutation.toml")["package"]
SOURCE = "def double(number):\n    return 2 * number\n"
TEST = "from doubling import double\n\n\ndef test_double():\n    assert double(3) == 6\n"


@pytest.mark.parametrize("fault", read_toml("faults.toml")["fault"], ids=lambda fault: fault["breaks"])
def test_every_fault_fits_the_source(fault):
    made = next(one for one in faults() if one.change == fault["breaks"])
    assert made.text != (ROOT / made.file).read_text(encoding="utf-8")
    compile(made.text, str(made.file), "exec")
    assert all((ROOT / test).exists() for test in made.tests)


@pytest.mark.parametrize("package", PACKAGES, ids=[one["name"] for one in PACKAGES])
def test_every_pattern_matches_files(package):
    for pattern in package["modules"] + package["tests"]:
        assert list(ROOT.glob(pattern)), pattern


@pytest.mark.slow
def test_a_seed_names_a_sample():
    pytest.importorskip("cosmic_ray")
    package = next(one for one in PACKAGES if one["name"] == "ticks, co-allocation")
    drawn = mutants_of(package, 0)
    assert drawn == mutants_of(package, 0) != mutants_of(package, 1)
    assert len({one.key for one in drawn}) == package["mutants"]
    for mutant in drawn:
        compile(mutant.text, str(mutant.file), "exec")
        assert mutant.tests[0] == "tests/coallocation/test_ticks.py"


@pytest.mark.slow
def test_killed_survived_and_hanging(tmp_path, monkeypatch):
    pytest.importorskip("cosmic_ray")
    (tmp_path / "doubling.py").write_text(SOURCE)
    (tmp_path / "test_doubling.py").write_text(TEST)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    changes = {mutation.KILLED: "3 * number", mutation.SURVIVED: "number * 2", mutation.TIMEOUT: "sum(iter(int, 1))"}
    mutants = [
        Mutant("package", Path("doubling.py"), 2, text, SOURCE.replace("2 * number", text), ("test_doubling.py",), 3)
        for text in changes.values()
    ]
    known: dict[str, str] = {}
    assert list(run(mutants, known, 1)) == mutants
    assert list(known.values()) == list(changes)
    assert (tmp_path / "doubling.py").read_text() == SOURCE
    assert list(run(mutants, known, 1)) == []
    shown = report(mutants, known).splitlines()
    assert shown[2] == "| package | 3 | 3 | 2 | 1 | 1 | 67% |"
    assert shown[-1] == "- doubling.py:2: `number * 2`"

    (tmp_path / "test_doubling.py").write_text(TEST.replace("6", "7"))
    with pytest.raises(RuntimeError, match="without any change"):
        list(run(mutants, {}, 1))


def test_a_fault_out_of_date_is_noticed(monkeypatch):
    fault = {"file": "oas/core/numbers.py", "old": "no such text", "new": "", "breaks": FAULTS, "tests": []}
    monkeypatch.setattr(drawing, "read_toml", lambda _: {"fault": [fault]})
    with pytest.raises(ValueError, match="occurs 0 times, not once"):
        faults()
