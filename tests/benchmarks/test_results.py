"""The index of results names every page, with a command that exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
RESULTS = BENCHMARKS / "results"
ROWS = re.findall(r"^\| \[.*?\]\((.*?)\) \|.*?\|.*?\| (.*) \|$", (RESULTS / "README.md").read_text(), re.MULTILINE)


def test_the_index_names_every_page_once() -> None:
    assert sorted(name for name, _ in ROWS) == sorted(
        path.name for path in RESULTS.glob("*.md") if path.stem != "README"
    )


@pytest.mark.parametrize(("name", "commands"), ROWS, ids=[name for name, _ in ROWS])
def test_its_commands_exist(name: str, commands: str) -> None:
    campaigns = re.findall(r"[\w.-]+\.toml", commands)
    modules = re.findall(r"benchmarks(?:\.\w+)+", commands)
    assert campaigns or modules or "`oas " in commands
    for campaign in campaigns:
        assert (BENCHMARKS / campaign).is_file()
    for module in modules:
        path = BENCHMARKS.parent / module.replace(".", "/")
        assert path.with_suffix(".py").is_file() or path.is_dir(), name
