"""A short run of the fuzzer, and that it would notice."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import benchmarks.robustness.fuzz_files as fuzz
from benchmarks.robustness.file_mutations import MUTATIONS, sample_files
from oas.io import decoding
from oas.problems.registry import problem_named

if TYPE_CHECKING:
    import pytest

    from oas.core.errors import InputError


def test_two_thousand_files_under_a_memory_cap() -> None:
    command = [sys.executable, "-m", "benchmarks.robustness.fuzz_files", "--count", "2000", "--seed", "7"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    figures = dict(line.split()[:2] for line in run.stdout.splitlines())
    assert int(figures["files"]) == 2000 and int(figures["FAILED"]) == 0
    assert int(figures["accepted"]) > 100 and int(figures["refused"]) > 1000


def test_the_files_are_valid_before_they_are_broken() -> None:
    assert [fuzz.examine(data) for data in sample_files()] == ["accepted"] * len(sample_files())


def test_a_number_names_one_file() -> None:
    assert fuzz.fuzzed_file(3, 5) == fuzz.fuzzed_file(3, 5) != fuzz.fuzzed_file(3, 6)


def test_every_mutation_changes_something() -> None:
    for name in MUTATIONS:
        assert any(fuzz.fuzzed_file(0, index)[0] == name for index in range(400))


def failures(count: int = 1500) -> list[str]:
    found = []
    for index in range(count):
        names, data = fuzz.fuzzed_file(0, index)
        try:
            fuzz.examine(data)
        except Exception as error:
            found.append(f"{names}: {error}")
    return found


def test_keys_given_twice_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "refuse_repeated_keys", lambda text: None)
    assert any("a key given twice" in failure for failure in failures())


def test_inexact_numbers_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def inexact(problem: str) -> Any:
        kind = problem_named(problem).part("document").document
        return decoding.msgspec.json.Decoder(
            kind, dec_hook=lambda _, value: Fraction(float(Fraction(value))), float_hook=decoding.Decimal
        )

    monkeypatch.setattr(decoding, "instance_decoder", inexact)
    assert any("the file says" in failure for failure in failures(100))


def test_other_exceptions_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def recurse(data: bytes) -> InputError:
        raise RecursionError

    monkeypatch.setattr(decoding, "explain_nesting", recurse)
    assert failures()
