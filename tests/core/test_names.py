"""The answer to a name that nothing has."""

from __future__ import annotations

import pytest

from oas.core.names import near_names, unknown_name

KNOWN = ("FCFS", "SJF", "start-indexed")


@pytest.mark.parametrize(
    ("name", "near"),
    [("FCSF", ["FCFS"]), ("fcfs", ["FCFS"]), ("start_indexd", ["start-indexed"]), ("magic", []), ("", [])],
)
def test_near_names_are_found_whatever_their_case(name: str, near: list[str]) -> None:
    assert near_names(name, KNOWN) == near


def test_the_error_names_what_is_near_and_what_is_known() -> None:
    error = unknown_name("FCSF", KNOWN, "heuristic", further="package.module:function")
    assert str(error) == (
        "heuristic: unknown; did you mean FCFS? known: FCFS, SJF, start-indexed, or package.module:function"
        " (got 'FCSF')"
    )
    assert str(unknown_name("magic", KNOWN, reason="no such thing")) == (
        "no such thing; known: FCFS, SJF, start-indexed (got 'magic')"
    )
    assert unknown_name("sjf", KNOWN, listed=False).reason == "unknown; did you mean SJF?"
    assert unknown_name(3, KNOWN, listed=False).reason == "unknown"
