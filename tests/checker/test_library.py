"""The one file holds every kind of entry of the packaged library, with the lines of `oas verify`; a bound above it not.

All entries, each in a process of its own: `python -m benchmarks.soak --check library`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from oas.core.result import Status
from oas.library import Library
from tests.checker.bundled import Checker, verified
from tests.slow import mostly_slow

if TYPE_CHECKING:
    from oas.io.library_index import Entry

LIBRARY = Library()
MADE = [entry for entry in LIBRARY.entries if entry.origin.recipe is None]  # the others need a job log


def by_bound() -> dict[tuple[str, str], list[Entry]]:
    """Return the certified entries by problem and bound, those of fewer jobs first."""
    found: dict[tuple[str, str], list[Entry]] = {}
    for entry in sorted(MADE, key=lambda one: one.jobs):
        named = entry.record and re.match(r"certificate \((.*?)\)", entry.record.bound_by)
        if named:
            found.setdefault((entry.problem, named[1]), []).append(entry)
    return found


KINDS = by_bound()
FIRST = [own[0].name for own in KINDS.values()]
FURTHER = [entry.name for own in KINDS.values() for entry in own[4::6]]


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Checker:
    return Checker(tmp_path_factory.mktemp("checker"))


@pytest.mark.parametrize("name", mostly_slow(dict.fromkeys([*FIRST, *FURTHER]), quick=FIRST))
def test_an_entry(checker: Checker, name: str) -> None:
    instance: Any = LIBRARY.instance(name)
    result = LIBRARY.result(name)
    assert result is not None and result.proof is not None and result.proof.bound is not None
    assert checker.judge(instance, result) == (0, verified(instance, result), [])
    bound = replace(result.proof.bound, value=result.proof.bound.value + instance.scaled().tick)
    proof = replace(result.proof, bound=bound)
    higher = replace(result, status=Status.NO_SOLUTION, schedule=None, lower_bound=bound.value, proof=proof)
    lines = verified(instance, higher)
    code, found, errors = checker.judge(instance, higher)
    assert (code, found, len(errors)) == ((3, [], 1) if lines is None else (0, lines, 0))
